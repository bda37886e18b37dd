//! What limited each measurement, with the numbers that say so.
//!
//! One rule per file, one line in [`BESIDE`] or [`TARGETS`]. The first rule that holds explains a
//! measurement: rules which show that the figure is not the device's come before limits of the
//! device, and the last rule always holds. To add one: a file with a `pub(super) fn check`, and
//! its line.

mod cap;
mod control_group;
mod depth;
mod device;
mod generator;
mod hand_off;
mod memory;
mod others;
mod proviso;
mod single;
mod strain;
mod submission;
mod syncs;

use super::six::{Group, named};
use super::told::{Figure, Told, of};
use crate::case::Case;
use crate::cell::Cell;
use fathom_words::capital;

/// Why a measurement was not faster.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limit {
    /// What it was limited by: a noun, plain and short.
    claim: Told,
    /// The numbers behind the claim that do not belong to a single measurement.
    basis: Option<Told>,
    /// The numbers, beginning with the measurement's name.
    evidence: Told,
    /// What speaks against it, for this measurement.
    counter: Option<Told>,
}

type Rule = fn(&Case<'_>, &Cell<'_>) -> Option<Limit>;

/// Limits that are not the target's.
const BESIDE: &[Rule] = &[control_group::check, memory::check, generator::check];

/// Limits of the target, or of the way to it.
const TARGETS: &[Rule] =
    &[others::check, syncs::check, single::check, submission::check, cap::check, depth::check, device::check];

/// One line for each limit of each group, in the order latency, random I/O,
/// bandwidth.
pub(super) fn limits(case: &Case<'_>) -> Vec<Told> {
    let groups = [Group::Latency, Group::Random, Group::Bandwidth];
    groups.into_iter().flat_map(|group| group_lines(case, group)).collect()
}

/// The sentence for each measurement, before measurements with the same limit share a line.
#[cfg(test)]
pub(super) fn apart(case: &Case<'_>) -> Vec<Told> {
    let measured = case.cells.iter().filter(|cell| cell.ios() > 0 && named(cell.name()).is_some());
    let limits = measured.filter_map(|cell| explain(case, cell));
    let pieces = |limit: Limit| {
        [Some(limit.claim), limit.basis, Some(limit.evidence), limit.counter].into_iter().flatten()
    };
    limits.map(|limit| Told::joined(pieces(limit), " | ")).collect()
}

/// What limited one measurement, in a few words.
pub(crate) fn claim(case: &Case<'_>, cell: &Cell<'_>) -> String {
    explain(case, cell).map_or_else(|| "not known".to_owned(), |limit| limit.claim.text)
}

/// The figures behind it, with what speaks against it: `The device (a: 80.0k IOPS, …). Not certain: ….`
pub(crate) fn reasons(case: &Case<'_>, cell: &Cell<'_>) -> Option<String> {
    let Limit { claim, basis, evidence, counter } = explain(case, cell)?;
    let basis = basis.map(|basis| format!("{basis}; ")).unwrap_or_default();
    let counter = counter.map(|counter| format!(" Not certain: {counter}.")).unwrap_or_default();
    Some(format!("{} ({basis}{evidence}).{counter}", capital(&claim)))
}

/// What limited one measurement, by name.
type Explained<'a> = (&'a str, Limit);

fn group_lines(case: &Case<'_>, group: Group) -> Vec<Told> {
    let belongs =
        |cell: &&Cell<'_>| cell.ios() > 0 && named(cell.name()).is_some_and(|one| one.group == group);
    let mut by_claim: Vec<Vec<Explained<'_>>> = Vec::new();
    for cell in case.cells.iter().filter(belongs) {
        let Some(limit) = explain(case, cell) else { continue };
        match by_claim.iter_mut().find(|limits| limits[0].1.claim.text == limit.claim.text) {
            Some(limits) => limits.push((cell.name(), limit)),
            None => by_claim.push(vec![(cell.name(), limit)]),
        }
    }
    by_claim.iter().map(|limits| line(group, limits)).collect()
}

/// Every sentence about a measurement is based on the fact that it was made.
fn explain(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    let first = |rules: &[Rule]| rules.iter().find_map(|rule| rule(case, cell));
    let limit = first(BESIDE).or_else(|| Some(proviso::of_target(case, cell, first(TARGETS)?)))?;
    let made = Told::new("", of(cell, &[Figure::Ios]));
    Some(Limit { evidence: limit.evidence.and(made), ..limit })
}

