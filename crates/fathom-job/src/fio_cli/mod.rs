//! fio's own command line: flags, job options and job files, in any order.
//!
//! Job options before the first `--name` are defaults for the jobs that follow
//! and for the first job file, as a `[global]` section would be; `--name=X`
//! begins a job. Jobs of the command line come before those of files.

mod apply;
mod debug;
mod flags;
mod getopt;

pub use debug::debug_lines;
pub use flags::looked_up;
pub(crate) use flags::not_of_a_job;

use crate::diagnostic::{Diagnostic, Severity};
use crate::direction::Direction;
use crate::job::Job;
use crate::options;
use crate::parse::{Adjust, Builder, Entry, JobSet, Surroundings, read_value};
use crate::units::Nanos;
use crate::value::Mix;
use fathom_text::shell::quoted_carried;
use flags::FLAGS;
use getopt::{Argument, Item};

/// What a fio command line asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FioInvocation {
    /// Run, or only show something.
    pub request: FioRequest,
    /// The jobs; empty unless the request is to run.
    pub jobs: JobSet,
    /// `--output`: file for the result, instead of standard output.
    pub output: Option<String>,
    /// `--output-format`, in the order given, each once; normal if not given.
    pub formats: Vec<OutputFormat>,
    /// `--terse-version`; always 3 in this version.
    pub terse_version: u8,
    /// `--section`: only these sections were read.
    pub sections: Vec<String>,
    /// `--readonly`: no job writes (checked already).
    pub readonly: bool,
    /// `--parse-only`: stop after reading.
    pub parse_only: bool,
    /// `--showcmd`: print the jobs as a command line, see [`showcmd`].
    pub showcmd: bool,
    /// `--eta`.
    pub eta: Eta,
    /// `--eta-newline`: a new line of progress this often.
    pub eta_newline: Option<Nanos>,
    /// `--eta-interval`: progress is renewed this often.
    pub eta_interval: Option<Nanos>,
    /// `--warnings-fatal`: warnings were turned into errors.
    pub warnings_fatal: bool,
    /// `--write ID`: devices that may be written, by identity. Ours.
    pub write: Vec<String>,
    /// `--destroy ID`: devices whose content may be lost, by identity. Ours.
    pub destroy: Vec<String>,
    /// `--status-interval`: the result so far is printed this often.
    pub status_interval: Option<Nanos>,
    /// `--bandwidth-log`: logs of all jobs together.
    pub bandwidth_log: bool,
    /// `--idle-prof`: how idle the processors were.
    pub idle_profile: Option<IdleProfile>,
    /// `--trigger-file`: all jobs end when it appears.
    pub trigger_file: Option<String>,
    /// `--trigger-timeout`: all jobs end after this time.
    pub trigger_timeout: Option<Nanos>,
    /// `--trigger`: the command that runs then.
    pub trigger: Option<String>,
    /// `--stuck-after`: how long a target may be silent; zero means no limit. Ours.
    pub stuck_after: Nanos,
    /// `--debug=parse`: see [`debug_lines`].
    pub debug_parse: bool,
    /// `--aux-path`: where the states of verifications are; the current directory if it is not given.
    pub aux_path: Option<String>,
}

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FioRequest {
    /// Run the jobs (or print them, with `parse_only` and `showcmd`).
    #[default]
    Run,
    /// `--help`.
    Help,
    /// `--version`.
    Version,
    /// `--cmdhelp[=NAME]`: see [`cmdhelp`](crate::reference::cmdhelp).
    CommandHelp(Option<String>),
    /// `--enghelp[=ENGINE[,OPTION]]`.
    EngineHelp(Option<String>),
    /// `--inflate-log=FILE`.
    InflateLog(String),
    /// `--cpuclock-test`.
    ClockTest,
    /// `--crctest[=TYPE,…]`.
    ChecksumTest(Option<String>),
    /// `--idle-prof=calibrate`, which fio answers without running a job.
    Calibrate,
}

/// `--idle-prof`: what the idle time is reported of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleProfile {
    /// The machine.
    System,
    /// The machine, and each processor.
    EachProcessor,
}

