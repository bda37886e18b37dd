//! What no figure shows and a reader asks: other I/O on the disk, what was written before it was read, whether writes may still
//! be in a cache, the scheduler, preconditioning.

use crate::case::Case;
use crate::cell::Cell;
use crate::generator::{Sign, delay, sign};
use crate::own_jobs::Own;
use fathom_figures::workload::{planned_jobs, syncs};
use fathom_figures::{LatencyGoalFigures, LatencySearch, Row, rows_of_clones};
use fathom_job::direction::Direction;
use fathom_results::answer::{FilledPart, LatencySearched, MergedIos, Remark, RemarkKind, SearchEnd};
use fathom_results::{CheckEvidence, CheckOutcome, FileRecord, JobRecord, JobsPart, RunResult, SelfCheck};

/// What readers ask for most first.
pub(super) fn remarks(case: &Case<'_>, own: Own<'_>) -> Vec<Remark> {
    let (run, rows) = (case.run, rows_of_clones(case.run));
    // A simulated drive and an engine without a device have no host that disturbs them, and no scheduler.
    let on_machine = case.cells.iter().any(Cell::is_on_disk);
    let is_drive = on_machine || case.cells.iter().any(Cell::is_simulated);
    let scheduler = case.target_fact("scheduler").filter(|_| on_machine);
    let all = [
        latency_search(&rows),
        merged(case),
        rests(case),
        one_member(case),
        alone(run),
        on_machine.then(|| undisturbed(case)).flatten(),
        unflushed(run, &rows, own),
        filled(&rows, own),
        // The line of the jobs says it of those that fathom wrote.
        (is_drive && !own.are_these).then_some(RemarkKind::NotPreconditioned),
        scheduler.map(|name| RemarkKind::Scheduler { name: name.to_owned() }),
    ];
    all.into_iter().flatten().map(|kind| Remark { kind, rounds: None }).collect()
}

/// What a job with `latency_target` found: it asks for the depth that keeps the latency, and no column shows that depth.
fn latency_search(rows: &[Row<'_>]) -> Option<RemarkKind> {
    let searches = rows.iter().filter_map(|row| {
        let goal = LatencyGoalFigures::of(row);
        Some(LatencySearched {
            job: row.name().to_owned(),
            percentile: goal.percentile,
            target_ns: goal.target_ns,
            depth: goal.depth,
            end: match goal.search? {
                LatencySearch::Kept => SearchEnd::Kept,
                LatencySearch::NeverKept => SearchEnd::NeverKept,
                LatencySearch::Unfinished => SearchEnd::Unfinished,
            },
        })
    });
    let searches: Vec<LatencySearched> = searches.collect();
    (!searches.is_empty()).then_some(RemarkKind::LatencySearches { searches })
}

/// What the kernel merged: the IOPS of the job are then not those of the disk.
fn merged(case: &Case<'_>) -> Option<RemarkKind> {
    let all = case.witnesses.iter().flat_map(|witness| {
        [Direction::Read, Direction::Write].into_iter().filter_map(|direction| {
            let (ios, requests) = witness.merged_into(direction)?;
            Some(MergedIos { direction, ios, requests, disk: witness.disk().to_owned() })
        })
    });
    let merged: Vec<MergedIos> = all.collect();
    (!merged.is_empty()).then_some(RemarkKind::Merged { merged })
}

/// Of the time, from which on a job with a rate leaves nothing to do: its latency is then not that of a busy machine.
const RESTS_FROM: f64 = 0.5;

/// That a job at a low rate measures also how long the CPU and the drive need to wake: with fewer I/Os each takes longer.
fn rests(case: &Case<'_>) -> Option<RemarkKind> {
    let is_low = |cell: &&Cell<'_>| {
        let busy = cell.in_flight().map_or(1.0, |in_flight| in_flight.mean);
        cell.is_on_disk() && cell.keeps_its_rate() && busy < 1.0 - RESTS_FROM
    };
    let named = case.cells.iter().find(is_low)?;
    Some(RemarkKind::Rests { job: (case.cells.len() > 1).then(|| named.name().to_owned()) })
}

/// No usual chunk of an array is smaller: a larger I/O has parts on several members.
const CHUNK_MIN: u64 = 64 << 10;

