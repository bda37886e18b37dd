//! One worker, with a clock of whole seconds.

use super::*;

/// One worker, with a clock of whole seconds.
struct Case {
    start: Instant,
    dog: Watchdog,
}

impl Case {
    fn new() -> Case {
        let start = Instant::now();
        let mut case = Case { start, dog: Watchdog::new(1, Patience::USUAL, Heard { at: start, run_ns: 0 }) };
        case.dog.works(0, case.at(0));
        case
    }
    fn at(&self, second: u64) -> Heard {
        Heard { at: self.start + Duration::from_secs(second), run_ns: second * 1_000_000_000 }
    }
    /// What is reported at a second: the length in seconds, and whether to give up.
    fn silences(&mut self, second: u64, wanted: Expectation) -> Vec<(u64, bool)> {
        let now = self.at(second).at;
        let told = self.dog.silences(now, |_| wanted);
        told.iter().map(|s| (s.length.as_secs(), s.is_over)).collect()
    }
    fn know(&mut self, second: u64) -> &mut Case {
        let now = self.at(second).at;
        self.dog.caught_up(now);
        self
    }
}

#[test]
fn silence_is_told_once_and_then_given_up() {
    let mut case = Case::new();
    assert_eq!(case.know(9).silences(9, Expectation::Work), []);
    assert_eq!(case.know(10).silences(10, Expectation::Work), [(10, false)]);
    assert_eq!(case.know(59).silences(59, Expectation::Work), []);
    assert_eq!(case.know(60).silences(60, Expectation::Work), [(60, true)]);
    case.dog.ended(0);
    assert_eq!(case.know(99).silences(99, Expectation::EndNow), []);
}

#[test]
fn who_answers_again_is_heard_and_may_fall_silent_again() {
    let mut case = Case::new();
    case.know(12).silences(12, Expectation::Work);
    let (fourteen, fifteen) = (case.at(14), case.at(15));
    assert_eq!(case.dog.hears(0, fourteen), Some(Duration::from_secs(14)));
    assert_eq!(case.dog.hears(0, fifteen), None, "told once");
    assert_eq!(case.know(24).silences(24, Expectation::Work), []);
    assert_eq!(case.know(25).silences(25, Expectation::Work), [(10, false)]);
}

#[test]
fn a_collector_that_is_behind_blames_nobody() {
    let mut case = Case::new();
    assert_eq!(case.know(5).silences(100, Expectation::Work), []);
}

#[test]
fn a_thread_that_is_woken_lives() {
    let mut case = Case::new();
    let start = case.at(0);
    case.dog.prepares(0, start);
    let mut ran = |second: u64, is_runnable: bool, switches: u64| {
        let now = case.at(second);
        case.know(second);
        let quiet = case.dog.quiet(now.at, false);
        if !quiet.is_empty() {
            case.dog.ran(0, Beat { is_runnable, switches }, now);
        }
        (quiet.len(), case.silences(second, Expectation::Work))
    };
    assert_eq!(ran(4, false, 7), (0, vec![]));
    assert_eq!(ran(6, false, 7), (1, vec![]));
    assert_eq!(ran(9, false, 8), (1, vec![]), "woken between 6 and 9");
    assert_eq!(ran(18, true, 8), (1, vec![]), "runnable at 18");
    assert_eq!(ran(24, false, 8), (1, vec![]));
    assert_eq!(ran(28, false, 8), (1, vec![(10, false)]));
    assert_eq!(ran(78, false, 8), (1, vec![(60, true)]));
}

#[test]
fn who_must_end_has_half_a_minute() {
    let mut case = Case::new();
    let start = case.at(0);
    case.dog.works(0, start);
    assert_eq!(case.silences(500, Expectation::End), []);
    assert_eq!(case.silences(531, Expectation::End), []);
    assert_eq!(case.silences(532, Expectation::End), [(0, true)]);
}

#[test]
fn who_must_end_has_half_a_minute_from_its_last_completions() {
    let mut case = Case::new();
    case.know(1).silences(1, Expectation::EndNow);
    for second in (10..=200).step_by(10) {
        let now = case.at(second);
        case.dog.hears(0, now);
        assert_eq!(
            case.know(second + 9).silences(second + 9, Expectation::EndNow),
            [],
            "it still moves at {second}"
        );
    }
    assert_eq!(case.know(231).silences(231, Expectation::EndNow), [(31, false)]);
    assert_eq!(case.know(232).silences(232, Expectation::EndNow), [(32, true)]);
}

