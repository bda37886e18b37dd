//! What a comparison says, in sentences.

use super::doubt::Doubt;
use super::next::RUNS_MAX;
use super::settings::is_one_machine;
use super::subject::{Subject, SubjectFigure};
use fathom_results::{
    Against, Basis, ComparedFigure, ComparedSubject, Comparison, ComparisonVerdict, FigureVerdict, TrustLevel,
};
use fathom_text::number;
use fathom_text::quantity::listed;
use fathom_words::capital;

/// The verdict over all figures; `also` is what else needs care, the most serious first.
pub(super) fn verdict(comparison: &Comparison, subjects: &[Subject], also: Vec<String>) -> ComparisonVerdict {
    let rest = 1..comparison.subjects.len();
    let headlines = rest.map(|place| headline(comparison, place));
    let headlines: Vec<String> = gaps(comparison).into_iter().chain(headlines).collect();
    ComparisonVerdict {
        headline: headlines.join(" "),
        distrust: [
            also,
            ordered(comparison, subjects),
            doubts(subjects),
            fallen(comparison, subjects),
            distrust(comparison),
            order(subjects),
        ]
        .concat(),
    }
}

/// What is not whole, before what the rest says: a suite of which a cell failed is not the same as another one.
fn gaps(comparison: &Comparison) -> Vec<String> {
    let baseline = &named(&comparison.subjects[0]);
    let gap = |subject: &ComparedSubject| {
        let who = named(subject);
        match (subject.incomplete.as_slice(), subject.missing.as_slice()) {
            ([], []) => None,
            ([], [only]) => Some(format!("{who} has no figure of {only}, which {baseline} has.")),
            ([], several) => Some(format!(
                "{who} has no figure of {} jobs that {baseline} has ({}).",
                several.len(),
                listed(several)
            )),
            (clauses, _) => Some(format!("{who} is incomplete: {}.", clauses.join("; "))),
        }
    };
    let not_alike = |subject: &ComparedSubject| {
        let jobs = &subject.not_alike;
        (!jobs.is_empty()).then(|| {
            format!("No figure of {} of {} can be compared with {baseline}.", listed(jobs), named(subject))
        })
    };
    let subjects = comparison.subjects.iter();
    subjects.flat_map(|subject| [gap(subject), not_alike(subject)]).flatten().collect()
}

