//! A simulated drive: its times are computed.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::cell::Cell;
use fathom_job::plan::{TargetKind, simulated_model};
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "simulated", weight: Weight::Instead, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let of = case.cells.iter().find(|cell| cell.is_simulated())?;
    let file = of.planned().files.iter().find(|file| file.kind == TargetKind::Simulated)?;
    let evidence = Evidence::Simulated {
        drive: file.path.clone(),
        scale: scale(&file.path),
        unwritten_bytes: unwritten(case) as u64,
    };
    let found = Found::new(evidence);
    Some(found.about(case.part(Cell::is_simulated)))
}

/// Bytes that these jobs read and that were never written: no flash was read for them (V-49). Each worker counts its own,
/// drive by drive. Where no worker has a count of its run beside, each has that of all workers until its end.
fn unwritten(case: &Case<'_>) -> f64 {
    let members = || case.cells.iter().flat_map(|cell| cell.members);
    let notes = || members().filter_map(|member| member.outcome.as_ref()).flat_map(|outcome| &outcome.notes);
    let is_of = |name: &str, what: &str| name.starts_with("sim.") && name.ends_with(what);
    let counts = notes().filter(|(name, _)| is_of(name, ".unwritten_read_bytes"));
    let counts = counts.filter_map(|(_, value)| value.parse::<f64>().ok());
    match notes().any(|(name, _)| is_of(name, "run.host_written_bytes")) {
        true => counts.sum(),
        false => counts.fold(0.0, f64::max),
    }
}

/// Of `sim:datacentre/64,op=28` it is 64; `None` where it is 1.
fn scale(name: &str) -> Option<u32> {
    let model = simulated_model(name)?.ok()?;
    Some(model.scale()).filter(|scale| *scale > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};

    #[test]
    fn each_worker_counts_its_own_reads_of_what_was_never_written() {
        let job = "[global]\nfilename=sim:datacentre/64\nioengine=libaio\nbs=4k\nrw=randread\n[a]\nnumjobs=2\n[b]\n";
        let read = |counts: [&str; 3], of_run: bool| {
            let mut run = RunBuilder::text(job).all(2, DirectionLoad::reads(100, 4096, 90_000)).run();
            for (job, count) in run.jobs.iter_mut().zip(counts) {
                let notes = &mut job.outcome.as_mut().unwrap().notes;
                notes.push(("sim.unwritten_read_bytes".to_owned(), count.to_owned()));
                let own = ("sim.run.host_written_bytes".to_owned(), "0".to_owned());
                notes.extend(of_run.then_some(own));
            }
            check(&Case::new(&run, &surrounds())).unwrap().evidence()
        };
        assert!(read(["4096", "8192", "0"], true).ends_with("; 12.3 kB were read that nobody had written"));
        assert!(read(["4096", "8192", "0"], false).ends_with("; 8.19 kB were read that nobody had written"));
        assert!(!read(["0", "0", "0"], true).contains("nobody had written"));
    }

    #[test]
    fn the_scale_is_told() {
        assert_eq!(scale("sim:4xdatacentre/64,raid=5"), Some(64));
        assert_eq!((scale("sim:disk"), scale("sim:qlc/1")), (None, None));
    }
}