/// Who presses Ctrl-C while a target stalls waits for two seconds, and not for half a minute.
#[test]
fn a_person_who_asked_for_the_end_waits_for_no_stall() {
    for at in [Watchdog::works, Watchdog::prepares] {
        let mut case = Case::new();
        let start = case.at(0);
        at(&mut case.dog, 0, start);
        assert_eq!(case.know(5).silences(5, Expectation::EndAtOnce), []);
        assert_eq!(case.know(6).silences(6, Expectation::EndAtOnce), [(6, true)]);
    }
    // A worker that lives is asked for at once, and may take longer.
    let mut case = Case::new();
    case.know(3).silences(3, Expectation::EndAtOnce);
    let (now, start) = (case.at(4), case.at(0));
    assert_eq!(case.dog.quiet(now.at, true), [(0, WorkerState::Work)]);
    assert_eq!(case.dog.quiet(now.at, false), []);
    case.dog.ran(0, Beat { is_runnable: true, switches: 1 }, now);
    assert_eq!(case.know(4).silences(4, Expectation::EndAtOnce), []);
    // A sync writes back all that is dirty within one call.
    case.dog.syncs(0, start);
    assert_eq!(case.know(34).silences(34, Expectation::EndAtOnce), [(34, false)]);
    assert_eq!(case.know(35).silences(35, Expectation::EndAtOnce), [(35, true)]);
}

#[test]
fn a_thread_that_runs_and_moves_nothing_must_end_all_the_same() {
    let mut case = Case::new();
    let start = case.at(0);
    case.dog.prepares(0, start);
    case.silences(0, Expectation::EndNow);
    let now = case.at(20);
    case.dog.ran(0, Beat { is_runnable: true, switches: 1 }, now);
    assert_eq!(case.silences(32, Expectation::EndNow), [(0, true)]);
}

#[test]
fn a_fill_is_heard_by_what_it_wrote_alone() {
    let mut case = Case::new();
    let (start, twelve) = (case.at(0), case.at(12));
    case.dog.prepares(0, start);
    assert_eq!(case.dog.fills(0, start), None);
    assert_eq!(case.know(11).silences(11, Expectation::Work), [(11, false)]);
    assert_eq!(
        case.dog.quiet(case.at(11).at, false),
        [(0, WorkerState::Filling)],
        "the caller that asks the kernel skips it"
    );
    assert_eq!(case.dog.fills(0, twelve), Some(Duration::from_secs(12)), "it goes on");
    assert_eq!(case.know(72).silences(72, Expectation::Work), [(60, true)]);
    case.dog.rests(0);
    assert_eq!(case.know(999).silences(999, Expectation::Work), [], "it waits for its start");
}

#[test]
fn a_sync_has_ten_times_as_long_unless_the_end_is_wanted_now() {
    let mut case = Case::new();
    let start = case.at(0);
    case.dog.syncs(0, start);
    assert_eq!(case.know(599).silences(599, Expectation::End), [(599, false)]);
    assert_eq!(case.know(600).silences(600, Expectation::End), [(600, true)]);
    assert_eq!(case.know(100).silences(100, Expectation::EndNow), []);
    assert_eq!(case.know(132).silences(132, Expectation::EndNow), [(132, true)]);
}

#[test]
fn without_a_limit_only_an_end_that_is_wanted_ends_it() {
    let mut case = Case::new();
    case.dog.patience = Patience::of(Duration::ZERO);
    assert_eq!(case.know(10).silences(10, Expectation::Work), [(10, false)]);
    assert_eq!(case.know(10_000).silences(10_000, Expectation::Work), []);
    assert_eq!(case.silences(10_000, Expectation::End), []);
    assert_eq!(case.silences(10_032, Expectation::End), [(10_000, true)]);
}

/// After two minutes of SIGSTOP no target is blamed for them; what was silent before and after counts.
#[test]
fn a_halt_of_the_whole_process_is_no_silence() {
    let mut case = Case::new();
    assert_eq!(case.know(4).silences(4, Expectation::Work), []);
    case.dog.halted(Duration::from_secs(120));
    assert_eq!(case.know(125).silences(125, Expectation::Work), []);
    assert_eq!(case.know(130).silences(130, Expectation::Work), [(10, false)]);
    assert_eq!(case.know(180).silences(180, Expectation::Work), [(60, true)]);
    // The time to end begins later too.
    let mut case = Case::new();
    assert_eq!(case.know(1).silences(1, Expectation::End), []);
    case.dog.halted(Duration::from_secs(120));
    assert_eq!(case.know(122).silences(122, Expectation::End), []);
}

#[test]
fn a_short_limit_is_reported_before_it_is_reached() {
    assert_eq!(Patience::of(Duration::from_secs(60)), Patience::USUAL);
    assert_eq!(Patience::of(Duration::from_secs(3)).warn_after, Duration::from_millis(1500));
    assert_eq!(Patience::of(Duration::ZERO).give_up_after, None);
}
