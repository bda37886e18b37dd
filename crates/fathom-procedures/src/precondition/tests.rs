//! Preconditioning by invented rounds.

use super::*;
use crate::fixture::{done, doubt, finding, history as with_round, round};
use fathom_results::TrustLevel;
use fathom_results::procedure::{ContentSamples, StepRecord, WaitedFor};
use fathom_words::trust::sentences;
use fathom_words::{headline, lines};

const MIB: u64 = 1 << 20;

fn passes(passes: u32) -> Precondition {
    Precondition {
        target: "/dev/loop7".to_owned(),
        offset: Bytes(0),
        size: Bytes(64 * MIB + 512),
        engine: "psync".to_owned(),
        direct: true,
        block: BLOCK_USUAL,
        passes,
        passes_before: 0,
        random: None,
        windows: Some(300),
        needless: None,
    }
}

fn then_random(least_s: u64, most_s: u64, half_width: Option<f64>) -> Precondition {
    let random = RandomWrites { block: Bytes(4096), least_s, most_s, half_width };
    Precondition { random: Some(random), ..passes(1) }
}

fn waited(steps: Vec<StepRecord>) -> Vec<StepRecord> {
    done(steps, StepDone::Waited { until: WaitedFor::Built, reached: true })
}

fn samples() -> ContentSamples {
    ContentSamples {
        random_windows: 300,
        windows: 332,
        read_bytes: 20 * MIB,
        entropy_bits_min: 7.98,
        ..Default::default()
    }
}

/// Does all rounds with these rates, of a minute each, and returns the steps and the verdict.
fn driven(
    procedure: &Precondition,
    rate: impl Fn(usize) -> f64,
    read: ContentSamples,
) -> (Vec<StepRecord>, String) {
    let mut steps = Vec::new();
    loop {
        let number = steps.len();
        assert!(number < 5_000, "it does not end");
        steps = match procedure.next(&History::new(&steps)) {
            Step::Wait(_) => waited(steps),
            Step::Run(asked) => {
                let mut done = round(&asked.cell, rate(number));
                done.whole.seconds = 60.0;
                with_round(steps, done)
            }
            Step::Prove { range, windows: 300 } => {
                assert_eq!(range, procedure.range());
                done(steps, StepDone::Sampled(read.clone()))
            }
            Step::Done(verdict) => {
                let all = [
                    vec![headline(&verdict.headline)],
                    lines(&verdict.headline),
                    sentences(&verdict.distrust),
                ]
                .concat();
                return (steps, all.join("\n"));
            }
            other => panic!("{other:?}"),
        };
    }
}

fn cells(steps: &[StepRecord]) -> Vec<&str> {
    let mut cells: Vec<&str> = steps.iter().filter_map(|step| Some(step.round()?.cell.as_str())).collect();
    cells.dedup();
    cells
}

#[test]
fn two_passes_of_seventeen_portions_and_the_proof() {
    let (steps, told) = driven(&passes(2), |_| 1_000.0, samples());
    assert_eq!(cells(&steps), ["pass-1", "pass-2"]);
    assert_eq!(steps.iter().filter(|step| step.round().is_some()).count(), 34);
    assert!(
        told.starts_with(
            "67,109,376 bytes of /dev/loop7 were written in order 2 times, in blocks of 128 KiB."
        ),
        "{told}"
    );
    assert!(
        told.contains("proof: 21.0 MB at both ends and at random places were read: no sector is empty"),
        "{told}"
    );
    assert!(told.contains("95 % sure that at least 99 % of the range is like this"), "{told}");
    let expected: u32 = passes(2).expected().iter().map(|(_, times)| times).sum();
    assert_eq!(expected, 34);
}

