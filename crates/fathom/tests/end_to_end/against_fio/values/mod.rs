//! Values of options as Debian's fio 3.33 takes them: the record that
//! `fathom-job` is compared with (`tests/fio_values`), and whether it is true.
//!
//! fio needs a tenth of a second to start. A run asks it about a sample of the
//! record; `FATHOM_FIO_VALUES=record` makes a new record (some minutes). By hand, `FATHOM_FIO_VALUES_EACH` says how many values of
//! each option (110 make 20,000), and `FATHOM_FIO_VALUES_AT` where that record is, for both tests.

mod generate;

use crate::dice::Dice;
use fathom_job::option::OptionDef;
use fathom_job::options;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fathom-job/tests/fixtures/fio-values.tsv");

/// What a record begins with.
const HEAD: &str = "# What Debian's fio 3.33 says of values, by `--parse-only`: accepted, complained (a message, and\n\
                    # then it goes on) or refused; option; value. Made by FATHOM_FIO_VALUES=record\n\
                    # cargo test -p fathom --test end_to_end against_fio::values\n";

/// Values for each option, and how many draws may be made to find one; a flag has fewer.
const VALUES: u64 = 24;
const TRIES: u64 = 4;

/// Values that a run asks fio about.
const SAMPLE: usize = 60;

/// fio's options, each with the engine to which it is private, if any.
fn asked_about() -> impl Iterator<Item = &'static OptionDef> {
    options::all().filter(|def| def.source == OptionDef::BASE.source)
}

/// What fio says of a value.
fn verdict(def: &OptionDef, value: &str, dir: &Path) -> &'static str {
    let mut fio = Command::new("timeout");
    fio.args(["20", "fio", "--parse-only", "--name=x"]).current_dir(dir);
    if let Some(engine) = def.engines.first() {
        fio.arg(format!("--ioengine={engine}"));
    }
    let output = fio.arg(format!("--{}={value}", def.name)).output().unwrap();
    match (output.status.success(), output.stderr.is_empty()) {
        (true, true) => "accepted",
        (true, false) => "complained",
        (false, _) => "refused",
    }
}

/// Whether this build of fio has the option, and the engine that it belongs to.
fn is_known(def: &OptionDef, dir: &Path) -> bool {
    let mut fio = Command::new("fio");
    match def.engines.first() {
        Some(engine) => fio.arg(format!("--enghelp={engine},{}", def.name)),
        None => fio.arg(format!("--cmdhelp={}", def.name)),
    };
    let output = fio.current_dir(dir).output().unwrap();
    String::from_utf8_lossy(&output.stdout).contains("type:")
}

/// The record that is made or looked at.
fn place() -> PathBuf {
    std::env::var_os("FATHOM_FIO_VALUES_AT").map_or_else(|| RECORD.into(), PathBuf::from)
}

fn record() -> String {
    let each = super::number("FATHOM_FIO_VALUES_EACH", VALUES);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let lines = |def: &'static OptionDef| {
        let seed = def.name.bytes().fold(0_u64, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
        let mut dice = Dice::new(seed);
        let mut values = BTreeSet::new();
        for _ in 0..each * TRIES + 4 {
            if (values.len() as u64) < each {
                values.insert(generate::value(&mut dice, def));
            }
        }
        let line = |value: String| format!("{}\t{}\t{value}\n", verdict(def, &value, dir), def.name);
        values.into_iter().map(line).collect::<String>()
    };
    let known: Vec<_> = asked_about().filter(|def| is_known(def, dir)).collect();
    let halves = std::thread::scope(|scope| {
        let halves = known.chunks(known.len().div_ceil(2)).map(|defs| {
            let defs = defs.to_vec();
            scope.spawn(move || defs.into_iter().map(lines).collect::<String>())
        });
        halves.collect::<Vec<_>>().into_iter().map(|half| half.join().unwrap()).collect::<String>()
    });
    HEAD.to_owned() + &halves
}

#[test]
fn the_record_of_values_is_what_fio_says() {
    if std::env::var("FATHOM_FIO_VALUES").is_ok_and(|what| what == "record") {
        std::fs::write(place(), record()).unwrap();
    }
    let text = std::fs::read_to_string(place()).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let dir = tempfile::tempdir().unwrap();
    let mut wrong = String::new();
    for line in lines.iter().step_by(lines.len().div_ceil(SAMPLE)) {
        let [said, name, value] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let now = verdict(options::find(name).unwrap(), value, dir.path());
        if now != said {
            writeln!(wrong, "{name}={value}: {said} in the record, {now} now").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
