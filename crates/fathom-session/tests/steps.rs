//! The steps of a procedure that are no rounds: preparations, waits, samples.
//!
//! They need root and losetup, and fail without them.

use fathom_engine::runner::Patience;
use fathom_guard::{Consent, DeviceName};
use fathom_job::parse::Adjust;
use fathom_procedures::{History, Procedure, Round, RoundJobs, Step, Wait};
use fathom_results::Verdict;
use fathom_results::procedure::{ContentRange, JobSource, Preparation, StepDone, load_procedure};
use fathom_session::procedure::{DriverTerms, ProcedureRequest, run_opened};
use fathom_session::{Cause, Ender, Exit, Failure, Here, Listener, Notice, RunDir};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

struct Silent;

impl Listener for Silent {
    fn notice(&self, _: Notice<'_>) {}
}

/// Steps in order, whatever the history says.
struct InOrder(Vec<Step>);

impl Procedure for InOrder {
    fn expected(&self) -> Vec<(Round, u32)> {
        Vec::new()
    }

    fn next(&self, history: &History<'_>) -> Step {
        let end = || Step::Done(Verdict::default());
        self.0.get(history.steps().len()).cloned().unwrap_or_else(end)
    }
}

/// A loop device over a file; detached when dropped.
struct LoopDevice {
    device: String,
    backing: PathBuf,
}

impl LoopDevice {
    fn new(dir: &Path, mib: u64) -> LoopDevice {
        let backing = dir.join("disk.img");
        fs::File::create(&backing).unwrap().set_len(mib << 20).unwrap();
        let made = Command::new("losetup").args(["--find", "--show"]).arg(&backing).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        LoopDevice { device: String::from_utf8(made.stdout).unwrap().trim().to_owned(), backing }
    }

    fn consent(&self) -> DeviceName {
        let size = fs::metadata(&self.backing).unwrap().len();
        format!("{}:{size}", self.backing.display()).parse().unwrap()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.device]).status();
    }
}

/// Drives the steps in `dir/p`, and returns what the history holds.
fn driven(
    dir: &Path,
    steps: &[Step],
    consent: Consent,
    ender: &Arc<Ender>,
) -> (Result<Exit, Failure>, Vec<StepDone>) {
    let here = Here::new(Arc::new(Silent));
    let terms = DriverTerms {
        consent,
        state_dir: Some(dir.join("files")),
        patience: Patience::USUAL,
        tuner: None,
        ender: ender.clone(),
    };
    let request = ProcedureRequest {
        name: "steps".to_owned(),
        labels: fathom_session::RunLabels::default(),
        procedure: "steps",
        parameters: Vec::new(),
        jobs: JobSource::default(),
        command: Vec::new(),
        dir: RunDir::Exactly(dir.join("p")),
        seed: None,
        terms,
    };
    let ended = run_opened(Box::new(InOrder(steps.to_vec())), request, &here);
    let ended = ended.and_then(|ended| match ended.broken_off {
        Some(broken_off) => Err(broken_off.why),
        None => Ok(ended.exit),
    });
    // Where nothing could be done, no directory is left.
    let steps = load_procedure(&dir.join("p")).map(|saved| saved.steps).unwrap_or_default();
    assert_eq!(steps.is_empty() && ended.is_err(), !dir.join("p").exists());
    (ended, steps.into_iter().map(|step| step.did).collect())
}

#[test]
fn every_step_is_done_and_saved() {
    let dir = tempfile::tempdir().unwrap();
    let device = LoopDevice::new(dir.path(), 8);
    fs::write(&device.device, vec![7; 1 << 20]).unwrap();
    let consent = Consent { destroy: vec![device.consent()], ..Consent::default() };
    let steps = [
        Step::Prepare(Preparation::DropCaches),
        Step::Prepare(Preparation::Purge { target: device.device.clone() }),
        Step::Wait(Wait::Seconds(0)),
        Step::Wait(Wait::Idle { at_most_seconds: 5 }),
    ];
    let (exit, done) = driven(dir.path(), &steps, consent, &Arc::default());
    assert_eq!(exit.unwrap(), Exit::Ok);
    assert!(matches!(&done[1], StepDone::Prepared { evidence, .. } if !evidence.is_empty()), "{done:?}");
    assert!(matches!(&done[3], StepDone::Waited { reached: true, .. }), "{done:?}");
    assert!(fs::read(&device.backing).unwrap().iter().all(|byte| *byte == 0), "it was purged");
}

