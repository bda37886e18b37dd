//! A procedure on the terminal: its answer, and one line for each round.

use super::table::Table;
use crate::number::{compact, latency};
use fathom_results::procedure::{ProcedureResult, RoundDone, RoundFigures};
use fathom_text::calendar::Moment;
use fathom_text::number::bytes;
use fathom_text::painted::Painted;
use fathom_text::shell::quoted;
use fathom_text::shown::line;
use fathom_text::style::Style;

/// The rounds that are shown from the first and from the last; those between are counted.
const SHOWN: usize = 20;

/// The procedure as it was saved. `damage` says what is not as it was saved, one sentence each;
/// `is_running` that a process works on it.
pub fn procedure(procedure: &ProcedureResult, damage: &[String], is_running: bool, style: Style) -> Painted {
    let answer = match damage {
        [] => answer(procedure, style),
        _ => "What the procedure concluded is not shown, because a part of what it was concluded from is damaged.\n".to_owned(),
    };
    let blocks = [heading(procedure, damage, is_running, style), answer, rounds(procedure, style)];
    let blocks: Vec<String> = blocks.into_iter().filter(|block| !block.is_empty()).collect();
    let saved = style.faint("saved in:") + " " + &quoted(&procedure.dir) + "\n";
    style.page(&(blocks.join("\n") + "\n" + &saved))
}

fn heading(procedure: &ProcedureResult, damage: &[String], is_running: bool, style: Style) -> String {
    let record = &procedure.record;
    let (done, expected) = (procedure.rounds().count(), record.forecast.rounds);
    let state = match (damage.first(), &record.conclusion) {
        (Some(_), _) => style.bad("INCOMPLETE"),
        (None, Some(_)) => style.good("complete"),
        (None, None) if is_running => style.bad("still running"),
        (None, None) => style.bad("not finished"),
    };
    let resumed = match procedure.steps.last().map_or(0, |step| step.sitting) {
        0 => String::new(),
        1 => " · resumed once".to_owned(),
        times => format!(" · resumed {times} times"),
    };
    let mut text = format!(
        "{}  {}\n{} · {} · {done} of {expected} rounds{resumed} · {state}\n",
        style.strong(&record.name),
        style.faint(&format!("{} · fathom {}", record.id, record.fathom)),
        Moment::of_unix_ns(record.started_unix_ns),
        record.procedure,
    );
    damage.iter().for_each(|what| text += &format!("{}\n", style.bad(what)));
    if damage.is_empty() && record.conclusion.is_none() && !is_running {
        text += &format!("fathom resume {} goes on after the last round\n", quoted(&procedure.dir));
    }
    text
}

fn answer(procedure: &ProcedureResult, style: Style) -> String {
    let Some(conclusion) = &procedure.record.conclusion else { return String::new() };
    let verdict = &conclusion.verdict;
    let more = verdict.limits.iter().chain(&verdict.distrust).map(|text| format!("  {}\n", line(text)));
    format!("{}\n{}", style.strong(&line(&verdict.headline)), more.collect::<String>())
}

fn rounds(procedure: &ProcedureResult, style: Style) -> String {
    let rows: Vec<Vec<String>> = procedure.rounds().flat_map(rows).collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = ["", "IOPS", "bandwidth", "mean latency", "p99", "max"].map(str::to_owned).to_vec();
    let left_out = rows.len().saturating_sub(2 * SHOWN);
    let shown = |rows: &[Vec<String>]| {
        let rows = std::iter::once(head.clone()).chain(rows.iter().cloned()).collect();
        Table { rows }.render(style)
    };
    match left_out {
        0 => shown(&rows),
        _ => {
            let (first, last) = (&rows[..SHOWN], &rows[rows.len() - SHOWN..]);
            format!("{}  … {left_out} more …\n{}", shown(first), shown(last))
        }
    }
}

fn rows(round: &RoundDone) -> Vec<Vec<String>> {
    let name = |figures: &RoundFigures| match round.figures.len() {
        1 => round.directory.clone(),
        _ => format!("{} {}", round.directory, figures.job),
    };
    let time = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| latency(ns, 3));
    let row = |figures: &RoundFigures| {
        vec![
            name(figures),
            compact(figures.iops, 4),
            bytes(figures.bytes_per_second) + "/s",
            time(figures.latency_ns_mean),
            time(figures.latency_ns_p99.map(|ns| ns as f64)),
            time(figures.latency_ns_max.map(|ns| ns as f64)),
        ]
    };
    round.figures.iter().map(row).collect()
}
