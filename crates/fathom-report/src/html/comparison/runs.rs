//! Each run of the figures as a dot.

use super::super::forest::{FIGURES_MAX, dots};
use super::super::markup::folded;
use fathom_results::Comparison;

/// Figures whose runs are drawn as dots.
const DOTS_MAX: usize = 12;

/// The runs as dots: of each job the first figures, and the others behind a fold.
pub(super) fn runs(compared: &Comparison) -> String {
    let mut jobs: Vec<&str> = compared.figures.iter().map(|figure| figure.job.as_str()).collect();
    jobs.dedup();
    let of_each = (DOTS_MAX / jobs.len().max(1)).max(1);
    let is_first = |at: usize| {
        let job = &compared.figures[at].job;
        compared.figures[..at].iter().filter(|it| it.job == *job).count() < of_each
    };
    let drawn = compared.figures.iter().enumerate().take(FIGURES_MAX);
    let drawn = drawn.map(|(at, figure)| (is_first(at), dots(figure, &compared.subjects)));
    let drawn: Vec<(bool, String)> = drawn.filter(|(_, svg)| !svg.is_empty()).collect();
    if drawn.is_empty() {
        return String::new();
    }
    let of = |is_wanted: bool| -> Vec<&str> {
        drawn.iter().filter(|(is_first, _)| *is_first == is_wanted).map(|(_, svg)| svg.as_str()).collect()
    };
    let strips = |those: &[&str]| {
        let each: String =
            those.iter().map(|svg| format!("<figure class=\"strip\">\n{svg}</figure>\n")).collect();
        format!("<div class=\"charts\">\n{each}</div>\n")
    };
    let (mut first, mut rest) = (of(true), of(false));
    rest.splice(..0, first.split_off(first.len().min(DOTS_MAX)));
    let (count, all) = (first.len(), compared.figures.len());
    let heading =
        if count == all { "Each run".to_owned() } else { format!("Each run: {count} of the {all} figures") };
    let folded = match rest.len() {
        0 => String::new(),
        n => folded(&format!("Each run: {n} more figures"), &strips(&rest)),
    };
    let undrawn = all - drawn.len();
    let elsewhere = match undrawn {
        0 => String::new(),
        n => format!(" {n} figures are not drawn; fathom compare with --json has every run of all of them."),
    };
    format!(
        "<section>\n<h2>{heading}</h2>\n{}<p class=\"note\">A dot is a run. The upright line is the value in the table: the mean of the runs, or the median for percentiles. The two numbers are the ends of the scale, which does not begin at 0.{elsewhere}</p>\n{folded}</section>\n",
        strips(&first)
    )
}