/// A device that holds nothing proves nothing, and the exit code says so.
#[test]
fn samples_of_a_blank_device_are_no_proof() {
    let dir = tempfile::tempdir().unwrap();
    let device = LoopDevice::new(dir.path(), 8);
    let range = ContentRange { target: device.device.clone(), offset_bytes: 0, size_bytes: 8 << 20 };
    let steps = [Step::Wait(Wait::Built { at_most_seconds: 1 }), Step::Prove { range, windows: 300 }];
    let (exit, done) = driven(dir.path(), &steps, Consent::default(), &Arc::default());
    assert_eq!(exit.unwrap(), Exit::NotValid);
    let StepDone::Sampled(samples) = &done[1] else { panic!("{done:?}") };
    assert!(samples.is_whole && samples.empty_sectors == (8 << 20) / 512, "{samples:?}");
    assert!(matches!(&done[0], StepDone::Waited { reached: true, .. }), "{done:?}");
}

#[test]
fn nothing_is_purged_without_consent() {
    let dir = tempfile::tempdir().unwrap();
    let device = LoopDevice::new(dir.path(), 8);
    fs::write(&device.device, vec![7; 1 << 20]).unwrap();
    let steps = [Step::Prepare(Preparation::Purge { target: device.device.clone() })];
    let (ended, done) = driven(dir.path(), &steps, Consent::default(), &Arc::default());
    let refused = ended.unwrap_err();
    assert_eq!(refused.exit, Exit::Refused, "{}", refused.message);
    assert!(refused.hints.iter().any(|hint| hint.contains("--destroy")), "{:?}", refused.hints);
    assert!(done.is_empty());
    assert!(fs::read(&device.device).unwrap()[..1 << 20].iter().all(|byte| *byte == 7));
}

#[test]
fn a_request_to_stop_ends_a_wait() {
    let dir = tempfile::tempdir().unwrap();
    let ender: Arc<Ender> = Arc::default();
    let stop = ender.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        stop.end(Cause::Interrupted);
    });
    let steps = [Step::Wait(Wait::Seconds(3600))];
    let (ended, done) = driven(dir.path(), &steps, Consent::default(), &ender);
    stopper.join().unwrap();
    assert_eq!(ended.unwrap(), Exit::Interrupted);
    assert!(done.is_empty(), "a wait that was cut short is done again");
}

fn round(cell: &str, options: &str) -> Step {
    let text = format!("[{cell}]\nrw=write\nbs=4k\nsize=64k\n{options}\n");
    let jobs = RoundJobs::Text { text, adjust: Adjust::default() };
    Step::Run(Round::of(cell, jobs))
}

/// The command line was right, and the rounds before are saved.
#[test]
fn a_device_that_disappears_between_two_rounds_is_no_wrong_usage() {
    let dir = tempfile::tempdir().unwrap();
    let gone = "filename=/dev/fathom-no-such-disk";
    let steps = [round("fill-1", "ioengine=null"), round("fill-2", gone)];
    let (ended, done) = driven(dir.path(), &steps, Consent::default(), &Arc::default());
    let failure = ended.unwrap_err();
    assert_eq!((failure.exit, done.len()), (Exit::Incomplete, 1), "{}", failure.message);
    let message = "round 2 (fill-2) cannot begin: there is no device /dev/fathom-no-such-disk; the rounds before it are saved";
    assert_eq!(failure.message, message);
    assert!(failure.findings.is_empty() && failure.hints.iter().any(|hint| hint.contains("fathom resume ")));
    // In the first round it is a wrong name.
    let dir = tempfile::tempdir().unwrap();
    let (ended, _) = driven(dir.path(), &steps[1..], Consent::default(), &Arc::default());
    assert_eq!(ended.unwrap_err().exit, Exit::Usage);
}

