//! Every setting that any knob knows on this machine, with its text: what must
//! be equal before a session and after it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::error::TuneError;
use super::knobs::catalogue;
use super::scope::Scope;
use fathom_device::root::Root;

/// The text of each setting, twin and disturbed file, by place.
pub fn settings(root: &Root, targets: &[PathBuf]) -> Result<BTreeMap<String, String>, TuneError> {
    let scope = Scope::of(root, targets)?;
    let mut texts = BTreeMap::new();
    for setting in catalogue().flat_map(|knob| (knob.find)(&scope)) {
        let beside = setting.twin.iter().map(|twin| &twin.at).chain(&setting.disturbs);
        for at in std::iter::once(&setting.at).chain(beside) {
            if let Ok(place) = setting.place_of(root, at)
                && let Ok(text) = place.read(root)
            {
                texts.insert(place.to_string(), text);
            }
        }
    }
    Ok(texts)
}
