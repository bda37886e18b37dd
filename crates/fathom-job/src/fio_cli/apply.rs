//! What each flag does to the invocation.

use super::debug;
use super::flags::{Act, Flag};
use super::getopt::Argument;
use super::{Eta, FioInvocation, FioRequest, IdleProfile, OutputFormat};
use crate::diagnostic::{Diagnostic, Severity};
use crate::parse::read_time;
use crate::units::Nanos;

/// Applies a flag; what is wrong with it is added to `findings`.
pub(super) fn flag(flag: &Flag, argument: &Argument, to: &mut FioInvocation, findings: &mut Vec<Diagnostic>) {
    if let Err(error) = act(flag, argument, to, findings) {
        findings.push(error.at(&argument.span()));
    }
}

fn act(
    flag: &Flag,
    argument: &Argument,
    to: &mut FioInvocation,
    findings: &mut Vec<Diagnostic>,
) -> Result<(), Diagnostic> {
    let text = argument.value().to_owned();
    match flag.act {
        Act::Output => to.output = Some(text),
        Act::OutputFormat => to.formats = formats(&text)?,
        Act::Minimal => to.formats = vec![OutputFormat::Terse],
        Act::AppendTerse => add(&mut to.formats, OutputFormat::Terse),
        Act::TerseVersion => to.terse_version = terse_version(&text)?,
        Act::Section => to.sections.push(text),
        Act::ReadOnly => to.readonly = true,
        Act::ParseOnly => to.parse_only = true,
        Act::ShowCommand => to.showcmd = true,
        Act::Eta => to.eta = eta(&text)?,
        Act::EtaNewline => to.eta_newline = Some(time(&text, true)?),
        Act::EtaInterval => to.eta_interval = Some(millis(&text)?),
        Act::WarningsFatal => to.warnings_fatal = true,
        Act::Write => to.write.push(text),
        Act::Destroy => to.destroy.push(text),
        Act::StuckAfter => to.stuck_after = time(&text, true)?,
        Act::AuxPath => to.aux_path = Some(text),
        Act::Debug => to.debug_parse |= debug::has_lines(&text),
        Act::StatusInterval => to.status_interval = Some(time(&text, true)?),
        Act::BandwidthLog => to.bandwidth_log = true,
        Act::TriggerFile => to.trigger_file = Some(text),
        Act::TriggerTimeout => to.trigger_timeout = Some(time(&text, true)?),
        Act::Trigger => to.trigger = Some(text),
        Act::IdleProfile => idle_profile(&text, to)?,
        // Recordings are merged while they are replayed.
        Act::MergeOnly => to.parse_only = true,
        Act::InflateLog => ask(to, FioRequest::InflateLog(text)),
        Act::ClockTest => ask(to, FioRequest::ClockTest),
        Act::ChecksumTest => ask(to, FioRequest::ChecksumTest(argument.value.clone())),
        Act::Help => ask(to, FioRequest::Help),
        Act::Version => ask(to, FioRequest::Version),
        Act::CommandHelp => ask(to, FioRequest::CommandHelp(argument.value.clone())),
        Act::EngineHelp => ask(to, FioRequest::EngineHelp(argument.value.clone())),
        Act::Nothing(why) => {
            let message = format!("--{} has no effect: {why}", flag.name);
            findings.push(Diagnostic::new(Severity::Note, "no-effect", message).at(&argument.span()));
        }
        Act::Refused(why) => {
            return Err(Diagnostic::error("refused-flag", format!("--{}: {why}", flag.name)));
        }
    }
    Ok(())
}

/// The first request counts, as in fio, which ends after it.
fn ask(to: &mut FioInvocation, request: FioRequest) {
    if to.request == FioRequest::Run {
        to.request = request;
    }
}

fn add(formats: &mut Vec<OutputFormat>, format: OutputFormat) {
    if !formats.contains(&format) {
        formats.push(format);
    }
}

fn formats(text: &str) -> Result<Vec<OutputFormat>, Diagnostic> {
    let mut formats = Vec::new();
    for word in text.split(',') {
        let format = match word.trim() {
            "normal" => OutputFormat::Normal,
            "terse" | "minimal" | "csv" => OutputFormat::Terse,
            "json" => OutputFormat::Json,
            "json+" => OutputFormat::JsonPlus,
            other => {
                return Err(bad(format!("{other} is not an output format"), "normal, terse, json or json+"));
            }
        };
        add(&mut formats, format);
    }
    Ok(formats)
}

fn terse_version(text: &str) -> Result<u8, Diagnostic> {
    match text.parse() {
        Ok(version @ 2..=5) => Ok(version),
        _ => Err(bad(format!("{text} is not a version of terse output"), "2, 3, 4 or 5")),
    }
}

fn eta(text: &str) -> Result<Eta, Diagnostic> {
    match text {
        "auto" => Ok(Eta::Auto),
        "always" => Ok(Eta::Always),
        "never" => Ok(Eta::Never),
        _ => Err(bad(format!("{text} does not say when to show progress"), "always, never or auto")),
    }
}

fn time(text: &str, bare_seconds: bool) -> Result<Nanos, Diagnostic> {
    read_time(text, bare_seconds).map_err(|why| bad(why, "a time, such as 1s or 500ms"))
}

fn idle_profile(text: &str, to: &mut FioInvocation) -> Result<(), Diagnostic> {
    match text {
        "system" => to.idle_profile = Some(IdleProfile::System),
        "percpu" => to.idle_profile = Some(IdleProfile::EachProcessor),
        "calibrate" => ask(to, FioRequest::Calibrate),
        _ => return Err(bad(format!("{text} is not an idle profile"), "system, percpu or calibrate")),
    }
    Ok(())
}

/// A bare number counts milliseconds here.
fn millis(text: &str) -> Result<Nanos, Diagnostic> {
    match text.parse::<u32>() {
        Ok(ms) => Ok(Nanos::millis(u64::from(ms))),
        Err(_) => time(text, true),
    }
}

fn bad(message: String, hint: &str) -> Diagnostic {
    Diagnostic::error("bad-flag-value", message).hint(hint)
}
