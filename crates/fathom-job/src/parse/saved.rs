//! A job as it is stored in a saved plan: each option as text, read through the option table again
//! when the plan is loaded.
//!
//! The text as typed is stored with the value in canonical spelling, because the text alone can
//! depend on `kb_base` and on inherited options.

use super::values::{self, Context};
use crate::diagnostic::Span;
use crate::job::{Job, OptionSetting, Origin};
use crate::options;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedJob {
    name: String,
    span: Span,
    options: BTreeMap<String, SavedSetting>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedSetting {
    /// As typed.
    text: String,
    /// In canonical spelling.
    value: String,
    origin: Origin,
    span: Span,
}

impl From<Job> for SavedJob {
    fn from(job: Job) -> Self {
        let options =
            job.settings.into_iter().map(|(name, setting)| (name.to_owned(), setting.into())).collect();
        SavedJob { name: job.name, span: job.span, options }
    }
}

impl From<OptionSetting> for SavedSetting {
    fn from(setting: OptionSetting) -> Self {
        let value = values::print(&setting.value);
        SavedSetting { text: setting.text, value, origin: setting.origin, span: setting.span }
    }
}

impl TryFrom<SavedJob> for Job {
    type Error = String;

    fn try_from(saved: SavedJob) -> Result<Self, String> {
        let settings = saved.options.into_iter().map(|(name, setting)| setting.read(&name));
        Ok(Job { name: saved.name, span: saved.span, settings: settings.collect::<Result<_, _>>()? })
    }
}

impl SavedSetting {
    fn read(self, name: &str) -> Result<(&'static str, OptionSetting), String> {
        let def = options::find(name).ok_or_else(|| format!("there is no option {name}"))?;
        let value = values::read(def, Some(&self.value), &Context::default())
            .map_err(|bad| format!("{name}: {}", bad.message))?;
        Ok((def.name, OptionSetting { value, text: self.text, origin: self.origin, span: self.span }))
    }
}
