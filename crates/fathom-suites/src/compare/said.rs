//! What a comparison says, in sentences.

use super::next::RUNS_MAX;
use super::subject::Subject;
use crate::quantity::listed;
use fathom_results::{
    Against, Basis, ComparedFigure, ComparedSubject, Comparison, FigureVerdict, TrustLevel, Verdict,
};
use fathom_text::number;
use std::collections::BTreeSet;

/// Subjects are uneven if shares of their runs with the same disturbance differ by this.
const UNEVEN: f64 = 0.5;

/// The verdict over all figures.
pub(super) fn verdict(comparison: &Comparison, uneven: Vec<String>) -> Verdict {
    let rest = 1..comparison.subjects.len();
    let headlines: Vec<String> = rest.map(|place| headline(comparison, place)).collect();
    Verdict {
        headline: headlines.join(" "),
        limits: Vec::new(),
        distrust: [uneven, distrust(comparison)].concat(),
    }
}

/// What is found of one subject.
fn headline(comparison: &Comparison, place: usize) -> String {
    let letter = &named(&comparison.subjects[place]);
    let (baseline, figures) = (&comparison.subjects[0].letter, &comparison.figures);
    let of = |wanted: fn(FigureVerdict) -> bool| -> Vec<&ComparedFigure> {
        figures.iter().filter(|figure| wanted(figure.against[place - 1].verdict)).collect()
    };
    let better = of(|verdict| verdict == FigureVerdict::Better);
    let worse = of(|verdict| verdict == FigureVerdict::Worse);
    let same = of(|verdict| verdict == FigureVerdict::Same);
    let all = figures.len();
    if all == 0 {
        return format!("{letter} and {baseline} have no figure that can be compared.");
    }
    let told = |figures: &[&ComparedFigure]| {
        let told: Vec<String> = figures.iter().map(|figure| change(figure, place)).collect();
        listed(&told)
    };
    let unknown = all - better.len() - worse.len() - same.len();
    if unknown == all {
        return format!("{letter}: {}", cannot_tell(figures, place));
    }
    let found = [("better", &better), ("worse", &worse), ("the same", &same)];
    let mut parts = Vec::new();
    for (word, of) in found.into_iter().filter(|(_, of)| !of.is_empty()) {
        let count = if parts.is_empty() { first_count(of.len(), all) } else { of.len().to_string() };
        let changes = if word == "the same" { String::new() } else { format!(" ({})", told(of)) };
        parts.push(format!("{word} in {count}{changes}"));
    }
    let unknown = match unknown {
        0 => String::new(),
        1 => format!("; 1 is unclear ({})", told(&of(is_unclear))),
        2 => format!("; 2 are unclear ({})", told(&of(is_unclear))),
        n => format!("; {n} are unclear"),
    };
    format!("{letter} is {}{unknown}.", parts.join(", "))
}

/// `B (with-bfq)`: the letter, and the name where it says more.
fn named(subject: &ComparedSubject) -> String {
    let ComparedSubject { letter, name, .. } = subject;
    if name.is_empty() || name.eq_ignore_ascii_case(letter) {
        letter.clone()
    } else {
        format!("{letter} ({name})")
    }
}

fn is_unclear(verdict: FigureVerdict) -> bool {
    matches!(verdict, FigureVerdict::Unknown { .. })
}

/// `1 of 6 figures`.
fn first_count(n: usize, all: usize) -> String {
    match (n, all) {
        (1, 1) => "the only figure".to_owned(),
        (2, 2) => "both figures".to_owned(),
        (n, all) if n == all => format!("all {all} figures"),
        _ => format!("{n} of {all} figures"),
    }
}

/// `randread IOPS +12 %`.
fn change(figure: &ComparedFigure, place: usize) -> String {
    let name = figure_name(figure);
    match figure.against[place - 1].ratio {
        Some(ratio) => format!("{name} {}", number::change(ratio)),
        // Nothing is a multiple of 0.
        None => {
            let value = |place: usize| number::prefixed(figure.values[place].value, "");
            format!("{name} from {} to {}", value(0), value(place))
        }
    }
}

fn figure_name(figure: &ComparedFigure) -> String {
    [figure.job.as_str(), figure.metric.as_str()].join(" ").trim().to_owned()
}

