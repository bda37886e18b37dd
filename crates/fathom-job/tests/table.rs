//! No option is ignored in silence: every row, given in a job file, is either
//! in force afterwards, or noted as without effect, or refused with its reason.

use crate::world::{listed, load};
use fathom_job::option::{Kind, OptionDef, OptionRelation, OptionStatus};
use fathom_job::options;
use fathom_job::reference;

/// A value that differs from the option's default.
fn sample(kind: &Kind, default: &str) -> String {
    let pick =
        |choices: &[&str]| choices.iter().find(|c| **c != default).expect("two choices differ").to_string();
    match kind {
        Kind::Flag | Kind::Bool => pick(&["1", "0"]),
        Kind::Int { min, max } => pick(&[&min.max(&0).to_string(), &(min.max(&0) + 1).min(*max).to_string()]),
        Kind::Float { .. } => pick(&["0.5", "0.25"]),
        Kind::Size { .. } => "12k".to_owned(),
        Kind::Time { .. } => "7s".to_owned(),
        Kind::TimeRange => "1-2".to_owned(),
        Kind::Word(words) => words.iter().find(|(_, w)| *w != default).unwrap_or(&words[0]).0.to_owned(),
        Kind::Text | Kind::OptionalText | Kind::List => "words".to_owned(),
        Kind::Numbers => "50:99.9".to_owned(),
        Kind::Cpus => "0-1".to_owned(),
        Kind::CpuMask => "0x3".to_owned(),
        Kind::Pattern | Kind::VerifyPattern => "0xab".to_owned(),
        Kind::Range { .. } => "4k-8k".to_owned(),
        Kind::Splits => "4k/50:8k/50".to_owned(),
        Kind::Rw => "randrw".to_owned(),
        Kind::MemPolicy => "bind:0".to_owned(),
        Kind::SyncRange => "write:8".to_owned(),
        Kind::FileService => "random:4".to_owned(),
        Kind::Distribution => "zipf:1.2".to_owned(),
        Kind::Steady => "lat:5%".to_owned(),
        Kind::Errors => "EIO".to_owned(),
        Kind::PerDirection(kind) => sample(kind, default),
    }
}

/// A job file with this option and what it needs.
fn text(def: &OptionDef, name: &str) -> String {
    let engine = def.engines.first().map(|engine| format!("ioengine={engine}\n")).unwrap_or_default();
    let before = if def.name == "wait_for" { "[words]\nsize=1m\n" } else { "" };
    format!("{before}[job]\n{engine}{name}={}\n", sample(&def.kind, def.default))
}

#[test]
fn every_option_is_in_force_or_noted_or_refused() {
    let mut count = 0;
    for def in options::all() {
        for name in std::iter::once(&def.name).chain(def.aliases) {
            check(def, name);
            count += 1;
        }
    }
    assert!(count >= 279, "{count}");
}

fn check(def: &OptionDef, name: &str) {
    let kept = match def.relation {
        OptionRelation::Becomes(other) => other,
        _ => def.name,
    };
    match (load(&text(def, name)), def.status) {
        (Err(found), OptionStatus::Refused(why)) => {
            assert_eq!(found.len(), 1, "{name}\n{}", listed(&found));
            assert_eq!(found[0].code, "refused-option", "{name}");
            assert!(found[0].message.contains(why), "{name}: {}", found[0].message);
            assert!(!found[0].hints.is_empty(), "{name} has no hint");
        }
        (Ok(_), OptionStatus::Refused(_)) => panic!("{name} should be refused"),
        (Err(found), _) => panic!("{name}\n{}", listed(&found)),
        (Ok(set), status) => {
            let job = set.jobs.last().expect("one job");
            assert!(job.settings().any(|(set, _)| set == kept), "{name} is not in force");
            let noted = set.warnings.iter().any(|w| w.code == "no-effect");
            assert_eq!(noted, matches!(status, OptionStatus::NoEffect(_)), "{name}");
        }
    }
}

#[test]
fn a_refused_option_that_asks_for_nothing_is_accepted() {
    for line in ["thinkcycles=0", "verify=0", "zonemode=none", "file_append=0", "allow_mounted_write=0"] {
        assert!(load(&format!("[a]\n{line}\n")).is_ok(), "{line}");
    }
}

#[test]
fn refused_words_say_why() {
    for def in options::all() {
        for (word, why) in def.refused_words {
            let found = load(&format!("[a]\n{}={word}\n", def.name)).expect_err(word);
            assert!(found[0].message.contains(why), "{}={word}: {}", def.name, found[0].message);
        }
    }
}

#[test]
fn refused_words_are_told_beforehand() {
    let list = reference::cmdhelp("all").expect("all");
    for def in options::all().filter(|def| !def.refused_words.is_empty()) {
        let page = reference::cmdhelp(def.name).expect("a row");
        assert!(page.contains("status: partly: "), "{page}");
        for (word, why) in def.refused_words {
            assert!(page.contains(word) && page.contains(why), "{word} is missing in\n{page}");
        }
        let line = list.lines().find(|line| line.starts_with(&format!("{} ", def.name))).expect("a line");
        assert!(line.contains(": partly "), "{line}");
    }
    insta::assert_snapshot!(
        "cmdhelp_random_distribution",
        reference::cmdhelp("random_distribution").expect("a row")
    );
}

#[test]
fn the_list_has_a_standing_for_each_and_ends_with_counts() {
    let list = reference::cmdhelp("all").expect("all");
    for (option, standing) in [
        ("rw", "honoured"),
        ("thread", "differently"),
        ("sync_file_range", "differently"),
        ("softrandommap", "no effect"),
        ("rate", "differently"),
        ("steadystate", "differently"),
        ("zonemode", "differently"),
        ("read_beyond_wp", "honoured"),
        ("num_range", "differently"),
        ("lockmem", "refused"),
        ("mem", "partly"),
    ] {
        let line = list.lines().find(|line| line.starts_with(&format!("{option} "))).expect(option);
        assert!(line.contains(&format!(": {standing} ")), "{line}");
    }
    let counts = list.lines().last().expect("counts");
    let numbers: Vec<usize> =
        counts.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    assert_eq!(numbers[0], options::all().count(), "{counts}");
    assert_eq!(numbers[1..].iter().sum::<usize>(), numbers[0], "{counts}");
    assert!(numbers.len() == 6 && numbers.iter().all(|n| *n > 0), "{counts}");
}

#[test]
fn help_and_reference_come_from_the_table() {
    let list = reference::cmdhelp("all").expect("all");
    for def in options::all() {
        assert!(list.lines().any(|line| line.starts_with(def.name)), "{}", def.name);
    }
    assert_eq!(reference::cmdhelp("no_such_option"), None);
    insta::assert_snapshot!("cmdhelp_bs", reference::cmdhelp("blocksize").expect("an alias"));
    insta::assert_snapshot!("cmdhelp_rate", reference::cmdhelp("rate").expect("by direction"));
    insta::assert_snapshot!("cmdhelp_fallocate", reference::cmdhelp("fallocate").expect("words"));
}
