//! The commands that put a setting back without fathom, for a person whose
//! device did not answer.

use std::path::{Path, absolute};

use super::place::{At, Place};
use super::record::Record;
use super::setting::Coupling;
use super::state_dir::STATE_DIR;
use crate::root::Root;

/// The command that puts back what a journal still holds.
pub fn revert_command(journal: &Path) -> String {
    let name = journal.file_stem().unwrap_or_default().to_string_lossy();
    let dir = absolute(journal.parent().unwrap_or(Path::new("/"))).unwrap_or_default();
    let place = match dir == Path::new(STATE_DIR) {
        true => String::new(),
        false => format!(" --state-dir {}", quoted(&dir.to_string_lossy())),
    };
    format!("fathom tune revert{place} --session {}", quoted(&name))
}

impl Record {
    /// Shell commands that put back what this change made, in order: first the
    /// setting, then the files that the kernel sets anew along with it. None
    /// where its owner is gone.
    pub fn by_hand(&self, root: &Root) -> Vec<String> {
        let mut commands = Vec::new();
        let mut add = |at: &At, value: &str| {
            let place = self.setting.place_of(root, at);
            commands.extend(place.ok().and_then(|place| command(&place, value)));
        };
        match self.excluded_twin() {
            Some((twin, value)) => add(twin, value),
            None => add(&self.setting.at, &self.setting.codec.text(&self.before_typed)),
        }
        self.disturbed.iter().for_each(|file| add(&file.at, &file.before));
        commands
    }

    /// Of two that exclude each other, the one that was in force: 0 cannot be
    /// written to the other (EINVAL).
    pub(super) fn excluded_twin(&self) -> Option<(&At, &str)> {
        let twin = self.setting.twin.as_ref().filter(|twin| twin.coupling == Coupling::Excludes)?;
        let before = self.before_twin.as_deref().filter(|value| *value != "0")?;
        (self.before_typed == "0").then_some((&twin.at, before))
    }
}

fn command(place: &Place, value: &str) -> Option<String> {
    Some(match place {
        Place::File(path) => format!("echo {value} > {}", quoted(&path.to_string_lossy())),
        Place::Feature { controller, feature } => {
            format!("nvme set-feature /dev/{controller} --feature-id={feature} --value={value}")
        }
        Place::Unit(unit) => {
            let verb = if value == "active" { "start" } else { "stop" };
            format!("systemctl {verb} {}", quoted(unit))
        }
        Place::Mount(point) => format!("mount -o remount,{value} {}", quoted(&point.to_string_lossy())),
        Place::Held(_) => return None,
    })
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._:-+=@,".contains(c);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_elsewhere_is_named_with_its_directory() {
        let command = |journal: &str| revert_command(Path::new(journal));
        assert_eq!(command("/var/lib/fathom/7-a.journal"), "fathom tune revert --session 7-a");
        assert_eq!(command("/a b/7.journal"), "fathom tune revert --state-dir '/a b' --session 7");
    }

    #[test]
    fn each_kind_of_place_has_its_command() {
        let is = |place: Place, value: &str, command: &str| {
            assert_eq!(super::command(&place, value).as_deref(), Some(command));
        };
        let file = Place::File("/sys/block/cciss!c0d0/queue/scheduler".into());
        is(file, "none", "echo none > '/sys/block/cciss!c0d0/queue/scheduler'");
        let feature = Place::Feature { controller: "nvme0".to_owned(), feature: 2 };
        is(feature, "0", "nvme set-feature /dev/nvme0 --feature-id=2 --value=0");
        is(Place::Unit("tuned.service".to_owned()), "active", "systemctl start tuned.service");
        is(Place::Mount("/srv/a b".into()), "relatime", "mount -o remount,relatime '/srv/a b'");
        assert_eq!(super::command(&Place::Held("/dev/cpu_dma_latency".into()), "10"), None);
    }
}
