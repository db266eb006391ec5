//! Whether the roles have the choice in turn, up to each layer, from what is known of each.

use super::claims::{Claim, Claims, How};
use super::{Finding, Verification};
use crate::store::Manifest;

/// What was found of the layers.
pub struct Alternation {
    several: bool,
    /// By layer: whether a role has the choice in a state and again in a successor; `None`: not known.
    repeats: Vec<Option<bool>>,
}

impl Alternation {
    /// Before any layer, of a game with so many roles.
    pub fn new(roles: usize, layers: usize) -> Self {
        Alternation { several: roles > 1, repeats: vec![None; layers] }
    }

    /// Tells what was found of a layer.
    pub fn layer(&mut self, layer: u32, repeats: Option<bool>) {
        self.repeats[layer as usize] = repeats;
    }

    /// Compares with what the manifest tells.
    pub fn end(&self, manifest: &Manifest, claims: &mut Claims, result: &mut Verification) {
        // What holds up to a layer: known once a role repeats its choice, or as long as no layer is left open.
        let mut so_far = Some(self.several);
        let mut wrong =
            |place: String, message: &str| result.findings.push(Finding { place, message: message.to_owned() });
        for (record, repeats) in manifest.layers.iter().zip(&self.repeats) {
            so_far = match (so_far, repeats) {
                (Some(false), _) | (_, Some(true)) => Some(false),
                (Some(true), Some(false)) => Some(true),
                (None, _) | (_, None) => None,
            };
            let message = match (record.alternating, so_far) {
                (true, Some(false)) => {
                    "the manifest has the roles choose in turn so far, but one chooses twice in a row"
                }
                (false, Some(true)) => "the manifest has a role choose twice in a row so far, but none does",
                (_, None) => {
                    claims.add(Claim::Alternating, How::Sampled);
                    continue;
                }
                _ => {
                    claims.add(Claim::Alternating, How::Proved);
                    continue;
                }
            };
            wrong(format!("layer {}", record.layer), message);
        }
        let last = manifest.layers.last().map(|layer| layer.alternating);
        if manifest.alternating.is_some() && manifest.alternating != last {
            wrong("manifest.json".to_owned(), "whether the roles choose in turn is told in two ways");
        }
    }
}
