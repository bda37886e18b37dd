//! A comparison on the terminal: the verdict, who is compared, what differs, and a line for each
//! figure.

use super::answer::part;
use super::steps::steps;
use crate::comparison::{self, FigureUnit, figure_name, verdict_word};
use fathom_results::{Against, ComparedFigure, Comparison, FigureVerdict};
use fathom_text::cell;
use fathom_text::number::{change, change_interval};
use fathom_text::painted::Painted;
use fathom_text::shown::line;
use fathom_text::style::Style;
use fathom_text::table::widths;
use fathom_words::comparison as words;

/// Of what differs and of what is left out, so many lines are shown without `--details`.
const SHOWN: usize = 5;

/// Below this width the interval of the ratio has no room.
const INTERVAL_FROM: usize = 84;

/// The comparison; all of it with `has_details`.
pub fn comparison(compared: &Comparison, has_details: bool, style: Style) -> Painted {
    let most = if has_details { usize::MAX } else { SHOWN };
    let plain = |label: &str, text: &str| part(label, text, usize::MAX, style, str::to_owned);
    let headline = words::headline(compared);
    let headline = &line(&headline);
    let mut text = match words::not_shown(compared) {
        Some((says, because)) => {
            let says = part("result", &line(&says), usize::MAX, style, |l| style.bad(l));
            says + &plain("", &because) + &plain("figures", headline)
        }
        None => part("result", headline, usize::MAX, style, |l| style.strong(l)),
    };
    for subject in &compared.subjects {
        text += &plain(&subject.letter, &comparison::subject(subject));
    }
    for (letter, workload) in comparison::workloads(compared) {
        // `jobs of A` would be as wide as the column of labels.
        let label = letter.map_or("jobs".to_owned(), |letter| format!("jobs {letter}"));
        text += &plain(&label, &workload);
    }
    let differs = compared.differences.iter().map(|d| comparison::difference(d, &compared.subjects));
    text += &list("differs", differs.collect(), most, style);
    text += &list("trust", words::doubts(compared), usize::MAX, style);
    let left_out = compared.left_out.iter().map(words::left_out);
    text += &list("left out", left_out.collect(), most, style);
    text += &steps(words::steps(compared).iter(), style);
    for place in 1..compared.subjects.len() {
        text += "\n";
        text += &table(compared, place, style);
    }
    let has_runs = compared.figures.iter().flat_map(|figure| &figure.values).any(|one| one.values.len() > 1);
    let has_percentiles =
        compared.figures.iter().any(|figure| figure.unit == "ns" && figure.metric.starts_with('p'));
    if has_runs && has_percentiles {
        text += &(style.faint("percentiles: median of the runs; others: their mean") + "\n");
    }
    style.page(&text)
}

/// Some lines, the first with a label.
fn list(label: &str, lines: Vec<String>, most: usize, style: Style) -> String {
    let more = lines.len().saturating_sub(most);
    let mut text = String::new();
    for (at, told) in lines.iter().take(most).enumerate() {
        text += &part(if at == 0 { label } else { "" }, &line(told), usize::MAX, style, str::to_owned);
    }
    if more > 0 {
        text += &part("", &format!("and {more} more, with --details"), 1, style, |l| style.faint(l));
    }
    text
}

/// A line of the table.
enum Line<'a> {
    Head([String; 6]),
    Job(&'a str),
    Figure([String; 6], FigureVerdict),
}

impl Line<'_> {
    fn cells(&self) -> Option<&[String; 6]> {
        match self {
            Line::Head(cells) | Line::Figure(cells, _) => Some(cells),
            Line::Job(_) => None,
        }
    }
}

/// One subject beside the baseline.
fn table(compared: &Comparison, place: usize, style: Style) -> String {
    let (from, to) = (&compared.subjects[0].letter, &compared.subjects[place].letter);
    let ratio = format!("{to} vs {from}");
    let mut lines = vec![Line::Head(["", from, to, &ratio, "95 % interval", ""].map(str::to_owned))];
    let mut job = "";
    for figure in &compared.figures {
        if figure.job != job {
            job = &figure.job;
            lines.push(Line::Job(job));
        }
        let against = &figure.against[place - 1];
        lines.push(Line::Figure(cells(figure, against, place, !job.is_empty()), against.verdict));
    }
    let widths = widths(lines.iter().filter_map(Line::cells).map(|cells| cells.as_slice()));
    lines.iter().map(|line| rendered(line, &widths, style)).collect()
}

fn cells(figure: &ComparedFigure, against: &Against, place: usize, is_indented: bool) -> [String; 6] {
    let unit = FigureUnit::of(figure);
    let name = figure_name(figure);
    let verdict = match words::needed(against) {
        Some(needed) => format!("{}: {needed}", verdict_word(against.verdict)),
        None => verdict_word(against.verdict).to_owned(),
    };
    [
        if is_indented { format!("  {name}") } else { name },
        unit.cell(figure.values[0].value),
        unit.cell(figure.values[place].value),
        against.ratio.map_or("-".to_owned(), change),
        against.interval.map_or("-".to_owned(), change_interval),
        verdict,
    ]
}

fn rendered(of: &Line<'_>, widths: &[usize], style: Style) -> String {
    let (cells, verdict) = match of {
        Line::Job(job) => return format!("{}\n", style.strong(&line(job))),
        Line::Head(cells) => (cells, None),
        Line::Figure(cells, verdict) => (cells, Some(verdict)),
    };
    let columns = if style.width >= INTERVAL_FROM { 1..5 } else { 1..4 };
    let mut text = cell::left(&cells[0], widths[0]);
    for column in columns {
        text += &format!("  {}", cell::right(&cells[column], widths[column]));
    }
    let Some(verdict) = verdict else {
        return format!("{}\n", style.faint(text.trim_end()));
    };
    let room = style.width.saturating_sub(text.chars().count() + 2);
    let word = if cells[5].chars().count() > room { verdict_word(*verdict) } else { &cells[5] };
    let painted = match verdict {
        FigureVerdict::Better => style.good(word),
        FigureVerdict::Worse => style.bad(word),
        FigureVerdict::Unknown { .. } => style.careful(word),
        FigureVerdict::Same => word.to_owned(),
    };
    format!("{text}  {painted}\n")
}
