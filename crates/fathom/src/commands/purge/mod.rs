//! `fathom purge`: empties devices, with proof.
//!
//! Without consent it says what would be done, to which devices, and what to
//! type. With it, every device that would be emptied is claimed first.

pub(super) mod text;

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, ScopedJoinHandle};

use clap::Args;
use fathom_device::Root;
use fathom_guard::Consent;
use fathom_guard::purge::{
    self, ClaimedPurge, Ledger, PurgeDocument, PurgeError, PurgeFailure, PurgePlan, PurgeProgress,
    PurgeRecord, Sampling, Wish,
};
use fathom_text::carried::of_os;
use fathom_text::shown;

use crate::args::{ConsentArgs, carried};
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say};
use crate::reach::is_there;
use crate::simulated::refuse_simulated;
use crate::steps;
use crate::terminal::slow_look;

#[derive(Debug, Args)]
pub struct PurgeArgs {
    /// Devices to empty; several are emptied at the same time
    #[arg(required = true, value_name = "DEVICE")]
    pub devices: Vec<PathBuf>,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub plan: bool,
    /// Allow destroying all that the device with this serial holds (or WWID,
    /// by-id name, BACKING_PATH:SIZE); once for every device that is emptied
    #[arg(long, value_name = "SERIAL", value_parser = carried())]
    pub destroy: Vec<String>,
    /// The method (format, sanitize, trim, zero, …; --plan lists them);
    /// default: the strongest method that touches no device without --destroy
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// Format the device to logical blocks of this many bytes (512 or 4096)
    #[arg(long, value_name = "BYTES")]
    pub lba: Option<u32>,
    /// Number of random samples of 64 KiB that are read before and after, in
    /// addition to both ends
    #[arg(long, value_name = "N", default_value_t = Sampling::default().windows)]
    pub samples: u32,
    /// Seed that chooses the places of the samples
    #[arg(long, value_name = "N", default_value_t = Sampling::default().seed)]
    pub seed: u64,
    /// Where the state of devices is kept; default: /var/lib/fathom/devices
    /// for root, else fathom/devices in the user's state directory
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// One JSON document instead of text
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: &PurgeArgs) -> Result<Exit, Failure> {
    let names: Vec<String> = args.devices.iter().map(of_os).collect();
    refuse_simulated(
        names.iter().map(String::as_str),
        "it is new and empty at the start of each command, so there is nothing to empty",
    )?;
    let root = Root::live();
    let consent = consent(args)?;
    let plans = match plans(&root, args, &consent) {
        Ok(plans) => plans,
        Err(failure) => return failed(args, &[], &[], failure),
    };
    let judged = permitted(args, &plans);
    if args.plan && judged.as_ref().err().is_none_or(|refusal| refusal.lacks_consent) {
        show(args, &plans)?;
        return steps::judged("purge", judged.err().into_iter().collect());
    }
    if let Err(failure) = judged {
        if !args.json {
            show(args, &plans)?;
        }
        return failed(args, &plans, &[], failure);
    }
    let ledger = Ledger::at(state_dir(args));
    let claims = match claims(&root, &plans, &consent) {
        Ok(claims) => claims,
        Err(failure) => return failed(args, &plans, &[], failure),
    };
    let ends = side_by_side(args, &plans, claims, &ledger);
    let records: Vec<&PurgeRecord> = ends.iter().filter_map(|end| end.as_ref().ok()).collect();
    if let Some(failure) = joined(&ends) {
        if !args.json {
            tell_records(&plans, &ends, &ledger)?;
        }
        return failed(args, &plans, &records, failure);
    }
    match args.json {
        true => document(&plans, &records, None)?,
        false => tell_records(&plans, &ends, &ledger)?,
    }
    Ok(if records.iter().all(|record| record.proof.is_given()) { Exit::Ok } else { Exit::NotValid })
}

fn consent(args: &PurgeArgs) -> Result<Consent, Failure> {
    ConsentArgs { destroy: args.destroy.clone(), ..ConsentArgs::default() }.consent()
}

/// Every device is planned before the first is touched.
fn plans(root: &Root, args: &PurgeArgs, consent: &Consent) -> Result<Vec<PurgePlan>, Failure> {
    let wish = Wish { method: args.method.clone(), block_bytes: args.lba };
    let mut plans: Vec<PurgePlan> = Vec::new();
    for path in &args.devices {
        if !is_there(path)? {
            let message = format!("{} does not exist", shown::path(path));
            return Err(
                Failure::new(Exit::Usage, message).hint("to list the disks of this machine: fathom devices")
            );
        }
        let plan =
            slow_look().at(path, || purge::plan(root, path, &wish, consent)).map_err(|e| failure(&e))?;
        let dev = plan.device.dev;
        let empties_it = |other: &&PurgePlan| other.affected.iter().any(|device| device.identity.dev == dev);
        if let Some(other) = plans.iter().find(empties_it) {
            let message = format!("{} is emptied together with {}", path.display(), other.path.display());
            return Err(Failure::new(Exit::Usage, message).hint("name it once"));
        }
        plans.push(plan);
    }
    Ok(plans)
}

