//! The verification of a whole target, by invented rounds.

use super::*;
use crate::fixture::{done, history as with_round, round};
use fathom_results::procedure::{StepRecord, WaitedFor};
use fathom_results::{FaultAt, Verification, VerifiedJob};
use fathom_verify::{FailedCheck, Fault, FaultKind, Method};
use fathom_words::{headline, lines};

const MIB: u64 = 1 << 20;

fn target() -> VerifyTarget {
    VerifyTarget {
        target: "/dev/loop7".to_owned(),
        offset: Bytes(0),
        size: Bytes(10 * MIB + 512),
        engine: "psync".to_owned(),
        direct: true,
        block: VERIFY_BLOCK_USUAL,
        portion: Bytes(4 * MIB),
        method: "crc32c".to_owned(),
        least_s: 0,
        read_only: Vec::new(),
        is_new: false,
        wrong_blocks_to: String::new(),
    }
}

/// The bytes that the text of a round asks for.
fn size_of(asked: &Round) -> u64 {
    let RoundJobs::Text { text, .. } = &asked.jobs else { panic!("{asked:?}") };
    let size = text.lines().find_map(|line| line.strip_prefix("size=")).unwrap();
    size.parse().unwrap()
}

/// Does every step of a minute. `wrong` blocks are found in each round that reads, and so many bytes are left out.
fn driven(
    procedure: &VerifyTarget,
    wrong: impl Fn(usize) -> u64,
    left_out: u64,
) -> (Vec<StepRecord>, String) {
    let mut steps: Vec<StepRecord> = Vec::new();
    loop {
        let number = steps.len();
        assert!(number < 1000, "it does not end");
        steps = match procedure.next(&History::new(&steps)) {
            Step::Wait(_) => done(steps, StepDone::Waited { until: WaitedFor::Built, reached: true }),
            Step::Run(asked) => {
                let mut one = round(&asked.cell, 100.0);
                (one.directory, one.whole.seconds) = (format!("r{number}"), 60.0);
                match asked.cell.starts_with("write") {
                    true => one.written_bytes = size_of(&asked),
                    false => {
                        let (bytes, wrong) = (size_of(&asked) - left_out, wrong(number));
                        one.verified = vec![found(bytes, wrong)];
                        one.failure = (wrong > 0).then(|| "wrong".to_owned());
                    }
                }
                with_round(steps, one)
            }
            Step::Done(verdict) => {
                let text = [vec![headline(&verdict.headline)], lines(&verdict.headline)].concat().join("\n");
                return (steps, text);
            }
            other => panic!("{other:?}"),
        };
        steps.last_mut().unwrap().ended_unix_ns = 60_000_000_000;
    }
}

fn found(bytes: u64, wrong: u64) -> VerifiedJob {
    let fault = Fault {
        offset: 4096,
        len: MIB as u32,
        kind: FaultKind::Misplaced { belongs_at: 8 * MIB },
        check: FailedCheck::Offset { received: 8 * MIB },
        expected: None,
        received: None,
        part: None,
    };
    let fault = FaultAt { file: 0, fault, io_offset: 0, io_bytes: MIB as u32, saved: None };
    let faults = vec![fault; wrong as usize];
    let verification =
        Verification { ios: bytes / MIB, bytes, wrong, faults, ..Verification::of(Method::Crc32c) };
    let files = vec!["/dev/loop7".to_owned()];
    VerifiedJob { job: "verify".to_owned(), job_number: 1, files, verification }
}

