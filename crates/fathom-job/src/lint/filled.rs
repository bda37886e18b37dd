//! The regions that earlier stages write completely. Each of ten thousand jobs is checked against
//! these regions, and not against every other job.

use crate::direction::Direction;
use crate::options;
use crate::plan::{PlannedFile, PlannedJob};
use std::collections::{BTreeMap, HashMap};

/// The filled regions of each path: first byte and end. A region within another one is not kept, so
/// a region that begins later also ends later, and one lookup finds the region that reaches
/// furthest.
#[derive(Debug, Default)]
pub struct Filled<'a> {
    paths: HashMap<&'a str, BTreeMap<u64, u64>>,
}

impl<'a> Filled<'a> {
    pub(super) fn add(&mut self, job: &'a PlannedJob) {
        let is_uniform = job.job.get(&options::RANDOM_DISTRIBUTION).is_uniform();
        if job.uses(Direction::Write) && (is_uniform || !job.rw.random) {
            job.files.iter().for_each(|file| self.add_region(file));
        }
    }

    fn add_region(&mut self, file: &'a PlannedFile) {
        if self.holds(file) {
            return;
        }
        let (start, end) = (file.offset.0, end(file));
        let regions = self.paths.entry(&file.path).or_default();
        let within: Vec<u64> =
            regions.range(start..).take_while(|(_, other)| **other <= end).map(|(start, _)| *start).collect();
        for start in within {
            regions.remove(&start);
        }
        regions.insert(start, end);
    }

    /// Has one job written every block of this region?
    pub(super) fn holds(&self, file: &PlannedFile) -> bool {
        let regions = self.paths.get(file.path.as_str());
        let furthest = regions.and_then(|regions| regions.range(..=file.offset.0).next_back());
        furthest.is_some_and(|(_, reach)| *reach >= end(file))
    }
}

fn end(file: &PlannedFile) -> u64 {
    file.offset.0.saturating_add(file.size.0)
}
