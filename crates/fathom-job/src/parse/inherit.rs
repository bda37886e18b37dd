//! Sections to jobs: inheritance from `[global]`, then each option by its row.

use super::findings::Findings;
use super::sections::{Entry, TOO_LARGE, sections};
use super::{Adjust, JobSet, Surroundings};
use crate::diagnostic::{Diagnostic, Span};
use crate::job::{Job, OptionSetting, Origin};
use crate::options;
use crate::value::Value;
use settings::Settings;
use std::collections::{BTreeMap, HashMap, HashSet};
use typed::TypedDefaults;

mod check;
mod settings;
mod typed;
mod unknown;

/// The most memory that all jobs take, bytes: each keeps its own options and those of `[global]`, with the lines in which they stand.
const JOBS_MAX_BYTES: usize = 256 << 20;
/// What a job takes in a plan, besides its options, bytes.
const JOB_BYTES: usize = 4 << 10;

/// Collects jobs from files and command-line options, in their order.
pub(crate) struct Builder<'a> {
    adjust: &'a Adjust,
    around: &'a dyn Surroundings,
    findings: Findings,
    template: BTreeMap<&'static str, OptionSetting>,
    globals: BTreeMap<&'static str, OptionSetting>,
    jobs: Vec<Job>,
    /// Memory that they take, about, bytes.
    jobs_bytes: usize,
    /// How many jobs have each name.
    names: HashMap<String, usize>,
    sections_seen: Vec<String>,
    files_seen: usize,
    jobs_optional: bool,
    /// What the command line gave as defaults, and the number of jobs before those of the files.
    typed: (TypedDefaults, usize),
}

/// The memory that an option of a job takes, about: a node of a map is half full, a text has some bytes more, and the plan has a
/// copy.
fn bytes_of(setting: &OptionSetting) -> usize {
    let texts = setting.text.len() + setting.span.file.len() + setting.span.text.len();
    2 * (2 * size_of::<OptionSetting>() + texts + 48)
}

impl<'a> Builder<'a> {
    /// No jobs yet.
    pub fn new(adjust: &'a Adjust, around: &'a dyn Surroundings) -> Self {
        Builder {
            adjust,
            around,
            findings: Findings::default(),
            template: BTreeMap::new(),
            globals: BTreeMap::new(),
            jobs: Vec::new(),
            jobs_bytes: 0,
            names: HashMap::new(),
            sections_seen: Vec::new(),
            files_seen: 0,
            jobs_optional: false,
            typed: Default::default(),
        }
    }

    /// Lets [`finish`](Self::finish) succeed without a job (`--parse-only`).
    pub fn without_jobs(&mut self) {
        self.jobs_optional = true;
    }

    /// Reads a job file.
    pub fn file(&mut self, path: &str) {
        match self.around.read(path, None) {
            Ok(text) => self.text(path, &text),
            Err(why) => {
                let found = Diagnostic::error("cannot-read", format!("cannot read {path}: {why}"));
                let is_meant = self.adjust.reads_as_fio && options::is_assignment(path);
                let hint = is_meant.then(|| format!("did you mean --{path}?"));
                self.findings.push(hint.into_iter().fold(found, Diagnostic::hint));
            }
        }
    }

    /// Reads the text of a job file. Each further file starts with empty defaults, and its first
    /// job waits for the jobs of the files before.
    pub fn text(&mut self, name: &str, text: &str) {
        match self.files_seen {
            0 => {
                let template = self.template.iter().map(|(name, setting)| (*name, setting));
                self.typed = (TypedDefaults::of(template), self.jobs.len());
            }
            _ => self.template.clear(),
        }
        let jobs_before = self.jobs.len();
        for section in sections(name, text, self.around, &mut self.findings) {
            match section.is_global() {
                true => self.global(&section.entries),
                false => self.section(&section.name, &section.span, &section.entries),
            }
        }
        if let Some(job) = self.jobs.get_mut(jobs_before).filter(|_| self.files_seen > 0) {
            let wait = OptionSetting {
                value: Value::Flag(true),
                text: "1".to_owned(),
                origin: Origin::Section,
                span: job.span.clone(),
            };
            job.settings.entry(options::STONEWALL.def.name).or_insert(wait);
        }
        self.files_seen += 1;
    }

    /// Adds a job, if its section is wanted.
    pub fn section(&mut self, name: &str, span: &Span, entries: &[Entry]) {
        self.sections_seen.push(name.to_owned());
        if self.adjust.sections.is_empty() || self.adjust.sections.iter().any(|wanted| wanted == name) {
            self.job(name, span, entries);
        }
    }

    /// Sets defaults for the jobs that follow.
    pub fn global(&mut self, entries: &[Entry]) {
        let before = std::mem::take(&mut self.template);
        self.template = self.apply(before, entries, Origin::Global);
        self.globals.extend(self.template.iter().map(|(name, setting)| (*name, setting.clone())));
    }

