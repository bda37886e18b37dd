//! Help from the option table: `--cmdhelp`, and the reference page of the
//! documentation.

use crate::distribution::Distribution;
use crate::engine::EngineDef;
use crate::option::{Kind, OptionDef, OptionStatus};
use crate::{options, parse};
use serde::Serialize;
use std::fmt::Write;

/// Text of `--cmdhelp=NAME`; a list of all options for `all`. `None` if there
/// is no such option.
pub fn cmdhelp(name: &str) -> Option<String> {
    if name == "all" {
        return Some(list());
    }
    options::find(name).map(one)
}

/// Text of `--enghelp=ENGINE`: the options that belong to this engine, and perhaps to a few others, in fio's form. Those of which fathom
/// has nothing but the name are left out.
pub fn engine_help(engine: &EngineDef) -> String {
    let line = |def: &OptionDef| {
        let refused = def.refused_with(engine.name).map(|why| format!("; refused here: {why}"));
        format!("{:<24}: {}{}\n", def.name, def.help, refused.unwrap_or_default())
    };
    let is_own = |def: &&OptionDef| {
        def.engines.contains(&engine.name) && !matches!(def.status, OptionStatus::Refused(_))
    };
    let own: String = options::all().filter(is_own).map(line).collect();
    match own.is_empty() {
        true => format!("{} has no options of its own: {}\n", engine.name, engine.help),
        false => own,
    }
}

/// Every option with what fathom does with it, and how many options there are of each kind.
fn list() -> String {
    let line = |def: &OptionDef| format!("{:<28}: {:<11}  {}\n", def.name, standing(def), def.help);
    let mut text: String = options::all().map(line).collect();
    let counts = STANDINGS.map(|word| {
        let count = options::all().filter(|def| standing(def) == word).count();
        format!("{count} {word}")
    });
    let _ = writeln!(text, "\n{} options: {}", options::all().count(), counts.join(", "));
    text
}

const STANDINGS: [&str; 5] = ["honoured", "partly", "differently", "no effect", "refused"];

/// What fathom does with the option, in one word; partly where fio has words
/// for it that are refused.
fn standing(def: &OptionDef) -> &'static str {
    match def.status {
        OptionStatus::Refused(_) => "refused",
        OptionStatus::NoEffect(_) => "no effect",
        _ if !def.refused_words.is_empty() => "partly",
        OptionStatus::Differently(_) => "differently",
        OptionStatus::Honoured => "honoured",
    }
}

fn one(def: &OptionDef) -> String {
    let mut text = format!("{:>20}: {}\n", def.name, def.help);
    let mut line = |label: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(text, "{label:>20}: {value}");
        }
    };
    line("alias", &def.aliases.join(", "));
    line("type", &kind(&def.kind));
    line("default", if def.default.is_empty() { "no default" } else { def.default });
    line("valid values", &words(&def.kind));
    line("engines", &def.honouring_engines().join(", "));
    line("status", &status(def));
    text
}

/// What fathom does with the option, in words.
fn status(def: &OptionDef) -> String {
    let refused = def.refused_engines.iter().map(|(engine, why)| format!("; refused with {engine}: {why}"));
    refused.fold(status_elsewhere(def), |text, refused| text + &refused)
}

/// The same without the engines that refuse it.
fn status_elsewhere(def: &OptionDef) -> String {
    let words = refused_words(def);
    match def.status {
        OptionStatus::Honoured if !words.is_empty() => format!("partly: {words}"),
        OptionStatus::Differently(how) if !words.is_empty() => {
            format!("partly: {words}; the rest honoured differently: {how}")
        }
        OptionStatus::Honoured => "honoured".to_owned(),
        OptionStatus::Differently(how) => format!("honoured differently: {how}"),
        OptionStatus::NoEffect(why) => format!("accepted without effect: {why}"),
        OptionStatus::Refused(why) if def.instead.is_empty() => format!("refused: {why}"),
        OptionStatus::Refused(why) => format!("refused: {why}; instead: {}", def.instead),
    }
}

