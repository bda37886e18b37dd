//! One test of the standard.

use super::phase::{Fixed, Loop, TestPhase};
use super::reported::Reported;
use super::taken::Taken;
use super::terms::PtsTerms;
use super::until::Until;
use fathom_job::units::Bytes;
use fathom_results::TestReport;
use fathom_results::answer::CannotRun;
use std::collections::BTreeSet;

/// No test is run on less: its cells would overlap.
pub const ACTIVE_MIN: Bytes = Bytes::mib(16);

/// The smallest block of any drive.
const SECTOR_MIN: Bytes = Bytes(512);

/// One test of the standard.
#[derive(Debug)]
pub struct PtsTest {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its title in the report.
    pub title: &'static str,
    /// Its threads and depth are those that the operator chooses; otherwise the standard says them.
    pub takes_demand: bool,
    /// The smallest block without which it cannot be run.
    pub needs_block: Bytes,
    /// The smallest active range with which it can be run.
    pub needs_active: Bytes,
    /// Its parts.
    pub phases: fn(&PtsTerms) -> Vec<TestPhase>,
    /// Fills the report with tables and plots.
    pub report: fn(&Reported<'_>, &mut TestReport),
}

impl PtsTest {
    /// Its loops, in order.
    pub fn loops(&self, terms: &PtsTerms) -> Vec<Until> {
        let phases = (self.phases)(terms).into_iter();
        phases
            .filter_map(|phase| if let TestPhase::Loop(one) = phase { Some(one.until) } else { None })
            .collect()
    }

    /// The blocks of its cells that the target cannot have, because its smallest I/O is larger; those cells are not run.
    pub fn left_out(&self, terms: &PtsTerms) -> Vec<Bytes> {
        if self.cannot(terms).is_some() {
            return Vec::new();
        }
        let blocks = |sector: Bytes| -> BTreeSet<u64> {
            let terms = PtsTerms { sector, ..terms.clone() };
            let segments = |phase: TestPhase| match phase {
                TestPhase::Loop(Loop { segments, .. }) | TestPhase::Fixed(Fixed { segments, .. }) => {
                    segments(&terms, &Taken::default())
                }
                TestPhase::Purge | TestPhase::Fill { .. } => Vec::new(),
            };
            let all = (self.phases)(&terms).into_iter().flat_map(segments);
            all.filter_map(|segment| segment.stimulus.block()).map(|block| block.0).collect()
        };
        let left = &blocks(SECTOR_MIN) - &blocks(terms.sector);
        left.into_iter().map(Bytes).collect()
    }

    /// Why the target cannot have this test.
    pub fn cannot(&self, terms: &PtsTerms) -> Option<CannotRun> {
        if terms.sector > self.needs_block {
            let (needs_bytes, smallest_bytes) = (self.needs_block.0, terms.sector.0);
            return Some(CannotRun::SmallIos { needs_bytes, target: terms.target.clone(), smallest_bytes });
        }
        let (needs, has) = (self.needs_active, terms.active());
        (has < needs).then_some(CannotRun::SmallRange { needs_bytes: needs.0, has_bytes: has.0 })
    }
}