/// The changes all the same, because a person wants to see them.
fn cannot_tell(figures: &[ComparedFigure], place: usize) -> String {
    let changes: Vec<String> = figures.iter().map(|figure| change(figure, place)).collect();
    let needed = figures.iter().filter_map(|figure| match figure.against[place - 1].verdict {
        FigureVerdict::Unknown { runs_needed } => runs_needed,
        _ => None,
    });
    let needed: Vec<u32> = needed.filter(|runs| *runs <= RUNS_MAX).collect();
    let why = match needed.iter().max() {
        Some(runs) if needed.len() == figures.len() => format!("About {runs} runs of each would tell."),
        Some(runs) => format!("About {runs} runs of each would tell {} of them.", needed.len()),
        None => "There are too few runs, or they vary too much.".to_owned(),
    };
    format!("{}, but it cannot be told whether that is chance. {why}", listed(&changes))
}

/// What disturbed some of the subjects and not the others: a difference of the figures may come from it.
pub(super) fn uneven(subjects: &[Subject]) -> Vec<String> {
    let codes: BTreeSet<&String> = subjects.iter().flat_map(|subject| subject.taints.keys()).collect();
    let told = |code: &String| {
        // Subjects of which no rule can know anything do not count.
        let judged = || subjects.iter().filter(|subject| subject.about.trust.is_some());
        let found = |subject: &Subject| subject.taints.get(code).map_or(0, |tainted| tainted.runs);
        let share = |subject: &Subject| f64::from(found(subject)) / f64::from(subject.about.runs.max(1));
        let (low, high) = judged().map(share).fold((1.0_f64, 0.0_f64), |(l, h), s| (l.min(s), h.max(s)));
        let message = subjects.iter().find_map(|subject| subject.taints.get(code)).map(|it| &it.message)?;
        let each = judged().map(|subject| {
            format!("{} in {} of {} runs", subject.about.letter, found(subject), subject.about.runs)
        });
        let each = each.collect::<Vec<_>>().join(", ");
        (high - low >= UNEVEN).then(|| format!("The differences may have another cause: {message} ({each})"))
    };
    codes.into_iter().filter_map(told).collect()
}

/// The trust in each subject; those with the same doubt share a sentence.
fn doubts(subjects: &[ComparedSubject]) -> Vec<String> {
    let mut shared: Vec<(String, Vec<&str>)> = Vec::new();
    for subject in subjects {
        let level = subject.trust.filter(|level| *level < TrustLevel::High);
        let (Some(level), Some(why)) = (level, subject.doubts.first()) else { continue };
        let said = format!("{} trust: {why}", level.name());
        match shared.iter_mut().find(|(known, _)| *known == said) {
            Some((_, letters)) => letters.push(&subject.letter),
            None => shared.push((said, vec![&subject.letter])),
        }
    }
    shared.iter().map(|(said, letters)| format!("{}: {said}", letters.join(" and "))).collect()
}

/// Is the interval clear of 1, while the figure is unclear because many figures are compared?
fn is_unclear_by_number(against: &Against) -> bool {
    let is_clear = against.interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0);
    is_clear && matches!(against.verdict, FigureVerdict::Unknown { .. })
}

/// Why the comparison needs care.
fn distrust(comparison: &Comparison) -> Vec<String> {
    let mut said = doubts(&comparison.subjects);
    let against = || comparison.figures.iter().flat_map(|figure| &figure.against);
    if against().any(|against| against.basis == Basis::Within) {
        said.push(
            "Where there is one run only, the interval shows only how much the figure varied within it. \
             How much they vary from run to run is not known. To measure that: fathom run --repeat 5"
                .to_owned(),
        );
    }
    if against().any(is_unclear_by_number) {
        said.push(format!(
            "{} figures are compared: even if nothing had changed, about one in 20 would seem to differ. So a difference needs more evidence \
             than its own 95 % interval: a figure can be unclear although its interval leaves out 0 %.",
            comparison.figures.len()
        ));
    }
    if against().any(|against| against.basis == Basis::Nothing) {
        let figures = comparison.figures.iter();
        let without = figures.filter(|figure| figure.against.iter().any(|one| one.basis == Basis::Nothing));
        let names: Vec<String> = without.map(figure_name).collect();
        said.push(format!(
            "No conclusion for {}: an interval needs at least three runs of each that do not vary too much.",
            listed(&names)
        ));
    }
    said
}