/// `Random I/O: the device (numbers; numbers). Not certain: ….`
fn line(group: Group, limits: &[Explained<'_>]) -> Told {
    let bases = limits.iter().filter_map(|(_, limit)| limit.basis.clone());
    let mut evidence: Vec<Told> = Vec::new();
    for piece in bases.chain(limits.iter().map(|(_, limit)| limit.evidence.clone())) {
        match evidence.iter_mut().find(|known| known.text == piece.text) {
            Some(known) => known.data.extend(piece.data),
            None => evidence.push(piece),
        }
    }
    let claims = limits.iter().map(|(_, limit)| limit.claim.data.clone()).collect::<Vec<_>>().concat();
    let claim = Told::new(limits[0].1.claim.text.clone(), claims);
    let said = claim
        .within(|claim| format!("{}: {claim} (", group.text()))
        .and(Told::joined(evidence, "; "))
        .within(|text| format!("{text})."));
    match against(limits) {
        against if against.is_empty() => said,
        against => said.and(Told::joined(against, "; ").within(|text| format!(" Not certain: {text}."))),
    }
}

/// What speaks against the claim, and for which of the measurements; without
/// names where that is all of them.
fn against(limits: &[Explained<'_>]) -> Vec<Told> {
    let mut all: Vec<(Vec<&str>, Told)> = Vec::new();
    for (name, limit) in limits {
        let Some(counter) = &limit.counter else { continue };
        match all.iter_mut().find(|(_, told)| told.text == counter.text) {
            Some((names, told)) => {
                names.push(name);
                told.data.extend(counter.data.clone());
            }
            None => all.push((vec![name], counter.clone())),
        }
    }
    let is_clear =
        |text: &str, names: &[&str]| names.len() == limits.len() || names.iter().all(|n| text.contains(n));
    let told = |(names, counter): (Vec<&str>, Told)| match is_clear(&counter, &names) {
        true => counter,
        false => counter.within(|text| format!("for {}, {text}", names.join(" and "))),
    };
    all.into_iter().map(told).collect()
}

#[cfg(test)]
mod fixture {
    //! The three reads of a quick run, with rates and latencies to choose.

    use super::Limit;
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder};
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

    /// Reads at depth 1 take 100 µs; then this many per second at depth 32, which keeps the queue
    /// full.
    pub fn reads(per_second: u64) -> RunBuilder {
        reads_varied(&[per_second; 7], 31_900_000_000 / per_second)
    }

    pub fn reads_varied(per_second: &[u64], latency_ns: u64) -> RunBuilder {
        let target = target(true);
        let mut scene = RunBuilder::text(&job_text(&target)).seconds(
            LATENCY,
            7,
            &[DirectionLoad::reads(10_000, 4096, 100_000)],
        );
        for ios in per_second {
            scene = scene.seconds(IOPS, 1, &[DirectionLoad::reads(*ios, 4096, latency_ns)]);
        }
        scene
    }

    /// What limited one job.
    pub fn explain(scene: RunBuilder, seen: &Surrounds, job: usize) -> Limit {
        let run = scene.run();
        let case = Case::new(&run, seen);
        let limit = super::explain(&case, &case.cells[job]).unwrap();
        assert!(limit.claim.split_whitespace().count() <= 12, "a plain claim is short: {limit:?}");
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::{BANDWIDTH, IOPS, LATENCY, MIB, reads, target};
    use super::limits;
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::quick::{QuickTarget, job_text};

    #[test]
    fn one_line_a_claim_with_all_its_numbers() {
        let run = reads(80_000).seconds(BANDWIDTH, 7, &[DirectionLoad::reads(500, MIB, 15_900_000)]).run();
        let lines = limits(&Case::new(&run, &crate::fixture::surrounds()));
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert!(lines[0].starts_with("Latency: "));
        assert!(lines[1].starts_with("Random I/O: the device (rand-read-iops: 80.0k IOPS"));
        assert!(lines[2].starts_with("Bandwidth: the device (seq-read-bandwidth: "));
    }

    #[test]
    fn what_speaks_against_one_measurement_is_said_of_that_one() {
        // Writes were not measured at depth 1; reads were, and waited for each other.
        let text = job_text(&QuickTarget { can_write: true, ..target(true) });
        let scene = RunBuilder::text(&text)
            .seconds(LATENCY, 7, &[DirectionLoad::reads(10_000, 4096, 100_000)])
            .seconds(IOPS, 7, &[DirectionLoad::reads(80_000, 4096, 398_000)])
            .seconds(4, 7, &[DirectionLoad::writes(60_000, 4096, 531_000)])
            .seconds(
                5,
                7,
                &[DirectionLoad::reads(49_000, 4096, 455_000), DirectionLoad::writes(21_000, 4096, 455_000)],
            );
        let run = scene.run();
        let lines = limits(&Case::new(&run, &crate::fixture::surrounds()));
        let against = lines[1].split(" Not certain: ").nth(1).unwrap();
        assert_eq!(
            against,
            "for rand-write-iops and mixed-70-30, the same I/O was not measured at depth 1, \
             so the queue depth may be the limit."
        );
    }
}
