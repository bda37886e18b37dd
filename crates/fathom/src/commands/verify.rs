//! `fathom verify`: writes a whole device or file so that every block can be proven, reads it back, and says whether all is
//! what was written.
//!
//! It is a procedure: after Ctrl-C, a crash or a reboot `--resume`, or `fathom resume`, goes on. `--read-only` reads weeks
//! later what an earlier `fathom verify` wrote, by the states that it saved.

use crate::aim::Aim;
use crate::args::duration;
use crate::driven::{MeasureArgs, go_on, tell};
use crate::dump_dir::DumpArgs;
use crate::engines::usual_engine;
use crate::failure::{Exit, Failure, print, say};
use crate::procedure_output::ProcedureOutput;
use crate::range::Range;
use crate::saved_result;
use crate::sized::size_of;
use crate::steps;
use crate::terminal::here;
use clap::Args;
use fathom_job::units::Bytes;
use fathom_procedures::{History, Procedure, VERIFY_BLOCK_USUAL, VERIFY_PORTION_USUAL, VerifyTarget};
use fathom_results::procedure::{JobSource, ProcedureResult, ROUNDS, TargetIdentity, load_procedure};
use fathom_session::Here;
use fathom_session::outputs::{InUse, is_same_place};
use fathom_session::procedure::{ResumeRequest, forecast, is_same_disk, other_target, target_now};
use fathom_session::runs::procedures;
use fathom_text::carried::{of_os, to_path};
use fathom_text::number::grouped;
use fathom_text::shell::quoted;
use fathom_text::shown;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Methods whose blocks need no pattern of the user, and are checked.
const METHODS: [&str; 15] = [
    "crc32c", "xxh3", "xxhash", "crc64", "crc32", "crc16", "crc7", "md5", "sha1", "sha256", "sha512",
    "sha3-224", "sha3-256", "sha3-384", "sha3-512",
];

#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// A device or a file
    pub target: PathBuf,
    /// Write nothing: read what the last `fathom verify` of this target wrote
    #[arg(long, conflicts_with_all = ["resume", "least", "offset", "size", "bs", "portion"])]
    pub read_only: bool,
    /// With --read-only: what this `fathom verify` wrote (its id, its directory or its name)
    #[arg(long, value_name = "VERIFY", requires = "read_only")]
    pub of: Option<PathBuf>,
    /// Go on with the last `fathom verify` of this target that was interrupted
    #[arg(long, conflicts_with_all = ["least", "offset", "size", "bs", "portion", "plan", "verify_dump"])]
    pub resume: bool,
    /// Repeat passes, each with other data, until so much time has passed, such as 24h
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub least: Option<Duration>,
    /// First byte of the range [default: 0]
    #[arg(long, value_name = "SIZE")]
    pub offset: Option<String>,
    /// Length of the range [default: to the end]; of a file that does not exist, its size
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Block of the writes [default: 1m]
    #[arg(long, value_name = "SIZE")]
    pub bs: Option<String>,
    /// Checksum of each block
    #[arg(long, value_name = "METHOD", default_value = "crc32c", value_parser = METHODS)]
    pub method: String,
    /// Save after so much was written: what an interruption costs [default: 64g]
    #[arg(long, value_name = "SIZE")]
    pub portion: Option<String>,
    /// Where the contents of wrong blocks go.
    #[command(flatten)]
    pub dump: DumpArgs,
    /// Show what would be written, and write nothing
    #[arg(long, conflicts_with = "json")]
    pub plan: bool,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

pub fn run(args: &VerifyArgs) -> Result<Exit, Failure> {
    let here = here();
    if args.resume {
        return resumed(args, &here);
    }
    let procedure = if args.read_only { second_pass(args, &here)? } else { first_pass(args, &here)? };
    let jobs = JobSource { target: Some(procedure.target.clone()), ..JobSource::default() };
    let expected = forecast(&procedure, &jobs, &here)?;
    let driving = args.measure.driving(&here);
    let refused = driving.refused([], procedure.expected(), &jobs)?;
    if args.plan {
        print(&format!("{}\n{}\n", plan(&procedure), steps::forecast(&expected)))?;
        return steps::judged("procedure", refused);
    }
    if let Some(refusal) = refused.into_iter().next() {
        return Err(refusal);
    }
    say(&format!("verify: {}", plan(&procedure)));
    let named = (VerifyTarget::DEFINITION.name, procedure.parameters());
    driving.run_and_print(&args.measure.result, "verify", named, jobs, None).map(|(_, exit)| exit)
}

