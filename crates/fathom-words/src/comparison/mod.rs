//! The words of a comparison: what the figures say of each subject.

mod care;
mod cause;
mod left_out;
mod step;

pub use care::doubts;
pub use cause::{changes_figures, not_shown};
pub use left_out::{gap, left_out};
pub use step::{needed, steps};

use fathom_results::{
    Basis, ComparedFigure, ComparedSubject, Comparison, Difference, FigureVerdict, Gap, RUNS_MAX,
};
use fathom_text::number;
use fathom_text::quantity::iops;
use fathom_text::words::listed;

/// So many targets of a subject are named.
const TARGETS_NAMED: usize = 3;

/// The targets of a subject; `None` where none is known.
pub fn targets(subject: &ComparedSubject) -> Option<String> {
    let all = &subject.targets;
    let named = if all.len() > TARGETS_NAMED + 1 { TARGETS_NAMED } else { all.len() };
    let more = (all.len() > named).then(|| format!("and {} more", all.len() - named));
    let each: Vec<String> = all[..named].iter().map(crate::subject).chain(more).collect();
    (!each.is_empty()).then(|| each.join("; "))
}

/// How many jobs, how long, and what they do: `3 jobs of 3 s, one after the other; 4k randread QD32, 1m read QD4; io_uring, direct=1`.
pub fn workload(subject: &ComparedSubject) -> Option<String> {
    let jobs = crate::measured_jobs(subject.jobs.as_ref()?);
    let workload = subject.workload.as_ref().map(|workload| format!("; {workload}"));
    Some(jobs + &workload.unwrap_or_default())
}

/// What the figures say: a sentence or two for each subject after the first.
pub fn headline(comparison: &Comparison) -> String {
    let rest = 1..comparison.subjects.len();
    let headlines = rest.map(|place| of_subject(comparison, place));
    let headlines: Vec<String> = gaps(comparison).into_iter().chain(headlines).collect();
    headlines.join(" ")
}

/// What is not whole, before what the rest says: a suite of which a cell failed is not the same as another one.
fn gaps(comparison: &Comparison) -> Vec<String> {
    let baseline = &named(&comparison.subjects[0]);
    let missing = |subject: &ComparedSubject| {
        let who = named(subject);
        match (subject.incomplete.as_slice(), subject.missing.as_slice()) {
            ([], []) => None,
            ([], [only]) => Some(format!("{who} has no figure of {only}, which {baseline} has.")),
            ([], several) => Some(format!(
                "{who} has no figure of {} jobs that {baseline} has ({}).",
                several.len(),
                listed(several)
            )),
            (gaps, _) => Some(format!("{who} is incomplete: {}.", all_gaps(gaps))),
        }
    };
    let not_alike = |subject: &ComparedSubject| {
        let jobs = &subject.not_alike;
        (!jobs.is_empty()).then(|| {
            format!("No figure of {} of {} can be compared with {baseline}.", listed(jobs), named(subject))
        })
    };
    let subjects = comparison.subjects.iter();
    subjects.flat_map(|subject| [missing(subject), not_alike(subject)]).flatten().collect()
}

/// The gaps of a subject in one clause.
pub fn all_gaps(gaps: &[Gap]) -> String {
    gaps.iter().map(gap).collect::<Vec<_>>().join("; ")
}

