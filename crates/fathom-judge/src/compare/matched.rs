//! Which figures are compared with which.

use super::letter;
use super::metric::Metric;
use super::subject::{FigureKey, Load, Subject, SubjectFigure};
use fathom_figures::DepthTarget;
use fathom_results::{ComparedSubject, LeftOut};
use std::collections::{BTreeMap, BTreeSet};

/// The figures that all subjects have, and what is left out.
pub(super) struct Matched<'a> {
    /// Each is a figure of every subject, in their order.
    pub figures: Vec<Vec<&'a SubjectFigure>>,
    pub left_out: Vec<LeftOut>,
}

/// A subject with one job is compared with another one that has one job and does the same I/O, whatever their names are. What was
/// measured in turn was meant to be compared.
pub(super) fn name_only_jobs_alike(subjects: &mut [Subject]) {
    let Some(only) = subjects[0].only_job() else { return };
    let (first, others) = subjects.split_at_mut(1);
    let first = &mut first[0];
    for subject in others {
        let Some(other) = subject.only_job().filter(|other| *other != only) else { continue };
        let is_in_turn = first.in_turn.is_some() && first.in_turn == subject.in_turn;
        // A person who compares a run with a sweep wants to see it beside other depths and block sizes.
        let is_demand_chosen = first.is_varied() || subject.is_varied();
        let differs = other_io(first, subject, is_demand_chosen);
        if !is_in_turn && !differs.is_empty() {
            let what =
                format!("{} of {} and {} of {}", only.0, first.about.letter, other.0, subject.about.letter);
            let reason = format!("they have other names and do other I/O: {}", differs.join(", "));
            subject.other_io = Some(LeftOut { what, reason });
            continue;
        }
        subject.rename_only_job(&only);
        for (of, name) in [(&mut *first, &only.0), (subject, &other.0)] {
            of.says_name(&only.0, name);
        }
    }
}

/// In what the I/O of the only jobs of two subjects differs, as far as it is known; without block size and depth where a person
/// chose them.
fn other_io(first: &Subject, other: &Subject, is_demand_chosen: bool) -> Vec<String> {
    let of = |load: &Load| match is_demand_chosen {
        true => Load { block: String::new(), depth: DepthTarget::Unknown, ..load.clone() },
        false => load.clone(),
    };
    let loads = |subject: &Subject| subject.figures.iter().map(|figure| of(&figure.load)).collect::<Vec<_>>();
    let (ours, theirs) = (loads(first), loads(other));
    let directions = |loads: &[Load]| -> BTreeSet<&'static str> {
        loads.iter().map(|load| load.direction).filter(|direction| !direction.is_empty()).collect()
    };
    let (from, to) = (directions(&ours), directions(&theirs));
    let joined = |all: &BTreeSet<&'static str>| all.iter().copied().collect::<Vec<_>>().join(" with ");
    if !from.is_empty() && !to.is_empty() && from != to {
        let mut differs = vec![format!("{} and {}", joined(&from), joined(&to))];
        differs.extend(ours.first().zip(theirs.first()).into_iter().flat_map(|(one, two)| {
            let one = Load { direction: "", pattern: String::new(), ..one.clone() };
            one.differences(two)
        }));
        return differs;
    }
    let alike = |load: &&Load| theirs.iter().find(|other| other.direction == load.direction);
    let pair = ours.iter().find_map(|load| Some((load, alike(&load)?)));
    pair.map(|(one, two)| one.differences(two)).unwrap_or_default()
}

/// Gives each subject the jobs and cells of the baseline of which it has no figure. Values that a person typed have no job.
pub(super) fn say_what_is_missing(subjects: &mut [Subject]) {
    let (baseline, others) = subjects.split_at_mut(1);
    let of_baseline = baseline[0].jobs();
    for subject in others {
        let known: BTreeSet<&str> = subject.jobs().into_iter().collect();
        let missing = of_baseline.iter().filter(|job| !job.is_empty() && !known.contains(**job));
        let missing = missing.map(|job| (*job).to_owned()).collect();
        subject.about.missing = missing;
    }
}

/// The subjects with the jobs that they share with the baseline and of which no figure is compared. Subjects that have nothing in
/// common are an error of their own.
pub(super) fn with_those_not_alike(
    subjects: &[Subject],
    figures: &[Vec<&SubjectFigure>],
) -> Vec<ComparedSubject> {
    let compared: BTreeSet<&str> = figures.iter().map(|row| row[0].key.job.as_str()).collect();
    let apart: Vec<&str> = subjects[0].jobs().into_iter().filter(|job| !compared.contains(job)).collect();
    let with = |(place, subject): (usize, &Subject)| {
        let known: BTreeSet<&str> = subject.jobs().into_iter().collect();
        let own = apart.iter().filter(|job| place > 0 && !compared.is_empty() && known.contains(**job));
        let not_alike = own.map(|job| (*job).to_owned()).collect();
        ComparedSubject { not_alike, ..subject.about.clone() }
    };
    subjects.iter().enumerate().map(with).collect()
}

