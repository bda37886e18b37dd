//! Which knobs a plan takes, and what their values are.

use std::collections::BTreeMap;

use crate::codec::Codec;
use crate::error::TuneError;
use crate::knobs::{catalogue, knob};

/// Which knobs a plan takes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Select {
    /// Knobs named one by one, with a value where one was given.
    pub named: BTreeMap<String, Option<String>>,
    /// No others than the named ones.
    pub only_named: bool,
    /// Take also those that another program sets.
    pub despite_owners: bool,
}

impl Select {
    /// No other knobs than these, as `blk.nomerges` or `blk.nomerges=1`.
    pub fn only<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        Self { only_named: true, ..Self::with(words) }
    }

    /// What suits the goal, and these, which may be of any risk.
    pub fn with<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Self {
        let word = |word: S| match word.as_ref().split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => (word.as_ref().to_owned(), None),
        };
        Self { named: words.into_iter().map(word).collect(), ..Self::default() }
    }

    /// The names without values.
    pub fn names_only(&self) -> Vec<String> {
        self.named.keys().cloned().collect()
    }

    pub(super) fn check(&self) -> Result<(), TuneError> {
        let unknown = self.named.keys().find(|name| knob(name).is_none());
        unknown.map_or(Ok(()), |name| Err(TuneError::UnknownKnob(nearest(name))))
    }

    pub(super) fn takes(&self, id: &str) -> bool {
        !self.only_named || self.names(id)
    }

    pub(super) fn names(&self, id: &str) -> bool {
        self.named.contains_key(id)
    }

    pub(super) fn value(&self, id: &str) -> Option<&str> {
        self.named.get(id)?.as_deref()
    }
}

/// The name, with the names that may have been meant.
fn nearest(name: &str) -> String {
    let family = name.split('.').next().unwrap_or(name);
    let near: Vec<&str> = catalogue().map(|knob| knob.id).filter(|id| id.starts_with(family)).collect();
    match near.is_empty() {
        true => name.to_owned(),
        false => format!("{name} (there are {})", near.join(", ")),
    }
}

/// A value as it was typed by a person, in the codec's spelling.
pub(super) fn typed(codec: Codec, value: &str) -> Option<String> {
    let word = |words: &[&str]| words.contains(&value).then(|| value.to_owned());
    match codec {
        Codec::Selected => Codec::Word.typed(value),
        Codec::Atime => word(&["noatime", "relatime", "strictatime"]),
        Codec::Discard => word(&["discard", "nodiscard"]),
        Codec::Active => word(&["active", "inactive"]),
        Codec::CpuMask => Codec::CpuList.typed(value),
        _ => codec.typed(value),
    }
}
