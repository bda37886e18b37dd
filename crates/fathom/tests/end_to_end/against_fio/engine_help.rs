//! `--enghelp=ENGINE` names the options that fio's does.

use crate::support::fathom;
use fathom_job::engine::ENGINES;
use std::collections::BTreeSet;
use std::process::Command;

/// Options of newer versions of fio, which Debian's fio 3.33 does not have.
const NEWER: [&str; 11] = [
    "apptag",
    "apptag_mask",
    "cmdprio_hint",
    "deac",
    "libaio_vectored",
    "md_per_io_size",
    "pi_act",
    "pi_chk",
    "readfua",
    "write_mode",
    "writefua",
];

/// What is listed before the colons.
fn names(tool: &mut Command, engine: &str) -> Option<BTreeSet<String>> {
    let output = tool.arg(format!("--enghelp={engine}")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let listed = text.lines().filter_map(|line| line.split_once(" : ").or(line.split_once(": ")));
    let names = listed.map(|(name, _)| name.trim().to_owned()).filter(|name| !name.contains(' '));
    output.status.success().then(|| names.collect())
}

#[test]
fn the_options_of_each_engine_are_those_that_fio_names() {
    let dir = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for engine in ENGINES.iter().map(|engine| engine.name) {
        let Some(theirs) = names(&mut Command::new("fio"), engine) else { continue };
        let ours = names(fathom(dir.path()).arg("fio"), engine).expect("fathom has it");
        let (missing, more): (Vec<_>, Vec<_>) =
            (theirs.difference(&ours).collect(), ours.difference(&theirs).collect());
        let unknown: Vec<_> = more.into_iter().filter(|name| !NEWER.contains(&name.as_str())).collect();
        assert!(missing.is_empty() && unknown.is_empty(), "{engine}: {missing:?} {unknown:?}");
        compared += theirs.len();
    }
    assert!(compared > 40, "{compared} names");
}
