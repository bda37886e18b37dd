//! A saved job is read through the option table again.

use super::values::{self, Context};
use crate::diagnostic::Span;
use crate::job::{Job, OptionSetting, Origin};
use crate::options;
use std::collections::BTreeMap;

impl Job {
    /// A job without options.
    pub fn empty(name: String, span: Span) -> Job {
        Job { section: name.clone(), name, span, settings: BTreeMap::new() }
    }

    /// The same job from a section of this name.
    pub fn of_section(self, section: String) -> Job {
        Job { section, ..self }
    }

    /// Sets an option to a value in canonical spelling ([`OptionSetting::canonical`]). An option that
    /// is not in the table is left out: a later version may have written it.
    ///
    /// # Errors
    /// The value is none of the option's.
    pub fn restore(
        &mut self,
        name: &str,
        canonical: &str,
        text: String,
        origin: Origin,
        span: Span,
    ) -> Result<(), String> {
        let Some(def) = options::find(name) else { return Ok(()) };
        let value = values::read(def, Some(canonical), &Context::default())
            .map_err(|bad| format!("{name}: {}", bad.message))?;
        self.settings.insert(def.name, OptionSetting { value, text, origin, span });
        Ok(())
    }
}
