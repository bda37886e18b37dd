//! `fathom quick`: six measurements of a disk and a verdict, in about a minute.
//!
//! A target that fathom did not create is only read; writing to it needs the same
//! consent as in every command. The default target is a scratch file whose name is
//! removed as soon as it is open, so that it does not stay after a kill either.

use super::output;
use crate::args::{ConsentArgs, Format, JudgementArgs, OutputArgs, PlaceArgs};
use crate::driven;
use crate::failure::{Exit, Failure, say};
use crate::place::OutputKind;
use crate::terminal::{here, slow_look, terminal};
use crate::told;
use clap::Args;
use fathom_device::target::{self, PathFacts, PathKind};
use fathom_engine::ring;
use fathom_engine::runner::Patience;
use fathom_job::options;
use fathom_job::parse::{self, Adjust};
use fathom_job::units::Bytes;
use fathom_job::value::Size;
use fathom_session::outputs::InUse;
use fathom_session::{Here, exit_of};
use fathom_suites::procedure::Quick;
use fathom_suites::quick::{FILL_SECONDS_MAX, FILL_SIZE_MAX, QUICK_SECONDS, QuickTarget};
use fathom_suites::sizes::scratch_size;
use fathom_text::carried::{of_os, to_path};
use fathom_text::shell::quoted;
use fathom_text::shown;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct QuickArgs {
    /// A directory, file or device; default: a scratch file in this directory,
    /// removed at the end
    pub target: Option<PathBuf>,
    /// Seconds for each of the six measurements
    #[arg(long, default_value_t = QUICK_SECONDS, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub seconds: u64,
    /// Do not measure, after the run, what the generator can do without a target
    #[arg(long)]
    pub no_calibrate: bool,
    /// Size of the scratch file, such as 1g
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// What is printed, and what is a failure.
    #[command(flatten)]
    pub judgement: JudgementArgs,
    /// What fathom may write to.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Where results go.
    #[command(flatten)]
    pub place: PlaceArgs,
}

pub fn run(args: &QuickArgs) -> Result<Exit, Failure> {
    let here = here();
    let target = choose(args, &here)?;
    tell_what_comes(&target);
    terminal().shows(args.place.progress());
    let quick = Quick { target, calibrates: !args.no_calibrate };
    let place = args.place.saved_at();
    let terms = driven::terms(&args.consent, place.state_dir, Patience::USUAL, None)?;
    let result = driven::run_one(&quick, place.dir, &terms, &here)?;
    told::failures(&result);
    let page = output::page(&result)?;
    let in_use = InUse::default();
    let output = OutputArgs::default();
    let place = output.place(OutputKind::Result, &in_use)?;
    output::write(&result, &args.judgement.forms(&[Format::Summary]), place)?;
    say(&format!("page     {}", shown::path(&page)));
    Ok(args.judgement.exit(exit_of(&result), result.record.answer.as_ref()))
}

fn tell_what_comes(target: &QuickTarget) {
    let cells = if target.can_write { "six measurements" } else { "three measurements, reading only" };
    let path = to_path(&target.path);
    let place = match (target.is_scratch, path.parent()) {
        (true, Some(dir)) => format!("a scratch file of {} in {}", target.size, dir.display()),
        _ => format!("{} ({})", target.path, target.size),
    };
    say(&format!("fathom quick: {cells} of {} s on {place}", target.seconds_per_cell));
    if target.can_write && !target.is_scratch {
        say(&format!(
            "  first, up to {FILL_SIZE_MAX} of it are filled, for at most {FILL_SECONDS_MAX} s; only this part is measured"
        ));
    }
    if !target.can_write {
        say(
            "  to measure writing too: --write or --destroy for a device, --overwrite for a file (see --help)",
        );
    }
}

fn choose(args: &QuickArgs, here: &Here) -> Result<QuickTarget, Failure> {
    let named = args.target.clone().unwrap_or_else(|| PathBuf::from("."));
    let facts = slow_look()
        .at(&named, || target::inspect(here.root(), &named))
        .map_err(|e| Failure::new(Exit::Usage, format!("cannot look at {}: {e}", named.display())))?;
    let is_scratch = facts.kind == PathKind::Directory;
    can_be_used(&named, is_scratch)?;
    let path =
        if is_scratch { named.join(format!("fathom-scratch-{}", std::process::id())) } else { named.clone() };
    let size = match (facts.kind, is_scratch) {
        (_, true) => scratch(args, &facts, here)?,
        (PathKind::File | PathKind::Block, _) => large_enough(&named, Bytes(facts.size_bytes.unwrap_or(0)))?,
        _ => {
            return Err(Failure::new(
                Exit::Usage,
                format!("{} is not a directory, a file or a block device", named.display()),
            )
            .hint("name a directory to measure the disk below it with a scratch file"));
        }
    };
    let has_consent = !(args.consent.write.is_empty()
        && args.consent.destroy.is_empty()
        && args.consent.overwrite.is_empty());
    Ok(QuickTarget {
        path: of_os(&path),
        size,
        can_write: is_scratch || has_consent,
        direct: facts.dio_offset_align_bytes != Some(0),
        engine: engine(),
        block_min: Bytes(u64::from(facts.dio_offset_align_bytes.filter(|&n| n > 0).unwrap_or(512))),
        seconds_per_cell: args.seconds,
        is_scratch,
    })
}

/// The smallest target: measurements of less say nothing about a disk.
const TARGET_MIN: Bytes = Bytes::mib(16);

fn large_enough(named: &Path, size: Bytes) -> Result<Bytes, Failure> {
    if size >= TARGET_MIN {
        return Ok(size);
    }
    let name = named.display();
    let said = format!("{name} is {size}: too small to measure; at least {TARGET_MIN} is needed");
    Err(Failure::new(Exit::Usage, said).hint(format!("if it is a job file: fathom run {}", quoted(named))))
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
            .hint("run as root, or as a member of the group that may read it (often `disk`)")
    })
}

fn scratch(args: &QuickArgs, facts: &PathFacts, here: &Here) -> Result<Bytes, Failure> {
    let free = Bytes(facts.fs_free_bytes.unwrap_or(0));
    let usable = scratch_size(free, here.machine().memory, None).map_err(|e| {
        Failure::new(Exit::Failed, e).hint("name a directory with more room: fathom quick DIR")
    })?;
    let Some(asked) = &args.size else { return Ok(usable) };
    let size = size_of(asked, here)?;
    if size.0 > free.0 / 2 || size < TARGET_MIN {
        return Err(Failure::new(
            Exit::Usage,
            format!("--size {size}: must be 16 MiB to half of the free {free}"),
        ));
    }
    Ok(size)
}

/// A size as a job file spells it.
fn size_of(text: &str, here: &Here) -> Result<Bytes, Failure> {
    let set = vec![("size".to_owned(), text.to_owned())];
    let adjust = Adjust { set, ..Adjust::default() };
    let jobs = parse::load_text("--size", "[size]\n", &adjust, here).ok();
    match jobs.and_then(|set| set.jobs.first().and_then(|job| job.get(&options::SIZE))) {
        Some(Size::Bytes(size)) => Ok(size),
        _ => Err(Failure::new(Exit::Usage, format!("--size {text}: not a whole number of bytes"))
            .hint("such as 512m or 1g")),
    }
}

/// The fastest engine that this kernel and container allow. Says why, if it is
/// not the first choice.
fn engine() -> String {
    match ring::probe() {
        Ok(()) => "io_uring".to_owned(),
        Err(e) => {
            say(&format!("note: io_uring cannot be used ({e}); using libaio"));
            "libaio".to_owned()
        }
    }
}
