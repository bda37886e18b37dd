//! Arithmetic of measurement: histograms, moments, series, and estimates that carry their interval.
//!
//! Everything here is a function of its arguments. Nothing reads a clock, a file or a random
//! device; where random numbers are needed (simulations) the caller passes the seed. The crate uses
//! none of fathom's other types, so the engine can record with it, the results can store it and the
//! reports can read it without depending on each other.
//!
//! Two rules apply everywhere. A number that the data cannot support is `None`, never a guess.
//! Distributions are merged, never averaged: percentiles of a whole come from the union of its parts.
#![forbid(unsafe_code)]

mod batch_means;
mod binomial;
mod bits;
mod bucket;
mod change_point;
mod chi_square;
mod correlated;
mod effect;
mod entropy;
mod estimate;
mod fall;
mod fio_bucket;
mod forecast;
mod histogram;
mod holm;
mod line;
mod mean_ratio;
mod median_ratio;
mod moments;
mod normal;
mod packed;
mod random;
mod rank;
mod rank_ratio;
mod ratio;
mod runs_needed;
mod serial;
mod series;
mod sparse;
mod spending;
mod student;
mod transition;
pub mod varint;
mod warm_up;
mod window;

pub use batch_means::BatchMeans;
pub use binomial::binomial_bounds;
pub use bucket::{BUCKETS, Bucket, CEILING_NS};
pub use change_point::change_points;
pub use chi_square::chi_square_p_value;
pub use entropy::least_entropy_bits;
pub use estimate::{Estimate, median};
pub use fall::{Fall, fall};
pub use fio_bucket::{FIO_BUCKETS, fio_bucket, fio_bucket_lowest};
pub use forecast::{forecast, times_longer};
pub use histogram::Histogram;
pub use holm::holm_adjusted;
pub use mean_ratio::{MeanRatio, RUNS_MIN, mean_ratio};
pub use median_ratio::median_ratio;
pub use moments::Moments;
pub use normal::{normal_below, normal_quantile, z_two_sided};
pub use random::SplitMix64;
pub use rank::{median_rank_interval, quantile_rank, quantile_rank_interval};
pub use rank_ratio::rank_ratio;
pub use ratio::{TestedRatio, interval_ratio, paired_ratio};
pub use runs_needed::SeenDifference;
pub use serial::{ORDER_MIN, order_p_value};
pub use series::Series;
pub use sparse::{SparseError, SparseHistogram};
pub use spending::alpha_of_look;
pub use student::t_two_sided;
pub use transition::Transition;
pub use warm_up::WarmUp;
pub use window::WindowHistogram;
