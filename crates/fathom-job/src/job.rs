//! A [`Job`]: one section of a job file with everything it inherits.
//!
//! Settings are kept under the option's canonical name with the text that was
//! typed and the place it came from; typed code reads them by [`Key`].

use crate::diagnostic::Span;
use crate::option::Key;
use crate::parse;
use crate::value::{FromValue, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a setting was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// In a `[global]` section, or before the first `--name`.
    Global,
    /// In the job's own section.
    Section,
    /// By `--set` or `--target`.
    Override,
}

/// One option that was given a value.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionSetting {
    /// The parsed value.
    pub value: Value,
    /// The value as typed, after variables and keywords were expanded.
    pub text: String,
    /// Who set it last.
    pub origin: Origin,
    /// Where.
    pub span: Span,
}

impl OptionSetting {
    /// The value in one unambiguous spelling, whatever `kb_base` it was typed
    /// under and whatever it left to be inherited.
    pub fn canonical(&self) -> String {
        parse::print(&self.value)
    }
}

/// A job as written, before clones are made and targets are looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Section name, or `name=`: what reports and logs call it.
    pub name: String,
    /// Section name alone: what its files are called after, as in fio.
    pub section: String,
    /// The section header.
    pub span: Span,
    pub(crate) settings: BTreeMap<&'static str, OptionSetting>,
}

impl Job {
    /// The value in force: what was set, else the default.
    ///
    /// # Panics
    /// If the option has neither default nor an "unset" reading in `T`; a test
    /// walks the table so that no key can do this.
    pub fn get<T: FromValue>(&self, key: &Key<T>) -> T {
        self.given(key)
            .or_else(|| parse::default_of(key.def).as_ref().and_then(T::from_value))
            .or_else(T::unset)
            .unwrap_or_else(|| unreachable!("option {} has neither value nor default", key.def.name))
    }

    /// The value, only if it was set.
    pub fn given<T: FromValue>(&self, key: &Key<T>) -> Option<T> {
        self.settings.get(key.def.name).and_then(|s| T::from_value(&s.value))
    }

    /// Was the option set by anyone?
    pub fn is_given<T>(&self, key: &Key<T>) -> bool {
        self.settings.contains_key(key.def.name)
    }

    /// The setting behind a key, with its place.
    pub fn setting<T>(&self, key: &Key<T>) -> Option<&OptionSetting> {
        self.settings.get(key.def.name)
    }

    /// The setting of an option by its canonical name.
    pub(crate) fn named(&self, option: &str) -> Option<&OptionSetting> {
        self.settings.get(option)
    }

    /// Canonical name and setting of everything that was given, by name.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, &OptionSetting)> {
        self.settings.iter().map(|(name, s)| (*name, s))
    }
}