/// `zipf, pareto refused: <reason>`, reason by reason.
fn refused_words(def: &OptionDef) -> String {
    let groups = def.refused_words.chunk_by(|a, b| a.1 == b.1);
    let parts = groups.map(|group| {
        let words: Vec<&str> = group.iter().map(|(word, _)| *word).collect();
        format!("{} refused: {}", words.join(", "), group[0].1)
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// The grammar of a value, in words.
fn kind(kind: &Kind) -> String {
    match kind {
        Kind::Flag => "present, or 0 or 1".to_owned(),
        Kind::Bool => "0 or 1".to_owned(),
        Kind::Int { min, max } if *max == i64::MAX => format!("whole number from {min}"),
        Kind::Int { min, max } => format!("whole number, {min} to {max}"),
        Kind::Float { min, max } => format!("number, {min} to {max}"),
        Kind::Size { percent: true, .. } => "size (4k, 1g), percentage (50%) or zones (2z)".to_owned(),
        Kind::Size { .. } => "size (512, 4k, 1g)".to_owned(),
        Kind::Time { bare_seconds: true } => "time (30, 30s, 500ms, 2h); bare numbers are seconds".to_owned(),
        Kind::Time { .. } => "time (500, 500us, 10ms); bare numbers are microseconds".to_owned(),
        Kind::TimeRange => "time, or low-high; bare numbers are seconds".to_owned(),
        Kind::Word(_) => "one of the words below".to_owned(),
        Kind::Text => "text".to_owned(),
        Kind::OptionalText => "text, or nothing".to_owned(),
        Kind::List => "names separated by `:`".to_owned(),
        Kind::Numbers => "numbers separated by `:`".to_owned(),
        Kind::Cpus => "list (0,2,8-15)".to_owned(),
        Kind::CpuMask => "bit mask (0xff)".to_owned(),
        Kind::Pattern => "bytes (0xdeadbeef, \"text\", 255, 'FILE')".to_owned(),
        Kind::VerifyPattern => {
            "bytes (0xdeadbeef, \"text\", 255, 'FILE'), and %o for the offset of the block".to_owned()
        }
        Kind::Range { .. } => "range of sizes (4k-64k)".to_owned(),
        Kind::Splits => "sizes and shares (4k/60:64k/40)".to_owned(),
        Kind::Rw => "access pattern".to_owned(),
        Kind::MemPolicy => "default, local, prefer:N, bind:LIST or interleave:LIST".to_owned(),
        Kind::SyncRange => "wait_before,write,wait_after:N".to_owned(),
        Kind::FileService => {
            "one of the words below, or WORD:N; zipf:THETA, pareto:H, normal:PERCENT".to_owned()
        }
        Kind::Distribution => {
            "one of the words below; zipf:THETA, pareto:H or normal:PERCENT, each with an optional :CENTRE; \
            zoned:SHARE/LENGTH:…"
                .to_owned()
        }
        Kind::Steady => "one of the words below, with a limit (iops_slope:0.5%, bw:10m, lat:50us)".to_owned(),
        Kind::Errors => "error names or numbers (EIO:28), for read,write,verify".to_owned(),
        Kind::PerDirection(each) => format!("{}, for all or as read,write,trim", self::kind(each)),
    }
}

fn words(kind: &Kind) -> String {
    match kind {
        Kind::Word(words) => words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", "),
        Kind::Rw => parse::patterns().collect::<Vec<_>>().join(", "),
        Kind::Distribution => Distribution::NAMES.join(", "),
        Kind::Steady => parse::figures().collect::<Vec<_>>().join(", "),
        Kind::FileService => parse::orders().collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// Version of the document. Added fields do not change it.
const FORMAT: u32 = 1;

/// What fathom does with options of fio.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptionsDocument {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The options: all of them, or the one that was named.
    pub options: Vec<OptionStanding>,
}

/// One option.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OptionStanding {
    /// Its name.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// What it sets.
    pub help: &'static str,
    /// What fathom does with it: `honoured`, `partly`, `differently`, `no effect` or `refused`.
    pub standing: &'static str,
    /// The same in words, with the reason.
    pub status: String,
    /// The form of its value, in words.
    pub value: String,
    /// The words that its value may be, separated by commas; empty where it is no word.
    pub words: String,
    /// What holds without it; null where nothing does.
    pub default: Option<&'static str>,
    /// The engines that have it; empty for all engines.
    pub engines: Vec<&'static str>,
}

impl OptionsDocument {
    /// The option of this name, or all for `all`; `None` if there is no such option.
    pub fn of(name: &str) -> Option<Self> {
        let options = match name {
            "all" => options::all().map(OptionStanding::of).collect(),
            name => vec![OptionStanding::of(options::find(name)?)],
        };
        Some(OptionsDocument { format: FORMAT, options })
    }
}

impl OptionStanding {
    fn of(def: &'static OptionDef) -> Self {
        OptionStanding {
            name: def.name,
            aliases: def.aliases,
            help: def.help,
            standing: standing(def),
            status: status(def),
            value: kind(&def.kind),
            words: words(&def.kind),
            default: (!def.default.is_empty()).then_some(def.default),
            engines: def.honouring_engines(),
        }
    }
}
