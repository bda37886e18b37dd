//! Which figures are compared with which.

use super::letter;
use super::metric::ComparedMetric;
use super::subject::{FigureKey, Load, Subject, SubjectFigure};
use fathom_figures::DepthTarget;
use fathom_job::plan::Rate;
use fathom_results::{ComparedSubject, LeftOut, LeftOutPart, LeftOutReason, LoadDifference};
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
            let subjects = [&first.about.letter, &subject.about.letter].map(String::clone);
            let what = LeftOutPart::OnlyJobs { subjects, jobs: [&only.0, &other.0].map(String::clone) };
            let reason = LeftOutReason::OtherJobs { differs };
            subject.other_io = Some(LeftOut { subject: None, what, reason });
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
fn other_io(first: &Subject, other: &Subject, is_demand_chosen: bool) -> Vec<LoadDifference> {
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
        let mut differs = vec![LoadDifference::Direction([joined(&from), joined(&to)])];
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
    left_out: BTreeSet<&'a LeftOutPart>,
}

impl Known<'_> {
    fn of(subject: &Subject) -> Known<'_> {
        Known {
            letter: &subject.about.letter,
            figures: subject.figures.iter().rev().map(|figure| (&figure.key, figure)).collect(),
            jobs: subject.figures.iter().map(|figure| figure.key.job.as_str()).collect(),
            left_out: subject.left_out.iter().map(|lost| &lost.what).collect(),
        }
    }
}

/// The letters of the subjects of which this is so.
fn letters(known: &[Known<'_>], is_so: impl Fn(&Known<'_>) -> bool) -> Option<Vec<String>> {
    let letters: Vec<String> =
        known.iter().filter(|one| is_so(one)).map(|one| one.letter.to_owned()).collect();
    (!letters.is_empty()).then_some(letters)
}

/// Matches the figures by their names.
pub(super) fn matched(subjects: &[Subject]) -> Matched<'_> {
    let mut left_out: Vec<LeftOut> = Vec::new();
    for subject in subjects {
        let letter = Some(subject.about.letter.clone());
        let of_subject = |lost: &LeftOut| LeftOut { subject: letter.clone(), ..lost.clone() };
        left_out.extend(subject.other_io.clone());
        left_out.extend(subject.left_out.iter().map(of_subject));
    }
    let known: Vec<Known<'_>> = subjects.iter().map(Known::of).collect();
    let is_size_chosen = is_demand_chosen(subjects);
    let (mut figures, mut refused) = (Vec::new(), Vec::<Refused>::new());
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
    left_out.extend(refused.into_iter().map(|Refused { job, metrics, reason }| LeftOut {
        subject: None,
        what: LeftOutPart::Figures { job, metrics },
        reason,
    }));
    left_out.extend(without_match(subjects, &known));
    left_out.dedup();
    Matched { figures, left_out }
}

/// The figures of one direction of a job that are refused for the same reason.
struct Refused {
    job: String,
    metrics: Vec<String>,
    reason: LeftOutReason,
}

fn refuse(refused: &mut Vec<Refused>, figure: &SubjectFigure, reason: LeftOutReason) {
    let (job, metric) = (figure.key.place(), figure.key.metric.clone());
    match refused.iter_mut().find(|known| known.job == job && known.reason == reason) {
        Some(known) if known.metrics.contains(&metric) => {}
        Some(known) => known.metrics.push(metric),
        None => refused.push(Refused { job, metrics: vec![metric], reason }),
    }
}

