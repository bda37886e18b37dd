//! A procedure on the terminal: its answer, and one line for each round.

use super::answer::{self, Extent, LABEL, answer, next, part, place};
use super::determinations::determinations;
use super::named::of_id;
use super::report_tables::{of_tests, report_tables};
use super::rounds::round_table;
use super::{Layout, TALL, lines, verified};
use crate::text;
use fathom_figures::metric::Columns;
use fathom_results::answer::{Gain, Headline};
use fathom_results::procedure::ProcedureResult;
use fathom_results::{Answer, DeviceSheet, NextStep, StandardReport, Verdict};
use fathom_text::calendar::Moment;
use fathom_text::painted::Painted;
use fathom_text::shell::{quoted, quoted_carried};
use fathom_text::shown::line;
use fathom_text::style::Style;
use fathom_words::{StepWords, limit, measured_jobs, trust};

/// In the place of a conclusion whose rounds are not as they were.
const NOT_SHOWN: &str =
    "what the procedure concluded is not shown, because a part of what it was concluded from is damaged";

/// Lines that say what the jobs do: the table has no column for it.
const LINES_OF_JOBS: usize = 3;

/// What is known of a procedure beside what it saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcedureState<'a> {
    /// What is not as it was saved, one sentence each.
    pub damage: &'a [String],
    /// A process works on it.
    pub is_running: bool,
    /// What the rounds say that are there, where it has no conclusion.
    pub so_far: Option<&'a Answer>,
    /// The tables that a standard asks for; they take the place of the table of rounds.
    pub standard: Option<&'a StandardReport>,
    /// The means of the rounds beside claims.
    pub sheet: Option<&'a DeviceSheet>,
    /// The columns that a person chose for the page; on the terminal the layout has them.
    pub columns: Option<&'a Columns>,
}

/// The procedure as it was saved: its answer, and the first and last rounds; or all of them.
pub fn procedure<'c>(
    procedure: &ProcedureResult,
    state: ProcedureState<'_>,
    has_details: bool,
    layout: impl Into<Layout<'c>>,
) -> Painted {
    let layout = layout.into();
    let style = layout.style;
    let extent = match has_details {
        true => Extent::Whole,
        false if style.height >= TALL => Extent::Ample,
        false => Extent::Brief,
    };
    let answer = match state.damage {
        [] => concluded(procedure, state.standard, extent, style) + &so_far(procedure, state, extent, style),
        _ => part("result", NOT_SHOWN, usize::MAX, style, |line| style.bad(line)),
    };
    let sheet = answer::sheet(state.sheet, extent, style);
    let named = if extent == Extent::Whole { usize::MAX } else { verified::NAMED };
    let verified = verified::verified_of_rounds(procedure, named, style);
    let top = heading(procedure, state, style) + &answer + &verified + &sheet;
    let saved = part("saved", &quoted(&procedure.dir), usize::MAX, style, str::to_owned);
    let details = of_id(&procedure.record.id);
    let below = match extent {
        Extent::Whole => saved,
        _ => saved + &part("details", &details, 1, style, str::to_owned),
    };
    let is_whole = state.damage.is_empty() && procedure.record.conclusion.is_some();
    let room = match extent {
        Extent::Whole => usize::MAX,
        _ => lines(style).saturating_sub(top.lines().count() + 1 + below.lines().count()),
    };
    let shown = state.standard.filter(|_| state.damage.is_empty());
    // Behind the details are all rounds; a report whose tables say more than those has them too.
    let tables = match shown.filter(|_| extent == Extent::Whole) {
        Some(report) => {
            let tests = of_tests(report, &reasons(procedure, state), style);
            let tables = match has_determinations(report) {
                true => String::new(),
                false => report_tables(report, usize::MAX, style),
            };
            format!("{tests}{tables}\n")
        }
        None => String::new(),
    };
    let table = match shown.filter(|_| extent != Extent::Whole) {
        Some(report) if has_determinations(report) => determinations(report, room, style),
        Some(report) => report_tables(report, room, style),
        None => round_table(procedure, is_whole, room, layout),
    };
    style.page(&format!("{top}\n{tables}{table}{below}"))
}

/// Does a standard's rule decide on the tests of this report?
fn has_determinations(report: &StandardReport) -> bool {
    report.tests.iter().any(|test| !test.determinations.is_empty())
}

fn heading(procedure: &ProcedureResult, state: ProcedureState<'_>, style: Style) -> String {
    let ProcedureState { damage, is_running, so_far, .. } = state;
    let record = &procedure.record;
    let word = match (damage.first(), &record.conclusion) {
        (Some(_), _) => style.bad("damaged"),
        (None, Some(_)) if procedure.failed_round().is_some() => style.bad("failed"),
        (None, Some(_)) => style.good("complete"),
        (None, None) if is_running => style.bad("still running"),
        (None, None) => style.bad("not finished"),
    };
    let resumed = match record.resumes_until(&procedure.steps) {
        0 => String::new(),
        1 => " · resumed once".to_owned(),
        times => format!(" · resumed {times} times"),
    };
    let about = format!(
        "{} · {} · {}{resumed}",
        Moment::of_unix_ns(record.started_unix_ns),
        record.procedure,
        text::rounds_done(procedure),
    );
    let room = style.width.saturating_sub(LABEL + about.chars().count());
    let place = place(|name| record.fact(name), &record.fathom, room);
    // Where the line has no room for the version, the one above has.
    let version = format!("fathom {}", record.fathom);
    let version =
        if place.contains(&version) { String::new() } else { style.faint(&format!(" · {version}")) };
    let about = about + &place;
    let mut text = format!("{}  {word}{version}\n", style.strong(&record.name));
    text += &part("when", &about, usize::MAX, style, str::to_owned);
    damage.iter().for_each(|what| text += &answer::damage(what, usize::MAX, style));
    if damage.is_empty() && record.conclusion.is_none() && !is_running && so_far.is_none() {
        let StepWords { command, why } = fathom_words::next(&going_on(procedure));
        text += &part("next", &format!("{command} ({why})"), usize::MAX, style, str::to_owned);
    }
    text
}

