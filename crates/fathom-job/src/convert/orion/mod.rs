//! ORION, Oracle's I/O test (docs/guide-index.md: M-23 to M-28): its command lines, scripts of them and `.lun`
//! lists become a job file with a section for each workload of each data point, and jobs become its
//! command lines.
//!
//! ORION's own words: a *data point* is so many small and so many large I/Os in flight for a duration;
//! a *row* of its matrix has one number of large I/Os, a *column* one number of small I/Os.

mod command;
mod jobs;
mod script;
mod workload;
mod write;

use super::ForeignForm;
use command::{Command, Matrix, Run};

/// The form.
pub const FORM: ForeignForm = ForeignForm {
    name: "orion",
    what: "command lines of ORION, with their list of devices",
    to: Some(write::to),
    from: Some(jobs::from),
};

/// Its name in messages.
const PROGRAM: &str = "ORION";

/// Small I/Os are at most so large: ORION takes 2 to 32 KiB for them.
const SMALL_KIB_MAX: u64 = 32;

/// So many small and so many large I/Os (or streams) in flight at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    pub small: u32,
    pub large: u32,
}

/// A matrix goes up to five small I/Os in flight for each disk, and two large ones (the summary of a
/// `simple` run of one disk lists small 1 to 5 and large 1 to 2).
const SMALL_EACH: u32 = 5;
const LARGE_EACH: u32 = 2;

/// An `oltp` run has 20 loads (its summary lists small 1 to 20 for one disk), and a `dss` run 60: users
/// give 22 and 65 minutes for points of one minute.
const OLTP_LOADS: u32 = 20;
const DSS_LOADS: u32 = 60;

/// More data points than a person would run: at one minute each, a week.
const POINTS_MAX: u64 = 10_000;

/// The data points for so many disks.
///
/// # Errors
/// A sentence: the command does not say which.
fn points(command: &Command, disks: u32) -> Result<Vec<Point>, String> {
    let (smalls, larges) = (disks * SMALL_EACH, disks * LARGE_EACH);
    let matrix = match command.run {
        Run::Oltp => {
            return Ok((1..=OLTP_LOADS).map(|load| Point { small: load * disks, large: 0 }).collect());
        }
        Run::Dss => return Ok((1..=DSS_LOADS).map(|load| Point { small: 0, large: load * disks }).collect()),
        Run::Simple => Matrix::Basic,
        Run::Normal => Matrix::Detailed,
        Run::Advanced => command.matrix,
    };
    let needed = |name: &str, number: Option<u32>| {
        number.ok_or_else(|| format!("-matrix {} needs -{name}", word(matrix)))
    };
    match matrix {
        Matrix::Basic => {
            let mut points = all(1..=smalls, 0..=0)?;
            points.extend(all(0..=0, 1..=larges)?);
            Ok(points)
        }
        Matrix::Detailed => all(0..=smalls, 0..=larges),
        Matrix::Point => {
            let small = needed("num_small", command.small)?;
            let large = needed("num_large", command.large)?;
            all(small..=small, large..=large)
        }
        Matrix::Column => {
            let small = needed("num_small", command.small)?;
            all(small..=small, 0..=larges)
        }
        Matrix::Row => {
            let large = needed("num_large", command.large)?;
            all(0..=smalls, large..=large)
        }
        Matrix::Max => {
            let small = needed("num_small", command.small)?;
            all(0..=small, 0..=needed("num_large", command.large)?)
        }
    }
}

fn word(matrix: Matrix) -> &'static str {
    match matrix {
        Matrix::Basic => "basic",
        Matrix::Detailed => "detailed",
        Matrix::Point => "point",
        Matrix::Column => "col",
        Matrix::Row => "row",
        Matrix::Max => "max",
    }
}

type Numbers = std::ops::RangeInclusive<u32>;

/// Every pair, except the one without any I/O.
fn all(smalls: Numbers, larges: Numbers) -> Result<Vec<Point>, String> {
    let count = |numbers: &Numbers| u64::from(numbers.end() - numbers.start()) + 1;
    let points = count(&smalls) * count(&larges);
    if points > POINTS_MAX {
        return Err(format!("these are {points} data points; a job file has at most {POINTS_MAX} of them"));
    }
    let pairs = larges.flat_map(|large| smalls.clone().map(move |small| Point { small, large }));
    let points: Vec<Point> = pairs.filter(|point| point.small + point.large > 0).collect();
    match points.is_empty() {
        true => Err("there is no I/O: both -num_small and -num_large are 0".to_owned()),
        false => Ok(points),
    }
}
