//! What a recorder sends to the collector, window by window.

use super::*;
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::fixture::planned;
use crate::tally::{Detail, Tally};
use fathom_job::direction::PerDirection;
use fathom_job::plan::Pace;
use fathom_results::{EndedBy, Phase, Usage};
use std::sync::mpsc::{Receiver, sync_channel};

const READ: Desc = Desc::new(Op::Read, 0, 4096, 0);

/// A recorder with `tallies` tallies, and the messages that it sends.
fn recorder(tallies: usize, ramp_ns: u64) -> (Recorder, Receiver<RunnerMessage>) {
    let plan = planned("[j]\nioengine=null\nrw=read\nsize=1m\n");
    let detail = Detail::of(&plan.jobs[0], false);
    let used = PerDirection { read: true, write: false, trim: false };
    let (out, inbox) = sync_channel(64);
    let tally = || Box::new(Tally::new(detail, used, 8, false));
    let recorder = Recorder::new(RecorderParts {
        clock: Clock::calibrate(false),
        job: 0,
        tallies: (0..tallies).map(|_| tally()).collect(),
        out,
        ramp_ns,
        ramp_bytes: None,
        runtime_ns: None,
        log: None,
        pace: Pace::default(),
        priority: 0,
    });
    (recorder, inbox)
}

/// Phase, length in rounded seconds, and I/Os of each window that was sent.
fn windows(inbox: &Receiver<RunnerMessage>) -> Vec<(Phase, u64, u64)> {
    let window = |message| match message {
        RunnerMessage::Window { phase, start_ns, end_ns, tally, .. } => {
            Some((phase, (end_ns - start_ns + WINDOW_NS / 2) / WINDOW_NS, tally.directions.read.ios))
        }
        RunnerMessage::Quiet { phase, start_ns, end_ns, .. } => {
            Some((phase, (end_ns - start_ns + WINDOW_NS / 2) / WINDOW_NS, 0))
        }
        _ => None,
    };
    inbox.try_iter().filter_map(window).collect()
}

fn complete(recorder: &mut Recorder, count: u64, reaped_at: u64) {
    if count > 0 {
        recorder.add_row(Op::Read, 4096, count as u32, reaped_at - 100, 10, reaped_at);
    }
}

#[test]
fn seconds_without_a_completion_stay_in_the_series() {
    let (mut recorder, inbox) = recorder(6, 0);
    recorder.begin();
    let start = recorder.next_stamp() - WINDOW_NS;
    // As the loop of synchronous engines does it: first the clock, then the count.
    for (count, seconds) in [(3, 1), (5, 4), (7, 5)] {
        let now = start + seconds * WINDOW_NS + 5;
        assert_eq!(recorder.turn(now), Ok(Turn::Nothing));
        complete(&mut recorder, count, now);
    }
    recorder.finish(EndedBy::Size);
    let measure = |seconds, ios| (Phase::Measure, seconds, ios);
    assert_eq!(windows(&inbox), [measure(1, 0), measure(1, 3), measure(2, 0), measure(1, 5), measure(0, 7)]);
}

#[test]
fn a_ramp_that_cannot_be_handed_over_is_not_measured() {
    let (mut recorder, inbox) = recorder(1, WINDOW_NS / 2);
    recorder.begin();
    let ramp_end = recorder.next_stamp();
    complete(&mut recorder, 9, ramp_end);
    assert_eq!(recorder.turn(ramp_end), Ok(Turn::RampOver));
    complete(&mut recorder, 1, ramp_end + 100);
    recorder.finish(EndedBy::Size);
    assert_eq!(windows(&inbox), [(Phase::Measure, 0, 1)]);
}

#[test]
fn a_window_without_a_spare_tally_goes_on_growing() {
    let (mut recorder, inbox) = recorder(2, 0);
    recorder.begin();
    let start = recorder.next_stamp() - WINDOW_NS;
    for second in 1..=3 {
        complete(&mut recorder, 2, start + second * WINDOW_NS);
        recorder.turn(start + second * WINDOW_NS).unwrap();
    }
    recorder.finish(EndedBy::Size);
    assert_eq!(windows(&inbox), [(Phase::Measure, 1, 2), (Phase::Measure, 2, 4)]);
}

#[test]
fn windows_of_the_ramp_stand_apart() {
    let (mut recorder, inbox) = recorder(4, WINDOW_NS / 2);
    recorder.begin();
    let ramp_end = recorder.next_stamp();
    complete(&mut recorder, 9, ramp_end);
    assert_eq!(recorder.turn(ramp_end), Ok(Turn::RampOver));
    complete(&mut recorder, 1, ramp_end + WINDOW_NS);
    let measured = recorder.finish(EndedBy::Size);
    assert_eq!(windows(&inbox), [(Phase::Ramp, 1, 9), (Phase::Measure, 1, 1)]);
    let (from, to) = measured.window_ns.unwrap();
    assert_eq!(to - from, WINDOW_NS);
}

#[test]
fn who_ends_inside_the_ramp_measured_nothing() {
    let (mut recorder, inbox) = recorder(1, WINDOW_NS);
    recorder.begin();
    let now = recorder.next_stamp() - WINDOW_NS / 2;
    complete(&mut recorder, 4, now);
    let measured = recorder.finish(EndedBy::Size);
    assert_eq!((measured.window_ns, measured.usage), (None, Usage::default()));
    assert_eq!(windows(&inbox)[0].2, 4);
}

#[test]
fn who_never_began_says_nothing() {
    let (recorder, inbox) = recorder(1, 0);
    assert_eq!(recorder.finish(EndedBy::Size).window_ns, None);
    assert_eq!(inbox.try_iter().count(), 0);
}

#[test]
fn it_ends_though_nobody_listens_any_more() {
    let (mut recorder, inbox) = recorder(1, 0);
    drop(inbox);
    recorder.begin();
    let now = recorder.next_stamp();
    recorder.turn(now).unwrap();
    assert!(recorder.finish(EndedBy::Size).window_ns.is_some());
}

#[test]
fn the_parts_of_a_latency_add_up_however_long_the_lead() {
    let (mut recorder, inbox) = recorder(1, 0);
    recorder.begin();
    let now = recorder.next_stamp();
    let lead = 20 * u64::from(u32::MAX);
    recorder.add(&Completed { desc: READ, slot: 0, moved: 512, submitted: now - 1000, lead }, now);
    recorder.finish(EndedBy::Size);
    let tally = inbox.try_iter().find_map(|m| match m {
        RunnerMessage::Window { tally, .. } => Some(tally),
        _ => None,
    });
    let window = tally.unwrap().window(0, Phase::Measure, 0, 1);
    let read = &window.directions[0].1;
    let sum = |w: &fathom_results::LatencyWindow| w.moments.sum();
    assert_eq!(sum(&read.submission), u128::from(lead));
    assert_eq!(sum(&read.total), u128::from(lead) + 1000);
    assert_eq!(read.short_ios, 1);
}