/// Why a figure is not compared though all subjects have its job: some do not have the figure. Those that say themselves
/// why they do not have it are not named again.
fn lacking(figure: &SubjectFigure, known: &[Known<'_>]) -> Option<LeftOutReason> {
    if !known.iter().all(|one| one.jobs.contains(figure.key.job.as_str())) {
        return None;
    }
    let part = figure.key.part();
    let lacks = |one: &Known<'_>| !one.figures.contains_key(&figure.key) && !one.left_out.contains(&part);
    letters(known, lacks).map(|subjects| match figure.metric {
        ComparedMetric::Typed { .. } => LeftOutReason::Absent { subjects },
        _ => LeftOutReason::NotMeasured { subjects },
    })
}

/// Did a person choose in what the I/O of these subjects differs: by measuring them in turn, or by naming cells of a suite or a
/// sweep, which vary it? Nobody chose what differs between suites as wholes.
fn is_demand_chosen(subjects: &[Subject]) -> bool {
    let in_turn = &subjects[0].in_turn;
    let are_in_turn = in_turn.is_some() && subjects.iter().all(|subject| subject.in_turn == *in_turn);
    are_in_turn || subjects.iter().any(|subject| subject.is_varied() && subject.about.cells.is_none())
}

/// Why figures of the same name are no figures of the same thing.
fn refusal(of: &[&SubjectFigure], is_size_chosen: bool) -> Option<LeftOutReason> {
    let first = of[0];
    // What is not known, as of a result of fio, differs from nothing.
    let differs = |part: fn(&Load) -> &str| {
        let mut known = of.iter().map(|figure| part(&figure.load)).filter(|part| !part.is_empty());
        known.next().is_some_and(|one| known.any(|other| other != one))
    };
    let each =
        |part: fn(&Load) -> &str| of.iter().map(|figure| part(&figure.load).to_owned()).collect::<Vec<_>>();
    if differs(|load| load.direction) {
        return Some(LeftOutReason::OtherDirection { directions: each(|load| load.direction) });
    }
    // Nobody chose to change what differs between files of fio, and so the difference of their figures would be put down to
    // whatever the reader has in mind.
    if of.iter().any(|figure| figure.load.is_imported) {
        let others = of[1..].iter().map(|other| first.load.differences(&other.load));
        if let Some(differs) = others.into_iter().find(|differs| !differs.is_empty()) {
            return Some(LeftOutReason::OtherIo { differs });
        }
    }
    if differs(|load| &load.pattern) {
        return Some(LeftOutReason::OtherPattern { patterns: each(|load| &load.pattern) });
    }
    if first.metric.is_latency() && differs(|load| load.latency) {
        return Some(LeftOutReason::OtherLatency { latencies: each(|load| load.latency) });
    }
    if let Some(reason) = other_depths(of).filter(|_| first.metric.is_latency()) {
        return Some(reason);
    }
    if !first.metric.is_free_of_block_size(is_size_chosen) && differs(|load| &load.block) {
        return Some(LeftOutReason::OtherBlocks { blocks: each(|load| &load.block) });
    }
    of_two_rates(of).or_else(|| of_asked_rates(of))
}

/// Why rates are not compared: jobs ask for different ones and reached them, so these figures say what was asked.
fn of_asked_rates(of: &[&SubjectFigure]) -> Option<LeftOutReason> {
    let rates: Vec<Option<Rate>> = of.iter().map(|figure| figure.load.kept_rate).collect();
    let is_asked = of[0].metric.is("iops") || of[0].metric.is("bandwidth");
    (is_asked && rates.iter().any(|rate| *rate != rates[0])).then_some(LeftOutReason::AskedRates { rates })
}

/// Why a figure of runs in which the rate fell is not compared: it is of the time before the fall and of that after it.
fn of_two_rates(of: &[&SubjectFigure]) -> Option<LeftOutReason> {
    let subjects = letters_of(of, |figure| figure.fallen > 0 && !figure.metric.is_rate());
    (!subjects.is_empty()).then_some(LeftOutReason::RateFell { subjects })
}

/// The letters of the subjects whose figure is so.
fn letters_of(of: &[&SubjectFigure], is_so: impl Fn(&SubjectFigure) -> bool) -> Vec<String> {
    let those = of.iter().enumerate().filter(|(_, figure)| is_so(figure));
    those.map(|(place, _)| letter(place)).collect()
}

/// Why latencies at these depths are not compared; a depth that is not known differs from none.
fn other_depths(of: &[&SubjectFigure]) -> Option<LeftOutReason> {
    let subjects = letters_of(of, |figure| figure.load.depth == DepthTarget::HeldBack);
    let free = letters_of(of, |figure| matches!(figure.load.depth, DepthTarget::Of(_)));
    if !subjects.is_empty() && !free.is_empty() {
        return Some(LeftOutReason::HeldBack { subjects, free });
    }
    let kept = |figure: &&SubjectFigure| match figure.load.depth {
        DepthTarget::Of(number) => Some(number),
        _ => None,
    };
    let in_flight: Vec<u64> = of.iter().filter_map(kept).collect();
    let differs = in_flight.iter().any(|number| *number != in_flight[0]);
    differs.then_some(LeftOutReason::OtherDepths { in_flight })
}

/// With one block size, IOPS and bandwidth are the same ratio: the one that people use stays.
fn is_told_otherwise(of: &[&SubjectFigure]) -> bool {
    let mut blocks = of.iter().map(|figure| figure.load.block.as_str()).filter(|block| !block.is_empty());
    let is_same_block = blocks.next().is_none_or(|one| blocks.all(|other| other == one));
    let is_small = of[0].load.is_small;
    is_same_block && (of[0].metric.is("iops") && !is_small || of[0].metric.is("bandwidth") && is_small)
}

/// The jobs that not all subjects have.
fn without_match(subjects: &[Subject], known: &[Known<'_>]) -> Vec<LeftOut> {
    let mut known_jobs = BTreeSet::new();
    let jobs = subjects.iter().flat_map(|subject| &subject.figures).map(|figure| figure.key.job.as_str());
    jobs.filter(|job| known_jobs.insert(*job))
        .filter_map(|job| {
            // Values that a person typed have no job.
            let what = if job.is_empty() { LeftOutPart::Typed } else { LeftOutPart::Job(job.to_owned()) };
            let subjects = letters(known, |one| !one.jobs.contains(job) && !one.left_out.contains(&what))?;
            Some(LeftOut { subject: None, what, reason: LeftOutReason::Absent { subjects } })
        })
        .collect()
}
