//! A comparison on the terminal: the verdict, who is compared, what differs, and a line for each
//! figure.

use super::answer::part;
use crate::comparison::{self, FigureUnit, change, figure_name, interval, needed, verdict_word};
use fathom_results::{Against, ComparedFigure, Comparison, FigureVerdict};
use fathom_text::painted::Painted;
use fathom_text::shown::line;
use fathom_text::style::Style;

/// Of what differs and of what is left out, so many lines are shown without `--details`.
const SHOWN: usize = 5;

/// Below this width the interval of the ratio has no room.
const INTERVAL_FROM: usize = 84;

/// The comparison; all of it with `has_details`.
pub fn comparison(compared: &Comparison, has_details: bool, style: Style) -> Painted {
    let most = if has_details { usize::MAX } else { SHOWN };
    let plain = |label: &str, text: &str| part(label, text, usize::MAX, style, str::to_owned);
    let mut text = part("result", &line(&compared.verdict.headline), usize::MAX, style, |l| style.strong(l));
    for subject in &compared.subjects {
        text += &plain(&subject.letter, &comparison::subject(subject));
    }
    let differs = compared.differences.iter().map(|d| comparison::difference(d, &compared.subjects));
    text += &list("differs", differs.collect(), most, style);
    text += &list("trust", compared.verdict.distrust.clone(), usize::MAX, style);
    let left_out = compared.left_out.iter().map(|left| format!("{}: {}", left.what, left.reason));
    text += &list("left out", left_out.collect(), most, style);
    for place in 1..compared.subjects.len() {
        text += "\n";
        text += &table(compared, place, style);
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

/// One subject beside the baseline.
fn table(compared: &Comparison, place: usize, style: Style) -> String {
    let (from, to) = (&compared.subjects[0].letter, &compared.subjects[place].letter);
    let headings = [
        "".to_owned(),
        from.clone(),
        to.clone(),
        format!("{to} to {from}"),
        "95 % interval".to_owned(),
        String::new(),
    ];
    let mut rows: Vec<(bool, [String; 6], Option<&Against>)> = vec![(true, headings, None)];
    let mut job = "";
    for figure in &compared.figures {
        if figure.job != job {
            job = &figure.job;
            let name = line(job).into_owned();
            rows.push((
                true,
                [name, String::new(), String::new(), String::new(), String::new(), String::new()],
                None,
            ));
        }
        let against = &figure.against[place - 1];
        rows.push((false, cells(figure, against, place, !job.is_empty()), Some(against)));
    }
    let has_interval = style.width >= INTERVAL_FROM;
    let width = |column: usize| {
        rows.iter()
            .map(|(is_head, row, _)| if *is_head && column == 0 { 0 } else { row[column].chars().count() })
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..6).map(width).collect();
    rows.iter()
        .map(|(is_head, row, against)| rendered(row, *is_head, *against, &widths, has_interval, style))
        .collect()
}

fn cells(figure: &ComparedFigure, against: &Against, place: usize, is_indented: bool) -> [String; 6] {
    let unit = FigureUnit::of(figure);
    let name = figure_name(figure);
    let verdict = match needed(against) {
        Some(needed) => format!("{}: {needed}", verdict_word(against.verdict)),
        None => verdict_word(against.verdict).to_owned(),
    };
    [
        if is_indented { format!("  {name}") } else { name },
        unit.cell(figure.values[0].value),
        unit.cell(figure.values[place].value),
        against.ratio.map_or("-".to_owned(), change),
        against.interval.map_or("-".to_owned(), interval),
        verdict,
    ]
}

fn rendered(
    row: &[String; 6],
    is_head: bool,
    against: Option<&Against>,
    widths: &[usize],
    has_interval: bool,
    style: Style,
) -> String {
    let is_job = is_head && !row[0].is_empty();
    if is_job {
        return format!("{}\n", style.strong(&row[0]));
    }
    let mut text = format!("{:<1$}", row[0], widths[0]);
    for column in 1..5 {
        if column < 4 || has_interval {
            text += &format!("  {:>1$}", row[column], widths[column]);
        }
    }
    if is_head {
        return format!("{}\n", style.faint(text.trim_end()));
    }
    let room = style.width.saturating_sub(text.chars().count() + 2);
    let verdict: String = if row[5].chars().count() > room {
        row[5].split(':').next().unwrap_or_default().to_owned()
    } else {
        row[5].clone()
    };
    let painted = match against.map(|against| against.verdict) {
        Some(FigureVerdict::Better) => style.good(&verdict),
        Some(FigureVerdict::Worse) => style.bad(&verdict),
        Some(FigureVerdict::Unknown { .. }) => style.careful(&verdict),
        _ => verdict,
    };
    format!("{text}  {painted}\n")
}
