//! What a person reads on the terminal at the end of a run.
//!
//! [`summary`] is the first screen: the answer and a small table, for ten seconds. [`details`] is all
//! the evidence: each row is a compact block; each number has its unit; what the data cannot support
//! is marked or absent. It ends with the verdict and the doubts.

mod answer;
mod brief;
mod comparison;
mod determinations;
mod heading;
mod host;
mod job;
mod jobs;
mod latency_table;
mod named;
mod procedure;
mod report_tables;
mod response;
mod rounds;
mod self_check;
mod settled;
mod steps;
mod trailer;
mod verified;

pub use comparison::comparison;
pub use fathom_text::painted::Painted;
pub use fathom_text::style::Style;
pub use procedure::{ProcedureState, procedure};
pub use report_tables::standard_tables;

use answer::Extent;
use brief::{Jobs, Room};
use fathom_figures::metric::Columns;
use fathom_figures::{Row, rows, rows_of_clones};
use fathom_results::{Answer, RunResult};
use fathom_text::shown::line;

/// The most lines that a first screen takes of a large terminal, or of a file.
const HEIGHT_MAX: usize = 40;

/// A terminal of this many lines has room for every reason of a procedure.
const TALL: usize = 30;

/// Lines of a first screen: those of the terminal, less one for the line about the page and one for the prompt of the shell below
/// it.
fn lines(style: Style) -> usize {
    style.height.clamp(Style::PLAIN.height, HEIGHT_MAX) - 2
}

/// What a first screen takes away, one after the other, before it leaves out lines of its table. Each takes away what
/// those before it do, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    /// Nothing: every reason is told.
    Ample,
    /// Reasons have two lines each.
    Roomy,
    /// Clones of one job share a line.
    OfClones,
    /// Trust and limit have one line each, and a data sheet two.
    OfWords,
    /// The empty line, and the second line about the jobs of a user.
    OfEmpty,
    /// The notes of the table have one line.
    OfNotes,
    /// The target has one line.
    OfTarget,
    /// What the next command is good for.
    OfReasons,
}

impl Space {
    const ALL: [Space; 8] = [
        Space::Ample,
        Space::Roomy,
        Space::OfClones,
        Space::OfWords,
        Space::OfEmpty,
        Space::OfNotes,
        Space::OfTarget,
        Space::OfReasons,
    ];

    /// How much of each part of the answer is shown.
    fn extent(self) -> Extent {
        match self {
            Space::Ample => Extent::Ample,
            Space::Roomy | Space::OfClones => Extent::Brief,
            Space::OfWords | Space::OfEmpty | Space::OfNotes => Extent::Tight,
            Space::OfTarget => Extent::Tighter,
            Space::OfReasons => Extent::Tightest,
        }
    }
}

/// How a text is laid out: for which terminal, and with which columns of figures.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'c> {
    /// Width, colour and characters.
    pub style: Style,
    /// The columns that a person chose.
    pub columns: &'c Columns,
}

impl From<Style> for Layout<'static> {
    fn from(style: Style) -> Self {
        Layout { style, columns: Columns::USUAL }
    }
}

/// What is printed at the end of a run: the answer, a small table, where the run is saved. It has
/// two lines less than the terminal, 22 to 38, none longer than the style is wide. A run without an answer,
/// which nothing has judged yet, is printed as [`details`].
pub fn summary<'c>(run: &RunResult, layout: impl Into<Layout<'c>>) -> Painted {
    let layout = layout.into();
    let Some(answer) = &run.record.answer else { return details(run, layout) };
    let all = rows(run);
    let of_clones = rows_of_clones(run);
    let mut best: Option<Page> = None;
    for space in Space::ALL {
        let rows = if space <= Space::Roomy { &all } else { &of_clones };
        let page = page(run, answer, rows, space, layout);
        // The first of those that leave out the fewest lines.
        if best.as_ref().is_none_or(|best| page.left_out < best.left_out) {
            best = Some(page);
        }
        if best.as_ref().is_some_and(|best| best.left_out == 0) {
            break;
        }
    }
    layout.style.page(&best.map(|page| page.text).unwrap_or_default())
}

/// A first screen, and how many lines of its table are left out.
struct Page {
    text: String,
    left_out: usize,
}

fn page(run: &RunResult, answer: &Answer, rows: &[Row<'_>], space: Space, layout: Layout<'_>) -> Page {
    let style = layout.style;
    let extent = space.extent();
    let sheet = answer::sheet(run.record.datasheet.as_ref(), extent, style);
    let heading = answer::heading(run, style) + &jobs::jobs(run, rows, space >= Space::OfEmpty, layout);
    let settled = settled::settled(run, answer::LINES, style);
    let empty = if space >= Space::OfEmpty { "" } else { "\n" };
    let answer_text = answer::answer(&named::answer_of(run, answer), extent, style);
    let top =
        heading + &answer_text + &verified::verified(run, verified::NAMED, style) + &settled + &sheet + empty;
    let below = answer::saved(run, style);
    let kind = if run.record.procedure.is_some() { Jobs::OfProcedure } else { Jobs::OfUser };
    let left = lines(style).saturating_sub(top.lines().count() + below.text.lines().count());
    let room = Room { lines: left, has_one_note: space >= Space::OfNotes };
    let remarks: Vec<String> =
        answer.remarks.iter().map(|it| line(&fathom_words::remark(it)).into_owned()).collect();
    let table = brief::table(rows, kind, &remarks, room, layout);
    let mut text = [top, table.text, below.text].concat();
    let help = answer::help(run, style);
    if !below.has_topic && text.lines().count() < lines(style) {
        text += &help;
    }
    Page { text, left_out: table.left_out }
}

/// The whole answer with its evidence, and every row with all of its latencies, ended by a newline.
pub fn details<'c>(run: &RunResult, layout: impl Into<Layout<'c>>) -> Painted {
    let layout = layout.into();
    let style = layout.style;
    let rows = rows(run);
    let answer = run.record.answer.as_ref();
    let mut blocks = vec![heading::heading(run, style)];
    blocks.push(jobs::whole(run, style));
    blocks.extend(answer.map(|answer| answer::answer(&named::answer_of(run, answer), Extent::Whole, style)));
    blocks.push(verified::verified(run, usize::MAX, style));
    blocks.push(settled::settled(run, usize::MAX, style));
    blocks.push(answer::sheet(run.record.datasheet.as_ref(), Extent::Whole, style));
    blocks.extend(rows.iter().map(|row| job::block(run, row, layout)));
    blocks.push(trailer::disks(run, &rows, style));
    blocks.push(self_check::details(run, &rows, style));
    blocks.push(host::details(run, style));
    blocks.push(trailer::notes(run, style));
    blocks.push(trailer::events(run, style));
    blocks.push(trailer::judgement(run, style));
    blocks.push(trailer::files(run, style));
    blocks.retain(|block| !block.is_empty());
    style.page(&blocks.join("\n"))
}