#[test]
fn random_writes_go_on_for_their_time_and_twice_the_range() {
    // 100 IOPS of 4 KiB write 24.6 MB a minute, so twice the range takes six rounds.
    let random = |steps: &[StepRecord]| {
        let rounds = steps.iter().filter_map(StepRecord::round);
        rounds.filter(|round| round.cell == "random-4096").count()
    };
    let (steps, told) = driven(&then_random(0, 3_600, None), |_| 100.0, samples());
    assert_eq!((random(&steps), cells(&steps)), (6, vec!["pass-1", "random-4096"]));
    assert!(
        told.contains("random 4 KiB: 147 MB in 6 min; 100 IOPS in the first round, 100 in the last"),
        "{told}"
    );
    assert_eq!(random(&driven(&then_random(1_200, 3_600, None), |_| 100.0, samples()).0), 20);
    let (steps, told) = driven(&then_random(0, 180, None), |_| 100.0, samples());
    assert_eq!(random(&steps), 3);
    assert!(told.contains("After 180 s the random writes had written only 110 % of the range."), "{told}");
}

#[test]
fn random_writes_go_on_until_they_have_settled() {
    let falling = |at: usize| 1_000.0 + 9_000.0 * (-(at as f64) / 8.0).exp() + (at % 7) as f64;
    let (steps, told) = driven(&then_random(0, 24 * 3_600, Some(0.02)), falling, samples());
    let rounds = steps.len();
    assert!((60..400).contains(&rounds) && told.contains("; settled at 1.0"), "{rounds} {told}");
    let (_, told) = driven(&then_random(0, 3_600, Some(0.02)), |at| 20_000.0 - 100.0 * at as f64, samples());
    assert!(told.contains("The rate has not settled: "), "{told}");
}

/// Exit code 5: the target is not in the state in which it is to be measured.
#[test]
fn a_target_that_never_became_steady_is_not_valid() {
    let day = 24 * 3_600;
    let falling = |at: usize| 20_000.0 - 100.0 * at as f64;
    let steady = |at: usize| 1_000.0 + (at % 7) as f64;
    for (procedure, rate, is_not_valid) in [
        (passes(2), &steady as &dyn Fn(usize) -> f64, false),
        (then_random(0, day, Some(0.02)), &steady, false),
        (then_random(0, 3_600, Some(0.02)), &falling, true),
        (then_random(0, 180, None), &|_| 100.0, true),
        (then_random(0, 3_600, None), &|_| 100.0, false),
    ] {
        let (steps, told) = driven(&procedure, rate, samples());
        assert_eq!(procedure.is_not_valid(&History::new(&steps)), is_not_valid, "{told}");
    }
}

/// A rate that has settled while heat slows the drive down is told with that.
#[test]
fn the_rates_of_a_hot_drive_are_told_with_it() {
    let procedure = then_random(0, 24 * 3_600, Some(0.02));
    let (mut steps, told) = driven(&procedure, |at| 1_000.0 + (at % 7) as f64, samples());
    assert!(told.contains("; settled at ") && !told.contains("too hot"), "{told}");
    for step in &mut steps {
        if let StepDone::Round(round) = &mut step.did {
            doubt(round, &finding("too-hot"));
        }
    }
    let Step::Done(verdict) = procedure.next(&History::new(&steps)) else { panic!("it goes on") };
    let [pass, random, ..] = &lines(&verdict.headline)[..] else { panic!("{verdict:?}") };
    assert!(pass.ends_with("; too hot in 17 of 17 rounds"), "{pass}");
    assert!(random.contains("; settled at ") && random.contains("; too hot in "), "{random}");
    assert!(
        verdict.distrust.iter().any(|why| why.finding().is_some_and(|it| it.code() == "too-hot")),
        "{verdict:?}"
    );
}