/// That an array does one I/O at a time on one of its members, where no job has more in flight: it is then no faster than one.
fn one_member(case: &Case<'_>) -> Option<RemarkKind> {
    let simulated = || {
        let path = &case.cells.first()?.planned().files.first()?.path;
        path.strip_prefix("sim:")?.split_once('x')?.0.parse::<u64>().ok()
    };
    let members = case.target_fact("md_disks").and_then(|text| text.parse().ok()).or_else(simulated)?;
    let is_one = |cell: &Cell<'_>| cell.depth() == 1 && cell.planned().transfer_max().0 <= CHUNK_MIN;
    (members > 1 && case.cells.iter().all(is_one)).then_some(RemarkKind::OneMember { members })
}

/// That no check of the host found a disturbance, the hypervisor took no time, nothing stopped fathom, and no job waited for a
/// CPU that others had.
fn undisturbed(case: &Case<'_>) -> Option<RemarkKind> {
    const DISTURBED: [&str; 5] = ["host-disturbed", "steal", "clock-low", "too-hot", "stopped"];
    let findings = &case.run.record.findings;
    let found = findings.iter().any(|finding| DISTURBED.contains(&finding.code()));
    let waited = |cell: &Cell<'_>| {
        matches!(sign(case, cell), Some(Sign::Starved(_) | Sign::Quota(_))) || delay(cell).is_some()
    };
    (!found && !case.cells.iter().any(waited)).then_some(RemarkKind::Undisturbed)
}

