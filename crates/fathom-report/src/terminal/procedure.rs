//! A procedure on the terminal: its answer, and one line for each round.

use super::answer::{Extent, part};
use super::brief::{Line, Table};
use crate::number::{TimeUnit, cell};
use fathom_results::Verdict;
use fathom_results::procedure::{ProcedureResult, RoundDone, RoundFigures};
use fathom_text::calendar::Moment;
use fathom_text::painted::Painted;
use fathom_text::shell::{quoted, quoted_carried};
use fathom_text::shown::line;
use fathom_text::style::Style;

/// The rounds that are shown from the first and from the last; those between are counted.
const SHOWN: usize = 4;

/// In the place of a conclusion whose rounds are not as they were.
const NOT_SHOWN: &str =
    "what the procedure concluded is not shown, because a part of what it was concluded from is damaged";

/// What is known of a procedure beside what it saved.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcedureState<'a> {
    /// What is not as it was saved, one sentence each.
    pub damage: &'a [String],
    /// A process works on it.
    pub is_running: bool,
}

/// The procedure as it was saved: its answer, and the first and last rounds; or all of them.
pub fn procedure(
    procedure: &ProcedureResult,
    state: ProcedureState<'_>,
    has_details: bool,
    style: Style,
) -> Painted {
    let extent = if has_details { Extent::Whole } else { Extent::Brief };
    let answer = match state.damage {
        [] => answer(procedure, style),
        _ => part("result", NOT_SHOWN, usize::MAX, style, |line| style.bad(line)),
    };
    let top = heading(procedure, state, style) + &answer;
    let saved = part("saved", &quoted(&procedure.dir), usize::MAX, style, str::to_owned);
    style.page(&format!("{top}\n{}{saved}", rounds(procedure, extent, style)))
}

fn heading(procedure: &ProcedureResult, state: ProcedureState<'_>, style: Style) -> String {
    let ProcedureState { damage, is_running } = state;
    let record = &procedure.record;
    let (done, expected) = (procedure.rounds().count(), record.forecast.rounds);
    let word = match (damage.first(), &record.conclusion) {
        (Some(_), _) => style.bad("damaged"),
        (None, Some(_)) => style.good("complete"),
        (None, None) if is_running => style.bad("still running"),
        (None, None) => style.bad("not finished"),
    };
    let resumed = match procedure.steps.last().map_or(0, |step| step.sitting) {
        0 => String::new(),
        1 => " · resumed once".to_owned(),
        times => format!(" · resumed {times} times"),
    };
    let about = format!(
        "{} · {} · {done} of {expected} rounds{resumed}",
        Moment::of_unix_ns(record.started_unix_ns),
        record.procedure,
    );
    let mut text = format!("{}  {word}\n", style.strong(&record.name));
    text += &part("when", &about, usize::MAX, style, str::to_owned);
    damage.iter().for_each(|what| text += &part("damage", what, usize::MAX, style, |line| style.bad(line)));
    if damage.is_empty() && record.conclusion.is_none() && !is_running {
        let command = format!("fathom resume {}", quoted_carried(&record.id));
        text += &part(
            "next",
            &format!("{command} (goes on after the last round)"),
            usize::MAX,
            style,
            str::to_owned,
        );
    }
    text
}

fn answer(procedure: &ProcedureResult, style: Style) -> String {
    let Some(conclusion) = &procedure.record.conclusion else { return String::new() };
    verdict(&conclusion.verdict, style)
}

/// What a procedure concluded, a line for each sentence.
fn verdict(verdict: &Verdict, style: Style) -> String {
    let told = |label: &str, text: &str| part(label, &line(text), usize::MAX, style, str::to_owned);
    let mut out = part("result", &line(&verdict.headline), usize::MAX, style, |line| style.strong(line));
    // Only the first line of each kind has its label.
    for (label, texts) in [("", &verdict.limits), ("trust", &verdict.distrust)] {
        for (at, text) in texts.iter().enumerate() {
            out += &told(if at == 0 { label } else { "" }, text);
        }
    }
    out
}

/// A line for each job of each round. Of many lines the first and the last are shown.
fn rounds(procedure: &ProcedureResult, extent: Extent, style: Style) -> String {
    let figures = || procedure.rounds().flat_map(|round| round.figures.iter().map(move |one| (round, one)));
    let unit = TimeUnit::for_fastest(figures().filter_map(|(_, one)| one.latency_ns_mean));
    let lines: Vec<Line> = figures().map(|(round, figures)| round_line(round, figures, unit)).collect();
    if lines.is_empty() {
        return String::new();
    }
    let left_out = match extent {
        Extent::Brief => lines.len().saturating_sub(2 * SHOWN),
        Extent::Whole => 0,
    };
    let after = if left_out == 0 { lines.len() } else { lines.len() - SHOWN };
    let table = Table::of(lines, "round", unit, style.width);
    let first = table.render(0..after - left_out, style);
    match left_out {
        0 => table.headings(style) + &first,
        _ => {
            let more = style.faint(&format!("… {left_out} more, with --details"));
            format!("{}{first}{more}\n{}", table.headings(style), table.render(after..after + SHOWN, style))
        }
    }
}

fn round_line(round: &RoundDone, figures: &RoundFigures, unit: TimeUnit) -> Line {
    let name = match round.figures.len() {
        1 => round.directory.clone(),
        _ => format!("{} {}", round.directory, line(&figures.job)),
    };
    let time = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| unit.cell(ns));
    Line {
        name,
        workload: String::new(),
        cells: [
            cell(figures.iops),
            String::new(),
            cell(figures.bytes_per_second / 1e6),
            time(figures.latency_ns_mean),
            String::new(),
            time(figures.latency_ns_p99.map(|ns| ns as f64)),
            String::new(),
            time(figures.latency_ns_max.map(|ns| ns as f64)),
        ],
    }
}
