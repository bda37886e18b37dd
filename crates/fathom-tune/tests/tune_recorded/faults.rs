//! Kernels that refuse, devices that vanish, other people's writes.

use fathom_device::Goal;
use fathom_tune::{self as tune, ApplyOptions, ChangeState, RevertOptions, Session, State};

use crate::machine::{Machine, NVME, states};

const KNOBS: [&str; 3] = ["blk.nomerges", "blk.add_random", "blk.max_sectors=256"];

fn queue(file: &str) -> String {
    format!("{NVME}/queue/{file}")
}

/// Each error at each place: recorded, the others applied, all undone.
#[test]
fn a_refused_write_stops_nothing_and_is_told() {
    for errno in [libc::EIO, libc::EBUSY, libc::EINVAL, libc::ENOENT, libc::EPERM] {
        for end in ["queue/nomerges", "queue/add_random", "queue/max_sectors_kb"] {
            let machine = Machine::new();
            let before = machine.files();
            machine.kernel.fail(end, errno);
            let session = machine.apply(&machine.only(Goal::Latency, &KNOBS));
            let failed: Vec<_> = session.applied().filter(|record| record.state == State::Failed).collect();
            assert_eq!(failed.len(), 1);
            assert!(failed[0].path.ends_with(end) && failed[0].note.is_some() && !failed[0].is_open());
            assert_eq!(session.applied().count(), 3);
            let undone = session.revert().unwrap();
            assert_eq!(undone.len(), 2, "what was refused needs no undoing");
            assert!(before == machine.files());
        }
    }
}

/// The values that the device takes stand beside the refusal, where a file tells them.
#[test]
fn a_refused_value_is_told_with_those_that_the_device_takes() {
    let cases = [
        ("blk.nr_requests=4096", "queue/nr_requests", Some("it takes 1023 at most without a scheduler, ")),
        ("blk.max_sectors=4", "queue/max_sectors_kb", Some(" at most (queue/max_hw_sectors_kb)")),
        ("blk.nomerges=7", "queue/nomerges", None),
    ];
    for (knob, file, said) in cases {
        let machine = Machine::new();
        machine.set(&queue("scheduler"), "[none] mq-deadline kyber");
        machine.kernel.fail(file, libc::EINVAL);
        let session = machine.apply(&machine.only(Goal::Latency, &[knob]));
        let note = session.applied().find_map(|record| record.note.clone()).unwrap();
        match said {
            Some(said) => assert!(note.contains(said), "{note}"),
            None => assert!(!note.contains("it takes"), "{note}"),
        }
    }
}

#[test]
fn all_or_nothing_undoes_at_the_first_refusal() {
    let machine = Machine::new();
    let before = machine.files();
    machine.kernel.fail("queue/add_random", libc::EINVAL);
    let plan = machine.only(Goal::Latency, &KNOBS);
    let options = ApplyOptions { all_or_nothing: true, ..machine.options(&plan) };
    let session = Session::apply(&machine.root(), &plan, options).unwrap();
    assert!(before == machine.files());
    assert_eq!(session.revert().unwrap(), []);
    assert!(tune::open_journals(&machine.dir()).unwrap().is_empty());
}

/// One knob that cannot be put back does not stop the others; it can be tried again.
#[test]
fn a_partial_revert_can_be_finished_later() {
    let machine = Machine::new();
    let before = machine.files();
    let session = machine.apply(&machine.only(Goal::Latency, &KNOBS));
    machine.kernel.fail("queue/add_random", libc::EBUSY);
    let undone = session.revert().unwrap();
    let stuck: Vec<_> =
        undone.iter().filter(|record| record.is_open()).map(|r| (r.id.as_str(), r.state)).collect();
    assert_eq!(stuck, [("blk.add_random", State::Stuck)]);
    assert_eq!(machine.get(&queue("nomerges")), "0");
    machine.kernel.heal();
    assert_eq!(states(&machine.revert(&[])), [("blk.add_random", State::Restored)]);
    assert!(before == machine.files());
}

