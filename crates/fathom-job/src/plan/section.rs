//! A job as it was written: each option as text.
//!
//! A reader takes the text through the option table again. An option that it does not know, of a
//! later version, is left out.

use crate::diagnostic::Span;
use crate::job::{Job, Origin};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One section of a job file with everything that it inherited.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SectionRecord {
    /// Name of the job.
    pub name: String,
    /// Name of the section, where `name=` gives the job another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The section header.
    pub span: Span,
    /// The options by canonical name.
    pub options: BTreeMap<String, OptionRecord>,
}

/// One option that was given a value. The text alone could depend on `kb_base` and on inherited
/// options, so the value is kept in canonical spelling too.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptionRecord {
    /// As typed.
    pub text: String,
    /// In canonical spelling.
    pub value: String,
    /// Who set it last.
    pub origin: Origin,
    /// Where.
    pub span: Span,
}

pub(super) fn serialize<S: Serializer>(job: &Arc<Job>, to: S) -> Result<S::Ok, S::Error> {
    let options = job.settings().map(|(name, setting)| {
        let (text, value) = (setting.text.clone(), setting.canonical());
        (name.to_owned(), OptionRecord { text, value, origin: setting.origin, span: setting.span.clone() })
    });
    let section = Some(job.section.clone()).filter(|section| *section != job.name);
    let (name, span) = (job.name.clone(), job.span.clone());
    SectionRecord { name, section, span, options: options.collect() }.serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Job>, D::Error> {
    let section = SectionRecord::deserialize(from)?;
    let own = section.section.unwrap_or_else(|| section.name.clone());
    let mut job = Job::empty(section.name, section.span).of_section(own);
    for (name, option) in section.options {
        job.restore(&name, &option.value, option.text, option.origin, option.span)
            .map_err(D::Error::custom)?;
    }
    Ok(Arc::new(job))
}
