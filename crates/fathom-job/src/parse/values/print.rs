//! Values as text again: what the grammars read back to the same value, under
//! any `kb_base` (so bytes are plain numbers), and how hints spell them.

use super::{number, word};
use crate::direction::Direction;
use crate::units::{Bytes, Nanos};
use crate::value::{FileOrder, FileService, IgnoredErrors, MemPolicy, Size, Split, SyncRange, Value};
use fathom_verify::PatternPart;

/// The value as a job file would spell it.
pub(crate) fn print(value: &Value) -> String {
    match value {
        Value::Flag(on) => u8::from(*on).to_string(),
        Value::Int(n) => n.to_string(),
        Value::Float(x) => x.to_string(),
        Value::Size(size) => self::size(*size),
        Value::Time(t) => time(*t),
        Value::TimeRange(low, high) => format!("{}-{}", time(*low), time(*high)),
        Value::Word(word) => (*word).to_owned(),
        Value::Text(text) => text.clone(),
        Value::List(names) => number::join(names),
        Value::Numbers(numbers) => joined(numbers, ":"),
        Value::Cpus(cpus) => joined(cpus, ","),
        Value::Pattern(bytes) => hex(bytes),
        Value::VerifyPattern(pattern) => pattern.parts.iter().map(pattern_part).collect(),
        Value::Range(range) => format!("{}-{}", range.low.0, range.high.0),
        Value::Splits(splits) => splits.iter().map(split).collect::<Vec<_>>().join(":"),
        Value::Rw(rw) => rw.postfix.map_or_else(
            || word::pattern_word(rw).to_owned(),
            |postfix| format!("{}:{postfix}", word::pattern_word(rw)),
        ),
        Value::MemPolicy(policy) => memory(policy),
        Value::SyncRange(range) => sync_range(range),
        Value::FileService(service) => service_text(service),
        Value::Distribution(distribution) => distribution.to_string(),
        Value::Steady(terms) => terms.to_string(),
        Value::Errors(errors) => self::errors(errors),
        Value::PerDirection(each) => Direction::ALL.map(|d| print(&each[d])).join(","),
    }
}

/// Bytes in the largest unit that keeps them whole, for hints.
pub(super) fn bytes(n: Bytes, kb: u64) -> String {
    let fits = |power: u32| kb.checked_pow(power).filter(|unit| n.0 > 0 && n.0.is_multiple_of(*unit));
    let unit = (1..=5)
        .rev()
        .find_map(|power| fits(power).map(|unit| (unit, "kmgtp".as_bytes()[power as usize - 1])));
    unit.map_or_else(|| n.0.to_string(), |(unit, letter)| format!("{}{}", n.0 / unit, letter as char))
}

/// A time in the largest unit that keeps it whole, down to microseconds.
pub(super) fn time(t: Nanos) -> String {
    const UNITS: [(u64, &str); 6] = [
        (86_400_000_000, "d"),
        (3_600_000_000, "h"),
        (60_000_000, "m"),
        (1_000_000, "s"),
        (1_000, "ms"),
        (1, "us"),
    ];
    let us = t.0 / 1000;
    let (unit, letter) =
        UNITS.into_iter().find(|(unit, _)| us > 0 && us.is_multiple_of(*unit)).unwrap_or((1, "us"));
    format!("{}{letter}", us / unit)
}

fn pattern_part(part: &PatternPart) -> String {
    match part {
        PatternPart::Bytes(bytes) => hex(bytes),
        PatternPart::BlockOffset => "%o".to_owned(),
    }
}

/// Bytes as a pattern of a job file spells them.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, b| text + &format!("{b:02x}"))
}

fn size(size: Size) -> String {
    match size {
        Size::Bytes(n) => n.0.to_string(),
        Size::Percent(n) => format!("{n}%"),
        Size::Zones(n) => format!("{n}z"),
    }
}

fn split(split: &Split) -> String {
    let percent = split.percent.map(|p| p.to_string()).unwrap_or_default();
    format!("{}/{percent}", split.bytes.0)
}

fn memory(policy: &MemPolicy) -> String {
    match policy {
        MemPolicy::Default => "default".to_owned(),
        MemPolicy::Local => "local".to_owned(),
        MemPolicy::Prefer(node) => format!("prefer:{node}"),
        MemPolicy::Bind(nodes) => format!("bind:{}", joined(nodes, ",")),
        MemPolicy::Interleave(nodes) => format!("interleave:{}", joined(nodes, ",")),
    }
}

fn sync_range(range: &SyncRange) -> String {
    let flags =
        [(range.wait_before, "wait_before"), (range.write, "write"), (range.wait_after, "wait_after")];
    let words: Vec<&str> = flags.into_iter().filter(|(on, _)| *on).map(|(_, word)| word).collect();
    format!("{}:{}", words.join(","), range.every)
}

fn errors(errors: &IgnoredErrors) -> String {
    [&errors.read, &errors.write, &errors.verify].map(|list| joined(list, ":")).join(",")
}

fn joined<T: ToString>(items: &[T], separator: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(separator)
}

fn service_text(service: &FileService) -> String {
    let word = match &service.order {
        FileOrder::Skewed(distribution) => return distribution.to_string(),
        FileOrder::RoundRobin => "roundrobin",
        FileOrder::Random => "random",
        FileOrder::Sequential => "sequential",
    };
    if service.every == 1 { word.to_owned() } else { format!("{word}:{}", service.every) }
}
