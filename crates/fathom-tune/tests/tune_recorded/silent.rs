//! Devices that do not answer: what cannot hang goes back before them, and one
//! that is silent keeps no other setting from going back.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fathom_device::Goal;
use fathom_device::Root;
use fathom_tune::{
    self as tune, Apart, ApplyOptions, ChangeState, Record, RevertOptions, Session, SettingPlace, TaskAnswer,
};
use fathom_tune::{Hand, State, Task, TuneError, Writer};

use crate::kernel::Kernel;
use crate::machine::{Machine, NVME, states};

/// The kernel of a machine of which some settings never answer. Nothing hangs
/// here: the answer that would not come within the limit is left out.
struct Silent {
    root: Root,
    kernel: Arc<Kernel>,
    /// Ends of the paths that do not answer.
    ends: Mutex<Vec<&'static str>>,
    /// The limits within which answers were wanted.
    limits: Mutex<Vec<Duration>>,
}

impl Silent {
    fn of(machine: &Machine, ends: &[&'static str]) -> Arc<Self> {
        let (root, kernel) = (machine.root(), machine.kernel.clone());
        Arc::new(Self { root, kernel, ends: Mutex::new(ends.to_vec()), limits: Mutex::default() })
    }

    fn is_silent(&self, path: &str) -> bool {
        self.ends.lock().unwrap().iter().any(|end| path.ends_with(end))
    }
}

impl Writer for Silent {
    fn write(&self, root: &Root, place: &SettingPlace, text: &str) -> io::Result<()> {
        assert!(!self.is_silent(&place.to_string()), "this write would hang: {place}");
        self.kernel.write(root, place, text)
    }

    fn apart(&self) -> Option<&dyn Apart> {
        Some(self)
    }
}

impl Apart for Silent {
    fn begin<'a>(&'a self, journal: &Path) -> io::Result<Box<dyn Hand + 'a>> {
        Ok(Box::new(Silence { of: self, journal: journal.to_owned() }))
    }
}

struct Silence<'a> {
    of: &'a Silent,
    journal: PathBuf,
}

impl Hand for Silence<'_> {
    fn carry_out(&mut self, task: Task, limit: Duration) -> io::Result<TaskAnswer> {
        let (of, journal) = (self.of, &self.journal);
        of.limits.lock().unwrap().push(limit);
        let contents = tune::read_journal(journal).unwrap();
        let is_silent = match task {
            Task::Make(seq) | Task::PutBack { seq, .. } => of.is_silent(&contents.records[&seq].path),
            Task::Look => false,
        };
        let mut text = Vec::new();
        if !is_silent {
            let asked = format!("{task}\n");
            tune::child::serve(&of.root, of, journal, asked.as_bytes(), &mut text).unwrap();
        }
        let mut text = String::from_utf8(text).unwrap();
        let mut is_whole = text.ends_with(".\n");
        text.truncate(text.len() - if is_whole { 2 } else { 0 });
        // A look ends at the first setting that does not answer.
        let silent = text.lines().position(|line| task == Task::Look && of.is_silent(&path_in(line)));
        if let Some(at) = silent {
            text = text.lines().take(at).map(|line| format!("{line}\n")).collect();
            is_whole = false;
        }
        Ok(TaskAnswer { text, is_whole })
    }
}

fn path_in(line: &str) -> String {
    serde_json::from_str::<tune::Verified>(line).unwrap().path
}

/// Knobs of a service, of the host, and of two drives.
const KNOBS: [&str; 6] =
    ["irq.daemon", "cpu.freq_cap", "vm.swappiness=5", "scsi.qdepth=16", "blk.nomerges=1", "blk.add_random=0"];

fn apply(machine: &Machine, writer: &Arc<Silent>) -> Session {
    let plan = machine.only(Goal::Repeatability, &KNOBS);
    let options = ApplyOptions { writer: writer.clone(), ..machine.options(&plan) };
    Session::apply(&machine.root(), &plan, options).unwrap()
}

fn stuck(undone: &[Record]) -> Vec<&Record> {
    undone.iter().filter(|record| record.is_open()).collect()
}

#[test]
fn the_host_goes_back_first_then_devices_then_services() {
    let machine = Machine::new();
    let session = machine.apply(&machine.only(Goal::Repeatability, &KNOBS));
    let undone = session.revert().unwrap();
    let ids: Vec<&str> = undone.iter().map(|record| record.id.as_str()).collect();
    let first = |id: &str| ids.iter().position(|other| *other == id).unwrap();
    let last = |id: &str| ids.iter().rposition(|other| *other == id).unwrap();
    for host in ["cpu.freq_cap", "vm.swappiness"] {
        for device in ["scsi.qdepth", "blk.nomerges", "blk.add_random"] {
            assert!(last(host) < first(device), "{ids:?}");
        }
    }
    assert_eq!(ids.last(), Some(&"irq.daemon"), "{ids:?}");
}

