//! Whatever happens to a file of a saved procedure is told.

use fathom_engine::runner::Patience;
use fathom_guard::Consent;
use fathom_job::parse::Adjust;
use fathom_procedures::Repeat;
use fathom_session::procedure::{
    DriverTerms, ProcedureRequest, ResumeRequest, read_jobs, resume, run_procedure, saved_procedure,
};
use fathom_session::{Exit, Here, Listener, Notice, RunDir};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Silent;

impl Listener for Silent {
    fn notice(&self, _: Notice<'_>) {}
}

fn terms() -> DriverTerms<'static> {
    DriverTerms {
        consent: Consent::default(),
        state_dir: None,
        patience: Patience::USUAL,
        tuner: None,
        ender: Arc::default(),
    }
}

/// A procedure of three rounds in virtual time.
fn saved(dir: &Path) -> PathBuf {
    let here = Here::new(Arc::new(Silent));
    let job = dir.join("j.fio");
    fs::write(&job, "[j]\nioengine=oracle\noracle_clock=virtual\nrw=randread\nsize=1m\nnumber_ios=500\n")
        .unwrap();
    let (_, jobs) = read_jobs(&[job.display().to_string()], &Adjust::default(), &here).unwrap();
    let repeat = Repeat { rounds: 3, removes_created: false };
    let request = ProcedureRequest {
        name: "j".to_owned(),
        labels: fathom_session::RunLabels::default(),
        procedure: Repeat::DEFINITION.name,
        parameters: repeat.parameters(),
        jobs,
        command: Vec::new(),
        dir: RunDir::Exactly(dir.join("p")),
        seed: Some(1),
        terms: terms(),
    };
    let ended = run_procedure(request, &here).unwrap();
    assert_eq!(ended.exit, Exit::Ok);
    ended.dir
}

/// All files below a directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// What is wrong with the procedure; `None` if it is believed.
fn told(dir: &Path) -> Option<String> {
    match saved_procedure(dir) {
        Ok((_, damage)) => damage.into_iter().next(),
        Err(e) => {
            assert!([Exit::Incomplete, Exit::Refused].contains(&e.exit), "{}: {:?}", e.message, e.exit);
            Some(e.message)
        }
    }
}

/// A generator of numbers (Numerical Recipes' constants), so that the same damages come each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn damaged(bytes: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    let place = dice.below(bytes.len());
    match dice.below(5) {
        0 => bytes[place] ^= 1 << dice.below(8),
        1 => bytes.truncate(place),
        2 => bytes.insert(place, dice.below(256) as u8),
        3 => {
            let part = bytes[..place].to_vec();
            bytes.extend(part);
        }
        _ => return None,
    }
    Some(bytes)
}

#[test]
fn every_damage_is_told_and_nothing_is_resumed_on_it() {
    let dir = tempfile::tempdir().unwrap();
    let procedure = saved(dir.path());
    let here = Here::new(Arc::new(Silent));
    assert_eq!(told(&procedure), None);
    let files = files(&procedure);
    assert_eq!(files.len(), 8, "record, history, and two files for each round: {files:?}");
    let mut dice = Dice(20_261_123);
    for attempt in 0..500 {
        let file = &files[dice.below(files.len())];
        let whole = fs::read(file).unwrap();
        match damaged(&whole, &mut dice) {
            Some(bytes) if bytes == whole => continue,
            Some(bytes) => fs::write(file, bytes).unwrap(),
            None => fs::remove_file(file).unwrap(),
        }
        assert!(told(&procedure).is_some(), "{attempt}: damage of {} was not told", file.display());
        let request = ResumeRequest { dir: procedure.clone(), anyway: true, terms: terms() };
        let refused = resume(request, &here).unwrap_err();
        assert!([Exit::Incomplete, Exit::Refused].contains(&refused.exit), "{}", refused.message);
        fs::write(file, &whole).unwrap();
    }
    assert_eq!(told(&procedure), None);
}

/// Near the end of a line and in its checksum, each cut; within its text, one of sixteen. By hand, for each cut:
/// `FATHOM_CUTS_APART=1 cargo test -p fathom-session --test session_all every_cut`.
#[test]
fn every_cut_of_the_history_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let procedure = saved(dir.path());
    let whole = fs::read(procedure.join("history")).unwrap();
    let apart =
        std::env::var("FATHOM_CUTS_APART").map_or(16, |text| text.parse().expect("a number of bytes"));
    let is_near_an_end = |at: usize| whole[at.saturating_sub(12)..whole.len().min(at + 3)].contains(&b'\n');
    for length in (0..whole.len()).filter(|at| at.is_multiple_of(apart) || is_near_an_end(*at)) {
        fs::write(procedure.join("history"), &whole[..length]).unwrap();
        assert!(told(&procedure).is_some(), "cut to {length} bytes");
    }
}
