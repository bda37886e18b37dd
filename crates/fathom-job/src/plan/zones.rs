//! Do the zones of `random_distribution` lie in the region, and has each of them room for a block?
//!
//! fio ends a job when it draws a zone that lies beyond the file, and takes the first block of a zone that
//! has none. Here, both are errors before anything runs.

use super::notes::{self, Checked};
use super::{PlannedFile, PlannedJob};
use crate::diagnostic::Diagnostic;
use crate::direction::{Direction, PerDirection};
use crate::distribution::{Distribution, Millionths, Zone, ZoneSpan, spans};
use crate::options;
use crate::units::Bytes;

/// Checks the zones of each direction in use on each file.
pub(super) fn fit(planned: &PlannedJob, files: &[PlannedFile]) -> Checked<()> {
    let Distribution::Zoned(zones) = planned.job.get(&options::RANDOM_DISTRIBUTION) else { return Ok(()) };
    if !planned.rw.random {
        return Ok(());
    }
    // Files in a row are often of one size, which is checked once.
    for group in files.chunk_by(|a, b| a.size == b.size) {
        on_file(planned, &group[0], &zones)?;
    }
    Ok(())
}

fn on_file(planned: &PlannedJob, file: &PlannedFile, zones: &PerDirection<Vec<Zone>>) -> Checked<()> {
    for direction in Direction::ALL.into_iter().filter(|d| planned.uses(*d)) {
        let spans = spans(&zones[direction], file.size.0, planned.align[direction].0);
        let used = spans.iter().enumerate().filter(|(_, span)| span.access > Millionths(0));
        for (index, span) in used {
            if span.to > file.size.0 {
                return Err(beyond(planned, file, index, span));
            }
            let block = planned.block[direction].min();
            if span.to == span.from || span.from + block.0 > file.size.0 {
                return Err(too_small(planned, file, index, block));
            }
        }
    }
    Ok(())
}

fn beyond(planned: &PlannedJob, file: &PlannedFile, index: usize, span: &ZoneSpan) -> Diagnostic {
    let message = format!(
        "job {}: zone {} ends at byte {} of the region, but the region of {} has {} bytes",
        planned.name,
        index + 1,
        span.to,
        name(file),
        file.size.0
    );
    notes::error(&planned.job, &options::RANDOM_DISTRIBUTION, "zone-beyond", message)
        .hint("shorter zones or a larger size; zoned takes lengths in percent of the region")
}

fn too_small(planned: &PlannedJob, file: &PlannedFile, index: usize, block: Bytes) -> Diagnostic {
    let message = format!(
        "job {}: zone {} of {} has no room for a block of {block}, but a share of the I/Os",
        planned.name,
        index + 1,
        name(file)
    );
    notes::error(&planned.job, &options::RANDOM_DISTRIBUTION, "zone-small", message)
        .hint("a longer zone, a larger size or smaller blocks")
}

fn name(file: &PlannedFile) -> &str {
    if file.path.is_empty() { "the null target" } else { &file.path }
}
