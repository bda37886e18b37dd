//! `fathom power-cut`: writes until the power is cut, and judges afterwards whether the target kept what it acknowledged.
//!
//! It works on a real machine in two steps: `write`, a person cuts the power, `check`. The log of acknowledgements is on another
//! disk or host, because what the target acknowledged must survive the cut.

use crate::aim::Aim;
use crate::args::{ConsentArgs, Format, RUNS_DIR, ResultArgs, duration};
use crate::edge::{Ready, stdout_for_bytes};
use crate::failure::{Exit, Failure, print, say};
use crate::signals::Signals;
use crate::sized::size_of;
use crate::terminal::{here, slow_look};
use clap::{Args, Subcommand};
use fathom_guard::Access;
use fathom_job::units::Bytes;
use fathom_report::html::power_cut_page;
use fathom_results::{LogEnd, PowerCutResult};
use fathom_session::outputs::InUse;
use fathom_session::power_cut::{
    self, CheckRequest, LogDestination, WriteRequest, admit, atomic_unit, create_log, durability,
    logical_block, new_key, save, shares_disk,
};
use fathom_session::{Cause, Ender, Here};
use fathom_text::number::grouped;
use fathom_text::quantity::size;
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_verify::power_cut::{CutVerdict, FlushMode, LogHeader, WorkloadTerms};
use fathom_words::power_cut::{evidence, fault, headline};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Debug, Args)]
pub struct PowerCutArgs {
    #[command(subcommand)]
    pub act: PowerCutAct,
}

