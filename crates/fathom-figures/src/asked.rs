//! What a job asks of its report: the statistics options, read once.

use fathom_job::job::Job;
use fathom_job::options as key;
use fathom_job::priorities;

/// The statistics options of one job.
#[derive(Clone, Debug, PartialEq)]
pub struct StatisticsOptions {
    /// Percentiles to show, ascending, in percent.
    pub percentiles: Vec<f64>,
    /// The job named its percentiles itself.
    pub percentiles_given: bool,
    /// Percentiles of completion latency.
    pub completion_percentiles: bool,
    /// Percentiles of total latency.
    pub total_percentiles: bool,
    /// Percentiles of submission latency.
    pub submission_percentiles: bool,
    /// Latencies by priority are those of the whole I/O, not those of its completion.
    pub total_by_priority: bool,
    /// Show total latency at all.
    pub total: bool,
    /// Show completion latency at all.
    pub completion: bool,
    /// Show submission latency at all.
    pub submission: bool,
    /// Show the spread of bandwidth and IOPS over the windows.
    pub samples: bool,
    /// Directions apart, summed, or both.
    pub unified: Unified,
    /// Digits of numbers in text.
    pub figures: usize,
    /// Free text about the job; empty when there is none.
    pub description: String,
    /// Errors are counted instead of ending the job.
    pub counts_errors: bool,
    /// Wrong blocks are among them.
    pub counts_wrong_blocks: bool,
}

/// `unified_rw_reporting`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unified {
    /// Each direction by itself.
    Apart,
    /// One sum.
    Mixed,
    /// Each by itself, and the sum.
    Both,
}

impl StatisticsOptions {
    /// Reads a job's statistics options.
    pub fn of(job: &Job) -> Self {
        let reduced = job.get(&key::GTOD_REDUCE);
        StatisticsOptions {
            percentiles: ascending(job.get(&key::PERCENTILE_LIST)),
            percentiles_given: job.is_given(&key::PERCENTILE_LIST),
            completion_percentiles: job.get(&key::CLAT_PERCENTILES),
            total_percentiles: job.get(&key::LAT_PERCENTILES),
            submission_percentiles: job.get(&key::SLAT_PERCENTILES),
            total_by_priority: priorities::are_total(job),
            total: !reduced && !job.get(&key::DISABLE_LAT),
            completion: !reduced && !job.get(&key::DISABLE_CLAT),
            submission: !reduced && !job.get(&key::DISABLE_SLAT),
            samples: !job.get(&key::DISABLE_BW_MEASUREMENT),
            unified: Unified::of(job.get(&key::UNIFIED_RW_REPORTING)),
            figures: job.get(&key::SIGNIFICANT_FIGURES) as usize,
            description: job.get(&key::DESCRIPTION).unwrap_or_default(),
            counts_errors: job.get(&key::CONTINUE_ON_ERROR) != "none",
            counts_wrong_blocks: matches!(job.get(&key::CONTINUE_ON_ERROR), "verify" | "all"),
        }
    }
}

impl Unified {
    fn of(word: &str) -> Self {
        match word {
            "mixed" => Unified::Mixed,
            "both" => Unified::Both,
            _ => Unified::Apart,
        }
    }
}

fn ascending(mut percentiles: Vec<f64>) -> Vec<f64> {
    percentiles.sort_by(f64::total_cmp);
    percentiles
}
