//! The journal after a crash at every byte: what it says is enough to put
//! everything back, whether the last write had happened or not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fathom_device::Goal;
use fathom_tune::{self as tune, State, TuneError, TunePlan, Writer};

use crate::machine::Machine;

const KNOBS: [&str; 4] = ["blk.scheduler", "blk.nomerges", "vm.dirty", "cpu.freq_cap"];

fn plan(machine: &Machine) -> TunePlan {
    machine.only(Goal::Repeatability, &[&KNOBS[..], &["blk.nomerges=2"]].concat())
}

/// The bytes of a whole session's journal.
fn written() -> (TunePlan, Vec<u8>) {
    let machine = Machine::new();
    let plan = plan(&machine);
    let path = machine.apply(&plan).leave().unwrap();
    (plan, fs::read(path).unwrap())
}

/// The machine as it was when the journal had come to these bytes: `done`
/// changes made, and the next one too if `is_ahead`.
fn crashed(plan: &TunePlan, bytes: &[u8], is_ahead: bool) -> (Machine, usize) {
    let machine = Machine::new();
    fs::create_dir_all(machine.dir()).unwrap();
    let path = machine.dir().join("crashed.journal");
    fs::write(&path, bytes).unwrap();
    let contents = tune::read_journal(&path).unwrap();
    let done = contents.records.values().filter(|record| record.state == State::Done).count();
    let begun = contents.records.len();
    let made = if is_ahead { begun } else { done };
    for line in &plan.lines[..made] {
        let place = line.setting.place(&machine.root()).unwrap();
        machine.kernel.write(&machine.root(), &place, &line.setting.codec.text(&line.then)).unwrap();
    }
    (machine, begun)
}

/// What a journal cut at each byte says: every byte is read, and each
/// different thing that it can say is undone on a machine of its own.
#[test]
fn a_crash_at_every_byte_is_survived() {
    let (plan, bytes) = written();
    assert!(plan.lines.len() >= 6);
    let before: Vec<Vec<u8>> = Machine::new().files().into_values().collect();
    let mut said = None;
    let mut different = 0;
    let scratch = Machine::new();
    fs::create_dir_all(scratch.dir()).unwrap();
    let path = scratch.dir().join("cut.journal");
    for cut in 0..=bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let contents = tune::read_journal(&path).unwrap();
        if said.replace(contents.clone()).as_ref() == Some(&contents) {
            continue;
        }
        different += 1;
        for is_ahead in [false, true] {
            let (machine, begun) = crashed(&plan, &bytes[..cut], is_ahead);
            let undone = machine.revert_crashed();
            assert_eq!(undone.len(), begun);
            let open: Vec<_> = undone.iter().filter(|record| record.is_open()).collect();
            assert!(open.is_empty(), "cut at {cut}, ahead {is_ahead}: {open:?}");
            let after: Vec<Vec<u8>> = machine.files().into_values().collect();
            assert!(before == after, "cut at {cut}, ahead {is_ahead}");
        }
    }
    // Nothing, the header, and two records for each change.
    assert_eq!(different, 2 + 2 * plan.lines.len());
}

/// Undoing that was itself cut short goes on where it was.
#[test]
fn a_revert_can_be_cut_short_too() {
    let machine = Machine::new();
    let before = machine.files();
    let path = machine.apply(&plan(&machine)).leave().unwrap();
    let applied = fs::read(&path).unwrap();
    machine.revert(&[]);
    let closed = path.with_extension("closed");
    let whole = fs::read(&closed).unwrap();
    for cut in (applied.len()..whole.len()).step_by(137) {
        fs::write(&path, &whole[..cut]).unwrap();
        let undone = machine.revert_at(&path);
        assert!(undone.iter().all(|record| record.state == State::Unchanged));
        assert!(before == machine.files());
    }
}

/// What was written after a torn line is on a line of its own.
#[test]
fn a_torn_line_is_repaired_before_more_is_written() {
    let (plan, bytes) = written();
    let (machine, _) = crashed(&plan, &bytes[..bytes.len() - 7], true);
    machine.revert(&[]);
    let closed = machine.dir().join("crashed.closed");
    assert!(tune::read_journal(&closed).unwrap().open().next().is_none());
}

#[test]
fn damage_in_the_middle_is_an_error_and_no_guess() {
    let (plan, bytes) = written();
    let (machine, _) = crashed(&plan, &bytes, true);
    let path = machine.dir().join("crashed.journal");
    let mut broken = bytes.clone();
    let middle = bytes.len() / 2;
    broken[middle..middle + 40].fill(b'#');
    fs::write(&path, broken).unwrap();
    let error = tune::open_journals(&machine.dir()).unwrap_err();
    assert!(matches!(&error, TuneError::Journal { line, .. } if *line > 1), "{error}");
    assert!(machine.try_apply(&plan).is_err());
}

#[test]
fn nobody_else_may_look_at_journals() {
    let machine = Machine::new();
    let path = machine.apply(&plan(&machine)).leave().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&machine.dir()), mode(&path)), (0o700, 0o600));
}

/// Each change is in the journal before it is made.
#[test]
fn intent_comes_before_the_write() {
    struct Watching<'a> {
        machine: &'a Machine,
    }
    impl Writer for Watching<'_> {
        fn write(
            &self,
            root: &fathom_device::Root,
            place: &tune::SettingPlace,
            text: &str,
        ) -> std::io::Result<()> {
            let mut entries = fs::read_dir(self.machine.dir()).unwrap().flatten();
            let path =
                entries.find(|e| e.path().extension().is_some_and(|end| end == "journal")).unwrap().path();
            let contents = tune::read_journal(&path).unwrap();
            let last = contents.records.values().next_back().unwrap();
            assert_eq!((last.state, last.path.as_str()), (State::Intent, place.to_string().as_str()));
            assert!(!last.before_typed.is_empty() && last.boot_id.is_some() && last.pid > 0);
            self.machine.kernel.write(root, place, text)
        }
    }
    let machine: &'static Machine = Box::leak(Box::new(Machine::new()));
    let plan = plan(machine);
    let writer = std::sync::Arc::new(Watching { machine });
    let options = tune::ApplyOptions { writer, ..machine.options(&plan) };
    let session = tune::Session::apply(&machine.root(), &plan, options).unwrap();
    assert_eq!(session.applied().count(), plan.lines.len());
    session.leave().unwrap();
    fs::remove_dir_all(machine.dir()).unwrap();
}