/// What will be done, in one line.
fn plan(procedure: &VerifyTarget) -> String {
    let VerifyTarget { target, offset, size, method, block, least_s, .. } = procedure;
    let range =
        format!("{} bytes of {}, from byte {}", grouped(size.0), shown::line(target), grouped(offset.0));
    let soak = match least_s {
        0 => String::new(),
        seconds => format!(", again and again for {seconds} s"),
    };
    match procedure.read_only.is_empty() {
        true => format!("{range}, are written in blocks of {block} with {method}, and then read back{soak}"),
        false => format!("{range}, are read and compared with what was written; nothing is written"),
    }
}

/// A pass that writes and reads back.
fn first_pass(args: &VerifyArgs, here: &Here) -> Result<VerifyTarget, Failure> {
    let aim = Aim::of(&args.target, here)?;
    aim.refuse_zones(
        &args.target,
        "verify writes nothing",
        "it writes places again, which zones do not allow",
    )?;
    if aim.is_simulated {
        let message = format!("{} keeps no data, so nothing can be read back", shown::path(&args.target));
        return Err(
            Failure::new(Exit::Usage, message).hint("a device or a file: fathom devices lists the disks")
        );
    }
    let of = |option: &str, text: &Option<String>| {
        text.as_ref().map(|text| size_of(&format!("fathom verify --{option}"), text, here)).transpose()
    };
    let offset = of("offset", &args.offset)?.unwrap_or(Bytes(0));
    let size = of("size", &args.size)?.unwrap_or(Bytes(aim.size.0.saturating_sub(offset.0)));
    let range = Range { target: &args.target, offset, size, is_size_given: args.size.is_some() };
    range.fits(&aim)?;
    let block = match of("bs", &args.bs)? {
        Some(block) => range.block("bs", block, &aim)?,
        None => VERIFY_BLOCK_USUAL.min(size),
    };
    Ok(VerifyTarget {
        target: of_os(&args.target),
        offset,
        size,
        engine: usual_engine(),
        // Through the page cache, what is read back might come from memory.
        direct: aim.direct_unit.is_some_and(|unit| (offset.0 | size.0 | block.0).is_multiple_of(unit.0)),
        block,
        portion: of("portion", &args.portion)?.unwrap_or(VERIFY_PORTION_USUAL).max(block),
        method: args.method.clone(),
        least_s: args.least.unwrap_or_default().as_secs(),
        read_only: Vec::new(),
        is_new: aim.size.0 == 0,
        wrong_blocks_to: wrong_blocks_to(args)?,
    })
}

/// A pass that only reads, by the states of an earlier one.
fn second_pass(args: &VerifyArgs, here: &Here) -> Result<VerifyTarget, Failure> {
    let now = target_now(&args.target, here);
    let wrote = match &args.of {
        None => last_written(args, &now)?,
        Some(named) => {
            let dir = saved_result::procedure(&args.measure.place.runs_dir, Some(named))?;
            load_procedure(&dir).map_err(|e| Failure::new(Exit::Incomplete, e))?
        }
    };
    let (procedure, states) = states_of(&wrote)?;
    let place = shown::path(&wrote.dir);
    if states.is_empty() {
        let message =
            format!("{place}: no pass of it wrote all of its range, so there is nothing to compare with");
        return Err(Failure::new(Exit::Usage, message).hint("fathom verify TARGET --resume goes on with it"));
    }
    // A target that is not there is an error of its own.
    Aim::of(&args.target, here)?;
    let differences = other_target(&wrote.record, &now)?;
    if !differences.is_empty() {
        let message = format!(
            "{} is not the target that {place} wrote: {}",
            shown::path(&args.target),
            differences.join("; ")
        );
        return Err(Failure::new(Exit::Refused, message)
            .hint("fathom devices lists the disks with their serial numbers"));
    }
    let (is_new, wrong_blocks_to) = (false, wrong_blocks_to(args)?);
    let target = of_os(&args.target);
    Ok(VerifyTarget { target, read_only: states, least_s: 0, is_new, wrong_blocks_to, ..procedure })
}