/// The silent setting is reported and stays in the journal; once it answers, it is put back.
#[test]
fn a_silent_setting_keeps_no_other_from_going_back() {
    let machine = Machine::new();
    let before = machine.files();
    let writer = Silent::of(&machine, &[]);
    let session = apply(&machine, &writer);
    writer.ends.lock().unwrap().push("nvme0n1/queue/add_random");
    let undone = session.revert().unwrap();
    let left = stuck(&undone);
    assert_eq!(left.len(), 1, "{undone:?}");
    assert_eq!((left[0].id.as_str(), left[0].state), ("blk.add_random", State::Stuck));
    assert!(left[0].note.as_ref().unwrap().contains("did not answer within 5s"), "{:?}", left[0].note);
    assert_eq!(machine.get("/proc/sys/vm/swappiness"), "60");
    assert_eq!(machine.get(&format!("{NVME}/queue/nomerges")), "0");
    let open = tune::open_journals(&machine.dir()).unwrap();
    assert_eq!(open.len(), 1);
    writer.ends.lock().unwrap().clear();
    let options = RevertOptions::default();
    let undone = tune::revert_journal(&machine.root(), writer.as_ref(), &open[0], &options).unwrap();
    assert_eq!(states(&undone), [("blk.add_random", State::Restored)]);
    assert!(before == machine.files());
}

/// Behind a write that hangs, the files of that queue cannot be read either: putting back, and the
/// hints for doing it by hand, read none of them.
#[test]
fn what_must_not_hang_reads_no_file_of_a_queue() {
    let machine = Machine::new();
    let writer = Silent::of(&machine, &[]);
    let journal = apply(&machine, &writer).leave().unwrap();
    writer.ends.lock().unwrap().extend(["queue/add_random", "queue/nomerges", "device/queue_depth"]);
    let (root, trace) = machine.root().traced();
    let undone = tune::revert_journal(&root, writer.as_ref(), &journal, &RevertOptions::default()).unwrap();
    let commands: Vec<String> = stuck(&undone).iter().flat_map(|record| record.by_hand(&root)).collect();
    assert!(commands.contains(&format!("echo 0 > {NVME}/queue/nomerges")), "{commands:?}");
    let read: Vec<_> = trace.touched().files.into_keys().collect();
    assert!(read.iter().any(|path| path.ends_with("diskseq")), "{read:?}");
    assert!(!read.iter().any(|path| path.components().any(|part| part.as_os_str() == "queue")), "{read:?}");
}

/// A device is waited for once: what else it is asked has half a second.
#[test]
fn a_silent_device_is_waited_for_once() {
    let machine = Machine::new();
    let writer = Silent::of(&machine, &[]);
    let session = apply(&machine, &writer);
    writer.limits.lock().unwrap().clear();
    writer.ends.lock().unwrap().push("nvme0n1/queue/add_random");
    session.revert().unwrap();
    let limits = writer.limits.lock().unwrap().clone();
    let [usual, short] = [Duration::from_secs(5), Duration::from_millis(500)];
    assert_eq!(limits.iter().filter(|limit| **limit == short).count(), 1, "{limits:?}");
    assert_eq!(limits.iter().filter(|limit| **limit == usual).count(), 2, "one a drive: {limits:?}");
}

#[test]
fn a_person_may_wait_longer() {
    let machine = Machine::new();
    let writer = Silent::of(&machine, &[]);
    let journal = apply(&machine, &writer).leave().unwrap();
    writer.limits.lock().unwrap().clear();
    let hour = Duration::from_secs(3600);
    let options = RevertOptions { device_limit: Some(hour), ..RevertOptions::default() };
    tune::revert_journal(&machine.root(), writer.as_ref(), &journal, &options).unwrap();
    assert!(writer.limits.lock().unwrap().contains(&hour));
}

/// A device that does not take a setting is not tuned further, and what was
/// changed before goes back.
#[test]
fn a_silent_device_is_not_tuned() {
    let machine = Machine::new();
    let before = machine.files();
    let writer = Silent::of(&machine, &["nvme0n1/queue/nomerges"]);
    let plan = machine.only(Goal::Repeatability, &KNOBS);
    let options = ApplyOptions { writer: writer.clone(), ..machine.options(&plan) };
    let error = Session::apply(&machine.root(), &plan, options).err().unwrap();
    assert!(matches!(&error, TuneError::Silent { knob, .. } if knob == "blk.nomerges"), "{error}");
    assert!(error.to_string().contains("queue/nomerges") && error.hint().is_some());
    assert_eq!(machine.get("/proc/sys/vm/swappiness"), "60");
    // Nobody knows whether the write will still be done.
    let open = tune::open_journals(&machine.dir()).unwrap();
    writer.ends.lock().unwrap().clear();
    let options = RevertOptions::default();
    tune::revert_journal(&machine.root(), writer.as_ref(), &open[0], &options).unwrap();
    assert!(before == machine.files());
}

#[test]
fn a_silent_setting_is_unknown_and_the_others_are_read() {
    let machine = Machine::new();
    let writer = Silent::of(&machine, &[]);
    let session = apply(&machine, &writer);
    assert!(session.verify().iter().all(|found| found.holds()), "{:?}", session.verify());
    writer.ends.lock().unwrap().push("nvme0n1/queue/add_random");
    let found = session.verify();
    let unknown: Vec<_> = found.iter().filter(|found| !found.holds()).collect();
    assert_eq!(unknown.len(), 1, "{found:?}");
    let is_told = |found: &&tune::Verified| match &found.finding {
        ChangeState::Unknown { reason } => reason.contains("did not answer"),
        _ => false,
    };
    assert!(unknown.iter().all(is_told), "{unknown:?}");
    assert!(found.iter().any(|found| found.id == "vm.swappiness" && found.holds()));
    writer.ends.lock().unwrap().clear();
    session.revert().unwrap();
}
