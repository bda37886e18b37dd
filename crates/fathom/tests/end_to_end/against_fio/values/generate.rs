//! Random values: those that a kind of option takes, those at its limits, and
//! those with a typing error.

use crate::dice::Dice;
use fathom_job::option::{Kind, OptionDef};

/// A value of the option, often one that means something.
pub fn value(dice: &mut Dice, def: &OptionDef) -> String {
    let words: Vec<&str> = def.refused_words.iter().map(|(word, _)| *word).collect();
    let value = match dice.below(10) {
        0 if !def.default.is_empty() => def.default.to_owned(),
        1 if !words.is_empty() => dice.of(&words).to_owned(),
        _ => of_kind(dice, &def.kind),
    };
    if dice.chance(12) { slipped(dice, &value) } else { value }
}

fn of_kind(dice: &mut Dice, kind: &Kind) -> String {
    match kind {
        Kind::Flag | Kind::Bool => dice.of(&["0", "1", "1", "0", "2", "yes", "true", "01", "-1"]).to_owned(),
        Kind::Int { min, max } => integer(dice, *min, *max),
        Kind::Float { min, max } => float(dice, *min, *max),
        Kind::Size { percent, zones, .. } => size(dice, *percent, *zones),
        Kind::Time { .. } => time(dice),
        Kind::TimeRange => pair(dice, "-", time),
        Kind::Word(words) => word(dice, words),
        Kind::Text | Kind::OptionalText | Kind::List => {
            dice.of(&["a", "a:b", "a\\:b", "x y", "0", "a,b", "ü", "a.$jobnum"]).to_owned()
        }
        Kind::Numbers => several(dice, ":", |dice| float(dice, 0.0, 100.0)),
        Kind::Cpus => dice.of(&["0", "1", "0-1", "0,1", "0:1", "0-", "1-0", "a", "0,,1"]).to_owned(),
        Kind::CpuMask => dice.of(&["1", "3", "0x3", "0", "0xg", "2"]).to_owned(),
        Kind::Pattern | Kind::VerifyPattern => several(dice, "", |dice| {
            dice.of(&["0xdeadbeef", "0xabc", "\"text\"", "255", "-1", "0x", "'f'", "%o", "99999999999", "ab"])
                .to_owned()
        }),
        Kind::Range { .. } => pair(dice, "-", plain_size),
        Kind::Splits => several(dice, ":", split),
        Kind::Rw => access(dice),
        Kind::MemPolicy => dice.of(&["default", "local", "prefer:0", "bind:0", "bind:", "any"]).to_owned(),
        Kind::SyncRange => dice
            .of(&["write:8", "wait_before,write:4", "wait_after,write", "read:8", "write:", "write:x"])
            .to_owned(),
        Kind::FileService => dice
            .of(&[
                "random",
                "roundrobin:4",
                "sequential",
                "random:0",
                "random:",
                "random:x",
                "rand",
                "zipf:1.2:0.5",
                "gauss:20",
                "pareto:2",
            ])
            .to_owned(),
        Kind::Distribution => dice
            .of(&[
                "zipf",
                "zipf:1.2",
                "zipf:1",
                "zipf:x",
                "zipf:",
                "zipf:0.8:0.5",
                "zipf:1.2:2",
                "pareto:0.2",
                "pareto:1",
                "normal:10",
                "normal:100",
                "zoned:60/10:40/90",
                "zoned:60/10:40/",
                "zoned:60/10",
                "zoned:60/10:50/90",
                "zoned_abs:60/4k:40/8k",
                "zoned",
                "zoned:x/y",
            ])
            .to_owned(),
        Kind::Steady => dice
            .of(&[
                "iops:5%",
                "iops_slope:0.1%",
                "bw:10m",
                "bw_slope:1%",
                "iops:20",
                "iops",
                "bw:",
                "mean:5%",
                "iops:0%",
            ])
            .to_owned(),
        Kind::Errors => {
            dice.of(&["EIO", "EIO:ENOSPC,28", "5", ",EIO", "EIO,,5", "ENONE", "eio", "-5", "EIO:"]).to_owned()
        }
        Kind::PerDirection(kind) => by_direction(dice, kind),
    }
}

fn integer(dice: &mut Dice, min: i64, max: i64) -> String {
    let n = match dice.below(8) {
        0 => min,
        1 => max,
        2 => min.saturating_sub(1),
        3 => max.saturating_add(1),
        4 => 0,
        _ => min.saturating_add(dice.below(max.abs_diff(min).min(200) + 1) as i64),
    };
    match dice.below(16) {
        0 => format!("{n:#x}"),
        1 => format!("{n}k"),
        2 => format!("{n}.5"),
        3 => format!("{n}%"),
        4 => format!("({n}+1)"),
        5 => format!("{n}x"),
        6 => format!("+{n}"),
        7 => format!("0{n}"),
        _ => n.to_string(),
    }
}

