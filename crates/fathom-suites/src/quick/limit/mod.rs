//! What limited each measurement, with the numbers that say so.
//!
//! One rule a file, one line in [`RULES`]. The first that holds explains a
//! measurement: what makes the figure another thing's than the device's comes
//! before what the device can be blamed for, and the last rule always holds.
//! To add one: a file with a `pub(super) const RULE`, and its line.

mod cap;
mod depth;
mod device;
mod generator;
mod memory;
mod single;
mod strain;
mod submission;

use super::six::{Group, named};
use crate::case::Case;
use crate::cell::Cell;

/// Why a measurement was not faster.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limit {
    /// What it was limited by: a noun, plain and short.
    claim: String,
    /// The numbers behind the claim that belong to no one measurement.
    basis: Option<String>,
    /// The numbers, beginning with the measurement's name.
    evidence: String,
    /// What speaks against it.
    counter: Option<String>,
}

type Rule = fn(&Case<'_>, &Cell<'_>) -> Option<Limit>;

const RULES: &[Rule] =
    &[memory::RULE, generator::RULE, single::RULE, cap::RULE, submission::RULE, depth::RULE, device::RULE];

/// One line for each limit of each group, in the order latency, random I/O,
/// bandwidth.
pub(super) fn limits(case: &Case<'_>) -> Vec<String> {
    let groups = [Group::Latency, Group::Random, Group::Bandwidth];
    groups.into_iter().flat_map(|group| group_lines(case, group)).collect()
}

fn group_lines(case: &Case<'_>, group: Group) -> Vec<String> {
    let belongs =
        |cell: &&Cell<'_>| cell.ios() > 0 && named(cell.name()).is_some_and(|one| one.group == group);
    let found = case.cells.iter().filter(belongs).filter_map(|cell| explain(case, cell));
    let mut by_claim: Vec<Vec<Limit>> = Vec::new();
    for limit in found {
        match by_claim.iter_mut().find(|limits| limits[0].claim == limit.claim) {
            Some(limits) => limits.push(limit),
            None => by_claim.push(vec![limit]),
        }
    }
    by_claim.iter().map(|limits| line(group, limits)).collect()
}

fn explain(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    RULES.iter().find_map(|rule| rule(case, cell))
}

/// `Random I/O: the device (numbers; numbers). Against it: ….`
fn line(group: Group, limits: &[Limit]) -> String {
    let basis = limits[0].basis.as_deref();
    let evidence: Vec<&str> =
        basis.into_iter().chain(limits.iter().map(|limit| limit.evidence.as_str())).collect();
    let mut against: Vec<&str> = limits.iter().filter_map(|limit| limit.counter.as_deref()).collect();
    against.dedup();
    let against = match against.is_empty() {
        true => String::new(),
        false => format!(" Against it: {}.", against.join("; ")),
    };
    format!("{}: {} ({}).{against}", group.text(), limits[0].claim, evidence.join("; "))
}

#[cfg(test)]
mod fixture {
    //! The three reads of a quick run, with rates and latencies to choose.

    use super::Limit;
    use crate::case::Case;
    use crate::fixture::{Flow, Scene};
    use crate::quick::{QuickTarget, job_text};
    use crate::surrounds::Surrounds;
    use fathom_job::units::Bytes;

    pub const MIB: u64 = 1 << 20;
    /// Jobs of the reads, by their place in the plan.
    pub const BANDWIDTH: usize = 0;
    pub const LATENCY: usize = 1;
    pub const IOPS: usize = 2;

    pub fn target(direct: bool) -> QuickTarget {
        QuickTarget {
            path: "/data/scratch".to_owned(),
            size: Bytes::gib(1),
            can_write: false,
            direct,
            engine: "io_uring".to_owned(),
            block_min: Bytes(512),
            seconds_per_cell: 7,
            is_scratch: true,
        }
    }

    /// Reads at depth 1 take 100 µs; then so many at depth 32, which keeps the
    /// queue full.
    pub fn reads(per_second: u64) -> Scene {
        reads_varied(&[per_second; 7], 31_900_000_000 / per_second)
    }

    pub fn reads_varied(per_second: &[u64], latency_ns: u64) -> Scene {
        let target = target(true);
        let mut scene =
            Scene::text(&job_text(&target)).seconds(LATENCY, 7, &[Flow::reads(10_000, 4096, 100_000)]);
        for ios in per_second {
            scene = scene.seconds(IOPS, 1, &[Flow::reads(*ios, 4096, latency_ns)]);
        }
        scene
    }

    /// What limited one job.
    pub fn explain(scene: Scene, seen: &Surrounds, job: usize) -> Limit {
        let run = scene.run();
        let case = Case::new(&run, seen);
        let limit = super::explain(&case, &case.cells[job]).unwrap();
        assert!(limit.claim.split_whitespace().count() <= 12, "a plain claim is short: {limit:?}");
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::{BANDWIDTH, MIB, reads};
    use super::limits;
    use crate::case::Case;
    use crate::fixture::{Flow, Scene};

    #[test]
    fn one_line_a_claim_with_all_its_numbers() {
        let run = reads(80_000).seconds(BANDWIDTH, 7, &[Flow::reads(500, MIB, 15_900_000)]).run();
        let lines = limits(&Case::new(&run, &Scene::surrounds()));
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert!(lines[0].starts_with("Latency: "));
        assert!(lines[1].starts_with("Random I/O: the device (rand-read-iops: 80.0k IOPS"));
        assert!(lines[2].starts_with("Bandwidth: the device (seq-read-bandwidth: "));
    }
}