    /// A job: the defaults so far, its own options, and the adjustments.
    fn job(&mut self, section: &str, span: &Span, entries: &[Entry]) {
        if self.jobs_bytes > JOBS_MAX_BYTES {
            return;
        }
        let settings = self.apply(self.template.clone(), entries, Origin::Section);
        let mut settings = self.adjusted(settings);
        // fio takes the name of the section over one of [global].
        let is_global = |name: &mut OptionSetting| name.origin == Origin::Global;
        if settings.get_mut(options::NAME.def.name).is_some_and(is_global) {
            settings.remove(options::NAME.def.name);
        }
        let mut job =
            Job { name: section.to_owned(), section: section.to_owned(), span: span.clone(), settings };
        if let Some(name) = job.get(&options::NAME) {
            job.name = name;
        }
        self.jobs_bytes += job.settings.values().map(bytes_of).sum::<usize>() + JOB_BYTES;
        if self.jobs_bytes > JOBS_MAX_BYTES {
            let jobs = self.jobs.len() + 1;
            let message = format!(
                "the first {jobs} jobs, with the options of [global] in each, take more than {} MiB of memory",
                JOBS_MAX_BYTES >> 20
            );
            let found = Diagnostic::error(TOO_LARGE, message).at(span);
            self.findings
                .push(found.hint("numjobs makes clones of one job; --section takes only some of them"));
        }
        check::engine_private(&job, &mut self.findings);
        check::wait_for(&job, &self.names, &mut self.findings);
        *self.names.entry(job.name.clone()).or_default() += 1;
        self.jobs.push(job);
    }

    fn apply(
        &mut self,
        settings: BTreeMap<&'static str, OptionSetting>,
        entries: &[Entry],
        origin: Origin,
    ) -> BTreeMap<&'static str, OptionSetting> {
        let reads_as_fio = self.adjust.reads_as_fio;
        let mut settings = Settings {
            settings,
            origin,
            reads_as_fio,
            around: self.around,
            findings: &mut self.findings,
            given: HashSet::new(),
            engine: None,
        };
        settings.apply(entries);
        settings.settings
    }

    fn adjusted(
        &mut self,
        mut settings: BTreeMap<&'static str, OptionSetting>,
    ) -> BTreeMap<&'static str, OptionSetting> {
        let entries: Vec<Entry> =
            self.adjust.set.iter().map(|(name, value)| Entry::typed("--set", name, value)).collect();
        settings = self.apply(settings, &entries, Origin::Override);
        if let Some(target) = &self.adjust.target {
            settings.remove(options::DIRECTORY.def.name);
            let escaped = target.replace(':', "\\:");
            settings =
                self.apply(settings, &[Entry::typed("--target", "filename", &escaped)], Origin::Override);
        }
        settings
    }

    /// Adds a finding from outside the files.
    pub fn found(&mut self, found: Diagnostic) {
        self.findings.push(found);
    }

    /// The jobs, or all that is wrong.
    pub fn finish(mut self) -> Result<JobSet, Vec<Diagnostic>> {
        for wanted in self.adjust.sections.iter().filter(|s| !self.sections_seen.contains(s)) {
            let found = Diagnostic::error("unknown-section", format!("no job section is named {wanted}"));
            let near = options::nearest_of(wanted, self.sections_seen.iter().map(String::as_str));
            self.findings.push(match near {
                Some(near) => found.hint(format!("did you mean {near}?")),
                None => found,
            });
        }
        let (typed, before) = &self.typed;
        let told = typed.overridden(self.jobs.get(*before..).unwrap_or_default());
        told.into_iter().for_each(|found| self.findings.push(found));
        let none = self.jobs.is_empty() && !self.jobs_optional;
        let warnings = self.findings.end();
        if none && warnings.is_ok() {
            let found =
                Diagnostic::error("no-jobs", "there is no job: only sections other than [global] are jobs");
            return Err(vec![found]);
        }
        Ok(JobSet { jobs: self.jobs, globals: self.globals.into_iter().collect(), warnings: warnings? })
    }
}

impl Entry {
    /// An option typed on the command line behind `flag`; an empty value counts as no value.
    pub fn typed(flag: &str, name: &str, value: &str) -> Self {
        let text = if value.is_empty() { name.to_owned() } else { format!("{name}={value}") };
        let span = |column, length| Span::typed(flag, &text, column, length);
        let name_length = name.chars().count();
        Entry {
            name: name.to_owned(),
            name_span: span(1, name_length),
            value: Some(value.to_owned()).filter(|v| !v.is_empty()),
            value_span: match value.chars().count() {
                0 => span(1, name_length),
                length => span(name_length + 2, length),
            },
            expands: false,
        }
    }
}
