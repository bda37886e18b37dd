//! A rate in I/Os of a job whose block size varies. fio turns such a rate into bytes by the smallest block
//! (`setup_rate` in backend.c), so a job with larger blocks does fewer I/Os there. With `rate_process=poisson` fio counts
//! I/Os, as fathom always does.

use super::notes::{self, Notes};
use super::{Arrivals, BlockSizes, Pace, Rate};
use crate::direction::{Direction, PerDirection};
use crate::job::Job;
use crate::options;
use crate::units::Bytes;

/// Reports the rate that fio would keep.
pub(super) fn find(job: &Job, pace: &Pace, block: &PerDirection<BlockSizes>, notes: &mut Notes) {
    let of_fio = |direction: Direction| match pace.rate[direction] {
        Some(Rate::Ios(ios)) => Some(ios.saturating_mul(block[direction].min().0)),
        _ => None,
    };
    let varies = |direction: &Direction| {
        let sizes = &block[*direction];
        of_fio(*direction).is_some() && sizes.min() != sizes.max()
    };
    let Some(direction) = Direction::ALL.into_iter().find(varies) else { return };
    if pace.arrivals != Arrivals::Linear {
        return;
    }
    let smallest = block[direction].min();
    let bytes = Bytes(of_fio(direction).unwrap_or_default());
    let message = format!(
        "job {}: rate_iops counts I/Os of every size; fio would keep {bytes} a second ({smallest} for each I/O, its \
         smallest block), and so do fewer I/Os",
        job.name
    );
    let values = Direction::ALL.map(|direction| of_fio(direction).map(|n| n.to_string()).unwrap_or_default());
    let values = values.join(",");
    let note = notes::note(job, &options::RATE_IOPS, "rate-iops-sizes", message);
    notes.push(
        note.hint(format!(
            "for the rate of fio: rate={} in place of rate_iops",
            values.trim_end_matches(',')
        )),
    );
}
