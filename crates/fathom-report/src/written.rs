//! How much a run wrote in all, in words.

use fathom_figures::WrittenInAll;
use fathom_job::plan::TargetKind;
use fathom_results::{FileRecord, RunResult};
use fathom_text::quantity::bytes;
use fathom_text::shown::line;

/// Targets that are named one by one.
const NAMES_MAX: usize = 2;

/// `wrote 8.46 GB to /dev/sda`, `wrote 8.46 GB to 3 targets`; `None` where nothing was written on this machine.
pub(crate) fn written(run: &RunResult) -> Option<String> {
    let WrittenInAll { bytes: moved, laid_out, is_whole_device, targets } = WrittenInAll::of(run)?;
    let to = match targets.as_slice() {
        [file] if file.is_scratch() => "scratch".to_owned(),
        [_] if is_whole_device => format!("all of {}", name(targets[0])),
        few if few.len() <= NAMES_MAX && few.iter().all(|file| file.count == 1) => {
            few.iter().map(|file| name(file)).collect::<Vec<_>>().join(" and ")
        }
        many => format!("{} targets", many.iter().map(|file| file.count).sum::<u64>()),
    };
    let before = match laid_out {
        0 => String::new(),
        // What `quick` wrote first is told below its table.
        _ if targets.iter().all(|file| file.is_scratch()) => String::new(),
        all if all == moved => " to lay out files".to_owned(),
        part => format!(" ({} of it to lay out files)", bytes(part as f64)),
    };
    Some(format!("wrote {} to {to}{before}", bytes(moved as f64)))
}

/// `b ran and is not reported`: the jobs with `stats=0`; `None` where there are none.
pub(crate) fn unreported(run: &RunResult) -> Option<String> {
    let jobs = run.jobs.iter().filter(|job| !job.is_reported());
    let mut names: Vec<_> = jobs.map(|job| line(&job.planned.name)).collect();
    names.dedup();
    let (last, are) = (names.len().checked_sub(1)?, if names.len() > 1 { "are" } else { "is" });
    let rest = names.len().saturating_sub(NAMES_MAX);
    let named = match rest {
        0 => names.join(" and "),
        _ => format!("{}, {} and {rest} more", names[0], names[last.min(1)]),
    };
    Some(format!("{named} ran and {are} not reported (stats=0)"))
}

/// The path of a device, the name of a file: the line of the target has its directory.
fn name(file: &FileRecord) -> String {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    line(if file.kind == TargetKind::Block { &file.path } else { name }).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};

    #[test]
    fn the_amount_stands_beside_its_targets() {
        let writes = [DirectionLoad::writes(1_000, 4096, 90_000)];
        let told = |targets: &[&str]| {
            let jobs = targets.iter().map(|name| format!("[on{name}]\nfilename={name}\n"));
            let text = format!("[global]\nrw=write\nbs=4k\nioengine=psync\n{}", jobs.collect::<String>());
            let places = 0..targets.len();
            let scene = places.fold(RunBuilder::text(&text), |scene, job| scene.seconds(job, 10, &writes));
            written(&scene.run())
        };
        assert_eq!(told(&["/dev/sda"]).as_deref(), Some("wrote 41.0 MB to /dev/sda"));
        assert_eq!(told(&["/dev/sda", "/data/f"]).as_deref(), Some("wrote 81.9 MB to /dev/sda and f"));
        assert_eq!(told(&["/dev/sda", "/a", "/b"]).as_deref(), Some("wrote 123 MB to 3 targets"));
        let reads = RunBuilder::of("rw=read bs=4k ioengine=psync filename=/dev/sda");
        let reads = reads.all(3, DirectionLoad::reads(1_000, 4096, 90_000));
        assert_eq!(written(&reads.run()), None);
    }

    #[test]
    fn jobs_that_are_not_reported_are_named() {
        let told = |hidden: &[&str]| {
            let jobs: String = hidden.iter().map(|name| format!("[{name}]\nstats=0\n")).collect();
            unreported(
                &RunBuilder::text(&format!("[global]\nrw=read\nsize=1m\nioengine=null\n{jobs}[z]\n")).run(),
            )
        };
        assert_eq!(told(&[]), None);
        assert_eq!(told(&["b"]).as_deref(), Some("b ran and is not reported (stats=0)"));
        assert_eq!(told(&["b", "c"]).as_deref(), Some("b and c ran and are not reported (stats=0)"));
        let many = told(&["b", "c", "d", "e"]);
        assert_eq!(many.as_deref(), Some("b, c and 2 more ran and are not reported (stats=0)"));
    }
}