/// Three cases: a value of somebody else is left and reported; ours is put back; force replaces
/// theirs.
#[test]
fn somebody_elses_write_is_left_unless_forced() {
    let machine = Machine::new();
    let session = machine.apply(&machine.only(Goal::Latency, &KNOBS));
    machine.set(&queue("nomerges"), "1");
    let drifted: Vec<_> = session.verify().into_iter().filter(|found| !found.holds()).collect();
    assert_eq!(drifted[0].finding, ChangeState::Drifted { now: "1".to_owned() });
    let undone = session.revert().unwrap();
    let left = undone.iter().find(|record| record.is_open()).unwrap();
    assert_eq!((left.id.as_str(), left.state), ("blk.nomerges", State::Drifted));
    assert!(left.note.as_ref().unwrap().contains("it is 1 now; fathom had set it to 2"));
    assert_eq!(machine.get(&queue("nomerges")), "1");
    assert_eq!(states(&machine.revert(&["blk.add_random"])), [("blk.nomerges", State::Drifted)]);
    assert_eq!(states(&machine.revert(&["blk.nomerges"])), [("blk.nomerges", State::Restored)]);
    assert_eq!(machine.get(&queue("nomerges")), "0");
}

#[test]
fn drift_can_be_acknowledged() {
    let machine = Machine::new();
    let session = machine.apply(&machine.only(Goal::Latency, &["blk.nomerges"]));
    machine.set(&queue("nomerges"), "1");
    session.revert().unwrap();
    let open = tune::open_journals(&machine.dir()).unwrap();
    let options = RevertOptions { acknowledge: true, ..RevertOptions::default() };
    let left = tune::revert_journal(&machine.root(), machine.kernel.as_ref(), &open[0], &options).unwrap();
    assert_eq!(states(&left), [("blk.nomerges", State::Acknowledged)]);
    assert_eq!(machine.get(&queue("nomerges")), "1");
    assert!(tune::open_journals(&machine.dir()).unwrap().is_empty());
}

/// Somebody set a neighbour after our switch of scheduler: theirs stays,
/// although the kernel resets it when the scheduler goes back.
#[test]
fn a_neighbour_set_by_somebody_else_stays() {
    let machine = Machine::new();
    let session = machine.apply(&machine.only(Goal::Latency, &["blk.scheduler"]));
    machine.set(&queue("wbt_lat_usec"), "77");
    session.revert().unwrap();
    assert_eq!(machine.get(&queue("wbt_lat_usec")), "77");
    assert_eq!(machine.get(&queue("nr_requests")), "64");
}

#[test]
fn a_device_that_is_gone() {
    let machine = Machine::new();
    let session = machine.apply(&machine.only(Goal::Latency, &["blk.nomerges", "vm.swappiness=5"]));
    std::fs::remove_file(machine.root().at(NVME)).unwrap();
    assert!(session.verify().iter().any(|found| matches!(found.finding, ChangeState::Gone { .. })));
    let undone = session.revert().unwrap();
    let state = |id: &str| undone.iter().find(|record| record.id == id).unwrap().state;
    assert_eq!((state("blk.nomerges"), state("vm.swappiness")), (State::Gone, State::Restored));
    assert!(tune::open_journals(&machine.dir()).unwrap().is_empty());
}

/// What a restart has undone is not undone again.
#[test]
fn another_boot_has_undone_it() {
    let machine = Machine::new();
    machine.apply(&machine.only(Goal::Latency, &["blk.nomerges"])).leave().unwrap();
    machine.set("/proc/sys/kernel/random/boot_id", "99999999-0000-0000-0000-000000000000");
    machine.kernel.log.lock().unwrap().clear();
    assert_eq!(states(&machine.revert(&[])), [("blk.nomerges", State::Expired)]);
    assert!(machine.kernel.written().is_empty());
    assert!(tune::open_journals(&machine.dir()).unwrap().is_empty());
}

/// A session that is dropped, by an error or a panic, is undone.
#[test]
fn a_dropped_session_is_undone() {
    let machine = Machine::new();
    let before = machine.files();
    drop(machine.apply(&machine.only(Goal::Latency, &KNOBS)));
    assert!(before == machine.files());
    assert!(tune::open_journals(&machine.dir()).unwrap().is_empty());
}
