//! Whether the roles have the choice in turn, up to each layer.

use super::Finding;

/// What was found of the layers so far.
pub struct Turns {
    /// No role was found with a choice in a state and again in a successor.
    alternate: bool,
    /// All states were looked at.
    all: bool,
}

impl Turns {
    /// Before any layer, of a game with so many roles.
    pub fn new(roles: usize) -> Self {
        Turns { alternate: roles > 1, all: true }
    }

    /// Whether a role that has the choice twice in a row would be news.
    pub fn open(&self) -> bool {
        self.alternate
    }

    /// Tells of a role that has the choice twice in a row.
    pub fn repeat(&mut self) {
        self.alternate = false;
    }

    /// Compares with what the manifest tells of a layer, all states of which were looked at or not.
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