/// What fathom wrote before its own jobs read. `None` where it filled nothing, and of the
/// jobs of a user.
fn filled(rows: &[Row<'_>], own: Own<'_>) -> Option<RemarkKind> {
    if !own.are_these {
        return None;
    }
    let reader = rows.iter().find(|row| row.totals.directions[Direction::Read].ios > 0)?;
    let file = reader.first().files.first()?;
    let is_at = |row: &&Row<'_>| row.first().files.first().is_some_and(|own| own.path == file.path);
    let by_fill = rows.iter().filter(is_at).find(|row| own.prepares(row.name()));
    let by_fill = by_fill.map_or(0, |row| row.moved(Direction::Write).bytes);
    let laid_out: u64 = rows.iter().filter(is_at).map(|row| row.first().files[0].layout.0).sum();
    match (by_fill + laid_out, file.size.0) {
        (0, _) => None,
        (bytes, of_bytes) => {
            Some(RemarkKind::Filled { part: (bytes < of_bytes).then_some(FilledPart { bytes, of_bytes }) })
        }
    }
}

/// That nobody else used the disks: the kernel counted what fathom moved, and no more.
fn alone(run: &RunResult) -> Option<RemarkKind> {
    let is_of_kernel = |check: &&SelfCheck| matches!(check.evidence, CheckEvidence::KernelCounts(_));
    let counts = run.record.self_knowledge.checks.iter().find(is_of_kernel)?;
    let is_alone = counts.outcome == CheckOutcome::Holds
        && run.record.findings.iter().all(|finding| finding.code() != "foreign-io");
    is_alone.then_some(RemarkKind::Alone)
}

/// That writes a cache may hold them, where no job that writes asked for a sync; of several jobs, which ones.
fn unflushed(run: &RunResult, rows: &[Row<'_>], own: Own<'_>) -> Option<RemarkKind> {
    let rows: Vec<Row<'_>> = rows.iter().filter(|row| !own.prepares(row.name())).cloned().collect();
    let wrote = |job: &JobRecord| {
        rows.iter().any(|row| row.flow(Direction::Write).parts().any(|part| part[0].planned.id == job.id))
    };
    let is_open = |job: &&JobRecord| job.files.iter().any(|file| can_cache(run, file));
    let writers: Vec<&JobRecord> = planned_jobs(&rows)
        .into_iter()
        .filter(|job| job.uses(Direction::Write) && wrote(job) && is_open(job))
        .collect();
    let open: Vec<&JobRecord> = writers.iter().filter(|job| syncs(job).is_none()).copied().collect();
    if open.is_empty() {
        return None;
    }
    let names = || open.iter().map(|job| job.name.clone()).collect();
    let jobs = (open.len() < writers.len()).then(|| JobsPart { names: names(), of: writers.len() as u64 });
    Some(RemarkKind::Unflushed { jobs })
}

/// May a cache hold what is written to it? Memory is no cache of itself.
fn can_cache(run: &RunResult, file: &FileRecord) -> bool {
    let of = |file: &FileRecord| run.record.target_surroundings(&file.path, false).fs_type;
    file.is_on_machine() && !matches!(of(file).as_deref(), Some("tmpfs" | "ramfs"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use fathom_results::outcome::DEPTH_FOUND;
    use fathom_results::{DiskDelta, Halt};

    fn words(run: &RunResult, surrounds: &crate::Surrounds) -> Vec<String> {
        remarks(&Case::new(run, surrounds), crate::fixture::own(false))
            .into_iter()
            .map(|remark| in_words(remark.kind))
            .collect()
    }

    fn in_words(kind: RemarkKind) -> String {
        fathom_words::remark(&Remark { kind, rounds: None })
    }

    const GLOBAL: &str = "[global]\nfilename=/dev/sda\nsize=64m\nbs=1m\nioengine=psync\ndirect=1\n";

    #[test]
    fn what_a_search_for_a_latency_found_stands_beside_the_figures() {
        let job = "[lt]\nfilename=/dev/sda\nsize=64m\nioengine=libaio\ndirect=1\nrw=randread\niodepth=64\n\
                   latency_target=2ms\nlatency_window=200ms\nlatency_percentile=99\n";
        let found = |note: &str| {
            let mut run =
                RunBuilder::text(job).seconds(0, 3, &[DirectionLoad::reads(900, 4096, 90_000)]).run();
            let outcome = run.jobs[0].outcome.as_mut().expect("the job ended");
            outcome.notes.push((DEPTH_FOUND.to_owned(), note.to_owned()));
            latency_search(&rows_of_clones(&run)).map(in_words)
        };
        let asked = "99 % of the I/Os within 2 ms (latency_target)";
        let kept = found("6").expect("a search");
        assert_eq!(kept, format!("lt: a depth of 6 is the largest that keeps {asked}"));
        let never = found("none: not even one I/O at a time keeps it").expect("a search");
        assert_eq!(never, format!("lt: not even a depth of 1 keeps {asked}"));
    }

    #[test]
    fn what_own_jobs_filled_is_said_as_far_as_it_came() {
        let text = format!("{GLOBAL}[fill]\nrw=write\n[r]\nstonewall\nrw=read\n");
        let after = |mib: u64, are_own: bool| {
            let scene = RunBuilder::text(&text).seconds(0, 1, &[DirectionLoad::writes(mib, 1 << 20, 90_000)]);
            let run = scene.seconds(1, 3, &[DirectionLoad::reads(100, 1 << 20, 90_000)]).run();
            filled(&rows_of_clones(&run), crate::fixture::own(are_own)).map(in_words)
        };
        assert_eq!(after(64, true).as_deref(), Some("the target was filled before it was read"));
        assert_eq!(after(32, true).as_deref(), Some("only 33.6 MB of 67.1 MB were written first"));
        assert_eq!((after(0, true), after(64, false)), (None, None));
    }

    /// 20,000 sequential reads a second of a hard disk are a few hundred requests of it.
    #[test]
    fn reads_that_the_kernel_merged_are_not_those_of_the_disk() {
        let job = "rw=read bs=4k ioengine=libaio iodepth=16 direct=1 filename=/dev/sda";
        let said = |requests: u64, merges: u64| {
            let read = 4096 * 50_000;
            let delta = DiskDelta { ios: [requests, 0, 0], merges: [merges, 0, 0], ..disk("sda", read, 0) };
            let scene = RunBuilder::of(job).all(5, DirectionLoad::reads(10_000, 4096, 90_000)).disk(delta);
            let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
            words(&run, &surrounds).into_iter().find(|remark| remark.contains("merged"))
        };
        let told = "the kernel merged 50,000 reads into 3,125 requests to sda";
        assert_eq!(said(3_125, 46_875).as_deref(), Some(told));
        assert_eq!(said(50_000, 0), None);
        assert_eq!(said(40_000, 10_000), None, "most reads reach the disk as they are");
    }

    /// A drive at 300 IOPS has a higher latency than at 6,000, and readers take that for an error.
    #[test]
    fn a_low_rate_is_said_to_measure_the_time_to_wake() {
        let said = |rate: u64, ios: u64, latency_ns: u64| {
            let job = format!("rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda rate_iops={rate}");
            let scene = RunBuilder::of(&job).all(5, DirectionLoad::reads(ios, 4096, latency_ns));
            let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
            words(&run, &surrounds).iter().any(|remark| remark.contains("need to wake"))
        };
        assert!(said(300, 300, 90_000));
        assert!(!said(8_000, 8_000, 90_000), "most of the time it has something to do");
        assert!(!said(30_000, 300, 90_000), "the rate was not reached");
    }

    #[test]
    fn an_array_with_one_io_in_flight_is_said_to_use_one_member() {
        let said = |target: &str, options: &str| {
            let job = format!("rw=randread filename={target} {options}");
            let scene = RunBuilder::of(&job).all(5, DirectionLoad::reads(80, 4096, 12_000_000));
            let is_md = target.contains("md0");
            let scene = if is_md { scene.fact("target./dev/md0.md_disks", "3") } else { scene };
            let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
            words(&run, &surrounds).into_iter().find(|remark| remark.contains("members"))
        };
        let array = "sim\\:4xdisk,raid=0";
        let told = |members| {
            format!(
                "one I/O at a time uses one of the {members} members of the array: iodepth= or numjobs= uses more"
            )
        };
        assert_eq!(said(array, "bs=4k"), Some(told(4)));
        assert_eq!(said("/dev/md0", "bs=4k ioengine=psync direct=1"), Some(told(3)));
        assert_eq!(said(array, "bs=4k ioengine=libaio iodepth=8 direct=1"), None);
        assert_eq!(said(array, "bs=1m"), None, "it has parts on several members");
        assert_eq!(said("sim\\:disk", "bs=4k"), None);
    }

    #[test]
    fn a_job_that_waited_for_a_cpu_was_disturbed() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
        let told = |scene: RunBuilder| {
            let (run, surrounds) = (scene.run(), crate::fixture::surrounds());
            remarks(&Case::new(&run, &surrounds), crate::fixture::own(false))
        };
        let scene = || RunBuilder::of(job).all(5, DirectionLoad::reads(10_000, 4096, 90_000));
        let undisturbed = Remark { kind: RemarkKind::Undisturbed, rounds: None };
        assert!(told(scene()).contains(&undisturbed));
        // Half of the time it waited, 5 ms at a time, for a CPU that others had.
        assert!(!told(scene().starved(0.5, 100)).contains(&undisturbed));
    }

    #[test]
    fn a_run_in_which_fathom_was_stopped_was_disturbed() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
        let scene = RunBuilder::of(job).all(5, DirectionLoad::reads(10_000, 4096, 90_000));
        let (mut run, surrounds) = (scene.run(), crate::fixture::surrounds());
        let undisturbed = Remark { kind: RemarkKind::Undisturbed, rounds: None };
        let (start_ns, end_ns) = run.jobs[0].window_ns().expect("it was measured");
        run.record.self_knowledge.halts = vec![Halt { start_ns, end_ns: start_ns.midpoint(end_ns) }];
        run.record.findings = crate::taint::findings(&run, &surrounds);
        assert!(!remarks(&Case::new(&run, &surrounds), crate::fixture::own(false)).contains(&undisturbed));
        run.record.self_knowledge.halts.clear();
        run.record.findings = crate::taint::findings(&run, &surrounds);
        assert!(remarks(&Case::new(&run, &surrounds), crate::fixture::own(false)).contains(&undisturbed));
    }

    #[test]
    fn writes_without_a_sync_are_named() {
        let told = |jobs: &[&str], fs_type: &str| {
            let sections = jobs.iter().enumerate().map(|(at, job)| format!("[j{at}]\n{job}\n"));
            let scene = RunBuilder::text(&format!("{GLOBAL}{}", sections.collect::<String>()));
            let both = [DirectionLoad::reads(9, 1 << 20, 90_000), DirectionLoad::writes(9, 1 << 20, 90_000)];
            let load = |job: &str| if job == "rw=read" { &both[..1] } else { &both[1..] };
            let scene =
                jobs.iter().enumerate().fold(scene, |scene, (at, job)| scene.seconds(at, 3, load(job)));
            let run = scene.fact("target./dev/sda.fs_type", fs_type).run();
            unflushed(&run, &rows_of_clones(&run), crate::fixture::own(false)).map(in_words)
        };
        let said = "writes without flush: a cache may hold them";
        assert_eq!(told(&["rw=write", "rw=read"], "ext4").as_deref(), Some(said));
        assert_eq!(told(&["rw=write"], "tmpfs"), None);
        for synced in ["rw=write\nfdatasync=1", "rw=write\nfsync=8", "rw=write\nsync=dsync", "rw=read"] {
            assert_eq!(told(&[synced], "ext4"), None, "{synced}");
        }
        let some = told(&["rw=write", "rw=write\nfsync=1"], "ext4");
        assert_eq!(some.as_deref(), Some("writes of j0 without flush: a cache may hold them"));
    }
}
