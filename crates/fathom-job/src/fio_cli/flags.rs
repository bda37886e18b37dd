//! fio's command-line flags, as a table: which ones fathom has, and why it refuses the others.

use Takes::{Nothing, Optional, Required};

#[derive(Debug)]
pub(super) struct Flag {
    /// Behind the dashes.
    pub name: &'static str,
    /// Does it take an argument?
    pub argument: Takes,
    /// What it does in fathom.
    pub act: Act,
    /// One line for `--help`.
    pub help: &'static str,
}

/// Whether something follows a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// `=value`, or not.
    Optional,
    /// `=value`, or the next argument.
    Required,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is the flag of its name")]
pub(super) enum Act {
    Output,
    OutputFormat,
    Minimal,
    AppendTerse,
    TerseVersion,
    Section,
    ReadOnly,
    ParseOnly,
    ShowCommand,
    Eta,
    EtaNewline,
    EtaInterval,
    WarningsFatal,
    Help,
    Version,
    CommandHelp,
    EngineHelp,
    Write,
    Destroy,
    StuckAfter,
    AuxPath,
    Debug,
    StatusInterval,
    BandwidthLog,
    IdleProfile,
    MergeOnly,
    InflateLog,
    ClockTest,
    ChecksumTest,
    TriggerFile,
    TriggerTimeout,
    Trigger,
    /// Accepted, without effect, and why.
    Nothing(&'static str),
    /// An error, and why.
    Refused(&'static str),
}

impl Flag {
    /// Its line in `--help`, unless it is refused.
    pub fn help_line(&self) -> Option<String> {
        let argument = match self.argument {
            Takes::Nothing => "",
            Takes::Optional => "[=…]",
            Takes::Required => "=…",
        };
        let known = !matches!(self.act, Act::Refused(_));
        known.then(|| format!("  {:<22} {}\n", format!("--{}{argument}", self.name), self.help))
    }
}

const REMOTE: Act = Act::Refused(
    "a load of several hosts is not in this version (docs/adr/0029); start it on each host (ssh HOST fathom fio …), and \
        fathom import reads their results together",
);

const fn flag(name: &'static str, argument: Takes, act: Act, help: &'static str) -> Flag {
    Flag { name, argument, act, help }
}

/// A refused flag, which has no line of help.
const fn refused(name: &'static str, argument: Takes, act: Act) -> Flag {
    Flag { name, argument, act, help: "" }
}

/// A flag that is accepted and does nothing, for this reason.
const fn ignored(name: &'static str, argument: Takes, why: &'static str) -> Flag {
    Flag { name, argument, act: Act::Nothing(why), help: "accepted, without effect" }
}

pub(super) const FLAGS: &[Flag] = &[
    flag("output", Required, Act::Output, "write the result to this file"),
    flag(
        "output-format",
        Required,
        Act::OutputFormat,
        "normal, terse, json, json+; several separated by commas",
    ),
    flag("minimal", Optional, Act::Minimal, "the same as --output-format=terse"),
    flag("append-terse", Optional, Act::AppendTerse, "add terse output to the normal one"),
    flag("terse-version", Required, Act::TerseVersion, "version of terse output: 2, 3, 4 or 5"),
    flag("section", Required, Act::Section, "run only this job; may be given several times"),
    flag("readonly", Nothing, Act::ReadOnly, "refuse jobs that write or trim"),
    flag("parse-only", Nothing, Act::ParseOnly, "read the jobs, and stop"),
    flag("showcmd", Nothing, Act::ShowCommand, "print the jobs as a command line"),
    flag("eta", Required, Act::Eta, "show progress: always, never or auto (on a terminal)"),
    flag("eta-newline", Required, Act::EtaNewline, "begin a new line of progress this often"),
    flag(
        "eta-interval",
        Required,
        Act::EtaInterval,
        "update the progress this often (bare number: milliseconds)",
    ),
    flag("warnings-fatal", Nothing, Act::WarningsFatal, "treat warnings as errors"),
    flag("write", Required, Act::Write, "allow writing to the device of this serial or by-id name"),
    flag("destroy", Required, Act::Destroy, "the same, for a device that holds data, which will be lost"),
    flag(
        "stuck-after",
        Required,
        Act::StuckAfter,
        "end the run when a target has not answered for this long (60s); 0 sets no limit",
    ),
    flag("help", Nothing, Act::Help, "show this"),
    flag("version", Nothing, Act::Version, "show the version"),
    flag("cmdhelp", Optional, Act::CommandHelp, "explain a job option, or list them all"),
    ignored("max-jobs", Required, "the number of jobs has no limit that can be set"),
    ignored("alloc-size", Required, "fathom has no memory pool of fixed size"),
    flag("enghelp", Optional, Act::EngineHelp, "list the engines, or explain one: ENGINE[,OPTION]"),
    flag(
        "debug",
        Required,
        Act::Debug,
        "print what each option was taken for: parse,…; other categories have no lines",
    ),
    flag(
        "aux-path",
        Required,
        Act::AuxPath,
        "directory of the states of verifications (verify_state_save and _load)",
    ),
    flag(
        "status-interval",
        Required,
        Act::StatusInterval,
        "print the result so far this often (bare number: seconds); each second alone: --bandwidth-log",
    ),
    flag(
        "bandwidth-log",
        Optional,
        Act::BandwidthLog,
        "write agg-read_bw.log, agg-write_bw.log and agg-trim_bw.log: all jobs together",
    ),
    flag(
        "idle-prof",
        Required,
        Act::IdleProfile,
        "report how idle the machine (system) or each processor (percpu) was",
    ),
    flag("merge-blktrace-only", Nothing, Act::MergeOnly, "merge traces, do no I/O"),
    flag("inflate-log", Required, Act::InflateLog, "print the lines of a log that is stored compressed"),
    flag("cpuclock-test", Nothing, Act::ClockTest, "test the processors' clock"),
    flag("crctest", Optional, Act::ChecksumTest, "test how fast the checksums are: all, or TYPE,…"),
    refused("server", Optional, REMOTE),
    refused(
        "daemonize",
        Required,
        Act::Refused(
            "it is for fio's server, and fathom goes into no background; systemd-run, or nohup … &, does that",
        ),
    ),
    refused("client", Required, REMOTE),
    refused("remote-config", Required, REMOTE),
    flag("trigger-file", Required, Act::TriggerFile, "end all jobs when this file appears"),
    flag(
        "trigger-timeout",
        Required,
        Act::TriggerTimeout,
        "end all jobs after this time (bare number: seconds)",
    ),
    flag("trigger", Required, Act::Trigger, "run this command when a trigger has ended the jobs"),
    ignored("trigger-remote", Required, "it is a command for fio's servers"),
    refused(
        "memcpytest",
        Optional,
        Act::Refused("fathom copies no data while it measures; cargo xtask bench tests it"),
    ),
];

/// fio's flags of one letter and one dash (fio 3.33, `fio -v`).
const LETTERS: &[(&str, &str)] = &[
    ("a", "alloc-size"),
    ("b", "bandwidth-log"),
    ("c", "cmdhelp"),
    ("d", "debug"),
    ("e", "eta"),
    ("E", "eta-newline"),
    ("f", "append-terse"),
    ("F", "output-format"),
    ("h", "help"),
    ("i", "enghelp"),
    ("I", "idle-prof"),
    ("j", "max-jobs"),
    ("L", "status-interval"),
    ("m", "minimal"),
    ("o", "output"),
    ("O", "eta-interval"),
    ("P", "parse-only"),
    ("r", "readonly"),
    ("s", "showcmd"),
    ("v", "version"),
    ("V", "terse-version"),
    ("w", "warnings-fatal"),
    ("x", "section"),
    ("X", "inflate-log"),
];

pub(super) fn of_letter(letter: &str) -> Option<&'static Flag> {
    let (_, name) = LETTERS.iter().find(|(known, _)| *known == letter)?;
    FLAGS.iter().find(|flag| flag.name == *name)
}

/// The error for a flag among the options of a job.
pub(crate) fn not_of_a_job(flag: &str) -> String {
    format!("{flag} is a flag of fio's command line, and not an option of a job")
}

/// What a flag of the command line does, for somebody who looks it up among the options of jobs: the error, and its hint.
pub fn looked_up(name: &str) -> Option<(String, String)> {
    let line = FLAGS.iter().find(|flag| flag.name == name)?.help_line()?;
    let (flag, help) = line.trim().split_once("  ")?;
    Some((not_of_a_job(name), format!("fathom fio {flag}: {}", help.trim_start())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_is_looked_up_as_an_option_is_explained() {
        let (error, hint) = looked_up("status-interval").unwrap();
        assert_eq!(error, "status-interval is a flag of fio's command line, and not an option of a job");
        assert!(hint.starts_with("fathom fio --status-interval=…: print the result so far"), "{hint}");
        assert!(looked_up("iodepth").is_none() && looked_up("client").is_none());
    }

    #[test]
    fn every_letter_has_a_flag() {
        for (letter, name) in LETTERS {
            assert_eq!(of_letter(letter).map(|flag| flag.name), Some(*name));
        }
    }
}
