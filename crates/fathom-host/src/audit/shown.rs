//! A text that was read, as evidence and as the reason for an error.

use super::observation::Observation;
use super::scene::Raw;
use fathom_device::root::Unknown;

impl Observation {
    /// Adds a text that was read as evidence.
    pub fn show(self, raw: &Raw) -> Self {
        self.with(&raw.path, &raw.text)
    }
}

impl Raw {
    /// The error that the text is not what its file should hold.
    pub fn garbled(&self) -> Unknown {
        Unknown::garbled(&self.path, &self.text)
    }
}
