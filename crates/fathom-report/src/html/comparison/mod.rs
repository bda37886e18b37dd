//! The page of a comparison: the verdict, a forest plot, what differs, all figures, and the runs as
//! dots.

mod runs;
mod verdict;

use super::document;
use super::forest::{FIGURES_MAX, forest};
use super::markup::{element, escape};
use crate::comparison::{self, FigureUnit, figure_name, verdict_word};
use fathom_results::{ComparedFigure, ComparedSubject, Comparison, Difference, FigureVerdict};
use fathom_text::number::{change, change_interval, trimmed};
use fathom_text::shown::line;
use fathom_words::comparison as words;

/// Differences that are shown; the others are folded away.
const DIFFERENCES_SHOWN: usize = 8;

/// Characters of an id in the title.
const ID_SHOWN: usize = 6;

/// The whole document.
pub fn comparison_page(compared: &Comparison) -> String {
    let title = title(compared);
    let body = [
        header(compared, &title),
        verdict::verdict(compared),
        subjects(compared),
        differences(compared),
        forests(compared),
        figures(compared),
        runs::runs(compared),
        left_out(compared),
    ]
    .concat();
    document(&title, &body)
}

/// `after compared with before`; names that are the same have the beginnings of their ids with them.
fn title(compared: &Comparison) -> String {
    let subjects = compared.subjects.as_slice();
    let is_unique = |name: &str| subjects.iter().filter(|subject| subject.name == name).count() == 1;
    let named = |subject: &ComparedSubject| match &subject.id {
        Some(id) if !is_unique(&subject.name) => {
            let id: String = id.chars().take(ID_SHOWN).collect();
            format!("{} ({})", line(&subject.name), line(&id))
        }
        _ => line(&subject.name).into_owned(),
    };
    let names: Vec<String> = subjects.iter().map(named).collect();
    match names.split_first() {
        Some((baseline, others)) => format!("{} compared with {baseline}", others.join(", ")),
        None => String::new(),
    }
}

fn header(compared: &Comparison, title: &str) -> String {
    let is_same_target = compared.subjects.iter().all(|s| s.targets == compared.subjects[0].targets);
    let target = words::targets(&compared.subjects[0]).filter(|_| is_same_target);
    let on = target.map(|target| format!("<p class=\"host\">{}</p>\n", escape(&line(&target))));
    format!(
        "<header>\n<p class=\"kicker\">fathom storage measurement · comparison</p>\n<h1>{}</h1>\n{}</header>\n",
        escape(title),
        on.unwrap_or_default()
    )
}

fn subjects(compared: &Comparison) -> String {
    let row = |subject: &ComparedSubject| {
        format!(
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
            escape(&subject.letter),
            escape(&comparison::subject(subject))
        )
    };
    let rows: String = compared.subjects.iter().map(row).collect::<String>() + &workloads(compared);
    format!(
        "<section>\n<h2>What is compared</h2>\n<table class=\"pairs\">\n<tbody>\n{rows}</tbody>\n</table>\n</section>\n"
    )
}

/// What the jobs do, where it is known of all.
fn workloads(compared: &Comparison) -> String {
    let row = |(letter, workload): (Option<&str>, String)| {
        let of = letter.map(|letter| format!(" of {}", escape(letter))).unwrap_or_default();
        format!("<tr><th scope=\"row\">jobs{of}</th><td>{}</td></tr>\n", escape(&line(&workload)))
    };
    comparison::workloads(compared).into_iter().map(row).collect()
}

/// What differs between the machines and the jobs: a difference of the figures may come from it.
fn differences(compared: &Comparison) -> String {
    let letters: String =
        compared.subjects.iter().map(|s| format!("<th scope=\"col\">{}</th>", escape(&s.letter))).collect();
    let row = |difference: &Difference| {
        let value =
            |value: &Option<String>| element("td", &comparison::shown_value(difference.of, value.as_deref()));
        let values: String = difference.values.iter().map(value).collect();
        format!("<tr><th scope=\"row\">{}</th>{values}</tr>\n", escape(&comparison::differing(difference)))
    };
    let table = |differences: &[Difference]| {
        let rows: String = differences.iter().map(row).collect();
        format!(
            "<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">Property</th>{letters}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        )
    };
    let all = compared.differences.as_slice();
    let known = compared.subjects.iter().filter(|subject| subject.id.is_some()).count();
    let body = match all.split_at(all.len().min(DIFFERENCES_SHOWN)) {
        ([], _) if known < 2 => return String::new(),
        ([], _) => {
            "<p>Nothing that fathom records differs between the jobs, the targets and the machines.</p>\n"
                .to_owned()
        }
        (first, []) => table(first),
        (first, rest) => {
            table(first) + &super::markup::folded(&format!("{} more differences", rest.len()), &table(rest))
        }
    };
    format!("<section>\n<h2>What differs</h2>\n{body}</section>\n")
}

