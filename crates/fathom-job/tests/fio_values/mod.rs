//! Values of options, as fio reads them and as fathom's fio command reads them.
//!
//! What Debian's fio 3.33 says of each value is recorded in `fixtures/fio-values.tsv`; `fathom`'s
//! test `against_fio` makes the record and checks it; `FATHOM_FIO_VALUES_AT` names a larger one. Here fathom's parser reads every value. The
//! two agree, or the difference is in the list that a person has accepted.

mod accepted;

use crate::world::World;
use accepted::{ACCEPTED, Difference};
use fathom_job::fio_cli::parse_arguments;
use fathom_job::option::OptionDef;
use fathom_job::options;
use std::collections::BTreeMap;

const RECORD: &str = include_str!("../fixtures/fio-values.tsv");

/// At least this many values.
const VALUES_MIN: usize = 4_800;

/// What our reading says of a value: nothing, or the codes of what is wrong.
fn ours(def: &OptionDef, value: &str) -> Result<(), Vec<String>> {
    let mut args = vec!["--parse-only".to_owned(), "--name=x".to_owned()];
    args.extend(def.engines.first().map(|engine| format!("--ioengine={engine}")));
    args.push(format!("--{}={value}", def.name));
    let read = parse_arguments(&args, &World::default());
    read.map(drop).map_err(|found| found.into_iter().map(|error| error.code).collect())
}

/// The values on which the two differ.
fn differences() -> (usize, Vec<Difference>) {
    let named = std::env::var_os("FATHOM_FIO_VALUES_AT").map(|path| std::fs::read_to_string(path).unwrap());
    let record: &'static str = named.map_or(RECORD, |text| text.leak());
    let lines = record.lines().filter(|line| !line.starts_with('#'));
    let mut all = 0;
    let mut different = Vec::new();
    for line in lines {
        let [fio, name, value] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let def = options::find(name).unwrap();
        all += 1;
        let ours = ours(def, value);
        if (fio == "accepted") != ours.is_ok() {
            different.push(Difference { def, value, fio, ours: ours.err().unwrap_or_default() });
        }
    }
    (all, different)
}

/// What fio makes of values that it reads otherwise than they look, as seen in runs of
/// fio 3.33 on its null engine.
#[test]
fn values_have_the_meaning_that_fio_gives_them() {
    use fathom_job::options::{LOOPS, NUMBER_IOS, RUNTIME, RWMIXREAD};
    let job = |option: &str| {
        let args = ["--parse-only", "--name=x", option].map(str::to_owned);
        parse_arguments(&args, &World::default()).unwrap().jobs.jobs.remove(0)
    };
    assert_eq!(job("--number_ios=0x10k").get(&NUMBER_IOS), 16);
    assert_eq!(job("--loops=0x2k").get(&LOOPS), 2);
    assert_eq!(job("--rwmixread=0x32k").get(&RWMIXREAD), Some(50));
    for (text, micros) in [("1000msx", 1_000_000), ("500mseconds", 500_000), ("10sec", 10), ("0x10", 16)] {
        let runtime = job(&format!("--runtime={text}")).given(&RUNTIME);
        assert_eq!(runtime.map(|time| time.0 / 1000), Some(micros), "{text}");
    }
}

#[test]
fn values_mean_something_where_they_do_under_fio() {
    let (all, different) = differences();
    assert!(all >= VALUES_MIN, "{all}");
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unknown = Vec::new();
    for difference in &different {
        match ACCEPTED.iter().find(|accepted| (accepted.is)(difference)) {
            Some(accepted) => *used.entry(accepted.why).or_default() += 1,
            None => unknown.push(difference.to_string()),
        }
    }
    assert!(unknown.is_empty(), "{} of {all}:\n{}", unknown.len(), unknown.join("\n"));
    for accepted in ACCEPTED {
        assert!(used.contains_key(accepted.why), "no value needs this: {}", accepted.why);
    }
}
