//! The table of a first screen: a line for each job and direction, one unit for each column, and as
//! many columns as there is room for. Columns that a person chose and that do not fit go on in a table below.

mod column;
mod line;
mod note;

use super::Layout;
use super::answer::cut;
use column::Table;
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
    let style = layout.style;
    let unit = unit(rows);
    let lines = with_fill(line::lines(rows, kind, layout.columns, unit), kind, room);
    if lines.is_empty() {
        return Shown { text: String::new(), left_out: 0 };
    }
    let tables = Table::all(&lines, layout.columns, unit, style.width);
    let columns: Vec<&column::Column> = tables.iter().flat_map(|table| &table.columns).collect();
    let notes = Notes::of(rows, kind, &columns, remarks, style.width);
    let below = |shown: usize| match has_one_note {
        true => vec![notes.one_line(lines.len() - shown)],
        false => notes.lines(lines.len() - shown, room.saturating_sub(tables.len() * (1 + shown))),
    };
    let fits = |shown: &usize| tables.len() * (1 + shown) + below(*shown).len() <= room;
    let shown = (1..=lines.len().min(room)).rev().find(fits).unwrap_or(1);
    let places = line::shown(&lines, shown);
    let of_table = |table: &Table| table.headings(style) + &table.render(&places, style);
    let mut text: String = tables.iter().map(of_table).collect();
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
    let unit = unit(rows);
    let lines = line::lines(rows, kind, layout.columns, unit);
    let tables = Table::all(&lines, layout.columns, unit, layout.style.width);
    tables.iter().flat_map(|table| &table.columns).any(|column| column.is_words)
}

/// The unit of all latencies of these rows.
fn unit(rows: &[Row<'_>]) -> TimeUnit {
    TimeUnit::for_fastest(rows.iter().flat_map(|row| {
        let flows = row.flows_busy();
        let mean = |flow: &DirectionFigures<'_>| flow.main_latency()?.1.moments.mean();
        flows.iter().filter_map(mean).collect::<Vec<_>>()
    }))
}
