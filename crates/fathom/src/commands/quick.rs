//! `fathom quick`: six measurements of a disk and a verdict, in about a minute.
//!
//! A target that fathom did not create is only read; writing to it needs the same
//! consent as in every command. The default target is a scratch file whose name is
//! removed as soon as it is open, so that it does not stay after a kill either.

use super::output;
use crate::args::{ConsentArgs, duration};
use crate::device_at::{device_at, mount_point};
use crate::driven::{self, Driving, MeasureArgs};
use crate::engines::usual_engine;
use crate::failure::{Exit, Failure, print, say};
use crate::messages;
use crate::reach::is_there;
use crate::rehearsal::{Rehearsal, RehearsalArgs};
use crate::simulated::simulated;
use crate::sized::size_of;
use crate::steps;
use crate::terminal::{here, slow_look, terminal};
use clap::Args;
use fathom_device::sys;
use fathom_device::target::{self, PathFacts, PathKind};
use fathom_job::options::is_assignment;
use fathom_job::units::Bytes;
use fathom_judge::Claims;
use fathom_procedures::quick::{
    FILL_SECONDS_MAX, FILL_SIZE_MAX, QUICK_SECONDS, QuickTarget, SCRATCH_USUAL, adjust, job_text,
    scratch_size, scratch_size_max,
};
use fathom_procedures::{Quick, Repeat};
use fathom_results::SCRATCH;
use fathom_results::procedure::{JobSource, JobText};
use fathom_session::outputs::InUse;
use fathom_session::procedure::forecast;
use fathom_session::{Here, exit_of};
use fathom_text::carried::{of_os, to_path};
use fathom_text::shell::quoted;
use fathom_text::shown;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct QuickArgs {
    /// A directory, file or device, or a simulated drive such as sim:datacentre/64; default: a scratch file in this
    /// directory, removed at the end
    pub target: Option<PathBuf>,
    /// Time of each of the six measurements, such as 10, 30s or 1m
    #[arg(long, value_name = "TIME", default_value_t = QUICK_SECONDS, value_parser = seconds)]
    pub seconds: u64,
    /// Skip the check of fathom's own top speed at the end
    #[arg(long)]
    pub no_calibrate: bool,
    /// Size of the scratch file, such as 1g
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Measure this many times, and say how much the figures vary; after Ctrl-C, `fathom resume` goes on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub repeat: Option<u32>,
    /// On a simulated drive first.
    #[command(flatten)]
    pub rehearsal: RehearsalArgs,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

pub fn run(args: &QuickArgs) -> Result<Exit, Failure> {
    let here = here();
    let MeasureArgs { result: asked, labels, consent, place } = &args.measure;
    asked.datasheet.as_ref().map_or(Ok(()), can_be_checked)?;
    let named = args.target.clone().unwrap_or_else(|| PathBuf::from("."));
    let rehearsal = Rehearsal::asked(&args.rehearsal, &named, &here)?;
    let target = choose(args, rehearsal.as_ref().map_or(named, |rehearsal| rehearsal.target.clone()), &here)?;
    tell_what_comes(&target);
    place.show()?;
    if let Some(rounds) = args.repeat {
        return repeated(rounds, &target, rehearsal.as_ref(), args, &here);
    }
    let quick = Quick { target, calibrates: !args.no_calibrate };
    let terms = args.measure.driving(&here).terms()?;
    let in_use = InUse::default();
    let output = asked.place(&consent.overwrite, &in_use)?;
    let result = driven::run_one(&quick, asked.on(labels.labels()), place.saved_at().dir, &terms, &here)?;
    messages::failures(&result);
    let page = result.record.seal.is_some().then(|| output::page(&result)).transpose();
    let (forms, is_stdout) = (asked.forms(), output.is_stdout());
    output::write(&result, asked, output)?;
    if let Some(rehearsal) = rehearsal.filter(|_| asked.is_for_person()) {
        print(&rehearsal.text(std::slice::from_ref(&result)))?;
    }
    page?.iter().for_each(|page| output::tell_page(Some(page), &result.record.id));
    let exit = exit_of(&result);
    output::tell_incomplete(&result, &forms, is_stdout, exit);
    Ok(asked.exit(exit, result.record.answer.as_ref()))
}

/// The six measurements several times, as a procedure whose rounds are runs.
fn repeated(
    rounds: u32,
    target: &QuickTarget,
    rehearsal: Option<&Rehearsal>,
    args: &QuickArgs,
    here: &Here,
) -> Result<Exit, Failure> {
    let text = JobText { path: "fathom quick".to_owned(), from: None, text: job_text(target) };
    let jobs = JobSource {
        files: vec![text.path.clone()],
        texts: vec![text],
        target: adjust(target).target,
        ..JobSource::default()
    };
    let repeat = Repeat { rounds, removes_created: target.is_scratch };
    say(&format!("quick: {}", steps::forecast(&forecast(&repeat, &jobs, here)?)));
    let procedure = (Repeat::DEFINITION.name, repeat.parameters());
    let driving = Driving { keeps_page: true, ..args.measure.driving(here) };
    driving.run_and_print(&args.measure.result, "quick", procedure, jobs, rehearsal).map(|(_, exit)| exit)
}

/// Has each claim a job that measures it?
fn can_be_checked(claims: &Claims) -> Result<(), Failure> {
    const WITHOUT_JOB: &str = "write_latency_us";
    if !claims.names().any(|name| name == WITHOUT_JOB) {
        return Ok(());
    }
    let message = format!("--datasheet {WITHOUT_JOB}: quick does not measure writes one at a time");
    Err(Failure::new(Exit::Usage, message).hint(
        "quick checks read_iops, write_iops, read_mbps, write_mbps and read_latency_us; for the others, fathom run with \
         a job that has rw=randwrite, bs=4k and iodepth=1",
    ))
}

/// The longest measurement, in seconds.
const SECONDS_MAX: u64 = 3600;

fn seconds(text: &str) -> Result<u64, String> {
    let time = duration(text).ok().filter(|time| time.subsec_nanos() == 0).map(|time| time.as_secs());
    let time = time.filter(|seconds| (1..=SECONDS_MAX).contains(seconds));
    time.ok_or_else(|| "give a time from 1 s to 1 h in whole seconds, such as 10, 30s or 1m".to_owned())
}

fn tell_what_comes(target: &QuickTarget) {
    let cells = if target.can_write { "six measurements" } else { "three read-only measurements" };
    let path = to_path(&target.path);
    let place = match (target.is_scratch, path.parent()) {
        (true, Some(dir)) => format!("a scratch file of {} in {}", target.size, dir.display()),
        _ => format!("{} ({})", target.path, target.size),
    };
    say(&format!("fathom quick: {cells} of {} s each on {place}", target.seconds_per_cell));
    if target.can_write && !target.is_scratch {
        let size = target.size.min(FILL_SIZE_MAX);
        // Before that, the guard may refuse the target.
        terminal().says_when_it_begins(format!(
            "First fathom writes {size}, for at most {FILL_SECONDS_MAX} s. It measures only in that part."
        ));
    }
    if let Some(how) = to_write(&path).filter(|_| !target.can_write) {
        say(&format!("  {how}"));
    }
}

/// How to measure writing too; `None` where no option allows it and no file system is there.
fn to_write(path: &Path) -> Option<String> {
    let name = quoted(path);
    if path.is_file() {
        return Some(format!("to measure writing too: fathom quick {name} --overwrite {name}"));
    }
    let device = slow_look().at(path, || device_at(path))?;
    if device.writing.option.is_some() {
        return Some(format!("to measure writing too: fathom devices {name} shows the option"));
    }
    let point = mount_point(&device)?;
    Some(format!("to measure the file system on it: fathom quick {}", quoted(&point)))
}

fn choose(args: &QuickArgs, named: PathBuf, here: &Here) -> Result<QuickTarget, Failure> {
    if let Some(known) = simulated(&of_os(&named)) {
        let (_, facts) = known?;
        takes_random_writes(&named, facts.zones.is_some())?;
        return virtual_target(&named, facts.size.unwrap_or(Bytes(0)), args);
    }
    if !is_there(&named)? {
        return Err(absent(&named));
    }
    let facts = slow_look()
        .at(&named, || target::inspect(here.root(), &named))
        .map_err(|e| Failure::new(Exit::Usage, format!("cannot look at {}: {e}", named.display())))?;
    let is_scratch = facts.kind == PathKind::Directory;
    can_be_used(&named, is_scratch)?;
    let path =
        if is_scratch { named.join(format!("{SCRATCH}{}", std::process::id())) } else { named.clone() };
    let size = match (facts.kind, is_scratch) {
        (_, true) => scratch(args, &named, &facts, here)?,
        (PathKind::File | PathKind::Block, _) => large_enough(&named, Bytes(facts.size_bytes.unwrap_or(0)))?,
        _ => {
            return Err(Failure::new(
                Exit::Usage,
                format!("{} is not a directory, a file or a block device", named.display()),
            )
            .hint("to measure the disk under a directory, with a scratch file: fathom quick DIR"));
        }
    };
    let ConsentArgs { write, destroy, overwrite } = &args.measure.consent;
    let has_consent = !(write.is_empty() && destroy.is_empty() && overwrite.is_empty());
    takes_random_writes(&named, has_consent && facts.zones.is_some())?;
    Ok(QuickTarget {
        path: of_os(&path),
        size,
        can_write: is_scratch || has_consent,
        direct: facts.dio_offset_align_bytes != Some(0),
        engine: usual_engine(),
        block_min: Bytes(u64::from(facts.dio_offset_align_bytes.filter(|&n| n > 0).unwrap_or(512))),
        seconds_per_cell: args.seconds,
        is_scratch,
    })
}

/// Refuses to write to a host-managed zoned device.
fn takes_random_writes(named: &Path, is_zoned: bool) -> Result<(), Failure> {
    if !is_zoned {
        return Ok(());
    }
    let message =
        format!("quick writes at random, and the zones of {} are written in order", shown::path(named));
    Err(Failure::new(Exit::Usage, message).hint("jobs for such a drive: fathom help zones"))
}

/// A simulated drive: no consent is needed to write to it.
fn virtual_target(named: &Path, size: Bytes, args: &QuickArgs) -> Result<QuickTarget, Failure> {
    Ok(QuickTarget {
        path: of_os(named),
        size: large_enough(named, size)?,
        can_write: true,
        direct: true,
        // The plan takes the engine of simulated drives in its place.
        engine: "io_uring".to_owned(),
        block_min: Bytes(512),
        seconds_per_cell: args.seconds,
        is_scratch: false,
    })
}

/// The smallest target: measurements of less say nothing about a disk.
pub const TARGET_MIN: Bytes = Bytes::mib(16);

fn large_enough(named: &Path, size: Bytes) -> Result<Bytes, Failure> {
    if size >= TARGET_MIN {
        return Ok(size);
    }
    let name = named.display();
    let message =
        format!("{name} is too small to measure: it has {size}, and at least {TARGET_MIN} is needed");
    Err(Failure::new(Exit::Usage, message).hint(format!("if it is a job file: fathom run {}", quoted(named))))
}

/// Tries once what would otherwise fail in each of the measurements.
fn can_be_used(named: &Path, is_scratch: bool) -> Result<(), Failure> {
    let name = named.display();
    if is_scratch {
        let made = tempfile::tempfile_in(named);
        return made.map(drop).map_err(|e| {
            Failure::new(Exit::Failed, format!("cannot make a scratch file in {name}: {e}"))
                .hint("name a directory where you may write: fathom quick DIR")
        });
    }
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    let open = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(named);
    open.map(drop).map_err(|e| {
        Failure::new(Exit::Failed, format!("cannot read {name}: {e}"))
            .hint(to_read(e.kind(), sys::user() == 0))
    })
}

/// What to do where a target cannot be opened for reading.
fn to_read(why: ErrorKind, is_root: bool) -> &'static str {
    match (why, is_root) {
        (ErrorKind::PermissionDenied, false) => {
            "run as root, or as a member of the group that may read it (often `disk`)"
        }
        (ErrorKind::PermissionDenied, true) => {
            "root may not read it here either, for example in a container or a virtual machine that does not \
             allow it; to list what can be measured: fathom devices"
        }
        _ => "to list what can be measured: fathom devices",
    }
}

