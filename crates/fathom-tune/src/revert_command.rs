//! The commands that put a setting back without fathom, for a person whose
//! device did not answer.

use super::place::{RelativePlace, SettingPlace};
use super::record::Record;
use super::setting::{Coupling, Setting};
use super::state_dir::STATE_DIR;
use crate::key::OwnerKey;
use crate::knobs::knob;
use crate::scope::Scope;
use fathom_device::root::Root;
use fathom_text::shell::quoted;
use std::mem::discriminant;
use std::path::{Path, absolute};

/// The command that puts back what a journal still holds.
pub fn revert_command(journal: &Path) -> String {
    let name = journal.file_stem().unwrap_or_default();
    let dir = absolute(journal.parent().unwrap_or(Path::new("/"))).unwrap_or_default();
    let place = match dir == Path::new(STATE_DIR) {
        true => String::new(),
        false => format!(" --state-dir {}", quoted(dir)),
    };
    format!("fathom tune revert{place} --session {}", quoted(name))
}

impl Record {
    /// Shell commands that put back what this change made, in order: first the
    /// setting, then the files that the kernel resets along with it. None
    /// where its owner is gone.
    ///
    /// A person runs these commands as root, so they are checked like what fathom writes itself:
    /// for a record that no knob on this machine could have made there are none.
    pub fn by_hand(&self, root: &Root) -> Vec<String> {
        if !Offers::of(root).has(self) {
            return Vec::new();
        }
        let mut commands = Vec::new();
        let mut add = |at: &RelativePlace, value: &str| {
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

    /// Of two settings that exclude each other, the one that was in force: 0 cannot be written to
    /// the other (EINVAL).
    pub(super) fn excluded_twin(&self) -> Option<(&RelativePlace, &str)> {
        let twin = self.setting.twin.as_ref().filter(|twin| twin.coupling == Coupling::Excludes)?;
        let before = self.before_twin.as_deref().filter(|value| *value != "0")?;
        (self.before_typed == "0").then_some((&twin.at, before))
    }
}

/// The value and the place come from a journal: each is one word for the shell, whatever it
/// contains.
fn command(place: &SettingPlace, value: &str) -> Option<String> {
    if place.is_forbidden() {
        return None;
    }
    Some(match place {
        SettingPlace::File(path) => format!("echo {} > {}", quoted(value), quoted(path)),
        SettingPlace::Feature { controller, feature } => {
            let device = quoted(Path::new("/dev").join(controller));
            format!("nvme set-feature {device} --feature-id={feature} --value={}", quoted(value))
        }
        SettingPlace::Unit(unit) => {
            let verb = if value == "active" { "start" } else { "stop" };
            format!("systemctl {verb} {}", quoted(unit))
        }
        SettingPlace::Mount(point) => format!("mount -o remount,{} {}", quoted(value), quoted(point)),
        SettingPlace::Held(_) => return None,
    })
}

// Whether a journal's record is one that the catalogue could have made.
//
// A journal says what root writes, so it is not trusted: the owner, file, codec, twin and values
// of a record must be those of its knob on this machine. Which owner it is in particular follows
// from its key, which is looked up again anyway.

/// Everything that the knobs offer on this machine, whatever the targets.
pub(super) struct Offers<'a> {
    scope: Scope<'a>,
}

impl<'a> Offers<'a> {
    pub(super) fn of(root: &'a Root) -> Self {
        Self { scope: Scope::whole(root) }
    }

    /// Whether putting the record back writes nothing but what its knob could
    /// have found there.
    pub(super) fn has(&self, record: &Record) -> bool {
        is_sound(record) && self.finds(&record.id, &record.setting)
    }

    fn finds(&self, id: &str, setting: &Setting) -> bool {
        let Some(knob) = knob(id) else { return false };
        // A unit that we stopped is not found any more, so a unit is recognised by its name.
        if let OwnerKey::Unit { unit } = &setting.key {
            return knob.units.contains(unit);
        }
        knob.find(&self.scope).iter().any(|known| is_alike(known, setting))
    }
}

/// Whether the record has a knob, and values that a setting can have: what can
/// be said of it when its owner is gone and no setting is left to compare with.
pub(super) fn is_sound(record: &Record) -> bool {
    let Setting { codec, disturbs, .. } = &record.setting;
    let is_number = |text: &String| text.parse::<i64>().is_ok();
    let mut disturbed = record.disturbed.iter();
    let disturbed = disturbed.all(|file| disturbs.contains(&file.at) && is_number(&file.before));
    let twin = record.before_twin.iter().all(is_number);
    disturbed && twin && codec.is_typed(&record.before_typed) && knob(&record.id).is_some()
}

fn is_alike(known: &Setting, recorded: &Setting) -> bool {
    discriminant(&known.key) == discriminant(&recorded.key)
        && (&known.at, known.codec, &known.twin, &known.disturbs)
            == (&recorded.at, recorded.codec, &recorded.twin, &recorded.disturbs)
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
        let is = |place: SettingPlace, value: &str, command: &str| {
            assert_eq!(super::command(&place, value).as_deref(), Some(command));
        };
        let file = SettingPlace::File("/sys/block/cciss!c0d0/queue/scheduler".into());
        is(file, "none", "echo none > '/sys/block/cciss!c0d0/queue/scheduler'");
        let feature = SettingPlace::Feature { controller: "nvme0".to_owned(), feature: 2 };
        is(feature, "0", "nvme set-feature /dev/nvme0 --feature-id=2 --value=0");
        is(SettingPlace::Unit("tuned.service".to_owned()), "active", "systemctl start tuned.service");
        is(SettingPlace::Mount("/srv/a b".into()), "relatime", "mount -o remount,relatime '/srv/a b'");
        assert_eq!(super::command(&SettingPlace::Held("/dev/cpu_dma_latency".into()), "10"), None);
    }
    #[test]
    fn what_a_journal_says_is_one_word_to_a_shell() {
        let command = |place: SettingPlace, value: &str| super::command(&place, value);
        let file = SettingPlace::File("/sys/block/sda/queue/scheduler".into());
        let quoted = "echo '1;reboot' > /sys/block/sda/queue/scheduler";
        assert_eq!(command(file, "1;reboot").as_deref(), Some(quoted));
        let feature = SettingPlace::Feature { controller: "nvme0;reboot".to_owned(), feature: 2 };
        let quoted = "nvme set-feature '/dev/nvme0;reboot' --feature-id=2 --value='$(reboot)'";
        assert_eq!(command(feature, "$(reboot)").as_deref(), Some(quoted));
        let mount = SettingPlace::Mount("/srv".into());
        assert_eq!(command(mount, "a;b").as_deref(), Some("mount -o remount,'a;b' /srv"));
    }

    #[test]
    fn what_is_never_written_is_not_written_by_hand_either() {
        assert_eq!(super::command(&SettingPlace::File("/etc/passwd".into()), "1"), None);
        assert_eq!(super::command(&SettingPlace::File("/sys/block/sda/queue/write_cache".into()), "1"), None);
    }
}
