//! Walks the table: every row is complete, every key is readable, every fio name is there.

use super::*;
use crate::engine::named;
use crate::foreign_engines::foreign_engine;
use crate::option::{Kind, OptionStatus, Reads};
use crate::parse::{self, default_of};
use std::collections::BTreeSet;

/// fio's names and aliases, kept in a separate file so that they check the table.
const NAMES: &str = include_str!("../../tests/fixtures/fio-names.txt");

fn fixture() -> (Vec<&'static str>, Vec<(&'static str, &'static str)>) {
    let lines = || NAMES.lines().filter(|line| !line.starts_with('#'));
    let aliases = lines().filter_map(|line| line.split_once(" = ")).collect();
    (lines().filter(|line| !line.contains('=')).collect(), aliases)
}

#[test]
fn every_name_and_alias_of_fio_is_known() {
    let (names, aliases) = fixture();
    assert_eq!((names.len(), aliases.len()), (251, 28));
    for name in names {
        assert_eq!(find(name).map(|def| def.name), Some(name));
    }
    for (alias, name) in aliases {
        assert_eq!(find(alias).map(|def| def.name), Some(name), "{alias}");
    }
}

#[test]
fn common_options_are_fio_s_and_the_rest_belongs_to_engines() {
    let (names, _) = fixture();
    let fio_s = |def: &&OptionDef| def.source == OptionDef::BASE.source;
    for def in all().filter(fio_s).filter(|def| !names.contains(&def.name)) {
        assert!(!def.engines.is_empty(), "{} is neither fio's nor an engine's", def.name);
    }
}

#[test]
fn the_engines_of_an_option_are_known_or_refused() {
    for engine in all().flat_map(|def| def.engines) {
        assert!(named(engine).is_some() || foreign_engine(engine).is_some(), "{engine}");
    }
}

#[test]
fn no_name_stands_twice() {
    let mut seen = BTreeSet::new();
    for name in all().flat_map(|def| std::iter::once(def.name).chain(def.aliases.iter().copied())) {
        assert!(seen.insert(name), "{name} twice");
    }
}

#[test]
fn every_row_is_whole() {
    for def in all() {
        assert!(def.help.len() > 8 && !def.help.contains('\n'), "{}: {:?}", def.name, def.help);
        assert!(!def.source.is_empty(), "{}", def.name);
        let why = match def.status {
            OptionStatus::Honoured => continue,
            OptionStatus::Differently(why) | OptionStatus::NoEffect(why) | OptionStatus::Refused(why) => why,
        };
        assert!(why.len() > 15, "{}: no reason", def.name);
    }
}

/// A refusal does not end with what is missing: its hint says what to do instead, or what is done in any case.
#[test]
fn every_refusal_has_a_next_step() {
    let refused =
        all().filter(|def| !of_foreign_engines(def) && matches!(def.status, OptionStatus::Refused(_)));
    let silent: Vec<_> = refused.filter(|def| def.instead.is_empty()).map(|def| def.name).collect();
    assert!(silent.is_empty(), "{silent:#?}");
    let mut words = all().flat_map(|def| def.refused_words);
    assert!(words.all(|(_, why)| !why.ends_with("not built yet")));
}

/// Only engines have it that fathom does not have: what to write instead of the engine follows as a hint.
fn of_foreign_engines(def: &OptionDef) -> bool {
    !def.engines.is_empty() && def.engines.iter().all(|engine| foreign_engine(engine).is_some())
}

#[test]
fn every_default_parses_and_survives_printing() {
    for def in all() {
        let Some(value) = default_of(def) else { continue };
        assert_eq!(parse::read_value(def, &parse::print(&value)), Some(value), "{}", def.name);
    }
}

#[test]
fn every_key_reads_its_default_or_says_that_there_is_none() {
    let keyed: [&[(&str, Reads)]; 10] = [
        target::READS,
        pattern::READS,
        zones::READS,
        engine::READS,
        passthrough::READS,
        time::READS,
        buffer::READS,
        verify::READS,
        replay::READS,
        statistics::READS,
    ];
    let mut count = 0;
    for (name, reads) in keyed.into_iter().flatten() {
        let def = find(name).expect("a key has a row");
        assert!(
            reads(default_of(def).as_ref()),
            "{name}: default {:?} does not read as its key's type",
            def.default
        );
        let sample = parse::read_value(def, sample(&def.kind)).expect("samples parse");
        assert!(reads(Some(&sample)), "{name}: {sample:?} does not read as its key's type");
        count += 1;
    }
    assert!(count > 100, "only {count} keys");
}

/// A value of each kind.
fn sample(kind: &Kind) -> &'static str {
    match kind {
        Kind::Flag | Kind::Bool | Kind::CpuMask => "1",
        Kind::Int { min, .. } if *min >= 1024 => "2048",
        Kind::Int { .. } => "2",
        Kind::Float { .. } => "0.5",
        Kind::Size { .. } => "8k",
        Kind::Time { .. } => "3s",
        Kind::TimeRange => "1-2",
        Kind::Word(words) => words[0].0,
        Kind::Text | Kind::OptionalText | Kind::List => "x",
        Kind::Numbers => "50:99.9",
        Kind::Cpus => "0-1",
        Kind::Pattern | Kind::VerifyPattern => "0xab",
        Kind::Range { .. } => "4k-8k",
        Kind::Splits => "4k/50:8k/50",
        Kind::Rw => "randrw",
        Kind::MemPolicy => "bind:0",
        Kind::SyncRange => "write:8",
        Kind::FileService => "random:4",
        Kind::Distribution => "zipf:1.2:0.5",
        Kind::Steady => "bw_slope:10k",
        Kind::Errors => "EIO",
        Kind::PerDirection(kind) => sample(kind),
    }
}

#[test]
fn misspelt_names_find_their_neighbour() {
    for (typed, near) in
        [("iodpeth", Some("iodepth")), ("block_size", Some("blocksize")), ("qqqqqqqqq", None)]
    {
        assert_eq!(nearest(typed), near, "{typed}");
    }
}
