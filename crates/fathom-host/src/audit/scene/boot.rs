//! The boot parameters, split into words.

use super::{Raw, Scene};
use fathom_device::root::Unknown;

/// The kernel command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootWords {
    /// The whole line.
    pub raw: Raw,
}

impl BootWords {
    /// Every word, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.raw.text.split_whitespace()
    }

    /// Whether the bare word is there.
    pub fn has(&self, word: &str) -> bool {
        self.iter().any(|there| there == word)
    }

    /// The value after `name=`. If there are several, the last one counts, as
    /// for most parameters of the kernel.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.iter().filter_map(|word| word.strip_prefix(name)?.strip_prefix('=')).last()
    }
}

impl Scene<'_> {
    /// Reads the kernel command line.
    pub fn boot_words(&self) -> Result<BootWords, Unknown> {
        Ok(BootWords { raw: self.read("/proc/cmdline")? })
    }
}