/// What a subject has, to be looked up: lists of runs have thousands of figures.
struct Known<'a> {
    letter: &'a str,
    figures: BTreeMap<&'a FigureKey, &'a SubjectFigure>,
    jobs: BTreeSet<&'a str>,
    left_out: BTreeSet<&'a str>,
}

impl Known<'_> {
    fn of(subject: &Subject) -> Known<'_> {
        Known {
            letter: &subject.about.letter,
            figures: subject.figures.iter().rev().map(|figure| (&figure.key, figure)).collect(),
            jobs: subject.figures.iter().map(|figure| figure.key.job.as_str()).collect(),
            left_out: subject.left_out.iter().map(|lost| lost.what.as_str()).collect(),
        }
    }
}

/// The letters of the subjects of which this is so.
fn letters(known: &[Known<'_>], is_so: impl Fn(&Known<'_>) -> bool) -> Option<String> {
    let letters: Vec<&str> = known.iter().filter(|one| is_so(one)).map(|one| one.letter).collect();
    (!letters.is_empty()).then(|| letters.join(", "))
}

/// Matches the figures by their names.
pub(super) fn matched(subjects: &[Subject]) -> Matched<'_> {
    let mut left_out: Vec<LeftOut> = Vec::new();
    for subject in subjects {
        let letter = &subject.about.letter;
        let told = |lost: &LeftOut| LeftOut {
            what: format!("{letter}: {}", lost.what),
            reason: lost.reason.clone(),
        };
        left_out.extend(subject.other_io.clone());
        left_out.extend(subject.left_out.iter().map(told));
    }
    let known: Vec<Known<'_>> = subjects.iter().map(Known::of).collect();
    let is_size_chosen = is_demand_chosen(subjects);
    let (mut figures, mut refused) = (Vec::new(), Vec::<Refused<'_>>::new());
    for figure in &subjects[0].figures {
        let others = known[1..].iter().map(|known| known.figures.get(&figure.key).copied());
        let of: Option<Vec<&SubjectFigure>> = std::iter::once(Some(figure)).chain(others).collect();
        match of {
            None => {}
            Some(of) => match refusal(&of, is_size_chosen) {
                Some(reason) => refuse(&mut refused, figure, reason),
                None if is_told_otherwise(&of) => {}
                None => figures.push(of),
            },
        }
    }
    for figure in subjects.iter().flat_map(|subject| &subject.figures) {
        if let Some(reason) = lacking(figure, &known) {
            refuse(&mut refused, figure, reason);
        }
    }
    left_out.extend(refused.into_iter().map(|refused| LeftOut {
        what: match refused.place.as_str() {
            "" => refused.metrics.join(", "),
            place => format!("{} of {place}", refused.metrics.join(", ")),
        },
        reason: refused.reason,
    }));
    left_out.extend(without_match(subjects, &known));
    left_out.dedup();
    Matched { figures, left_out }
}

/// The figures of one direction of a job that are refused for the same reason.
struct Refused<'a> {
    place: String,
    metrics: Vec<&'a str>,
    reason: String,
}

fn refuse<'a>(refused: &mut Vec<Refused<'a>>, figure: &'a SubjectFigure, reason: String) {
    let (place, metric) = (figure.key.place(), figure.key.metric.as_str());
    match refused.iter_mut().find(|known| known.place == place && known.reason == reason) {
        Some(known) if known.metrics.contains(&metric) => {}
        Some(known) => known.metrics.push(metric),
        None => refused.push(Refused { place, metrics: vec![metric], reason }),
    }
}

