//! Why the figures of a subject, and a comparison, need care.

use super::cell_runs::is_same;
use super::settings::is_one_machine;
use super::subject::{FigureKey, Subject, SubjectFigure};
use fathom_job::plan::Rate;
use fathom_results::{Against, Basis, ComparedFigure, Comparison, ComparisonDoubt, SubjectDoubt};

/// Why the comparison needs care, without the other causes.
pub(super) fn doubts(comparison: &Comparison, subjects: &[Subject]) -> Vec<ComparisonDoubt> {
    let properties = comparison.own_differences().count() as u64;
    let several = (properties > 1).then_some(ComparisonDoubt::SeveralDiffer { properties });
    let mut doubts: Vec<ComparisonDoubt> = several.into_iter().collect();
    doubts.extend(ordered(comparison, subjects));
    doubts.extend(less_trust(subjects));
    doubts.extend(subjects.iter().filter_map(|subject| rate_fell(comparison, subject)));
    doubts.extend(other_rates(comparison, subjects));
    doubts.extend(of_figures(comparison));
    doubts.extend(not_in_turn(subjects));
    doubts
}

/// The trust in each subject, with the first of the reasons for the lowest trust of its runs; those with the same doubt
/// share one.
fn less_trust(subjects: &[Subject]) -> Vec<ComparisonDoubt> {
    // The doubt, the cells that it is of, and of how many; none where it is of all.
    type Shared<'a> = (&'a SubjectDoubt, &'a [String], usize);
    let mut shared: Vec<(Shared<'_>, Vec<&Subject>)> = Vec::new();
    for subject in subjects {
        let Some(doubt) = subject.doubts.first() else { continue };
        let all = subject.cells.len();
        let of = if doubt.cells.len() >= all { (&[][..], 0) } else { (doubt.cells.as_slice(), all) };
        let is_known = |known: &Shared<'_>| (known.1, known.2) == of && is_same(known.0, &doubt.of_run);
        match shared.iter_mut().find(|(known, _)| is_known(known)) {
            Some((_, subjects)) => subjects.push(subject),
            None => shared.push(((&doubt.of_run, of.0, of.1), vec![subject])),
        }
    }
    let doubt = |((doubt, cells, of_cells), of): (Shared<'_>, Vec<&Subject>)| ComparisonDoubt::LessTrust {
        subjects: of.iter().map(|subject| subject.about.letter.clone()).collect(),
        cells: cells.to_vec(),
        of_cells: of_cells as u64,
        is_even: of.len() == subjects.len() && of.iter().all(|subject| subject.is_no_disk),
        doubt: Box::new(doubt.clone()),
    };
    shared.into_iter().map(doubt).collect()
}

/// Of a subject a rate is the one that lasted after a fall, and not the mean of the run.
fn rate_fell(comparison: &Comparison, subject: &Subject) -> Option<ComparisonDoubt> {
    let is_compared =
        |figure: &&SubjectFigure| comparison.figures.iter().any(|row| row.job == figure.key.place());
    let fell = subject.figures.iter().filter(|figure| figure.fallen > 0 && figure.metric.is_rate());
    let (mut jobs, mut runs) = (Vec::new(), (0, 0));
    for figure in fell.filter(is_compared) {
        runs = runs.max((figure.fallen, figure.values.len()));
        if !jobs.contains(&figure.key.job) {
            jobs.push(figure.key.job.clone());
        }
    }
    let (runs, of) = (runs.0 as u64, runs.1 as u64);
    let subject = subject.about.letter.clone();
    (!jobs.is_empty()).then_some(ComparisonDoubt::RateFell { subject, jobs, runs, of })
}

/// Latencies are compared of jobs on disks that kept to different rates.
fn other_rates(comparison: &Comparison, subjects: &[Subject]) -> Option<ComparisonDoubt> {
    let rate = |subject: &Subject, key: &FigureKey| {
        let figure = subject.figures.iter().find(|figure| figure.key == *key)?;
        match figure.load.kept_rate? {
            Rate::Ios(ios) => Some((false, ios)),
            Rate::Bytes(bytes) => Some((true, bytes)),
        }
    };
    let differs = |figure: &&SubjectFigure| {
        let each: Option<Vec<_>> = subjects.iter().map(|subject| rate(subject, &figure.key)).collect();
        let is_one_unit = |each: &[(bool, u64)]| each.iter().all(|(in_bytes, _)| *in_bytes == each[0].0);
        each.is_some_and(|each| is_one_unit(&each) && each.iter().any(|rate| *rate != each[0]))
    };
    let is_compared = |figure: &&SubjectFigure| {
        let (place, metric) = (figure.key.place(), &figure.key.metric);
        comparison.figures.iter().any(|row| row.job == place && row.metric == *metric)
    };
    let latencies = subjects[0].figures.iter().filter(|figure| figure.metric.is_latency());
    let mut jobs: Vec<String> =
        latencies.filter(is_compared).filter(differs).map(|figure| figure.key.job.clone()).collect();
    jobs.dedup();
    let are_on_disks = subjects.iter().all(|subject| !subject.targets.is_empty());
    (are_on_disks && !jobs.is_empty()).then_some(ComparisonDoubt::OtherRates { jobs })
}

/// The runs of a set depend on their order. Sets that were measured in turn drift alike.
fn ordered(comparison: &Comparison, subjects: &[Subject]) -> Vec<ComparisonDoubt> {
    let in_turn = |subject: &Subject| {
        let of = &subject.in_turn;
        of.is_some() && subjects.iter().all(|other| other.in_turn == *of)
    };
    let doubt = |(place, subject): (usize, &Subject)| {
        let of = |(at, figure): (usize, &ComparedFigure)| Some((at, figure.values[place].order_p_value?));
        let (figures, chances): (Vec<usize>, Vec<f64>) =
            comparison.figures.iter().enumerate().filter_map(of).unzip();
        let p_value = chances.into_iter().reduce(f64::min)?;
        Some(ComparisonDoubt::OrderMatters { subject: subject.about.letter.clone(), figures, p_value })
    };
    subjects.iter().enumerate().filter(|(_, subject)| !in_turn(subject)).filter_map(doubt).collect()
}

/// The runs are too few, or the figures too many.
fn of_figures(comparison: &Comparison) -> Vec<ComparisonDoubt> {
    let has = |figure: &ComparedFigure, basis: Basis| figure.against.iter().any(|one| one.basis == basis);
    let figures = || comparison.figures.iter();
    let is_of_one_run = figures().any(|figure| has(figure, Basis::Within));
    let is_of_one_test = figures().any(|figure| has(figure, Basis::Window));
    let are_many = figures().flat_map(|figure| &figure.against).any(Against::is_unclear_by_number);
    let without = figures().enumerate().filter(|(_, figure)| has(figure, Basis::Nothing));
    let without: Vec<usize> = without.map(|(place, _)| place).collect();
    let many = ComparisonDoubt::ManyFigures { figures: figures().len() as u64 };
    [
        is_of_one_run.then_some(ComparisonDoubt::OneRun),
        is_of_one_test.then_some(ComparisonDoubt::OneTest),
        are_many.then_some(many),
        (!without.is_empty()).then_some(ComparisonDoubt::NoInterval { figures: without }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Runs of one machine were not measured in turn.
fn not_in_turn(subjects: &[Subject]) -> Option<ComparisonDoubt> {
    let mut by_time: Vec<&Subject> = subjects.iter().collect();
    by_time.sort_by_key(|subject| subject.about.started_unix_ns);
    let is_known = by_time.iter().all(|subject| subject.about.started_unix_ns.is_some());
    let is_in_turn = subjects.iter().any(|subject| subject.in_turn.is_some());
    (is_known && is_one_machine(subjects) && !is_in_turn).then(|| ComparisonDoubt::NotInTurn {
        subjects: by_time.iter().map(|subject| subject.about.letter.clone()).collect(),
        has_several_runs: subjects.iter().any(|subject| subject.about.runs > 1),
    })
}