fn file_system(device: &LoopDevice) -> Step {
    let (device, kind) = (device.device.clone(), "ext4".to_owned());
    Step::Prepare(Preparation::FileSystem { device, kind })
}

fn mount(device: &LoopDevice, at: &Path, mounted: bool) -> Step {
    let (device, kind, at) = (device.device.clone(), "ext4".to_owned(), at.display().to_string());
    Step::Prepare(Preparation::Mount { device, kind, at, mounted })
}

fn is_mounted(at: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    mounts.lines().any(|line| line.split(' ').nth(4) == Some(at.to_str().unwrap()))
}

#[test]
fn a_file_system_is_made_mounted_filled_and_unmounted() {
    let dir = tempfile::tempdir().unwrap();
    let device = LoopDevice::new(dir.path(), 32);
    let at = dir.path().canonicalize().unwrap().join("mnt");
    let consent = Consent { destroy: vec![device.consent()], ..Consent::default() };
    let file = at.join("data");
    let steps = [
        Step::Prepare(Preparation::Fill { target: device.device.clone() }),
        file_system(&device),
        mount(&device, &at, true),
        mount(&device, &at, false),
        mount(&device, &at, true),
    ];
    let (exit, done) = driven(dir.path(), &steps, consent, &Arc::default());
    assert_eq!(exit.unwrap(), Exit::Ok);
    let evidence = |step: usize| match &done[step] {
        StepDone::Prepared { evidence, .. } => evidence.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((evidence(0).as_str(), evidence(2).as_str()), ("33.6 MB written", "it is mounted"));
    assert!(dir.path().join("p/preparations/0001-fill/run.json").exists());
    assert!(!is_mounted(&at), "what was mounted is unmounted at the end");
    assert!(!file.exists());
}

#[test]
fn nothing_is_formatted_without_consent_or_mounted_over_files() {
    let dir = tempfile::tempdir().unwrap();
    let device = LoopDevice::new(dir.path(), 32);
    fs::write(&device.device, vec![7; 1 << 20]).unwrap();
    let ender = Arc::default();
    let (ended, _) = driven(dir.path(), &[file_system(&device)], Consent::default(), &ender);
    assert_eq!(ended.unwrap_err().exit, Exit::Refused);
    let elsewhere = dir.path().join("elsewhere");
    let (ended, _) = driven(dir.path(), &[mount(&device, &elsewhere, true)], Consent::default(), &ender);
    assert_eq!((ended.unwrap_err().exit, is_mounted(&elsewhere)), (Exit::Refused, false));
    assert!(fs::read(&device.backing).unwrap()[..1 << 20].iter().all(|byte| *byte == 7));
    let at = dir.path().join("full");
    fs::create_dir(&at).unwrap();
    fs::write(at.join("mine"), "mine").unwrap();
    let consent = Consent { destroy: vec![device.consent()], ..Consent::default() };
    let steps = [file_system(&device), mount(&device, &at, true)];
    let (ended, done) = driven(dir.path(), &steps, consent, &ender);
    let refused = ended.unwrap_err();
    assert_eq!(refused.exit, Exit::Refused, "{}", refused.message);
    assert!(refused.message.contains("is not empty"), "{}", refused.message);
    assert_eq!((done.len(), is_mounted(&at)), (1, false));
}

/// A loop device has no other block sizes; drives that have them are in the lab.
#[test]
fn a_device_that_cannot_be_formatted_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let device = LoopDevice::new(dir.path(), 8);
    let consent = Consent { destroy: vec![device.consent()], ..Consent::default() };
    let steps = [Step::Prepare(Preparation::Format { target: device.device.clone(), block_bytes: 4096 })];
    let (ended, _) = driven(dir.path(), &steps, consent, &Arc::default());
    assert!(ended.is_err());
}
