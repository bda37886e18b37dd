//! fio's command-line flags, as a table: which ones fathom has, and why it refuses the others.

/// A flag.
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
    /// Nothing.
    Nothing,
    /// `=value`, or not.
    Optional,
    /// `=value`, or the next argument.
    Required,
}

/// What a flag does.
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

const REMOTE: Act = Act::Refused("fio's client and server are not part of fathom");

const fn flag(name: &'static str, argument: Takes, act: Act, help: &'static str) -> Flag {
    Flag { name, argument, act, help }
}

/// A refused flag, which has no line of help.
const fn refused(name: &'static str, argument: Takes, act: Act) -> Flag {
    Flag { name, argument, act, help: "" }
}

/// Every flag.
pub(super) const FLAGS: &[Flag] = &[
    flag("output", Takes::Required, Act::Output, "write the result to this file"),
    flag(
        "output-format",
        Takes::Required,
        Act::OutputFormat,
        "normal, terse, json, json+; several separated by commas",
    ),
    flag("minimal", Takes::Optional, Act::Minimal, "the same as --output-format=terse"),
    flag("append-terse", Takes::Optional, Act::AppendTerse, "add terse output to the normal one"),
    flag("terse-version", Takes::Required, Act::TerseVersion, "version of terse output: 2, 3, 4 or 5"),
    flag("section", Takes::Required, Act::Section, "run only this job; may be given several times"),
    flag("readonly", Takes::Nothing, Act::ReadOnly, "refuse jobs that write or trim"),
    flag("parse-only", Takes::Nothing, Act::ParseOnly, "read the jobs, and stop"),
    flag("showcmd", Takes::Nothing, Act::ShowCommand, "print the jobs as a command line"),
    flag("eta", Takes::Required, Act::Eta, "show progress: always, never or auto (on a terminal)"),
    flag("eta-newline", Takes::Required, Act::EtaNewline, "begin a new line of progress this often"),
    flag(
        "eta-interval",
        Takes::Required,
        Act::EtaInterval,
        "update the progress this often (bare number: milliseconds)",
    ),
    flag("warnings-fatal", Takes::Nothing, Act::WarningsFatal, "treat warnings as errors"),
    flag("write", Takes::Required, Act::Write, "allow writing to the device of this serial or by-id name"),
    flag(
        "destroy",
        Takes::Required,
        Act::Destroy,
        "the same, for a device that holds data, which will be lost",
    ),
    flag(
        "stuck-after",
        Takes::Required,
        Act::StuckAfter,
        "end the run when a target has not answered for this long (60s); 0 sets no limit",
    ),
    flag("help", Takes::Nothing, Act::Help, "show this"),
    flag("version", Takes::Nothing, Act::Version, "show the version"),
    flag("cmdhelp", Takes::Optional, Act::CommandHelp, "explain a job option, or list them all"),
    flag(
        "max-jobs",
        Takes::Required,
        Act::Nothing("the number of jobs has no limit that can be set"),
        "accepted, without effect",
    ),
    flag(
        "alloc-size",
        Takes::Required,
        Act::Nothing("fathom has no memory pool of fixed size"),
        "accepted, without effect",
    ),
    flag("enghelp", Takes::Optional, Act::EngineHelp, "list the engines, or explain one: ENGINE[,OPTION]"),
    flag(
        "debug",
        Takes::Required,
        Act::Nothing("fathom has no debug categories; the result of a run has its details"),
        "accepted, without effect",
    ),
    flag(
        "aux-path",
        Takes::Required,
        Act::Nothing("fathom writes no state files; the name of a log says where it goes"),
        "accepted, without effect",
    ),
    flag(
        "status-interval",
        Takes::Required,
        Act::StatusInterval,
        "print the result so far this often (bare number: seconds)",
    ),
    flag(
        "bandwidth-log",
        Takes::Optional,
        Act::BandwidthLog,
        "write agg-read_bw.log, agg-write_bw.log and agg-trim_bw.log: all jobs together",
    ),
    flag(
        "idle-prof",
        Takes::Required,
        Act::IdleProfile,
        "report how idle the machine (system) or each processor (percpu) was",
    ),
    flag("merge-blktrace-only", Takes::Nothing, Act::MergeOnly, "merge traces, do no I/O"),
    flag("inflate-log", Takes::Required, Act::InflateLog, "print a log (fathom does not compress logs)"),
    flag("cpuclock-test", Takes::Nothing, Act::ClockTest, "test the processors' clock"),
    flag("crctest", Takes::Optional, Act::ChecksumTest, "test how fast the checksums are: all, or TYPE,…"),
    refused("server", Takes::Optional, REMOTE),
    flag("daemonize", Takes::Required, Act::Nothing("it is for fio's server"), "accepted, without effect"),
    refused("client", Takes::Required, REMOTE),
    refused("remote-config", Takes::Required, REMOTE),
    flag("trigger-file", Takes::Required, Act::TriggerFile, "end all jobs when this file appears"),
    flag(
        "trigger-timeout",
        Takes::Required,
        Act::TriggerTimeout,
        "end all jobs after this time (bare number: seconds)",
    ),
    flag("trigger", Takes::Required, Act::Trigger, "run this command when a trigger has ended the jobs"),
    flag(
        "trigger-remote",
        Takes::Required,
        Act::Nothing("it is a command for fio's servers"),
        "accepted, without effect",
    ),
    refused(
        "memcpytest",
        Takes::Optional,
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

/// The flag of a letter.
pub(super) fn of_letter(letter: &str) -> Option<&'static Flag> {
    let (_, name) = LETTERS.iter().find(|(known, _)| *known == letter)?;
    FLAGS.iter().find(|flag| flag.name == *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_a_flag() {
        for (letter, name) in LETTERS {
            assert_eq!(of_letter(letter).map(|flag| flag.name), Some(*name));
        }
    }
}