/// What is found of one subject.
fn headline(comparison: &Comparison, place: usize) -> String {
    let letter = &named(&comparison.subjects[place]);
    let (baseline, figures) = (&named(&comparison.subjects[0]), &comparison.figures);
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
        let said = cannot_tell(&of(is_unclear), place);
        return format!("It cannot be told whether {letter} differs from {baseline}: {said}");
    }
    if better.is_empty() && worse.is_empty() && unknown > 0 {
        let is = if same.len() == 1 { "is" } else { "are" };
        let same = format!("{} {is}", first_count(same.len(), all));
        let said = cannot_tell(&of(is_unclear), place);
        return format!(
            "It is not shown that {letter} differs from {baseline}: {same} the same, and {unknown} may or may not differ: {said}"
        );
    }
    let found = [("better", "than", &better), ("worse", "than", &worse), ("the same", "as", &same)];
    let mut parts = Vec::new();
    // That none is worse is told too: nobody should look for those that are.
    let is_told = |(word, _, of): &(&str, &str, &Vec<_>)| {
        !of.is_empty() || *word == "worse" && (1..all).contains(&better.len())
    };
    for (word, than, of) in found.into_iter().filter(is_told) {
        let changes =
            if word == "the same" || of.is_empty() { String::new() } else { format!(" ({})", told(of)) };
        let count = if of.is_empty() { "none".to_owned() } else { of.len().to_string() };
        parts.push(match parts.is_empty() {
            true => format!("{word} {than} {baseline} in {}{changes}", first_count(of.len(), all)),
            false => format!("{word} in {count}{changes}"),
        });
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
pub(super) fn named(subject: &ComparedSubject) -> String {
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

/// The changes all the same, because a person wants to see them: those for which most speaks first.
fn cannot_tell(figures: &[&ComparedFigure], place: usize) -> String {
    let mut figures = figures.to_vec();
    let chance = |figure: &&ComparedFigure| figure.against[place - 1].p_value.unwrap_or(1.0);
    figures.sort_by(|a, b| chance(a).total_cmp(&chance(b)));
    let changes: Vec<String> = figures.iter().map(|figure| change(figure, place)).collect();
    let needed = figures.iter().filter_map(|figure| match figure.against[place - 1].verdict {
        FigureVerdict::Unknown { runs_needed } => runs_needed,
        _ => None,
    });
    let needed: Vec<u32> = needed.filter(|runs| *runs <= RUNS_MAX).collect();
    let why = match needed.iter().max() {
        Some(runs) if needed.len() == figures.len() => format!("About {runs} runs of each would decide it."),
        Some(runs) => format!("About {runs} runs of each would decide {} of them.", needed.len()),
        None => "There are too few runs, or they vary too much.".to_owned(),
    };
    format!("{} may be chance. {why}", listed(&changes))
}

/// The level of trust, the reason, and the cells that it is of.
type Said<'a> = (&'a str, &'a str, String);

/// The trust in each subject, with the first of the reasons for the lowest trust of its runs; those with the same doubt
/// share a sentence.
fn doubts(subjects: &[Subject]) -> Vec<String> {
    let mut shared: Vec<(Said<'_>, Vec<&Subject>)> = Vec::new();
    for subject in subjects {
        let level = subject.about.trust.filter(|level| *level < TrustLevel::High);
        let (Some(level), Some(doubt)) = (level, subject.doubts.first()) else { continue };
        let said = (level.name(), doubt.why.as_str(), place(subject, doubt));
        match shared.iter_mut().find(|(known, _)| *known == said) {
            Some((_, of)) => of.push(subject),
            None => shared.push((said, vec![subject])),
        }
    }
    let told = |((level, why, place), of): &(Said<'_>, Vec<&Subject>)| {
        let letters: Vec<&str> = of.iter().map(|subject| subject.about.letter.as_str()).collect();
        let is_even = of.len() == subjects.len() && of.iter().all(|subject| subject.is_no_disk);
        let even = if is_even { " alike, which gives no side an advantage" } else { "" };
        format!("{} trust in {}{place}{even}: {why}", capital(level), letters.join(" and "))
    };
    shared.iter().map(told).collect()
}

/// Of which subjects a rate is the one that lasted after a fall, and not the mean of the run.
fn fallen(comparison: &Comparison, subjects: &[Subject]) -> Vec<String> {
    let told = |subject: &Subject| {
        let is_compared =
            |figure: &&SubjectFigure| comparison.figures.iter().any(|row| row.job == figure.key.place());
        let mut jobs: Vec<String> = Vec::new();
        let fell = subject.figures.iter().filter(|figure| figure.fallen > 0 && figure.metric.is_rate());
        let mut runs = (0, 0);
        for figure in fell.filter(is_compared) {
            runs = runs.max((figure.fallen, figure.values.len()));
            if !jobs.contains(&figure.key.job) {
                jobs.push(figure.key.job.clone());
            }
        }
        (!jobs.is_empty()).then(|| {
            let when = match runs {
                (1, 1) => "during the run".to_owned(),
                (fell, all) => format!("in {fell} of {all} runs"),
            };
            let letter = &subject.about.letter;
            format!(
                "The rate of {} of {letter} fell {when}: the rate that lasted is compared there.",
                listed(&jobs)
            )
        })
    };
    subjects.iter().filter_map(told).collect()
}

/// ` in the cell read depth=8`; empty where all cells have the doubt.
fn place(subject: &Subject, doubt: &Doubt) -> String {
    match doubt.cells.as_slice() {
        cells if cells.len() >= subject.cells.len() => String::new(),
        [only] => format!(" in the cell {only}"),
        cells => format!(" in {} of {} cells ({})", cells.len(), subject.cells.len(), listed(cells)),
    }
}

/// Is the interval clear of 1, while the figure is unclear because many figures are compared?
fn is_unclear_by_number(against: &Against) -> bool {
    let is_clear = against.interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0);
    is_clear && matches!(against.verdict, FigureVerdict::Unknown { .. })
}

/// That the runs of a set depend on their order. Sets that were measured in turn drift alike.
fn ordered(comparison: &Comparison, subjects: &[Subject]) -> Vec<String> {
    let in_turn = |subject: &Subject| {
        let of = &subject.in_turn;
        of.is_some() && subjects.iter().all(|other| other.in_turn == *of)
    };
    let told = |(place, subject): (usize, &Subject)| {
        let of = |figure: &'_ ComparedFigure| figure.values[place].order_p_value;
        let found: Vec<&ComparedFigure> =
            comparison.figures.iter().filter(|figure| of(figure).is_some()).collect();
        let chance = found.iter().filter_map(|figure| of(figure)).reduce(f64::min)?;
        let names: Vec<String> = found.iter().map(|figure| figure_name(figure)).collect();
        Some(format!(
            "The runs of {} depend on their order, as with a drift or in blocks ({}; by chance in {} of 100 sets): a difference \
             between sets that were not measured in turn may be that.",
            subject.about.letter,
            listed(&names),
            number::three(100.0 * chance),
        ))
    };
    let apart = subjects.iter().enumerate().filter(|(_, subject)| !in_turn(subject));
    apart.filter_map(told).collect()
}

/// That runs of one machine were not measured in turn.
fn order(subjects: &[Subject]) -> Vec<String> {
    let mut by_time: Vec<&Subject> = subjects.iter().collect();
    by_time.sort_by_key(|subject| subject.about.started_unix_ns);
    let is_known = by_time.iter().all(|subject| subject.about.started_unix_ns.is_some());
    if !is_known || !is_one_machine(subjects) || subjects.iter().any(|subject| subject.in_turn.is_some()) {
        return Vec::new();
    }
    let letters: Vec<String> = by_time.iter().map(|subject| subject.about.letter.clone()).collect();
    let first = match subjects.iter().any(|subject| subject.about.runs > 1) {
        true => format!("All runs of {} came", letters[0]),
        false => format!("{} was measured", letters[0]),
    };
    let others = listed(&letters[1..]);
    vec![format!(
        "{first} before {others}: if the disk or the machine also changed meanwhile, that would look like a difference."
    )]
}

/// Why the comparison needs care.
fn distrust(comparison: &Comparison) -> Vec<String> {
    let mut said = Vec::new();
    let against = || comparison.figures.iter().flat_map(|figure| &figure.against);
    if against().any(|against| against.basis == Basis::Within) {
        said.push(
            "Where there is one run only, the interval shows only how much the figure varied within it. \
             How much they vary from run to run is not known. To measure that, give --repeat 5 to fathom run or fathom suite run."
                .to_owned(),
        );
    }
    if against().any(is_unclear_by_number) {
        said.push(format!(
            "{} figures are compared: the more figures, the more often one of them seems to differ by chance. So each needs more \
             evidence than its own 95 % interval: a figure can be unclear although its interval leaves out 0 %.",
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
