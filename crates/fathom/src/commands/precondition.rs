//! `fathom precondition`: writes a whole device, so that later figures are those of a device in use.
//!
//! It is a procedure: after Ctrl-C, a crash or a reboot `fathom resume` goes on. What fathom has written before, and
//! nothing else has changed since, is not written again.

use crate::aim::Aim;
use crate::args::duration;
use crate::driven::MeasureArgs;
use crate::engines::usual_engine;
use crate::failure::{Exit, Failure, print, say};
use crate::range::Range;
use crate::rehearsal::{Rehearsal, RehearsalArgs};
use crate::sized::size_of;
use crate::steps;
use crate::terminal::here;
use clap::Args;
use fathom_job::units::Bytes;
use fathom_judge::steady::ConfidentTerms;
use fathom_procedures::{BLOCK_USUAL, PASSES_USUAL, Precondition, Procedure, RANDOM_COVERAGE, RandomWrites};
use fathom_results::procedure::JobSource;
use fathom_session::Here;
use fathom_session::coverage::Covered;
use fathom_session::procedure::forecast;
use fathom_text::carried::of_os;
use fathom_text::number::grouped;
use fathom_text::shell::quoted;
use fathom_text::words::counted;
use fathom_words::procedure_headline::fast_as_new;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct PreconditionArgs {
    /// A device, a file, or a simulated drive such as sim:datacentre/64
    pub target: PathBuf,
    /// Passes over the whole range, in order [default: 2, less what fathom has written there already]
    #[arg(long, value_name = "N")]
    pub passes: Option<u32>,
    /// Block of these passes
    #[arg(long, value_name = "SIZE")]
    pub block: Option<String>,
    /// Write at random in blocks of this size afterwards, until twice the range is written
    #[arg(long, value_name = "BLOCK")]
    pub random: Option<String>,
    /// With --random: go on for at least this long, such as 4h
    #[arg(long = "for", value_name = "TIME", requires = "random", value_parser = duration)]
    pub least: Option<Duration>,
    /// With --random: go on until the mean of the rate is known to within this share of it, also for the next ten minutes
    #[arg(long, value_name = "confident=PERCENT", requires = "random", value_parser = super::run::until)]
    pub until: Option<ConfidentTerms>,
    /// With --random: end after this time in any case
    #[arg(long, value_name = "TIME", requires = "random", default_value = "24h", value_parser = duration)]
    pub at_most: Duration,
    /// First byte of the range [default: 0]
    #[arg(long, value_name = "SIZE")]
    pub offset: Option<String>,
    /// Length of the range [default: to the end]; of a file that does not exist, its size
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// Samples of 64 KiB at random places that are read at the end, in addition to both ends
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub samples: u32,
    /// Show what would be written, and write nothing
    #[arg(long, conflicts_with = "json")]
    pub plan: bool,
    /// On a simulated drive first.
    #[command(flatten)]
    pub rehearsal: RehearsalArgs,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

pub fn run(args: &PreconditionArgs) -> Result<Exit, Failure> {
    let here = here();
    let rehearsal = Rehearsal::asked(&args.rehearsal, &args.target, &here)?;
    let target = rehearsal.as_ref().map_or(&args.target, |rehearsal| &rehearsal.target);
    let procedure = procedure(args, target, &here)?;
    let jobs = JobSource { target: Some(procedure.target.clone()), ..JobSource::default() };
    let expected = forecast(&procedure, &jobs, &here)?;
    let driving = args.measure.driving(&here);
    if args.plan {
        let refused = driving.refused([], procedure.expected(), &jobs)?;
        print(&format!("{}\n{}\n", plan(&procedure), steps::forecast(&expected)))?;
        return steps::judged("procedure", refused);
    }
    // It comes now, and not after days of waiting for an array.
    if let Some(refusal) = driving.refused([], procedure.expected(), &jobs)?.into_iter().next() {
        return Err(refusal);
    }
    say(&format!("precondition: {}", steps::forecast(&expected)));
    let procedure = (Precondition::DEFINITION.name, procedure.parameters());
    let ended =
        driving.run_and_print(&args.measure.result, "precondition", procedure, jobs, rehearsal.as_ref());
    let (driven, exit) = ended?;
    if let Some(words) = consent_to_resume(args).filter(|_| driven.verdict.is_none()) {
        say(&format!("the target now holds what fathom wrote; add to that command: {words}"));
    }
    Ok(exit)
}

/// What will be written, one line for each part.
fn plan(procedure: &Precondition) -> String {
    let Precondition { target, offset, passes, block, random, size, .. } = procedure;
    if let Some(medium) = procedure.needless {
        return format!("nothing is written to {target}: {}", fast_as_new(medium));
    }
    let range = format!("range: {} bytes of {target}, from byte {}", grouped(size.0), grouped(offset.0));
    let in_order = match passes {
        0 => "in order: nothing is left to write".to_owned(),
        passes => format!("in order: {}, in blocks of {block}", counted(*passes, "time")),
    };
    let at_random = random.as_ref().map(|random| {
        format!(
            "at random: blocks of {}, until {RANDOM_COVERAGE} times the range is written, for {} s at most",
            random.block, random.most_s
        )
    });
    [range, in_order].into_iter().chain(at_random).collect::<Vec<_>>().join("\n")
}

/// Consent is given again with a resume. A device that was blank is no longer.
fn consent_to_resume(args: &PreconditionArgs) -> Option<String> {
    let devices = args.measure.consent.write.iter().chain(&args.measure.consent.destroy);
    let devices = devices.map(|name| format!("--destroy {}", quoted(Path::new(name))));
    let files = args.measure.consent.overwrite.iter().map(|file| format!("--overwrite {}", quoted(file)));
    let words: Vec<String> = devices.chain(files).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn procedure(args: &PreconditionArgs, target: &Path, here: &Here) -> Result<Precondition, Failure> {
    let aim = Aim::of(target, here)?;
    let why = "its passes and random overwrites go where no write pointer is, and its zones are as new after each reset";
    aim.refuse_zones(target, "precondition writes nothing", why)?;
    let of = |option: &str, text: &Option<String>| {
        text.as_ref().map(|text| size_of(&format!("fathom precondition --{option}"), text, here)).transpose()
    };
    let offset = of("offset", &args.offset)?.unwrap_or(Bytes(0));
    let size = match of("size", &args.size)? {
        Some(size) => size,
        None => Bytes(aim.size.0.saturating_sub(offset.0)),
    };
    let range = Range { target, offset, size, is_size_given: args.size.is_some() };
    range.fits(&aim)?;
    let block_of = |option: &str, text: &Option<String>| match of(option, text)? {
        Some(block) => range.block(option, block, &aim).map(Some),
        None => Ok(None),
    };
    let block = block_of("block", &args.block)?.unwrap_or(BLOCK_USUAL);
    let random = block_of("random", &args.random)?.map(|block| random(args, block)).transpose()?;
    if args.passes == Some(0) && random.is_none() {
        let message = "--passes 0 writes nothing: give --random too";
        return Err(Failure::new(Exit::Usage, message));
    }
    let asked = args.passes.unwrap_or(PASSES_USUAL);
    let before = aim.covered.passes(offset.0, offset.0 + size.0);
    if let Covered::Void(why) = &aim.covered {
        say(&format!("note: what fathom wrote there before does not count: {why}"));
    }
    let is_asked = args.passes.is_some() || random.is_some();
    let needless = aim.needless.filter(|_| !is_asked);
    let passes = match (&args.passes, needless.is_none()) {
        (_, false) => 0,
        (Some(passes), _) => *passes,
        (None, _) => asked.saturating_sub(before),
    };
    Ok(Precondition {
        target: of_os(target),
        offset,
        size,
        engine: if aim.is_simulated { "io_uring".to_owned() } else { usual_engine() },
        direct: aim.sector.is_some(),
        block,
        passes,
        passes_before: if args.passes.is_some() { 0 } else { before.min(asked) },
        random,
        windows: (!aim.is_simulated).then_some(args.samples),
        needless,
    })
}

fn random(args: &PreconditionArgs, block: Bytes) -> Result<RandomWrites, Failure> {
    let (least_s, most_s) = (args.least.unwrap_or_default().as_secs(), args.at_most.as_secs().max(1));
    if least_s > most_s {
        let message = "--for is longer than --at-most";
        return Err(Failure::new(Exit::Usage, message).hint("give both: --for 30h --at-most 40h"));
    }
    Ok(RandomWrites { block, least_s, most_s, half_width: args.until.map(|terms| terms.half_width) })
}