fn forests(compared: &Comparison) -> String {
    let plots =
        (1..compared.subjects.len()).map(|place| forest(&compared.figures, &compared.subjects, place));
    let plots: String = plots.filter(|plot| !plot.is_empty()).collect();
    if plots.is_empty() {
        return plots;
    }
    let more = match compared.figures.len().saturating_sub(FIGURES_MAX) {
        0 => String::new(),
        more => format!(" {more} more figures are in the table below."),
    };
    let note = bands(compared) + &more;
    format!(
        "<section>\n<h2>How large the differences are</h2>\n<figure class=\"forest\">\n{plots}</figure>\n<p class=\"note\">Right of \"equal\" the value is higher. That is better for rates, and worse for latencies and CPU time. {note}</p>\n</section>\n"
    )
}

/// What the grey band, the lines and the colours mean.
fn bands(compared: &Comparison) -> String {
    let is_percentile = |metric: &str| {
        metric.strip_prefix('p').is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
    };
    let tolerance = |of_percentiles: bool| {
        let mut figures = compared.figures.iter();
        let figure = figures.find(|figure| is_percentile(&figure.metric) == of_percentiles)?;
        Some(figure.against.first()?.tolerance)
    };
    let (rates, percentiles) = (tolerance(false), tolerance(true));
    let percent = |share: f64| trimmed(100.0 * share, 3);
    let wide = match (rates, percentiles) {
        (Some(rates), Some(percentiles)) if rates != percentiles => {
            format!("±{} %, for percentiles ±{} %", percent(rates), percent(percentiles))
        }
        (rates, percentiles) => format!("±{} %", percent(rates.or(percentiles).unwrap_or(0.0))),
    };
    format!(
        "Where the whole line lies inside the grey band ({wide}), the figures count as the same. If a line crosses \
         \"equal\", the difference may be chance. Among many figures, a figure can be unclear although its line does not cross it. The scale is logarithmic. Green is better, red is worse, brown \
         is unclear, grey is the same."
    )
}

/// Every figure with its values.
fn figures(compared: &Comparison) -> String {
    if compared.figures.is_empty() {
        return String::new();
    }
    let first = &compared.subjects[0].letter;
    let others = compared.subjects[1..].iter().map(|subject| {
        let letter = escape(&subject.letter);
        format!("<th scope=\"col\">{letter}</th><th scope=\"col\">{letter} vs {}<small>95 % interval</small></th><th scope=\"col\">Verdict</th>", escape(first))
    });
    let rows: String = compared.figures.iter().map(figure).collect();
    format!(
        "<section>\n<h2>Figures</h2>\n<div class=\"wide\"><table class=\"results\">\n<thead><tr><th scope=\"col\">Figure</th><th scope=\"col\">{}</th>{}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n</section>\n",
        escape(first),
        others.collect::<String>()
    )
}

fn figure(figure: &ComparedFigure) -> String {
    let unit = FigureUnit::of(figure);
    let value = |place: usize| {
        let values = &figure.values[place];
        format!("<td>{}</td>", unit.cell(values.value))
    };
    let others = figure.against.iter().enumerate().map(|(at, against)| {
        let range = against.interval.map_or("no interval".to_owned(), change_interval);
        let class = match against.verdict {
            FigureVerdict::Better => "good",
            FigureVerdict::Worse => "bad",
            _ => "soft",
        };
        let needed = words::needed(against).map(|n| format!("<small>{n}</small>")).unwrap_or_default();
        format!(
            "{}<td>{}<small>{range}</small></td><td class=\"word {class}\">{}{needed}</td>",
            value(at + 1),
            against.ratio.map_or("-".to_owned(), change),
            verdict_word(against.verdict)
        )
    });
    format!(
        "<tr><th scope=\"row\">{}<small>{}</small></th>{}{}</tr>\n",
        escape(&figure_name(figure)),
        escape(&line(&figure.job)),
        value(0),
        others.collect::<String>()
    )
}

fn left_out(compared: &Comparison) -> String {
    let each: String =
        compared.left_out.iter().map(|left| element("li", &line(&words::left_out(left)))).collect();
    if each.is_empty() {
        return each;
    }
    format!("<section>\n<h2>What cannot be compared</h2>\n<ul>\n{each}</ul>\n</section>\n")
}