fn float(dice: &mut Dice, min: f64, max: f64) -> String {
    let top = if max.is_finite() { max.min(1e6) } else { 1e6 };
    let n = min.max(0.0) + (top - min.max(0.0)) * dice.below(1001) as f64 / 1000.0;
    match dice.below(12) {
        0 => format!("{}", max + 1.0),
        1 => format!("{n:e}"),
        2 => format!("zipf:{n:.1}"),
        3 => format!("-{n:.2}"),
        4 => format!("{n:.1}%"),
        5 => format!("{n:.0}"),
        6 => ".5".to_owned(),
        _ => format!("{n:.2}"),
    }
}

const SIZE_UNITS: [&str; 24] = [
    "", "", "", "b", "k", "K", "kb", "kib", "KiB", "ki", "m", "M", "mb", "MiB", "g", "G", "gb", "t", "p",
    "kk", "x", "k/100", " k", "s",
];

fn plain_size(dice: &mut Dice) -> String {
    let n = dice.of(&["0", "1", "3", "4", "8", "16", "64", "512", "4096", "1.5", "0x1000", "-1", "007"]);
    format!("{n}{}", dice.of(&SIZE_UNITS))
}

fn size(dice: &mut Dice, percent: bool, zones: bool) -> String {
    match dice.below(14) {
        0 => format!("{}%", dice.of(&["0", "1", "50", "100", "101", "200", "1.5", "-5"])),
        1 if zones => format!("{}z", dice.below(9)),
        2 if percent => "100%".to_owned(),
        3 => dice
            .of(&["18446744073709551615", "18446744073709551616", "9223372036854775808", "99999999999t"])
            .to_owned(),
        4 => dice.of(&["(2*4k)", "(4k", "(1+1)k", "2*4k", "4k+4k", "(8k/3)", "(0-1)"]).to_owned(),
        5 => dice.of(&["2g", "2047m", "4g", "2147483647", "2147483648", "4294967296"]).to_owned(),
        _ => plain_size(dice),
    }
}

const TIME_UNITS: [&str; 20] = [
    "", "", "", "s", "S", "sec", "seconds", "m", "min", "h", "d", "D", "ms", "msec", "us", "usec", "u", "ns",
    "x", " s",
];

fn time(dice: &mut Dice) -> String {
    let n = dice.of(&["0", "1", "2", "10", "60", "1.5", "-5", "0x10", "99999999999", "(1+1)", "007"]);
    format!("{n}{}", dice.of(&TIME_UNITS))
}

fn word(dice: &mut Dice, words: &[(&'static str, &'static str)]) -> String {
    let spelling = dice.of(words).0;
    match dice.below(8) {
        0 => spelling.to_uppercase(),
        1 => format!("{spelling}x"),
        2 => format!("{spelling}:1"),
        3 => spelling[..spelling.len() - 1].to_owned(),
        _ => spelling.to_owned(),
    }
}

fn access(dice: &mut Dice) -> String {
    let words = [
        "read",
        "write",
        "trim",
        "randread",
        "randwrite",
        "randtrim",
        "rw",
        "readwrite",
        "randrw",
        "trimwrite",
    ];
    let word = dice.of(&words);
    match dice.below(8) {
        0 => format!("{word}:{}", dice.of(&["8", "4k", "0", "-4k", "x", "", "8x", "1.5k"])),
        1 => word.to_uppercase(),
        2 => format!("{word}x"),
        3 => word[..word.len() - 1].to_owned(),
        _ => word.to_owned(),
    }
}

fn split(dice: &mut Dice) -> String {
    let bytes = if dice.chance(10) { pair(dice, "-", plain_size) } else { plain_size(dice) };
    match dice.below(6) {
        0 => bytes,
        1 => format!("{bytes}/"),
        2 => format!("{bytes}/{}", dice.of(&["99", "100", "0", "101", "x", "33.3", "-1"])),
        _ => format!("{bytes}/{}", dice.of(&["50", "25", "33", "10"])),
    }
}

fn by_direction(dice: &mut Dice, kind: &Kind) -> String {
    match dice.below(8) {
        0 => several(dice, ",", |dice| of_kind(dice, kind)),
        1 => format!(",{}", of_kind(dice, kind)),
        2 => format!("{},", of_kind(dice, kind)),
        3 => pair(dice, "-", |dice| of_kind(dice, kind)),
        4 => pair(dice, ":", |dice| of_kind(dice, kind)),
        _ => of_kind(dice, kind),
    }
}

fn pair(dice: &mut Dice, between: &str, one: impl Fn(&mut Dice) -> String) -> String {
    let first = one(dice);
    if dice.chance(10) { first } else { first + between + &one(dice) }
}

fn several(dice: &mut Dice, between: &str, one: impl Fn(&mut Dice) -> String) -> String {
    let n = 1 + dice.below(4);
    (0..n).map(|_| one(dice)).collect::<Vec<_>>().join(between)
}

/// The text with a character lost, doubled or added.
fn slipped(dice: &mut Dice, value: &str) -> String {
    let mut letters: Vec<char> = value.chars().collect();
    let at = dice.below(letters.len().max(1) as u64) as usize;
    match dice.below(3) {
        0 if !letters.is_empty() => drop(letters.remove(at)),
        1 if !letters.is_empty() => letters.insert(at, letters[at]),
        _ => letters.insert(at, dice.of(&[' ', '-', ':', ',', '/', '%', 'k', '.', '(', 'x'])),
    }
    letters.into_iter().collect()
}
