//! The rounds of a suite as rows: for each cell and job, each figure over its rounds. A rate and a mean latency are means, a
//! percentile is the median and a maximum the largest, as in a repeated run.

use super::Suite;
use crate::History;
use crate::suite::{CellGroup, Shown, SuiteCell};
use fathom_figures::metric::OverRounds;
use fathom_results::BestFigure;
use fathom_results::procedure::{FallFigures, RoundDone, RoundFigures, UnreachedDepth};
use fathom_stats::{Estimate, median};

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// A job of a cell, over all rounds of that cell.
pub struct CellRow<'a> {
    /// The cell.
    pub cell: &'a SuiteCell,
    /// The job; empty where the cell has only one. Of jobs of one name the second is `r (2)`, as in a comparison.
    pub job: String,
    /// Rounds that failed, and are in no figure.
    pub failed: usize,
    figures: Vec<&'a RoundFigures>,
}

/// A figure over the rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfRounds {
    /// The mean; of a percentile the median, of a maximum the largest.
    pub value: f64,
    /// Half of the 95 % interval of a mean as a share of it; `None` of fewer than three rounds.
    pub half: Option<f64>,
    /// The standard deviation as a share of the mean; `None` of one round.
    pub variation: Option<f64>,
    /// How many rounds.
    pub n: usize,
}

impl OfRounds {
    /// The figure in a report.
    pub fn best(&self, shown: Shown) -> BestFigure {
        BestFigure { value: shown.in_base_unit(self.value), half_share: self.half, rounds: self.n as u64 }
    }
}

impl<'a> CellRow<'a> {
    /// A figure.
    pub fn mean(&self, shown: Shown) -> Option<OfRounds> {
        let values: Vec<f64> = self.figures.iter().filter_map(|figures| shown.of(figures)).collect();
        let n = values.len();
        if n == 0 || n < self.figures.len() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
        let deviation =
            (n > 1).then(|| (squares / (n - 1) as f64).sqrt() / mean).filter(|share| share.is_finite());
        let half = || {
            let mean = Estimate::of_independent(&values, CONFIDENCE)?;
            Some(mean.relative_half_width()).filter(|share| share.is_finite())
        };
        let (value, half) = match shown.over_rounds() {
            OverRounds::Mean => (mean, half()),
            OverRounds::Median => (median(&mut values.clone())?, None),
            OverRounds::Largest => (values.iter().copied().reduce(f64::max)?, None),
        };
        Some(OfRounds { value, half, variation: deviation, n })
    }

    /// The values of a figure in the order of the rounds.
    pub fn series(&self, shown: Shown) -> Vec<f64> {
        self.figures.iter().filter_map(|figures| shown.of(figures)).collect()
    }

    /// The name of the job in its job file, also where the cell has only one.
    pub fn job_name(&self) -> &'a str {
        self.figures.first().map_or("", |figures| figures.job.as_str())
    }

    /// What the job does, by its first round: `4k QD32`.
    pub fn does(&self) -> &'a str {
        self.figures.first().map_or("", |figures| &figures.does)
    }

    /// The falls of its rate, one for each round in which it fell. Its rates are those that lasted.
    pub fn falls(&self) -> Vec<FallFigures> {
        self.figures.iter().filter_map(|figures| figures.fall).collect()
    }

    /// The queue depth that the job could not have; `None` where it could have the one that was asked for.
    pub fn unreached(&self) -> Option<UnreachedDepth> {
        self.figures.iter().find_map(|figures| figures.unreached)
    }

    /// In how many rounds it was measured.
    pub fn rounds(&self) -> usize {
        self.figures.len()
    }

    /// Was it measured?
    pub fn is_measured(&self) -> bool {
        !self.figures.is_empty()
    }
}

/// The rows of a group, in the order of the suite.
pub fn rows<'a>(suite: &'a Suite, place: usize, history: &History<'a>) -> Vec<CellRow<'a>> {
    let cells = suite.steps.cells.iter().filter(|cell| cell.group == Some(place));
    let is_sum = suite.file.groups[place].per_target;
    cells.flat_map(|cell| of_cell(cell, history, is_sum)).collect()
}

/// The rows of a cell: one for each job, or, with `is_sum`, one of all jobs together.
fn of_cell<'a>(cell: &'a SuiteCell, history: &History<'a>, is_sum: bool) -> Vec<CellRow<'a>> {
    let rounds: Vec<&'a RoundDone> = history.rounds().filter(|round| round.cell == cell.name).collect();
    let (good, bad): (Vec<_>, Vec<_>) = rounds.into_iter().partition(|round| round.failed().is_none());
    let failed = bad.len();
    if is_sum {
        let figures = good.iter().map(|round| round.whole.as_ref()).collect();
        return vec![CellRow { cell, job: String::new(), failed, figures }];
    }
    let names = good.first().map_or(Vec::new(), |round| job_names(&round.figures));
    if names.is_empty() {
        return vec![CellRow { cell, job: String::new(), failed, figures: Vec::new() }];
    }
    let row = |(place, job): (usize, String)| {
        let figures = good.iter().filter_map(|round| round.figures.get(place)).collect();
        CellRow { cell, job, failed, figures }
    };
    names.into_iter().enumerate().map(row).collect()
}

/// The names of the jobs of a round: the second of one name is `r (2)`. A job that is the only one has none.
fn job_names(figures: &[RoundFigures]) -> Vec<String> {
    if figures.len() == 1 {
        return vec![String::new()];
    }
    let name = |(place, figure): (usize, &RoundFigures)| match figures[..place]
        .iter()
        .filter(|before| before.job == figure.job)
        .count()
    {
        0 => figure.job.clone(),
        before => format!("{} ({})", figure.job, before + 1),
    };
    figures.iter().enumerate().map(name).collect()
}

/// The groups that are measured, each with its place.
pub fn measured(suite: &Suite) -> impl Iterator<Item = (usize, &CellGroup)> {
    let has_cells = |place: usize| suite.steps.cells.iter().any(|cell| cell.group == Some(place));
    suite.file.groups.iter().enumerate().filter(move |(place, group)| group.measure && has_cells(*place))
}

/// The row that is best by the first figure of its group, with the figure.
pub fn best<'r, 'a>(group: &CellGroup, rows: &'r [CellRow<'a>]) -> Option<(&'r CellRow<'a>, OfRounds)> {
    let first = *group.values.first()?;
    let all = rows.iter().filter_map(|row| Some((row, row.mean(first)?)));
    match first.is_better_low() {
        true => all.min_by(|a, b| a.1.value.total_cmp(&b.1.value)),
        false => all.max_by(|a, b| a.1.value.total_cmp(&b.1.value)),
    }
}

/// `numjobs=16 iodepth=256 on 1+2, job data`: what a row is among those of its group; empty where it is the only one.
pub fn row_name(row: &CellRow<'_>, group: &CellGroup) -> String {
    let cell = row.cell.name.strip_prefix(group.name.as_str()).unwrap_or(&row.cell.name).trim();
    match (cell.is_empty(), row.job.is_empty()) {
        (true, true) => String::new(),
        (false, true) => cell.to_owned(),
        (true, false) => row.job.to_owned(),
        (false, false) => format!("{cell}, {}", row.job),
    }
}

/// The same, and of the only row the name of its group.
pub fn row_or_group(row: &CellRow<'_>, group: &CellGroup) -> String {
    let name = row_name(row, group);
    if name.is_empty() { group.name.clone() } else { name }
}
