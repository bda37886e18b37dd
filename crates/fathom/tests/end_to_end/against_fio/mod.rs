//! The same job file under fio and fathom: both must do the same work.
//!
//! Jobs are generated whose end is set by bytes or by a number of I/Os, never
//! by time. What is compared is the number of I/Os and of bytes of each clone
//! and direction. Every job has a seed, so a run always makes the same ones;
//! `FATHOM_AGAINST_FIO` says how many (by hand: 400), `FATHOM_AGAINST_FIO_FROM`
//! which one is the first. Needs Debian's fio 3.33.

mod cpu_load;
mod debian_examples;
mod engine_help;
mod fills;
mod generated;
mod log_columns;
mod logged;
mod names;
mod priorities;
mod replayed;
mod trees;
mod trims;
mod unreported;
mod values;
mod work;
mod zone_resets;

use crate::support::{fathom, text};
use generated::Generated;
use std::path::Path;
use std::process::Command;
use work::Work;

/// Jobs of a run without `FATHOM_AGAINST_FIO`: some ten seconds on two
/// processors.
const JOBS: u64 = 40;

/// How many jobs run at the same time.
const LANES: u64 = 4;

/// What a tool does with the job, from files as the job finds them.
fn run(tool: &mut Command, dir: &Path, job: &Generated) -> Result<Work, String> {
    let _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir(dir).unwrap();
    for (name, length) in &job.files {
        std::fs::write(dir.join(name), vec![7; *length as usize]).unwrap();
    }
    std::fs::write(dir.join("j.fio"), &job.text).unwrap();
    let output = tool.current_dir(dir).args(["--output-format=json", "j.fio"]).output().unwrap();
    match output.status.success() {
        true => Ok(work::of(&String::from_utf8_lossy(&output.stdout))),
        false => Err(text(&output)),
    }
}

/// What is wrong with the job of this seed, if anything is.
fn difference(seed: u64, dir: &Path) -> Option<String> {
    let job = Generated::of(seed);
    let theirs = run(&mut Command::new("fio"), dir, &job).map(work::in_order_of_clones);
    let ours = run(fathom(dir.parent().unwrap()).arg("fio"), dir, &job);
    let agree = matches!((&theirs, &ours), (Ok(theirs), Ok(ours)) if job.agree(theirs, ours));
    (!agree).then(|| {
        let Generated { text, files, .. } = job;
        format!("job {seed}:\n{text}files {files:?}\nfio    {theirs:?}\nfathom {ours:?}\n")
    })
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |value| value.parse().expect("a number"))
}

#[test]
fn generated_jobs_do_the_same_work() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let from = number("FATHOM_AGAINST_FIO_FROM", 0);
    let seeds = from..from + number("FATHOM_AGAINST_FIO", JOBS);
    // Both tools mostly wait for their own start and end.
    let some = &|lane: u64| {
        let dir = scratch.path().join(lane.to_string());
        let mine = seeds.clone().filter(move |seed| seed % LANES == lane);
        mine.filter_map(|seed| difference(seed, &dir)).collect::<Vec<_>>()
    };
    let different = std::thread::scope(|scope| {
        let lanes = (0..LANES).map(|lane| scope.spawn(move || some(lane))).collect::<Vec<_>>();
        lanes.into_iter().flat_map(|lane| lane.join().unwrap()).collect::<Vec<_>>()
    });
    assert!(different.is_empty(), "{} jobs differ\n{}", different.len(), different.join("\n"));
}