/// The command that goes on with a procedure that was interrupted.
fn going_on(procedure: &ProcedureResult) -> NextStep {
    let command = format!("fathom resume {}", quoted_carried(&procedure.record.id));
    let consent = procedure.record.consent_options().into_iter().map(str::to_owned).collect();
    NextStep { command, gain: Gain::GoesOn { consent }, needs_consent: false }
}

/// What the rounds say that are there, and how to go on. Nothing of a procedure that is concluded.
fn so_far(procedure: &ProcedureResult, state: ProcedureState<'_>, extent: Extent, style: Style) -> String {
    let Some(outcome) = state.so_far.filter(|_| procedure.record.conclusion.is_none()) else {
        return String::new();
    };
    let mut outcome = outcome.clone();
    if !state.is_running {
        outcome.next = going_on(procedure);
    }
    answered(&outcome, extent, style) + &evidence(&outcome, (None, None), extent, style)
}

/// What the rounds say together; of a procedure whose rounds measure different things, its verdict.
fn concluded(
    procedure: &ProcedureResult,
    standard: Option<&StandardReport>,
    extent: Extent,
    style: Style,
) -> String {
    let Some(conclusion) = &procedure.record.conclusion else { return String::new() };
    let Some(outcome) = &conclusion.answer else {
        return verdict(&conclusion.verdict, style) + &after_failure(procedure, style);
    };
    answered(outcome, extent, style)
        + &not_in_the_table(outcome, extent, style)
        + &evidence(outcome, (Some(&conclusion.verdict), standard), extent, style)
}

/// What the table of rounds does not say of a target that was written: the rates of the passes, of which rounds are portions, and
/// every reason against its state. Behind the details the evidence has them.
fn not_in_the_table(outcome: &Answer, extent: Extent, style: Style) -> String {
    match &outcome.result {
        Headline::Precondition(_) if extent != Extent::Whole => {
            listed("figures", &fathom_words::lines(&outcome.result), style)
                + &listed("reasons", &trust::sentences(&outcome.trust.reasons), style)
        }
        _ => String::new(),
    }
}

/// What the round that failed advises.
fn after_failure(procedure: &ProcedureResult, style: Style) -> String {
    let failed = procedure.failed_round();
    let advice = failed.and_then(|(round, _)| round.answer.as_ref()).map(|answer| &answer.next);
    advice.map(|step| next(&fathom_words::next(step), style)).unwrap_or_default()
}

/// The jobs, and the parts of the answer.
fn answered(outcome: &Answer, extent: Extent, style: Style) -> String {
    let lines = if extent == Extent::Brief { LINES_OF_JOBS } else { usize::MAX };
    let jobs = outcome
        .jobs
        .as_ref()
        .map(measured_jobs::whole)
        .map(|jobs| part("jobs", &jobs, lines, style, str::to_owned));
    jobs.unwrap_or_default() + &answer(outcome, extent, style)
}

/// Every reason for less trust.
fn reasons(procedure: &ProcedureResult, state: ProcedureState<'_>) -> Vec<String> {
    let conclusion = procedure.record.conclusion.as_ref();
    let verdict = conclusion.map(|it| &it.verdict);
    match conclusion.map_or(state.so_far, |it| it.answer.as_deref()) {
        Some(answer) => text::reasons(answer, verdict),
        None => verdict.map(|it| trust::sentences(&it.distrust)).unwrap_or_default(),
    }
}

/// Behind the details: what limited it, the other figures, and every reason for less trust.
fn evidence(
    outcome: &Answer,
    (verdict, standard): (Option<&Verdict>, Option<&StandardReport>),
    extent: Extent,
    style: Style,
) -> String {
    if extent != Extent::Whole {
        return String::new();
    }
    let limit = outcome.limit.as_ref().map(limit::evidence).unwrap_or_default();
    let figures = verdict.map(|verdict| text::other_figures(verdict, standard)).unwrap_or_default();
    listed("limit", &limit, style)
        + &listed("figures", &figures, style)
        + &listed("reasons", &text::reasons(outcome, verdict), style)
}

/// What a procedure concluded, a line for each sentence.
fn verdict(verdict: &Verdict, style: Style) -> String {
    let headline = fathom_words::headline(&verdict.headline);
    let headline = part("result", &line(&headline), usize::MAX, style, |line| style.strong(line));
    headline
        + &listed("", &fathom_words::lines(&verdict.headline), style)
        + &listed("trust", &trust::sentences(&verdict.distrust), style)
}

/// The sentences, of which the first has the label.
fn listed(label: &str, texts: &[String], style: Style) -> String {
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels
        .zip(texts)
        .map(|(label, text)| part(label, &line(text), usize::MAX, style, str::to_owned))
        .collect()
}