/// Why a figure is not compared though all subjects have its job: some do not have the figure. Those that say themselves
/// why they do not have it are not named again.
fn lacking(figure: &SubjectFigure, known: &[Known<'_>]) -> Option<String> {
    if !known.iter().all(|one| one.jobs.contains(figure.key.job.as_str())) {
        return None;
    }
    let what = match figure.metric {
        Metric::Typed { .. } => "does not have it",
        _ => "did not measure it, or from too few I/Os",
    };
    let name = format!("{} of {}", figure.key.metric, figure.key.place());
    let lacks =
        |one: &Known<'_>| !one.figures.contains_key(&figure.key) && !one.left_out.contains(name.as_str());
    letters(known, lacks).map(|letters| format!("{letters} {what}"))
}

/// Did a person choose in what the I/O of these subjects differs: by measuring them in turn, or by naming cells of a suite or a
/// sweep, which vary it? Nobody chose what differs between suites as wholes.
fn is_demand_chosen(subjects: &[Subject]) -> bool {
    let in_turn = &subjects[0].in_turn;
    let are_in_turn = in_turn.is_some() && subjects.iter().all(|subject| subject.in_turn == *in_turn);
    are_in_turn || subjects.iter().any(|subject| subject.is_varied() && subject.about.cells.is_none())
}

/// Why figures of the same name are no figures of the same thing.
fn refusal(of: &[&SubjectFigure], is_size_chosen: bool) -> Option<String> {
    let first = of[0];
    // What is not known, as of a result of fio, differs from nothing.
    let differs = |part: fn(&Load) -> &str| {
        let mut known = of.iter().map(|figure| part(&figure.load)).filter(|part| !part.is_empty());
        known.next().is_some_and(|one| known.any(|other| other != one))
    };
    let each = |part: fn(&Load) -> &str| {
        of.iter().map(|figure| part(&figure.load)).collect::<Vec<_>>().join(" and ")
    };
    if differs(|load| load.direction) {
        return Some(format!("it is of another direction: {}", each(|load| load.direction)));
    }
    // Nobody chose to change what differs between files of fio, and so the difference of their figures would be put down to
    // whatever the reader has in mind.
    if of.iter().any(|figure| figure.load.is_imported) {
        let others = of[1..].iter().map(|other| first.load.differences(&other.load));
        if let Some(differs) = others.into_iter().find(|differs| !differs.is_empty()) {
            return Some(format!("it is of other I/O: {}", differs.join(", ")));
        }
    }
    if differs(|load| &load.pattern) {
        return Some(format!("it is of another kind of I/O: {}", each(|load| &load.pattern)));
    }
    if first.metric.is_latency() && differs(|load| load.latency) {
        return Some(format!("these are different latencies: {}", each(|load| load.latency)));
    }
    let depths: Vec<DepthTarget> = of.iter().map(|figure| figure.load.depth).collect();
    if let Some(reason) = other_depths(&depths).filter(|_| first.metric.is_latency()) {
        return Some(reason);
    }
    if !first.metric.is_free_of_block_size(is_size_chosen) && differs(|load| &load.block) {
        return Some(format!("the block sizes differ: {}", each(|load| &load.block)));
    }
    of_two_rates(of)
}

/// Why a figure of runs in which the rate fell is not compared: it is of the time before the fall and of that after it.
fn of_two_rates(of: &[&SubjectFigure]) -> Option<String> {
    let fell = of.iter().enumerate().filter(|(_, figure)| figure.fallen > 0 && !figure.metric.is_rate());
    let letters: Vec<String> = fell.map(|(place, _)| letter(place)).collect();
    (!letters.is_empty()).then(|| {
        format!(
            "the rate of {} fell during the run, so this is of the time before the fall and of that after it",
            letters.join(" and ")
        )
    })
}

/// Why latencies at these depths are not compared; a depth that is not known differs from none.
fn other_depths(depths: &[DepthTarget]) -> Option<String> {
    let letters = |is_so: fn(&DepthTarget) -> bool| {
        let those = depths.iter().enumerate().filter(|(_, depth)| is_so(depth));
        those.map(|(place, _)| letter(place)).collect::<Vec<_>>().join(" and ")
    };
    let held_back = letters(|depth| *depth == DepthTarget::HeldBack);
    let free = letters(|depth| matches!(depth, DepthTarget::Of(_)));
    if !held_back.is_empty() && !free.is_empty() {
        return Some(format!(
            "a rate or pauses hold the I/Os of {held_back} back and not those of {free}, and latency grows with the number \
             in flight"
        ));
    }
    let kept = |depth: &DepthTarget| match depth {
        DepthTarget::Of(number) => Some(number.to_string()),
        _ => None,
    };
    let kept: Vec<String> = depths.iter().filter_map(kept).collect();
    let differs = kept.iter().any(|number| *number != kept[0]);
    differs.then(|| {
        format!("the jobs keep {} I/Os in flight, and latency grows with that number", kept.join(" and "))
    })
}

/// With one block size, IOPS and bandwidth are the same ratio: the one that people use stays.
fn is_told_otherwise(of: &[&SubjectFigure]) -> bool {
    let mut blocks = of.iter().map(|figure| figure.load.block.as_str()).filter(|block| !block.is_empty());
    let is_same_block = blocks.next().is_none_or(|one| blocks.all(|other| other == one));
    let is_small = of[0].load.is_small;
    is_same_block
        && match of[0].metric {
            Metric::Iops => !is_small,
            Metric::Bandwidth => is_small,
            _ => false,
        }
}

/// The jobs that not all subjects have.
fn without_match(subjects: &[Subject], known: &[Known<'_>]) -> Vec<LeftOut> {
    let mut told = BTreeSet::new();
    let jobs = subjects.iter().flat_map(|subject| &subject.figures).map(|figure| figure.key.job.as_str());
    jobs.filter(|job| told.insert(*job))
        .filter_map(|job| {
            let lacking = letters(known, |one| !one.jobs.contains(job) && !one.left_out.contains(job))?;
            // Values that a person typed have no job.
            let what = if job.is_empty() { "typed values" } else { job };
            let has = if job.is_empty() { "has none" } else { "does not have it" };
            Some(LeftOut { what: what.to_owned(), reason: format!("{lacking} {has}") })
        })
        .collect()
}
