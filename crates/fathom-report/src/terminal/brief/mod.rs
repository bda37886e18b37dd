//! The table of a first screen: a line for each job and direction, one unit for each column, and as
//! many columns as there is room for.

mod column;
mod line;
mod note;

use super::Layout;
use super::answer::cut;
use column::Table;
use fathom_figures::metric::Output;
use fathom_figures::{DirectionFigures, Row};
use fathom_results::quick::FILL;
use fathom_text::quantity::TimeUnit;
use line::Line;
use note::Notes;

/// Lines of the headings and of the notes.
const LINES_BESIDE: usize = 3;

/// Whose jobs they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jobs {
    /// Their names say what they do, but for block size and depth.
    OfProcedure,
    OfUser,
}

/// The table, and how many of its lines are left out.
pub(super) struct Shown {
    pub text: String,
    pub left_out: usize,
}

/// How much of a screen the table has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Its headings and what it says of itself included.
    pub lines: usize,
    /// What it says of itself has one line.
    pub has_one_note: bool,
}

/// The table. `remarks` are notes that the run gives.
pub(super) fn table(
    rows: &[Row<'_>],
    kind: Jobs,
    remarks: &[String],
    room: Room,
    layout: Layout<'_>,
) -> Shown {
    let Room { lines: room, has_one_note } = room;
    let (style, metrics) = (layout.style, layout.columns.of(Output::Screen));
    let unit = unit(rows);
    let lines = with_fill(line::lines(rows, kind, layout.columns, unit), kind, room);
    if lines.is_empty() {
        return Shown { text: String::new(), left_out: 0 };
    }
    let table = Table::of(&lines, &metrics, unit, style.width);
    let notes = Notes::of(rows, kind, &table.columns, remarks, style.width);
    let below = |shown: usize| match has_one_note {
        true => vec![notes.one_line(lines.len() - shown)],
        false => notes.lines(lines.len() - shown, room.saturating_sub(1 + shown)),
    };
    let fits = |shown: &usize| 1 + shown + below(*shown).len() <= room;
    let shown = (1..=lines.len().min(room)).rev().find(fits).unwrap_or(1);
    let mut text = table.headings(style) + &table.render(&line::shown(&lines, shown), style);
    below(shown).iter().for_each(|note| text += &(style.faint(&cut(note, style.width)) + "\n"));
    Shown { text, left_out: lines.len() - shown }
}

/// A procedure fills a target before it reads it: that has a line only where there is room.
fn with_fill(all: Vec<Line>, kind: Jobs, room: usize) -> Vec<Line> {
    let has_room = all.len() + LINES_BESIDE <= room;
    let is_fill = |line: &Line| kind == Jobs::OfProcedure && line.name == FILL;
    let told = |line: Line| match is_fill(&line) {
        true => Line { name: format!("{FILL} (preparation)"), ..line },
        false => line,
    };
    all.into_iter().filter(|line| has_room || !is_fill(line)).map(told).collect()
}

/// Is there room for the column that says what each job does?
pub(super) fn shows_workloads(rows: &[Row<'_>], kind: Jobs, layout: Layout<'_>) -> bool {
    let (unit, metrics) = (unit(rows), layout.columns.of(Output::Screen));
    let table = Table::of(&line::lines(rows, kind, layout.columns, unit), &metrics, unit, layout.style.width);
    table.columns.iter().any(|column| column.is_words)
}

/// The unit of all latencies of these rows.
fn unit(rows: &[Row<'_>]) -> TimeUnit {
    TimeUnit::for_fastest(rows.iter().flat_map(|row| {
        let flows = row.flows_busy();
        let mean = |flow: &DirectionFigures<'_>| flow.main_latency()?.1.moments.mean();
        flows.iter().filter_map(mean).collect::<Vec<_>>()
    }))
}
