//! The firmware settings of a guide (contract I-6), and what the system shows of each.
//!
//! Half of the eighteen lines cannot be read from Linux, and each of those says where it is to be seen.
//! A line is an entry of `settings::SETTINGS`.

mod settings;
mod text;

use fathom_device::root::Root;

/// Where the settings of a virtual machine are.
const HOST: &str = "the host of this virtual machine";

/// What the guide's machine has in a line of its setup.
#[derive(Debug, Clone, Copy)]
pub struct BiosSetting {
    /// The line, as in the setup of the guide's board.
    pub name: &'static str,
    /// What the guide has there.
    pub guide: &'static str,
    /// What an older guide has there, if it says something else (contract V-17, I-7).
    pub other_guide: Option<&'static str>,
    /// Looks at the system.
    see: fn(&Root) -> BiosSeen,
}

/// What the system shows of a firmware setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BiosSeen {
    /// It is as the guide has it, and why.
    AsTheGuide(String),
    /// It is not, and why.
    Differs(String),
    /// A value that says something about it, and not whether it is so.
    Related(String),
    /// The system does not show it: where it is to be seen.
    Hidden(&'static str),
}

/// A line of the checklist.
#[derive(Debug, Clone)]
pub struct BiosLine {
    /// The setting.
    pub setting: &'static BiosSetting,
    /// What the system shows of it.
    pub seen: BiosSeen,
}

/// The checklist for a machine.
#[derive(Debug, Clone)]
pub struct BiosChecklist {
    /// In the order of the guide.
    pub lines: Vec<BiosLine>,
}

impl BiosChecklist {
    /// The word by which `fathom doctor --explain` finds it.
    pub const WORD: &'static str = "bios-checklist";

    /// Looks at a machine.
    pub fn of(root: &Root) -> Self {
        let is_guest = settings::is_guest(root);
        let seen =
            |setting: &BiosSetting| if is_guest { BiosSeen::Hidden(HOST) } else { (setting.see)(root) };
        let lines = settings::SETTINGS.iter().map(|setting| BiosLine { setting, seen: seen(setting) });
        BiosChecklist { lines: lines.collect() }
    }
}