/// A target that does not exist. `quick` makes no target: its scratch file is in a directory.
fn absent(named: &Path) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("{} does not exist", shown::path(named)));
    if named.starts_with("/dev") {
        return failure.hint("to list the disks of this machine: fathom devices");
    }
    if let Some(option) = named.to_str().filter(|word| is_assignment(word)) {
        let message =
            format!("{} is an option of a job, and quick chooses its own measurements", shown::path(named));
        return Failure::new(Exit::Usage, message)
            .hint(format!("fathom fio --name=job {} --size=1g", quoted(format!("--{option}"))));
    }
    let above = named.ancestors().skip(1).find(|dir| dir.is_dir());
    let above = above.filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    failure.hint(format!("to measure the disk under the directory above it: fathom quick {}", quoted(above)))
}

/// The size of the scratch file that is asked for, or the usual one.
fn scratch(args: &QuickArgs, named: &Path, facts: &PathFacts, here: &Here) -> Result<Bytes, Failure> {
    let free = Bytes(facts.fs_free_bytes.unwrap_or(0));
    let Some(asked) = &args.size else {
        let usual = scratch_size(free, here.machine().memory, None);
        return usual.map_err(|e| Failure::new(Exit::Failed, e).hint(to_fit(named, free)));
    };
    let size = size_of("fathom quick --size", asked, here)?;
    let size_max = scratch_size_max(free);
    match () {
        () if size_max < TARGET_MIN => {
            let message = format!(
                "not enough free space: {free} is free, and the smallest scratch file needs twice {TARGET_MIN}"
            );
            Err(Failure::new(Exit::Failed, message).hint(to_fit(named, free)))
        }
        () if size > size_max || size < TARGET_MIN => {
            let message = format!(
                "--size {size}: give a size from {TARGET_MIN} to half of the {free} that are free here"
            );
            Err(Failure::new(Exit::Usage, message).hint(to_fit(named, free)))
        }
        () => Ok(size),
    }
}

/// The command whose scratch file fits.
fn to_fit(named: &Path, free: Bytes) -> String {
    let size_max = scratch_size_max(free);
    if size_max < TARGET_MIN {
        return "name a directory with more room: fathom quick DIR".to_owned();
    }
    let dir = if named == Path::new(".") { String::new() } else { format!(" {}", quoted(named)) };
    let size_mib = size_max.min(SCRATCH_USUAL).0 >> 20;
    format!("this fits: fathom quick{dir} --size {size_mib}m")
}
