//! Sections to jobs: inheritance from `[global]`, then each option by its row.

use super::sections::{Entry, TOO_LARGE, sections};
use super::{Adjust, Findings, JobSet, Surroundings};
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::job::{Job, OptionSetting, Origin};
use crate::units::Nanos;
use crate::value::Value;
use crate::{engine, fio_cli, foreign_engines, options};
use settings::Settings;
use std::collections::{BTreeMap, HashMap, HashSet};

mod settings;

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
                let finding = Diagnostic::error("cannot-read", format!("cannot read {path}: {why}"));
                let is_meant = self.adjust.reads_as_fio && options::is_assignment(path);
                let hint = is_meant.then(|| format!("did you mean --{path}?"));
                self.findings.push(hint.into_iter().fold(finding, Diagnostic::hint));
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
        if self.adjust.reads_as_fio {
            self.without_time_based(&mut settings);
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
            let finding = Diagnostic::error(TOO_LARGE, message).at(span);
            self.findings
                .push(finding.hint("numjobs makes clones of one job; --section takes only some of them"));
        }
        engine_private(&job, &mut self.findings);
        wait_for(&job, &self.names, &mut self.findings);
        *self.names.entry(job.name.clone()).or_default() += 1;
        self.jobs.push(job);
    }

    /// fio ignores `time_based` where no `runtime` says for how long.
    fn without_time_based(&mut self, settings: &mut BTreeMap<&'static str, OptionSetting>) {
        let value = |name| settings.get(name).map(|setting: &OptionSetting| &setting.value);
        let has_time = value(options::RUNTIME.def.name).is_some_and(|time| *time != Value::Time(Nanos(0)));
        let name = options::TIME_BASED.def.name;
        if has_time || value(name) != Some(&Value::Flag(true)) {
            return;
        }
        let dropped = settings.remove(name).expect("it is there");
        let message = "time_based is left out, because there is no runtime";
        self.findings.push(Diagnostic::new(Severity::Warning, "left-out", message).at(&dropped.span));
    }

    fn apply(
        &mut self,
        settings: BTreeMap<&'static str, OptionSetting>,
        entries: &[Entry],
        origin: Origin,
    ) -> BTreeMap<&'static str, OptionSetting> {
        let reads_as_fio = self.adjust.reads_as_fio;
        let set = self.adjust.set.iter().filter(|_| origin != Origin::Override);
        let overridden = set.filter_map(|(name, _)| options::find(name)).map(|def| def.name).collect();
        let mut settings = Settings {
            settings,
            origin,
            reads_as_fio,
            around: self.around,
            findings: &mut self.findings,
            given: HashSet::new(),
            overridden,
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
            settings.remove(options::OPENDIR.def.name);
            let escaped = target.replace(':', "\\:");
            settings =
                self.apply(settings, &[Entry::typed("--target", "filename", &escaped)], Origin::Override);
        }
        settings
    }

    /// Adds a finding from outside the files.
    pub fn add(&mut self, finding: Diagnostic) {
        self.findings.push(finding);
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

/// Options of another engine than the job's: an error if the job itself sets
/// them; inherited ones are left out, with a note.
fn engine_private(job: &Job, findings: &mut Findings) {
    let engine = job.get(&options::IOENGINE);
    // An engine that does not exist is the fault that counts; the planner reports it.
    if engine::named(&engine).is_none() {
        return;
    }
    for (name, setting) in job.settings() {
        let Some(def) = options::find(name) else { continue };
        if def.engines.is_empty() || def.engines.contains(&engine.as_str()) {
            continue;
        }
        let engines = def.honouring_engines();
        let message =
            format!("{name} is an option of {}; the engine of {} is {engine}", engines.join(", "), job.name);
        let severity = if setting.origin == Origin::Section { Severity::Error } else { Severity::Warning };
        let finding = Diagnostic::new(severity, "engine-option", message).at(&setting.span);
        findings.push(match engines.iter().find(|name| engine::named(name).is_some()) {
            Some(has) if severity == Severity::Error => finding.hint(format!("remove it, or ioengine={has}")),
            _ => finding,
        });
    }
}

/// The job to wait for must be defined above, and only once.
fn wait_for(job: &Job, before: &HashMap<String, usize>, findings: &mut Findings) {
    let Some(setting) = job.setting(&options::WAIT_FOR) else { return };
    let message = match before.get(&setting.text).copied().unwrap_or(0) {
        1 => return,
        0 => format!("no job above is named {}", setting.text),
        n => format!("{n} jobs above are named {}", setting.text),
    };
    findings.push(Diagnostic::error("bad-wait-for", message).at(&setting.span));
}

/// What was typed before the first `--name`.
#[derive(Debug, Default)]
struct TypedDefaults(Vec<(&'static str, OptionSetting)>);

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
    let finding = Diagnostic::new(Severity::Warning, "overridden", message).at(&typed.span);
    Some(finding.hint(format!("change it in the file, or use fathom run FILE --set {name}={}", typed.text)))
}

/// The error, with the hint that helps in a job with that engine.
fn option(name: &str, engine: Option<&str>, span: &Span) -> Diagnostic {
    let bare = name.trim_start_matches('-');
    if bare != name && fio_cli::is_name(bare) {
        let finding =
            Diagnostic::error("unknown-option", format!("{name} is written as on a command line")).at(span);
        return match options::find(bare) {
            Some(_) => finding.hint(format!("in a job file an option has no dashes: {bare}=…")),
            None => finding.hint(on_command_line(bare)),
        };
    }
    if options::find(name).is_none() && fio_cli::is_name(name) {
        let error = Diagnostic::error("unknown-option", fio_cli::not_of_a_job(name));
        return error.at(span).hint(on_command_line(name));
    }
    if let Some(error) = foreign_engines::option_error(name, engine) {
        return error.at(span);
    }
    let finding = Diagnostic::error("unknown-option", format!("there is no option {name}")).at(span);
    match options::nearest(bare) {
        Some(near) => finding.hint(format!("did you mean {near}?")),
        None => finding.hint("fathom fio --cmdhelp=all lists the options"),
    }
}

fn on_command_line(flag: &str) -> String {
    format!("remove it here, and give --{flag} to the command: fathom fio --{flag}… JOBFILE")
}