fn cells(steps: &[StepRecord]) -> String {
    History::new(steps).rounds().map(|round| round.cell.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn all_is_written_before_anything_is_read_back() {
    let procedure = target();
    let (steps, text) = driven(&procedure, |_| 0, 0);
    assert_eq!(cells(&steps), "write-1 write-1 write-1 write-1 read-1 read-1 read-1 read-1");
    assert_eq!(procedure.proof(&History::new(&steps)), Some(Proof::Whole));
    assert!(text.starts_with("All 10,486,272 bytes of /dev/loop7 hold what was written (crc32c)."), "{text}");
}

#[test]
fn each_portion_is_read_back_by_the_state_of_the_round_that_wrote_it() {
    let procedure = target();
    let (steps, _) = driven(&procedure, |_| 0, 0);
    let state = |rounds: usize| match procedure.next(&History::new(&steps[..=rounds])) {
        Step::Run(round) => round.state_from,
        other => panic!("{other:?}"),
    };
    assert_eq!([state(0), state(4), state(7)], [None, Some("r1".to_owned()), Some("r4".to_owned())]);
    assert_eq!(procedure.written_rounds(&History::new(&steps)), ["r1", "r2", "r3", "r4"]);
    assert_eq!(procedure.written_rounds(&History::new(&steps[..4])), [""; 0], "the pass was cut short");
}

#[test]
fn wrong_blocks_are_named_and_the_rest_is_still_read() {
    let procedure = target();
    let (steps, text) = driven(&procedure, |number| 7 * u64::from(number == 6), 0);
    assert_eq!(cells(&steps).matches("read-1").count(), 4);
    assert_eq!(procedure.proof(&History::new(&steps)), Some(Proof::Wrong));
    assert!(text.starts_with("7 blocks of /dev/loop7 are NOT what was written"), "{text}");
    assert!(text.contains("/dev/loop7 at 4,096: it holds the block that belongs at 8,388,608"), "{text}");
}

#[test]
fn what_could_not_be_checked_is_not_proven() {
    let procedure = target();
    let (steps, text) = driven(&procedure, |_| 0, 512);
    assert_eq!(procedure.proof(&History::new(&steps)), Some(Proof::Missing));
    assert!(text.starts_with("10,484,224 of 10,486,272 bytes of /dev/loop7 were verified"), "{text}");
    assert!(procedure.is_not_valid(&History::new(&steps)));
}

#[test]
fn a_soak_repeats_passes_until_its_time_is_over() {
    // A pass takes eight minutes, and the wait one.
    let procedure = VerifyTarget { least_s: 10 * 60, ..target() };
    let (steps, text) = driven(&procedure, |_| 0, 0);
    assert!(cells(&steps).ends_with("read-2") && !cells(&steps).contains("write-3"), "{}", cells(&steps));
    assert!(text.contains("in each of 2 passes") && text.contains("pass 2: "), "{text}");
    // Four rounds wrote the first pass, four read it, and four wrote the second.
    let Step::Run(second) = procedure.next(&History::new(&steps[..1 + 12])) else { panic!("it reads") };
    assert_eq!(second.cell, "read-2");
    assert_eq!(
        (second.state_from.as_deref(), &second.earlier_states[..]),
        (Some("r9"), &["r1".to_owned()][..])
    );
}

#[test]
fn a_pass_that_only_reads_takes_the_states_of_an_earlier_one() {
    let states = ["/r/1", "/r/2", "/r/3", "/r/4"].map(str::to_owned).to_vec();
    let procedure = VerifyTarget { read_only: states, least_s: 3600, ..target() };
    let (steps, text) = driven(&procedure, |_| 0, 0);
    assert_eq!(cells(&steps), "read-1 read-1 read-1 read-1");
    assert!(text.starts_with("All 10,486,272 bytes of /dev/loop7 still hold what was written"), "{text}");
    let Step::Run(first) = procedure.next(&History::new(&steps[..1])) else { panic!("it reads") };
    assert_eq!(first.state_from.as_deref(), Some("/r/1"));
}

#[test]
fn a_round_that_fails_otherwise_ends_it() {
    let procedure = target();
    let steps = done(Vec::new(), StepDone::Waited { until: WaitedFor::Built, reached: true });
    let failed = RoundDone { failure: Some("no such device".to_owned()), ..round("write-1", 0.0) };
    let steps = with_round(steps, failed);
    assert!(matches!(procedure.next(&History::new(&steps)), Step::Done(_)));
    assert_eq!(procedure.proof(&History::new(&steps)), None);
}

#[test]
fn its_parameters_make_it_again() {
    let states = ["/r/1", "/r/2", "/r/3", "/r/4"].map(str::to_owned).to_vec();
    let wrong_blocks_to = "/tmp/wrong".to_owned();
    let other = VerifyTarget { read_only: states, is_new: true, least_s: 9, wrong_blocks_to, ..target() };
    for procedure in [target(), other] {
        assert_eq!(VerifyTarget::saved(&procedure.parameters()), Ok(procedure));
    }
    let few = VerifyTarget { read_only: vec!["/r/1".to_owned()], ..target() };
    assert!(VerifyTarget::saved(&few.parameters()).is_err());
}
