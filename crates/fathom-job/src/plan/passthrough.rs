//! Jobs whose I/Os are NVMe commands (`ioengine=io_uring_cmd`): their targets, and what a command cannot carry.

use super::PlannedJob;
use super::notes::{self, Checked};
use super::target::{PlannedTarget, TargetKind, control_node};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::engine::EngineDef;
use crate::job::Job;
use crate::option::Key;
use crate::options;
use crate::parse::default_of;

/// What the drive checks of protection information, as the bits of PRCHK.
const CHECKS: [(&str, u8); 3] = [("GUARD", 4), ("APPTAG", 2), ("REFTAG", 1)];

/// The bits of PRCHK that `pi_chk` names; `None` if a word of it is none.
pub fn checks_of(job: &Job) -> Option<u8> {
    let words = job.get(&options::PI_CHK).unwrap_or_default();
    let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
    let bit = |word: &str| CHECKS.iter().find(|(name, _)| *name == word).map(|(_, bit)| *bit);
    words.map(bit).try_fold(0, |all, bit| Some(all | bit?))
}

/// Commands go to generic character devices, and only commands do.
pub(super) fn check_target(job: &Job, engine: &EngineDef, target: &PlannedTarget) -> Checked<()> {
    let (path, kind) = (&target.path, target.facts.kind);
    let (code, message, hint) = match (engine.sends_commands, kind) {
        (true, TargetKind::Namespace | TargetKind::Directory | TargetKind::Closed) => return Ok(()),
        (true, TargetKind::Missing) => (
            "target-missing",
            format!("there is no device {path}"),
            "ls /dev/ng* lists those of the NVMe drives of this machine; other drives need ioengine=io_uring \
             and their block device (fathom devices)"
                .to_owned(),
        ),
        (true, _) => (
            "target-kind",
            format!(
                "{path} is no generic character device of an NVMe namespace with a block device beside it, which \
                 ioengine={} needs",
                engine.name
            ),
            "/dev/ng0n1 is that of /dev/nvme0n1; other targets need ioengine=io_uring".to_owned(),
        ),
        (false, TargetKind::Namespace) => (
            "control-node",
            format!(
                "{path} is the node for NVMe commands of a namespace: it takes commands, and no reads and writes"
            ),
            match control_node(path) {
                Some(node) => format!("ioengine=io_uring_cmd sends commands; {}", node.instead),
                None => "ioengine=io_uring_cmd sends commands".to_owned(),
            },
        ),
        (false, _) => return Ok(()),
    };
    Err(notes::error(job, &options::FILENAME, code, message).hint(hint))
}

/// An option of other engines that no command can carry would change nothing, so it is an error.
pub(super) fn check_job(planned: &PlannedJob, engine: &EngineDef) -> Checked<()> {
    let job = &planned.job;
    if !engine.sends_commands {
        return no_ranges(planned, engine);
    }
    let unfit = [
        (
            job.is_given(&options::SYNC_FILE_RANGE),
            "sync_file_range",
            "a drive has no part of a file to flush",
        ),
        (job.get(&options::ZONEMODE) == "zbd", "zonemode", "commands for zones are not sent"),
        (checks_of(job).is_none(), "pi_chk", "its words are GUARD, REFTAG and APPTAG, separated by commas"),
    ];
    let unfit = unfit.into_iter().filter(|(is_set, ..)| *is_set).map(|(_, option, why)| (option, why));
    if let Some((option, why)) = unfit.chain(refused_with(job, engine)).next() {
        let message = format!("job {}: {option} does not fit ioengine={}: {why}", planned.name, engine.name);
        return Err(notes::at_name(Diagnostic::error("passthrough", message), job, option)
            .hint(format!("leave {option} out, or write ioengine=io_uring and the block device")));
    }
    let mode = job.get(&options::WRITE_MODE);
    if mode != "write" && planned.verify.is_some() {
        let message =
            format!("job {}: write_mode={mode} writes no data that verify could check", planned.name);
        return Err(error(planned, &options::WRITE_MODE, message).hint("leave verify out"));
    }
    ranges(planned)
}

/// The options of the job that say of themselves that this engine refuses them, and why. One that has its default asks for
/// nothing.
fn refused_with<'j>(
    job: &'j Job,
    engine: &'j EngineDef,
) -> impl Iterator<Item = (&'static str, &'static str)> + 'j {
    job.settings().filter_map(|(name, setting)| {
        let def = options::find(name)?;
        let is_usual = default_of(def).as_ref() == Some(&setting.value);
        Some((def.name, def.refused_with(engine.name)?)).filter(|_| !is_usual)
    })
}

fn no_ranges(planned: &PlannedJob, engine: &EngineDef) -> Checked<()> {
    if planned.job.get(&options::NUM_RANGE) < 2 {
        return Ok(());
    }
    let message = format!(
        "job {}: ioengine={} trims one range at a time; only an NVMe command has several",
        planned.name, engine.name
    );
    Err(error(planned, &options::NUM_RANGE, message)
        .hint("ioengine=io_uring_cmd and filename=/dev/ng0n1, or leave num_range out"))
}

/// A command has its ranges when as many trims are in flight.
fn ranges(planned: &PlannedJob) -> Checked<()> {
    let (ranges, depth) = (planned.job.get(&options::NUM_RANGE), planned.job.get(&options::IODEPTH));
    if ranges < 2 || depth.is_multiple_of(ranges) {
        return Ok(());
    }
    let message = format!(
        "job {}: each range of num_range={ranges} is an I/O of iodepth, which is {depth} and no multiple of it",
        planned.name
    );
    let hint = format!("iodepth={} keeps one command in flight", ranges.max(depth.next_multiple_of(ranges)));
    let error = error(planned, &options::NUM_RANGE, message);
    match planned.uses(Direction::Trim) {
        true => Err(error.hint(hint)),
        false => Err(error.hint("the job trims nothing: leave num_range out")),
    }
}

fn error<T>(planned: &PlannedJob, key: &Key<T>, message: String) -> Diagnostic {
    notes::error(&planned.job, key, "passthrough", message)
}
