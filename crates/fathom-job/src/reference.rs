//! Help from the option table: `--cmdhelp`, and the reference page of the
//! documentation.

mod document;

pub use document::{OptionStanding, OptionsDocument};

use crate::distribution::Distribution;
use crate::option::{Kind, OptionDef, OptionStatus};
use crate::options;
use crate::parse;
use std::fmt::Write;

/// Text of `--cmdhelp=NAME`; a list of all options for `all`. `None` if there
/// is no such option.
pub fn cmdhelp(name: &str) -> Option<String> {
    if name == "all" {
        return Some(list());
    }
    options::find(name).map(one)
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
    line("engines", &def.engines.join(", "));
    line("status", &status(def));
    text
}

/// What fathom does with the option, in words.
fn status(def: &OptionDef) -> String {
    let words = refused_words(def);
    match def.status {
        OptionStatus::Honoured if !words.is_empty() => format!("partly: {words}"),
        OptionStatus::Differently(how) if !words.is_empty() => {
            format!("partly: {words}; the rest honoured differently: {how}")
        }
        OptionStatus::Honoured => "honoured".to_owned(),
        OptionStatus::Differently(how) => format!("honoured differently: {how}"),
        OptionStatus::NoEffect(why) => format!("accepted without effect: {why}"),
        OptionStatus::Refused(why) => format!("refused: {why}"),
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
        Kind::Pattern => "bytes (0xdeadbeef, \"text\", 255)".to_owned(),
        Kind::Range { .. } => "range of sizes (4k-64k)".to_owned(),
        Kind::Splits => "sizes and shares (4k/60:64k/40)".to_owned(),
        Kind::Rw => "access pattern".to_owned(),
        Kind::MemPolicy => "default, local, prefer:N, bind:LIST or interleave:LIST".to_owned(),
        Kind::SyncRange => "wait_before,write,wait_after:N".to_owned(),
        Kind::FileService => "one of the words below, or WORD:N".to_owned(),
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
