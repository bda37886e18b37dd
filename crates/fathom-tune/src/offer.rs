//! Whether a journal's record is one that the catalogue could have made.
//!
//! A journal says what root writes, so it is not trusted: the owner, file, codec, twin and values
//! of a record must be those of its knob on this machine. Which owner it is in particular follows
//! from its key, which is looked up again anyway.

use std::mem::discriminant;

use super::key::OwnerKey;
use super::knobs::{knob, units_of};
use super::record::Record;
use super::scope::Scope;
use super::setting::Setting;
use fathom_device::root::Root;

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
            return units_of(id).contains(&unit.as_str());
        }
        (knob.find)(&self.scope).iter().any(|found| is_alike(found, setting))
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

fn is_alike(found: &Setting, said: &Setting) -> bool {
    discriminant(&found.key) == discriminant(&said.key)
        && (&found.at, found.codec, &found.twin, &found.disturbs)
            == (&said.at, said.codec, &said.twin, &said.disturbs)
}