/// A form of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text for people.
    Normal,
    /// One line of fields, separated by `;`.
    Terse,
    /// JSON.
    Json,
    /// JSON with histogram bins.
    JsonPlus,
}

/// When to show progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eta {
    /// On a terminal.
    #[default]
    Auto,
    /// Wherever standard error goes.
    Always,
    /// Not at all.
    Never,
}

const USAGE: &str = "usage: fathom fio [flags] [--name=JOB] [--option=value …] [job files]";

/// Text of `--help`.
pub fn help() -> String {
    let mut text = format!("{USAGE}\n\n");
    text.extend(flags::FLAGS.iter().filter_map(flags::Flag::help_line));
    text.push_str("\nJob options: --cmdhelp=all lists them, --cmdhelp=NAME explains one.\n");
    text
}

/// Reads the arguments after the program's name, and the job files they name.
///
/// # Errors
/// All that is wrong with the arguments and the files.
pub fn parse_arguments(args: &[String], around: &dyn Surroundings) -> Result<FioInvocation, Vec<Diagnostic>> {
    if args.is_empty() {
        let error = Diagnostic::error("no-jobs", "there is no job, and no job file to read one from");
        return Err(vec![error.hint(USAGE).hint("--help lists the flags, --cmdhelp=all the job options")]);
    }
    let mut findings = Vec::new();
    let items = getopt::items(args, &mut findings);
    let mut invocation = FioInvocation {
        formats: vec![OutputFormat::Normal],
        terse_version: 3,
        stuck_after: Nanos::secs(60),
        ..FioInvocation::default()
    };
    for item in &items {
        if let Item::Flag(flag, argument) = item {
            apply::flag(flag, argument, &mut invocation, &mut findings);
        }
    }
    if invocation.request != FioRequest::Run {
        return Ok(invocation);
    }
    let adjust = Adjust {
        sections: invocation.sections.clone(),
        set: of_every_job(&items),
        reads_as_fio: true,
        ..Adjust::default()
    };
    invocation.jobs = read_jobs(&items, &adjust, around, &invocation, findings)?;
    if invocation.readonly {
        refuse_writers(&invocation.jobs.jobs)?;
    }
    if invocation.warnings_fatal {
        refuse_warnings(&invocation.jobs.warnings)?;
    }
    Ok(invocation)
}

fn read_jobs(
    items: &[Item],
    adjust: &Adjust,
    around: &dyn Surroundings,
    invocation: &FioInvocation,
    findings: Vec<Diagnostic>,
) -> Result<JobSet, Vec<Diagnostic>> {
    let mut builder = Builder::new(adjust, around);
    findings.into_iter().for_each(|finding| builder.add(finding));
    if invocation.parse_only {
        builder.without_jobs();
    }
    for (name, arguments) in groups(items) {
        let entries: Vec<Entry> = arguments.into_iter().map(Argument::entry).collect();
        match name {
            None => builder.global(&entries),
            Some(name) if name.value().starts_with("global") => builder.global(&entries),
            Some(name) => builder.section(name.value(), &name.span(), &entries),
        }
    }
    for item in items {
        if let Item::File(path) = item {
            builder.file(path);
        }
    }
    builder.finish()
}

/// `--compat` concerns the whole run: before the first `--name`, it applies to the jobs of every
/// file, whatever the files say.
fn of_every_job(items: &[Item]) -> Vec<(String, String)> {
    let options =
        items.iter().filter_map(|item| if let Item::Option(argument) = item { Some(argument) } else { None });
    let before_jobs = options.take_while(|argument| argument.name != options::NAME.def.name);
    let def = options::COMPAT.def;
    // A value that means nothing is reported where it was typed.
    let habits = before_jobs
        .filter(|argument| argument.name == def.name && read_value(def, argument.value()).is_some());
    habits.map(|argument| (argument.name.to_owned(), argument.value().to_owned())).collect()
}

