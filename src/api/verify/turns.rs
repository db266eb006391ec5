//! Checks whether the roles have the choice in turn up to each layer, from the states that were looked at.

use super::Finding;

/// What was found for the layers so far.
pub struct Turns {
    /// No role was found with a choice in a state and again in a successor.
    alternate: bool,
    /// All states were looked at.
    all: bool,
}

impl Turns {
    /// No layers yet, for a game with this number of roles.
    pub fn new(roles: usize) -> Self {
        Turns { alternate: roles > 1, all: true }
    }

    /// Whether no role was seen to choose twice in a row yet.
    pub fn open(&self) -> bool {
        self.alternate
    }

    /// Records a role that has the choice twice in a row.
    pub fn repeat(&mut self) {
        self.alternate = false;
    }

    /// Compares with the manifest's record of a layer. The argument says whether all its states were looked at.
    pub fn end_layer(&mut self, layer: u32, told: bool, all: bool) -> Option<Finding> {
        self.all &= all;
        let message = match (told, self.alternate) {
            (true, false) => "the manifest has the roles choose in turn so far, but one chooses twice in a row",
            (false, true) if self.all => "the manifest has a role choose twice in a row so far, but none does",
            _ => return None,
        };
        Some(Finding { place: format!("layer {layer}"), message: message.to_owned() })
    }
}