/// The verification that wrote the target last. Of one that was interrupted, it is not known which blocks its last writes reached, so
/// its states, and those of earlier ones, would call right blocks wrong.
fn last_written(args: &VerifyArgs, now: &TargetIdentity) -> Result<ProcedureResult, Failure> {
    let writes = |known: &ProcedureResult| {
        let saved = VerifyTarget::saved(&known.record.parameters);
        is_of(known, &args.target, now) && saved.is_ok_and(|procedure| procedure.read_only.is_empty())
    };
    let last_active = |known: &ProcedureResult| {
        let last_step = known.steps.last().map_or(0, |step| step.ended_unix_ns);
        last_step.max(known.record.started_unix_ns)
    };
    let all = procedures(&args.measure.place.runs_dir, writes).into_iter();
    let wrote = all.max_by_key(last_active).ok_or_else(|| nothing_written(args))?;
    if wrote.record.conclusion.is_some() {
        return Ok(wrote);
    }
    let message = format!(
        "{} was interrupted while it verified {}, so which blocks it wrote is not known",
        shown::path(&wrote.dir),
        shown::path(&args.target)
    );
    Err(Failure::new(Exit::Usage, message)
        .hint(format!("fathom verify {} --resume goes on with it", quoted(&args.target)))
        .hint("--of VERIFY compares with an earlier one, by its id or its directory"))
}

/// The directory for the contents of wrong blocks, as it is saved.
fn wrong_blocks_to(args: &VerifyArgs) -> Result<String, Failure> {
    Ok(args.dump.dir()?.map(of_os).unwrap_or_default())
}

/// The procedure of a saved verification, and the directories of the states of its last whole pass.
fn states_of(wrote: &ProcedureResult) -> Result<(VerifyTarget, Vec<String>), Failure> {
    let cannot = |why: String| Failure::new(Exit::Usage, format!("{}: {why}", shown::path(&wrote.dir)));
    if wrote.record.procedure != VerifyTarget::DEFINITION.name {
        return Err(cannot("it is no fathom verify".to_owned()));
    }
    let procedure = VerifyTarget::saved(&wrote.record.parameters).map_err(cannot)?;
    if !procedure.read_only.is_empty() {
        let states = procedure.read_only.clone();
        return Ok((procedure, states));
    }
    let dir = std::path::absolute(&wrote.dir).unwrap_or_else(|_| wrote.dir.clone());
    let rounds = procedure.written_rounds(&History::new(&wrote.steps));
    let states = rounds.iter().map(|round| of_os(dir.join(ROUNDS).join(to_path(round)))).collect();
    Ok((procedure, states))
}

fn nothing_written(args: &VerifyArgs) -> Failure {
    let (target, runs) = (shown::path(&args.target), shown::path(&args.measure.place.runs_dir));
    let message = format!("no fathom verify of {target} in {runs} wrote what could be read now");
    Failure::new(Exit::Usage, message)
        .hint("--of VERIFY names another one, by its id or its directory")
        .hint(format!("fathom verify {} writes and reads back", quoted(&args.target)))
}

/// Is it a verification of this target: of the same disk, or of what the path leads to?
fn is_of(known: &ProcedureResult, target: &Path, now: &TargetIdentity) -> bool {
    let record = &known.record;
    let leads_there = |(name, value): &(String, String)| {
        name == "target" && is_same_place(&to_path(&record.working_dir).join(to_path(value)), target)
    };
    record.procedure == VerifyTarget::DEFINITION.name
        && (is_same_disk(record, now) || record.parameters.iter().any(leads_there))
}

/// Goes on with the last verification of the target that is not finished.
fn resumed(args: &VerifyArgs, here: &Here) -> Result<Exit, Failure> {
    let runs_dir = &args.measure.place.runs_dir;
    let now = target_now(&args.target, here);
    let is_open =
        |known: &ProcedureResult| is_of(known, &args.target, &now) && known.record.conclusion.is_none();
    let known = procedures(runs_dir, is_open).into_iter().next().ok_or_else(|| {
        let (target, runs) = (shown::path(&args.target), shown::path(runs_dir));
        Failure::new(Exit::Usage, format!("no fathom verify of {target} in {runs} was interrupted"))
            .hint("fathom runs lists what is saved there")
    })?;
    let in_use = InUse::default();
    let overwrite = &args.measure.consent.overwrite;
    let output =
        ProcedureOutput::of(&args.measure.result, VerifyTarget::DEFINITION.name, overwrite, &in_use)?;
    let terms = args.measure.driving(here).terms()?;
    tell(&go_on(ResumeRequest { dir: known.dir, anyway: false, terms }, here)?, &output)
}