#[derive(Debug, Subcommand)]
pub enum PowerCutAct {
    /// Write to the target, and log what it acknowledges, until the power is cut
    Write(Box<WriteArgs>),
    /// Read the target after the cut, and judge it by the log; writes nothing to it
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub struct WriteArgs {
    /// A device or a file
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// New file for the log, on another disk; or - for standard output, such as a pipe to another host
    #[arg(long, value_name = "FILE")]
    pub log: PathBuf,
    /// How durability is asked for: every=N (a flush after N writes), fua (half of the writes have FUA), none
    #[arg(long, value_name = "HOW", default_value = "every=32", value_parser = flush_mode)]
    pub flush: FlushMode,
    /// Bytes that the target promises to write as a whole [default: the logical block of the disk]; drive: what the drive itself
    /// promises (NVMe: AWUPF), as Linux 6.11 and later know it. With more than a logical block, each write has exactly this length
    #[arg(long, value_name = "SIZE|drive")]
    pub atomic: Option<String>,
    /// Longest write; lengths are random [default: 8 units]
    #[arg(long, value_name = "SIZE")]
    pub longest: Option<String>,
    /// First byte of the region [default: 0]
    #[arg(long, value_name = "SIZE")]
    pub offset: Option<String>,
    /// Length of the region [default: to the end, at most 256m]
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Writes in flight
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub depth: u16,
    /// End after this time, where something else cuts the power meanwhile
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub duration: Option<Duration>,
    /// End after this many writes
    #[arg(long, value_name = "N")]
    pub writes: Option<u64>,
    /// Allow the log on the disk of the target: its end is lost with the target's power, so less can be judged
    #[arg(long)]
    pub same_disk: bool,
    /// Where fathom lists the files that it made
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// What may be written to.
    #[command(flatten)]
    pub consent: ConsentArgs,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The device or the file that was written
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// The log of its acknowledgements
    #[arg(long, value_name = "FILE")]
    pub log: PathBuf,
    /// Judge a target of another name or size than that of the log, such as a copy of the disk
    #[arg(long)]
    pub any_target: bool,
    /// Directory in which the result is saved
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// One JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

/// The region if no other is asked for: small enough that most places are written several times between two cuts.
const REGION_USUAL: u64 = 256 << 20;

/// The unit where no disk is known: direct I/O is possible with it everywhere.
const UNIT_USUAL: u64 = 4096;

/// Units of the longest write if no other is asked for.
const LONGEST_UNITS: u64 = 8;

/// Units of the longest write that can be asked for: 16 MiB of 4 KiB, which Linux cuts into several commands.
const LONGEST_MAX: u64 = 4096;

/// The largest unit: more than any drive promises to write as a whole.
const UNIT_MAX: u64 = 1 << 20;

/// Units of the largest region: the check keeps 16 bytes for each, which is 4 GiB for so many.
const UNITS_MAX: u64 = 1 << 28;

/// Bytes of a write of the first pass.
const FIRST_PASS: u64 = 1 << 20;

/// Faults that are printed; the document has up to 100.
const FAULTS_SHOWN: usize = 10;

pub fn run(args: &PowerCutArgs) -> Result<Exit, Failure> {
    match &args.act {
        PowerCutAct::Write(args) => write(args),
        PowerCutAct::Check(args) => check(args),
    }
}

fn write(args: &WriteArgs) -> Result<Exit, Failure> {
    let here = here();
    let is_stream = args.log == Path::new("-");
    let stream = if is_stream { Some(stream()?) } else { None };
    let shape = Shape::of(args, &here)?;
    if !is_stream {
        on_another_disk(args, &here)?;
    }
    let consent = args.consent.consent()?;
    let target = admit(&args.target, Access::Write, consent, args.state_dir.clone(), &here)?;
    let header = LogHeader {
        key: new_key()?,
        unit: shape.unit,
        start: shape.start,
        len: shape.len,
        durability: durability(&args.target, &here),
        flush: args.flush,
        target: target.named(shape.size),
        started_unix_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    };
    let request = WriteRequest {
        header,
        terms: shape.terms,
        depth: args.depth,
        duration: args.duration,
        writes: args.writes,
    };
    let ender = Arc::new(Ender::default());
    let _signals = Signals::watch(ender.clone(), slow_look())?;
    let (name, check) = (shown::path(&args.target), check_command(args));
    let log = || {
        let log = stream.map_or_else(|| create_log(&args.log), Ok).inspect_err(|_| {
            // Nothing was written to it yet.
            let _ = target.admitted.remove_created();
        })?;
        let (len, unit) = (size(shape.len), size(shape.unit.into()));
        say(&format!("power-cut: writing {len} of {name} for the first time, in units of {unit}"));
        Ok(log)
    };
    let ready = || {
        say(&format!(
            "power-cut: the region is written and flushed. Cut the power now or later; then: {check}"
        ));
    };
    let end = power_cut::write(&request, &target, log, &ender, &ready, &here)?;
    say(&format!(
        "power-cut: ended after {} writes, without a cut; to judge it all the same: {check}",
        grouped(end.writes)
    ));
    Ok(end.cause.map_or(Exit::Ok, Cause::exit))
}

/// The command that judges the target.
fn check_command(args: &WriteArgs) -> String {
    let log = if args.log == Path::new("-") { "LOG".to_owned() } else { quoted(&args.log) };
    format!("fathom power-cut check {} --log {log}", quoted(&args.target))
}

/// Standard output for the log.
fn stream() -> Result<LogDestination, Failure> {
    let stdout = stdout_for_bytes();
    let stdout = stdout
        .map_err(|e| Failure::new(Exit::Usage, format!("cannot write the log to standard output: {e}")))?;
    let terminal = || {
        Failure::new(Exit::Usage, "--log - would write bytes to the terminal")
            .hint("pipe them to another host: fathom power-cut write … --log - | ssh HOST 'cat > log'")
    };
    Ok(LogDestination { file: stdout.ok_or_else(terminal)?, is_file: false })
}

fn on_another_disk(args: &WriteArgs, here: &Here) -> Result<(), Failure> {
    if args.same_disk {
        return Ok(());
    }
    let disk = slow_look().at(&args.log, || shares_disk(here.root(), &args.target, &args.log));
    let Some(disk) = disk else { return Ok(()) };
    let message = format!("the log {} is on {disk}, the disk of the target", shown::path(&args.log));
    Err(Failure::new(Exit::Usage, message)
        .hint("its end would be lost with the target's power: name a file on another disk, or --log - for another host")
        .hint("--same-disk allows it: what is left of the log is judged"))
}

/// The region and its units.
struct Shape {
    size: u64,
    start: u64,
    len: u64,
    unit: u32,
    terms: WorkloadTerms,
}

impl Shape {
    fn of(args: &WriteArgs, here: &Here) -> Result<Shape, Failure> {
        let aim = Aim::of(&args.target, here)?;
        let why = "it writes places again, which zones do not allow";
        aim.refuse_zones(&args.target, "power-cut writes nothing", why)?;
        if aim.is_simulated {
            let message = format!("{} is simulated, and has no power to cut", shown::path(&args.target));
            return Err(Failure::new(Exit::Usage, message)
                .hint("give a device or a file; to see which devices are here: fathom devices"));
        }
        let block = aim.sector.map(|Bytes(bytes)| bytes).or_else(|| logical_block(&args.target, here));
        let block = block.unwrap_or(UNIT_USUAL).max(512);
        let unit = match args.atomic.as_deref() {
            Some(DRIVE) => atomic_unit(&args.target, here).ok_or_else(|| no_promise(&args.target))?,
            _ => asked("atomic", args.atomic.as_ref(), here)?.unwrap_or(block),
        };
        if !(512..=UNIT_MAX).contains(&unit) || !unit.is_power_of_two() || !unit.is_multiple_of(block) {
            let message = format!("--atomic {}: it must be a power of two of at most 1 MiB", size(unit));
            return Err(Failure::new(Exit::Usage, message)
                .hint(format!("a whole number of blocks of {block} bytes, such as --atomic 16k")));
        }
        let (start, len) = region(args, &aim, unit, here)?;
        let terms = lengths(args, unit, block, here)?;
        Ok(Shape { size: aim.size.0, start, len, unit: unit as u32, terms })
    }
}

/// The word of `--atomic` for what the drive promises.
const DRIVE: &str = "drive";

fn no_promise(target: &Path) -> Failure {
    let message = format!(
        "--atomic {DRIVE}: the kernel knows of no unit above a logical block that the disk of {} writes as a whole",
        shown::path(target)
    );
    Failure::new(Exit::Usage, message)
        .hint("before Linux 6.11: nvme id-ctrl shows AWUPF, in logical blocks less one; give --atomic SIZE")
}

/// The size that was asked for with an option.
fn asked(option: &str, text: Option<&String>, here: &Here) -> Result<Option<u64>, Failure> {
    let size = |text: &String| size_of(&format!("fathom power-cut write --{option}"), text, here);
    text.map(size).transpose().map(|size| size.map(|Bytes(bytes)| bytes))
}

/// The first byte and the length of the region.
fn region(args: &WriteArgs, aim: &Aim, unit: u64, here: &Here) -> Result<(u64, u64), Failure> {
    let wrong = |message: String| Failure::new(Exit::Usage, message);
    let start = asked("offset", args.offset.as_ref(), here)?.unwrap_or(0);
    let rest = if aim.size.0 == 0 { REGION_USUAL } else { aim.size.0.saturating_sub(start) };
    let len = asked("size", args.size.as_ref(), here)?.unwrap_or(rest.min(REGION_USUAL) / unit * unit);
    let name = shown::path(&args.target);
    match start.checked_add(len) {
        _ if len == 0 || !(start | len).is_multiple_of(unit) => {
            let message = "--offset and --size must be whole units, and --size at least one";
            Err(wrong(message.to_owned()).hint(format!("a unit has {} bytes here", grouped(unit))))
        }
        // A device cannot grow.
        end if aim.sector.is_some() && end.is_none_or(|end| end > aim.size.0) => {
            Err(wrong(format!("{name} has {}, and the region ends beyond that", aim.size)))
        }
        end if end.is_none() || len / unit > UNITS_MAX => {
            Err(wrong(format!("the region has more than {} units", grouped(UNITS_MAX))))
        }
        _ => Ok((start, len)),
    }
}

/// The lengths of writes.
fn lengths(args: &WriteArgs, unit: u64, block: u64, here: &Here) -> Result<WorkloadTerms, Failure> {
    let longest = asked("longest", args.longest.as_ref(), here)?.map(|bytes| bytes / unit);
    let wrong = |message: &str| Failure::new(Exit::Usage, message);
    match longest {
        Some(units) if !(1..=LONGEST_MAX).contains(&units) => Err(wrong("--longest: give 1 to 4096 units")),
        Some(units) if unit > block && units > 1 => {
            Err(wrong("--longest: with --atomic above the logical block, each write is one unit")
                .hint("a drive promises a whole write only up to that length"))
        }
        _ if unit > block => Ok(WorkloadTerms { units_max: 1, first_pass_units: 1 }),
        longest => Ok(WorkloadTerms {
            units_max: longest.unwrap_or(LONGEST_UNITS) as u16,
            first_pass_units: (FIRST_PASS / unit).max(1) as u16,
        }),
    }
}

fn check(args: &CheckArgs) -> Result<Exit, Failure> {
    let here = here();
    let request =
        CheckRequest { target: args.target.clone(), log: args.log.clone(), any_target: args.any_target };
    let result = power_cut::check(&request, &here)?;
    let dir = save(&result, &args.runs_dir)?;
    match args.json {
        true => crate::edge::print_document(&result)?,
        false => print(&text(&result))?,
    }
    say(&format!("saved: fathom report {}", quoted(&dir)));
    Ok(exit(&result))
}

fn exit(result: &PowerCutResult) -> Exit {
    match result.verdict {
        // What the log says behind the damage is not known.
        CutVerdict::Kept if matches!(result.log.end, LogEnd::Damaged { .. }) => Exit::NotValid,
        CutVerdict::Kept => Exit::Ok,
        CutVerdict::NothingDurable => Exit::NotValid,
        CutVerdict::Wrong { .. } => Exit::IoErrors,
    }
}

fn text(result: &PowerCutResult) -> String {
    let mut text = format!("{}: {}\n", shown::line(&result.target), headline(result));
    for (name, line) in evidence(result) {
        text += &format!("  {name:<10} {line}\n");
    }
    let faults = &result.tally.faults;
    faults.iter().take(FAULTS_SHOWN).for_each(|it| text += &format!("  {:<10} {}\n", "unit", fault(it)));
    let more = result.tally.wrong().saturating_sub(FAULTS_SHOWN as u64);
    if more > 0 {
        text += &format!("  {:<10} and {} more; --json has up to 100\n", "", grouped(more));
    }
    text
}

/// `fathom report` of a check that was saved. `is_other`: an option was given that a check has no use for.
pub(super) fn report(
    dir: &Path,
    args: &ResultArgs,
    overwrite: &[PathBuf],
    is_other: bool,
) -> Result<Exit, Failure> {
    let name = shown::path(dir);
    let result = PowerCutResult::load(dir).map_err(|e| {
        Failure::new(Exit::Failed, format!("cannot read the check of a power cut in {name}: {e}"))
    })?;
    let ready = match args.forms().as_slice() {
        [Format::Summary | Format::Details] if !is_other => Ready::text(&text(&result)),
        [Format::Document] if !is_other => Ready::document(&result)?,
        [Format::Html] if !is_other => Ready::text(&power_cut_page(&result, dir)),
        _ => {
            let message = format!("{name} is a check of a power cut, and has no such form");
            return Err(Failure::new(Exit::Usage, message).hint(format!(
                "fathom report {}, also with --json, --output-format html or -o FILE",
                quoted(dir)
            )));
        }
    };
    args.place(overwrite, &InUse::default())?.write(&ready)?;
    Ok(exit(&result))
}

/// Reads `every=N`, `fua` or `none`.
fn flush_mode(text: &str) -> Result<FlushMode, String> {
    let every = text.strip_prefix("every=").map(|count| count.parse::<u32>().ok().filter(|count| *count > 0));
    match (text, every) {
        ("fua", _) => Ok(FlushMode::Fua),
        ("none", _) => Ok(FlushMode::Never),
        (_, Some(Some(writes))) => Ok(FlushMode::Every { writes }),
        _ => Err("give every=N with N from 1, fua or none".to_owned()),
    }
}
