//! Jobs whose I/Os are commands of a drive (`ioengine=io_uring_cmd`, `ioengine=sg`): their targets, and what a command cannot carry.

use super::PlannedJob;
use super::notes::{self, Checked};
use super::target::{PlannedTarget, TargetKind, control_node};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::engine::{CommandSet, EngineDef};
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

const NO_PRIORITY: &str = "Linux gives commands no I/O priority";

/// Does each write of the job leave the data of its buffer on the drive? Some commands leave zeroes, or nothing.
pub fn writes_data(job: &Job, engine: &EngineDef) -> bool {
    command_of_writes(job, engine)
        .is_none_or(|(_, word)| matches!(word, "write" | "write_and_verify" | "write_stream"))
}

/// The option that says which command a write is, and its word.
fn command_of_writes(job: &Job, engine: &EngineDef) -> Option<(&'static Key<&'static str>, &'static str)> {
    let option = match engine.commands? {
        CommandSet::Nvme => &options::WRITE_MODE,
        CommandSet::Scsi => &options::SG_WRITE_MODE,
    };
    Some((option, job.get(option)))
}

/// Why a target does not fit the engine: code, message, what to do.
type Unfit = (&'static str, String, String);

/// Commands go to drives that take them, and to character devices of commands goes nothing else.
pub(super) fn check_target(job: &Job, engine: &EngineDef, target: &PlannedTarget) -> Checked<()> {
    let kind = target.facts.kind;
    let unfit = match engine.commands {
        Some(_) if matches!(kind, TargetKind::Directory | TargetKind::Closed) => None,
        Some(CommandSet::Nvme) => no_namespace(engine, target),
        Some(CommandSet::Scsi) => no_scsi_disk(engine, target),
        None => node_of_commands(target),
    };
    let Some((code, message, hint)) = unfit else { return Ok(()) };
    Err(notes::error(job, &options::FILENAME, code, message).hint(hint))
}

fn no_namespace(engine: &EngineDef, PlannedTarget { path, facts }: &PlannedTarget) -> Option<Unfit> {
    match facts.kind {
        TargetKind::Namespace => None,
        TargetKind::Missing => Some((
            "target-missing",
            format!("there is no device {path}"),
            "ls /dev/ng* lists those of the NVMe drives of this machine; other drives need ioengine=io_uring \
             and their block device (fathom devices)"
                .to_owned(),
        )),
        _ => Some((
            "target-kind",
            format!(
                "{path} is no generic character device of an NVMe namespace with a block device beside it, which \
                 ioengine={} needs",
                engine.name
            ),
            "/dev/ng0n1 is that of /dev/nvme0n1; other targets need ioengine=io_uring".to_owned(),
        )),
    }
}

/// The kernel gives a command for a partition, or for a device that is made of others, to the whole disk: its block numbers would
/// be other blocks.
fn no_scsi_disk(engine: &EngineDef, PlannedTarget { path, facts }: &PlannedTarget) -> Option<Unfit> {
    match facts.kind {
        _ if facts.is_scsi_disk => None,
        TargetKind::Missing => Some((
            "target-missing",
            format!("there is no device {path}"),
            "lsscsi -g lists the SCSI disks of this machine; other drives need ioengine=io_uring".to_owned(),
        )),
        _ => Some((
            "target-kind",
            format!("{path} is neither a whole SCSI disk nor its generic character device, which ioengine={} needs", engine.name),
            "lsscsi -g lists both, such as /dev/sdb and /dev/sg1; partitions, volumes and other targets need ioengine=io_uring"
                .to_owned(),
        )),
    }
}

fn node_of_commands(PlannedTarget { path, facts }: &PlannedTarget) -> Option<Unfit> {
    let (of, engine) = match facts.kind {
        TargetKind::Namespace => ("NVMe commands of a namespace", "io_uring_cmd"),
        TargetKind::ScsiNode => ("SCSI commands of a device", "sg"),
        _ => return None,
    };
    let message = format!("{path} is the node for {of}: it takes commands, and no reads and writes");
    let hint = match control_node(path) {
        Some(node) => format!("ioengine={engine} sends commands; {}", node.instead),
        None => format!("ioengine={engine} sends commands"),
    };
    Some(("control-node", message, hint))
}

/// An option of other engines that no command can carry would change nothing, so it is an error.
pub(super) fn check_job(planned: &PlannedJob, engine: &EngineDef) -> Checked<()> {
    let job = &planned.job;
    if !engine.sends_commands() {
        return no_ranges(planned, engine);
    }
    let unfit = [
        (
            job.is_given(&options::SYNC_FILE_RANGE),
            "sync_file_range",
            "a drive has no part of a file to flush",
        ),
        (job.get(&options::ZONEMODE) == "zbd", "zonemode", "commands for zones are not sent"),
        (
            job.get(&options::SYNC) != "none",
            "sync",
            "a command is done when the drive has taken it; writefua=1 has it wait for the medium, and fsync=1 empties the cache",
        ),
        (job.get(&options::PRIO).is_some(), "prio", NO_PRIORITY),
        (job.get(&options::PRIOCLASS).is_some_and(|class| class > 0), "prioclass", NO_PRIORITY),
        (job.get(&options::PRIOHINT) > 0, "priohint", NO_PRIORITY),
        (
            job.get(&options::WRITE_HINT).is_some_and(|hint| hint != "none"),
            "write_hint",
            "it is a hint of a file, and Linux passes none on to a command",
        ),
        (checks_of(job).is_none(), "pi_chk", "its words are GUARD, REFTAG and APPTAG, separated by commas"),
    ];
    let unfit = unfit.into_iter().filter(|(is_set, ..)| *is_set).map(|(_, option, why)| (option, why));
    if let Some((option, why)) = unfit.chain(refused_with(job, engine)).next() {
        let message = format!("job {}: {option} does not fit ioengine={}: {why}", planned.name, engine.name);
        return Err(notes::at_name(Diagnostic::error("passthrough", message), job, option)
            .hint(format!("leave {option} out, or write ioengine=io_uring and the block device")));
    }
    if let Some((option, mode)) = command_of_writes(job, engine)
        && planned.verify.is_some()
        && !writes_data(job, engine)
    {
        let name = option.def.name;
        let message =
            format!("job {}: {name}={mode} does not write the data that verify would check", planned.name);
        return Err(error(planned, option, message).hint("leave verify out"));
    }
    match engine.commands {
        Some(CommandSet::Scsi) => stream(planned).and_then(|()| no_ranges(planned, engine)),
        _ => ranges(planned),
    }
}

/// A stream must be opened before it is written to, and closed afterwards. No engine here does either.
fn stream(planned: &PlannedJob) -> Checked<()> {
    let (mode, id) = (planned.job.get(&options::SG_WRITE_MODE), planned.job.get(&options::STREAM_ID));
    if mode != "write_stream" || id > 0 {
        return Ok(());
    }
    let message =
        format!("job {}: sg_write_mode=write_stream needs a stream, and stream_id is 0", planned.name);
    Err(error(planned, &options::SG_WRITE_MODE, message)
        .hint("stream_id=N names a stream that is open (sg_stream_ctl --open); fathom opens none"))
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