/// What is found of one subject.
fn of_subject(comparison: &Comparison, place: usize) -> String {
    let letter = &named(&comparison.subjects[place]);
    let (baseline, figures) = (&named(&comparison.subjects[0]), &comparison.figures);
    let of = |wanted: fn(FigureVerdict) -> bool| -> Vec<&ComparedFigure> {
        figures.iter().filter(|figure| wanted(figure.against[place - 1].verdict)).collect()
    };
    let better = of(|verdict| verdict == FigureVerdict::Better);
    let worse = of(|verdict| verdict == FigureVerdict::Worse);
    let same = of(|verdict| verdict == FigureVerdict::Same);
    let unclear = of(FigureVerdict::is_unclear);
    let (all, unknown) = (figures.len(), unclear.len());
    if all == 0 {
        return format!("{letter} and {baseline} have no figure that can be compared.");
    }
    if unknown == all {
        let why = cannot_tell(&unclear, place);
        return format!("It cannot be told whether {letter} differs from {baseline}: {why}");
    }
    if better.is_empty() && worse.is_empty() && unknown > 0 {
        let is = if same.len() == 1 { "is" } else { "are" };
        let same = format!("{} {is}", first_count(same.len(), all));
        let why = cannot_tell(&unclear, place);
        return format!(
            "It is not shown that {letter} differs from {baseline}: {same} the same, and {unknown} may or may not differ: {why}"
        );
    }
    let mut parts = Vec::new();
    // That none is worse is told too: nobody should look for those that are.
    let is_worse_told = !worse.is_empty() || (1..all).contains(&better.len());
    for (word, than, of, is_told) in [
        ("better", "than", &better, !better.is_empty()),
        ("worse", "than", &worse, is_worse_told),
        ("the same", "as", &same, !same.is_empty()),
    ] {
        if !is_told {
            continue;
        }
        let has_changes = word != "the same" && !of.is_empty();
        let changes = if has_changes { format!(" ({})", changes(of, place)) } else { String::new() };
        let count = if of.is_empty() { "none".to_owned() } else { of.len().to_string() };
        parts.push(match parts.is_empty() {
            true => format!("{word} {than} {baseline} in {}{changes}", first_count(of.len(), all)),
            false => format!("{word} in {count}{changes}"),
        });
    }
    let unknown = match unknown {
        0 => String::new(),
        1 => format!("; 1 is unclear ({})", changes(&unclear, place)),
        2 => format!("; 2 are unclear ({})", changes(&unclear, place)),
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

/// `1 of 6 figures`.
fn first_count(n: usize, all: usize) -> String {
    match (n, all) {
        (1, 1) => "the only figure".to_owned(),
        (2, 2) => "both figures".to_owned(),
        (n, all) if n == all => format!("all {all} figures"),
        _ => format!("{n} of {all} figures"),
    }
}

/// `randread IOPS +12 %; …`.
fn changes(figures: &[&ComparedFigure], place: usize) -> String {
    listed(&figures.iter().map(|figure| change(figure, place)).collect::<Vec<_>>())
}

/// `randread IOPS +12 %`.
fn change(figure: &ComparedFigure, place: usize) -> String {
    let name = figure_name(figure);
    match figure.against[place - 1].ratio {
        Some(ratio) => format!("{name} {}", number::change(ratio)),
        // Nothing is a multiple of 0.
        None => {
            let value = |place: usize| iops(figure.values[place].value);
            format!("{name} from {} to {}", value(0), value(place))
        }
    }
}

/// `randread p99 latency`.
fn figure_name(figure: &ComparedFigure) -> String {
    [figure.job.as_str(), figure.metric.as_str()].join(" ").trim().to_owned()
}

/// The changes all the same, because a person wants to see them: those for which most speaks first.
fn cannot_tell(figures: &[&ComparedFigure], place: usize) -> String {
    let mut figures = figures.to_vec();
    let chance = |figure: &&ComparedFigure| figure.against[place - 1].p_value.unwrap_or(1.0);
    figures.sort_by(|a, b| chance(a).total_cmp(&chance(b)));
    let needed = figures.iter().filter_map(|figure| match figure.against[place - 1].verdict {
        FigureVerdict::Unknown { runs_needed } => runs_needed,
        _ => None,
    });
    let needed: Vec<u32> = needed.filter(|runs| *runs <= RUNS_MAX).collect();
    let why = match needed.iter().max() {
        Some(runs) if needed.len() == figures.len() => format!("About {runs} runs of each would decide it."),
        Some(runs) => format!("About {runs} runs of each would decide {} of them.", needed.len()),
        None if figures.iter().all(|figure| figure.against[place - 1].basis == Basis::Window) => {
            "The rounds of the measurement windows vary too much.".to_owned()
        }
        None => "There are too few runs, or they vary too much.".to_owned(),
    };
    format!("{} may be chance. {why}", changes(&figures, place))
}

/// The property that differs, with what has it: `bs of 6 jobs`, `scheduler of target 2`.
pub fn property(difference: &Difference) -> String {
    let of_target = difference.target.map(|number| format!(" of target {number}")).unwrap_or_default();
    let of_jobs = match difference.jobs.as_slice() {
        [] => String::new(),
        [job] => format!(" of {job}"),
        jobs => format!(" of {} jobs", jobs.len()),
    };
    format!("{}{of_target}{of_jobs}", difference.what)
}
