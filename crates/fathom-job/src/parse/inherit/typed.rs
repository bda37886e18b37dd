//! Defaults of fio's command line for the jobs of a file: those that the file overrides are told, because a person who
//! types an option wants it to count.

use crate::diagnostic::{Diagnostic, Severity};
use crate::job::{Job, OptionSetting};
use crate::options;

/// What was typed before the first `--name`.
#[derive(Debug, Default)]
pub(super) struct TypedDefaults(Vec<(&'static str, OptionSetting)>);

impl TypedDefaults {
    pub fn of<'s>(template: impl Iterator<Item = (&'static str, &'s OptionSetting)>) -> Self {
        let counts = |name: &&str| *name != options::FILENAME.def.name;
        TypedDefaults(
            template
                .filter(|(name, _)| counts(name))
                .map(|(name, setting)| (name, setting.clone()))
                .collect(),
        )
    }

    /// A warning for each that does not count in some of these jobs, all of which come from files.
    pub fn overridden(&self, jobs: &[Job]) -> Vec<Diagnostic> {
        self.0.iter().filter_map(|(name, typed)| overridden(name, typed, jobs)).collect()
    }
}

fn overridden(name: &str, typed: &OptionSetting, jobs: &[Job]) -> Option<Diagnostic> {
    let differs = |job: &&Job| job.named(name).is_none_or(|set| set.value != typed.value);
    let mut others = jobs.iter().filter(differs);
    let first = others.next()?;
    let count = 1 + others.count();
    let which = match count == jobs.len() {
        true => String::new(),
        false => format!(" in {count} of {} jobs", jobs.len()),
    };
    let why = match first.named(name) {
        Some(set) => format!("{}:{} sets {name}={}", set.span.file, set.span.line, set.text),
        None => format!("{} begins with defaults of its own", first.span.file),
    };
    let message = format!("{name}={} has no effect{which}: {why}", typed.text);
    let found = Diagnostic::new(Severity::Warning, "overridden", message).at(&typed.span);
    Some(found.hint(format!("change it in the file, or use fathom run FILE --set {name}={}", typed.text)))
}