/// Job options with the `--name` that they follow; none for the first.
fn groups(items: &[Item]) -> Vec<(Option<&Argument>, Vec<&Argument>)> {
    let mut groups: Vec<(Option<&Argument>, Vec<&Argument>)> = vec![(None, Vec::new())];
    for item in items {
        match item {
            Item::Option(argument) if argument.name == options::NAME.def.name => {
                groups.push((Some(argument), Vec::new()))
            }
            Item::Option(argument) => {
                if let Some((_, arguments)) = groups.last_mut() {
                    arguments.push(argument);
                }
            }
            Item::Flag(..) | Item::File(_) => {}
        }
    }
    groups
}

/// `--readonly`: every job that writes or trims is an error.
fn refuse_writers(jobs: &[Job]) -> Result<(), Vec<Diagnostic>> {
    let writers = jobs.iter().filter(|job| job.get(&options::RW).mix != Mix::Read);
    let errors: Vec<Diagnostic> = writers
        .map(|job| {
            let kind =
                if job.get(&options::RW).mix == Mix::Trim { Direction::Trim } else { Direction::Write };
            let message = format!("--readonly is given, and job {} would {}", job.name, kind.name());
            let span = job.setting(&options::RW).map_or(&job.span, |setting| &setting.span);
            Diagnostic::error("read-only", message).at(span)
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// `--warnings-fatal`: every warning is an error; notes stay what they are.
fn refuse_warnings(warnings: &[Diagnostic]) -> Result<(), Vec<Diagnostic>> {
    let warnings = warnings.iter().filter(|finding| finding.severity == Severity::Warning);
    let errors: Vec<Diagnostic> =
        warnings.map(|finding| Diagnostic { severity: Severity::Error, ..finding.clone() }).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Names of options in full, and their values.
type TypedOptions = Vec<(String, Option<String>)>;

/// What a command line says, in its own words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandSections {
    /// Options before the first `--name`.
    pub defaults: TypedOptions,
    /// Each `--name`, with the options behind it.
    pub jobs: Vec<(String, TypedOptions)>,
    /// Flags, as typed.
    pub flags: Vec<String>,
    /// Job files.
    pub files: Vec<String>,
}

/// Reads the words behind the program.
///
/// # Errors
/// Words that are no option of fio.
pub(crate) fn sections_of(args: &[String]) -> Result<CommandSections, Vec<Diagnostic>> {
    let mut findings = Vec::new();
    let items = getopt::items(args, &mut findings);
    if !findings.is_empty() {
        return Err(findings);
    }
    let mut sections = CommandSections::default();
    for (name, arguments) in groups(&items) {
        let options = arguments.into_iter().map(option).collect();
        match name {
            None => sections.defaults = options,
            Some(name) => sections.jobs.push((name.value().to_owned(), options)),
        }
    }
    for item in items {
        match item {
            Item::Flag(_, argument) => sections.flags.push(argument.typed().to_owned()),
            Item::File(path) => sections.files.push(path),
            Item::Option(_) => {}
        }
    }
    Ok(sections)
}

/// Is this the name of an option or of a flag, in full?
pub(crate) fn is_name(name: &str) -> bool {
    options::find(name).is_some() || FLAGS.iter().any(|flag| flag.name == name)
}

fn option(argument: &Argument) -> (String, Option<String>) {
    (argument.name.to_owned(), argument.value.clone())
}

/// One line that runs the same jobs: each with all that it inherits, quoted
/// for the shell.
pub fn showcmd(set: &JobSet) -> String {
    let mut line = String::from("fio");
    for job in &set.jobs {
        line += &format!(" {}", quoted_carried(&format!("--name={}", job.section)));
        for (name, setting) in job.settings().filter(|(name, _)| *name != options::NAME.def.name) {
            // The text as typed, unless it means something else when it is
            // alone; then the value in full.
            let alone = options::find(name).and_then(|def| read_value(def, &setting.text));
            let same = alone.as_ref() == Some(&setting.value);
            let text = if same { setting.text.clone() } else { setting.canonical() };
            line += &format!(" {}", quoted_carried(&format!("--{name}={text}")));
        }
    }
    line
}