/// A refusal reports all reasons at once, with the command that would allow the purge.
fn permitted(args: &PurgeArgs, plans: &[PurgePlan]) -> Result<(), Failure> {
    for plan in plans {
        let Some(why) = plan.barred_by() else { continue };
        let message = format!("refused to empty {}: {why}", plan.path.display());
        return Err(Failure::new(Exit::Refused, message).hint(fathom_guard::RELEASE_FIRST));
    }
    if plans.iter().all(PurgePlan::is_allowed) {
        return Ok(());
    }
    let withheld = plans.iter().flat_map(|plan| &plan.affected).filter(|device| !device.is_allowed);
    let names: Vec<String> = withheld.map(|device| device.identity.describe()).collect();
    let failure = Failure::new(Exit::Refused, format!("no consent to empty {}", names.join(" and ")));
    Err(match text::command(args, plans) {
        Some(command) => failure.hint(format!("to do this: {command}")).lacking_consent(true),
        None => failure.hint(
            "it has no name that no other device has, so no option can name it: give it a unique \
             serial number, or name a partition",
        ),
    })
}

/// Every device is claimed before the first is emptied. The error of a refusal has those of all plans, and nothing is emptied.
fn claims<'a>(
    root: &'a Root,
    plans: &'a [PurgePlan],
    consent: &Consent,
) -> Result<Vec<ClaimedPurge<'a>>, Failure> {
    let tried: Vec<_> = plans.iter().map(|plan| ClaimedPurge::claim(root, plan, consent.clone())).collect();
    match joined(&tried) {
        None => Ok(tried.into_iter().flatten().collect()),
        Some(failure) if plans.len() > 1 => {
            Err(failure.hint("nothing was emptied: every device is claimed before the first is emptied"))
        }
        Some(failure) => Err(failure),
    }
}

type End = Result<PurgeRecord, PurgeError>;

/// One thread for each device: the drives do the work.
fn side_by_side(
    args: &PurgeArgs,
    plans: &[PurgePlan],
    claims: Vec<ClaimedPurge<'_>>,
    ledger: &Ledger,
) -> Vec<End> {
    let sampling = Sampling { windows: args.samples, seed: args.seed };
    // Each claim is taken by its thread.
    let claims: Vec<_> = claims.into_iter().map(|claim| Mutex::new(Some(claim))).collect();
    let work = |at: usize| {
        let mut told = 0;
        let mut tell = |progress| tell(&plans[at], progress, &mut told);
        let claim = claims[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        claim.expect("each claim is taken once").execute(ledger, sampling, &mut tell)
    };
    std::thread::scope(|scope| {
        let work = &work;
        let start = |at| (at, Builder::new().spawn_scoped(scope, move || work(at)));
        let threads: Vec<_> = (0..plans.len()).map(start).collect();
        // A device for which no thread can be started is emptied after the others.
        let end = |(at, thread): (usize, io::Result<ScopedJoinHandle<'_, End>>)| match thread {
            Ok(thread) => thread.join().expect("a purge does not panic"),
            Err(_) => work(at),
        };
        threads.into_iter().map(end).collect()
    })
}

/// Prints a line for each step, and one for each tenth of a step.
fn tell(plan: &PurgePlan, progress: PurgeProgress, tenths: &mut u32) {
    let name = plan.path.display();
    match progress {
        PurgeProgress::Step(step) => {
            *tenths = 0;
            say(&format!("{name}: {step}"));
        }
        PurgeProgress::Done(part) => {
            let now = (part * 10.0) as u32;
            if now > *tenths {
                *tenths = now;
                say(&format!("{name}: {}0 %", now));
            }
        }
    }
}

fn failure(error: &PurgeError) -> Failure {
    let is_usage = error.is_usage() || matches!(error, PurgeError::Refused(_));
    Failure::of(error, error.is_refusal(), is_usage).hints(error.hints())
}

/// The failures of several devices as one; the first decides the exit code.
fn joined<T>(ends: &[Result<T, PurgeError>]) -> Option<Failure> {
    let failures = ends.iter().filter_map(|end| end.as_ref().err()).map(failure);
    failures.reduce(|mut first, next| {
        first.message = format!("{}; {}", first.message, next.message);
        first.hints.extend(next.hints);
        first
    })
}

fn show(args: &PurgeArgs, plans: &[PurgePlan]) -> Result<(), Failure> {
    if args.json {
        return document(plans, &[], None);
    }
    let ledger = Ledger::at(state_dir(args));
    // A state that cannot be read counts as none: a plan needs no state.
    let text = |plan: &PurgePlan| text::plan(plan, ledger.load(&plan.device).ok().flatten().as_ref());
    print(&plans.iter().map(text).collect::<Vec<_>>().join("\n"))
}

fn tell_records(plans: &[PurgePlan], ends: &[End], ledger: &Ledger) -> Result<(), Failure> {
    let records = plans.iter().zip(ends).filter_map(|(plan, end)| Some((plan, end.as_ref().ok()?)));
    let texts: Vec<String> = records
        .map(|(plan, record)| text::record(plan, record, ledger.path(&record.after).as_deref()))
        .collect();
    print(&texts.join("\n"))
}

/// Prints a failure as JSON too, if that was asked for.
fn failed(
    args: &PurgeArgs,
    plans: &[PurgePlan],
    records: &[&PurgeRecord],
    failure: Failure,
) -> Result<Exit, Failure> {
    if args.json {
        document(plans, records, Some(&failure))?;
    }
    Err(failure)
}

fn document<'a>(
    plans: &'a [PurgePlan],
    records: &'a [&'a PurgeRecord],
    failure: Option<&'a Failure>,
) -> Result<(), Failure> {
    let error = |f: &'a Failure| PurgeFailure { exit: f.exit as u8, message: &f.message, hints: &f.hints };
    print_document(&PurgeDocument::of(plans, records, failure.map(error)))
}

fn state_dir(args: &PurgeArgs) -> PathBuf {
    args.state_dir.clone().unwrap_or_else(fathom_session::device_states)
}