#[test]
fn what_was_not_written_is_told_first() {
    for (fault, words) in [
        (ContentSamples { empty_sectors: 8, ..samples() }, "8 of the sectors that were read are empty"),
        (ContentSamples { equal_blocks: 2, ..samples() }, "2 blocks of 4 KiB that were read repeat"),
        (ContentSamples { entropy_bits_min: 6.0, ..samples() }, "Data that was read can be compressed."),
        (ContentSamples { unreadable: 1, ..samples() }, "1 sample could not be read."),
    ] {
        let (_, told) = driven(&passes(1), |_| 1_000.0, fault);
        assert!(told.starts_with("/dev/loop7 is NOT preconditioned"), "{told}");
        assert!(told.contains(words) && !told.contains("proof: "), "{told}");
    }
}

#[test]
fn what_earlier_runs_wrote_is_only_proven() {
    let (steps, told) =
        driven(&Precondition { passes: 0, passes_before: 2, ..passes(0) }, |_| 1.0, samples());
    assert_eq!(steps.len(), 1, "only the samples");
    assert!(
        told.starts_with("67,109,376 bytes of /dev/loop7 have been written in order 2 times by earlier runs"),
        "{told}"
    );
    let needless = Precondition { needless: Some(FastAsNew::Optane), ..passes(0) };
    let (steps, told) = driven(&needless, |_| 1.0, samples());
    assert_eq!(
        (steps.len(), told.as_str()),
        (0, "Nothing was written to /dev/loop7: an Optane drive is as fast new as in use.")
    );
}

/// After a kill, nobody knows what was written in between.
#[test]
fn passes_that_are_not_certain_are_told() {
    for (known, is_told) in [(Some(2), false), (None, false), (Some(1), true), (Some(0), true)] {
        let (_, told) = driven(&passes(2), |_| 1_000.0, ContentSamples { passes_known: known, ..samples() });
        assert_eq!(
            told.contains(" of 2 passes can be certain: the counters of drive and kernel do not rule out "),
            is_told,
            "{known:?} {told}"
        );
    }
    assert!(driven(&passes(22), |_| 1_000.0, samples()).1.contains("passes: "), "one line for many passes");
}

#[test]
fn a_failed_portion_ends_it() {
    let mut failed = round("pass-1", 10.0);
    failed.failure = Some("pass-1: /dev/loop7: Input/output error".to_owned());
    let steps = with_round(waited(Vec::new()), failed);
    let Step::Done(verdict) = passes(2).next(&History::new(&steps)) else { panic!("it goes on") };
    assert_eq!(headline(&verdict.headline), "Round r failed: pass-1: /dev/loop7: Input/output error.");
}

#[test]
fn its_parameters_make_the_same_procedure() {
    for one in [passes(2), then_random(60, 600, Some(0.05)), Precondition { windows: None, ..passes(1) }] {
        let saved = one.parameters();
        let again = crate::open("precondition", &saved).unwrap();
        assert_eq!(again.next(&History::new(&[])), one.next(&History::new(&[])));
        assert_eq!(again.expected(), one.expected());
    }
}

/// The parts that the answer of a run has: a target that holds what was written is measured next, and one that does not is not trusted.
#[test]
fn its_answer_has_a_level_of_trust_and_a_next_step() {
    let procedure = passes(1);
    let answered = |read: ContentSamples| {
        let (mut steps, _) = driven(&procedure, |_| 1_000.0, read);
        for step in &mut steps {
            if let StepDone::Round(round) = &mut step.did {
                round.answer = Some(Box::new(crate::fixture::answer()));
            }
        }
        procedure.answer(&History::new(&steps)).unwrap()
    };
    let prepared = answered(samples());
    assert_eq!((prepared.trust.level, prepared.trust.reasons.len()), (TrustLevel::High, 0));
    assert_eq!(prepared.next.command, "fathom quick /dev/loop7");
    let holed = answered(ContentSamples { empty_sectors: 3, ..samples() });
    assert_eq!((holed.trust.level, holed.trust.reasons.len()), (TrustLevel::Low, 1));
    assert_eq!(holed.next.command, "fathom report --details latest");
    assert_eq!(procedure.answer(&History::new(&[])), None);
}
