//! `fathom pts`: the tests of SNIA's Performance Test Specification.
//!
//! It is a procedure: after Ctrl-C, a crash or a reboot `fathom resume` goes on, and no finished round is measured again.

use super::tune::KnobTuner;
use crate::aim::Aim;
use crate::driven::{Driving, MeasureArgs};
use crate::engines::usual_engine;
use crate::failure::{Exit, Failure, print, say};
use crate::rehearsal::{Rehearsal, RehearsalArgs};
use crate::steps;
use crate::terminal::here;
use clap::Args;
use clap::builder::PossibleValuesParser;
use fathom_device::Goal;
use fathom_job::units::{Bytes, Nanos};
use fathom_procedures::{
    CacheSetting, Demand, Edition, PlannedTest, Procedure, Pts, PtsTerms, PtsTest, TESTS, TKPERF_TESTS, plan,
    tests_of,
};
use fathom_results::procedure::JobSource;
use fathom_session::Here;
use fathom_session::procedure::{Tuner, forecast};
use fathom_text::carried::of_os;
use fathom_text::quantity::bytes;
use fathom_text::shown;
use fathom_tune::STATE_DIR;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub struct PtsArgs {
    /// The tests, in the order in which they run: iops, tp, lat, wsat, hir, xsr, cbw, dirth; or all. With --as tkperf: iops, lat,
    /// tp, wsat, or all four; or hdd-iops and hdd-tp, which neither purge nor fill
    #[arg(required = true, value_name = "TEST", value_parser = PossibleValuesParser::new(names()))]
    pub tests: Vec<String>,
    /// The device, or a simulated drive such as sim:datacentre/64
    #[arg(long, value_name = "DEVICE")]
    pub target: PathBuf,
    /// Whose requirements apply: enterprise (the whole device) or client (three quarters of it)
    #[arg(long, default_value = "enterprise", value_parser = ["enterprise", "client"])]
    pub edition: String,
    /// Run TKperf's variant of the tests, its known defects corrected, each named in the report. Its -nj and -iod are --threads and
    /// --depth, -rt 30 is --scale 2
    #[arg(long = "as", value_name = "PROGRAM", value_parser = ["tkperf"], conflicts_with = "edition")]
    pub variant: Option<String>,
    /// Divide all times of the standard by this number; the report says so on every page
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=600))]
    pub scale: u32,
    /// Rounds after which a test ends without steady state
    #[arg(long, value_name = "N", default_value_t = 25, value_parser = clap::value_parser!(u32).range(5..=1_000))]
    pub rounds: u32,
    /// Share of the device that is touched, per cent [default: 100, client 75]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub active: Option<u32>,
    /// Threads (TC) of iops, wsat and hir, and with --as tkperf of hdd-iops; TKperf's tp and hdd-tp have one stream of --threads ×
    /// --depth I/Os. All other tests have the threads and the depth of the standard [default: 4, client 2, tkperf 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: Option<u32>,
    /// I/Os outstanding in each thread (QD) of the tests that --threads applies to [default: 32, client 16, tkperf 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4_096))]
    pub depth: Option<u32>,
    /// Do not empty the device before each test; the report says so on every page
    #[arg(long)]
    pub no_purge: bool,
    /// Set the volatile write cache of an NVMe drive as the standard asks (enterprise: off, client: on), and put it back at the
    /// end. Without it the cache stays as it is. Where it is not as the standard asks, every page of the report says so
    #[arg(long)]
    pub set_cache: bool,
    /// Who runs the tests, for the header of the report
    #[arg(long, value_name = "NAME", default_value = "")]
    pub operator: String,
    /// All random numbers come from this one [default: a new one; on a simulated drive 1, so that the same is measured again]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Show what would be done, and do nothing
    #[arg(long, conflicts_with = "json")]
    pub plan: bool,
    /// On a simulated drive first.
    #[command(flatten)]
    pub rehearsal: RehearsalArgs,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// The names of the tests, and that of all of them.
fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = TESTS.iter().chain(TKPERF_TESTS).map(|test| test.name).collect();
    let mut known = BTreeSet::new();
    names.retain(|name| known.insert(*name));
    names.push("all");
    names
}

pub fn run(args: &PtsArgs) -> Result<Exit, Failure> {
    let here = here();
    let rehearsal = Rehearsal::asked(&args.rehearsal, &args.target, &here)?;
    let target = rehearsal.as_ref().map_or(&args.target, |rehearsal| &rehearsal.target);
    let tests = tests(args)?;
    takes_demand(args, &tests)?;
    let mut pts = Pts { terms: terms(args, target, &here)?, tests };
    let tuner = cache_tuner(args, &mut pts.terms, &here)?;
    let jobs = JobSource { target: Some(pts.terms.target.clone()), ..JobSource::default() };
    let expected = forecast(&pts, &jobs, &here)?;
    let seed = args.seed.or(pts.terms.is_simulated.then_some(1));
    let tuner_used = tuner.as_ref().map(|tuner| tuner as &dyn Tuner);
    let driving = Driving { seed, tuner: tuner_used, ..args.measure.driving(&here) };
    if args.plan {
        let purged = pts.purges().then_some(pts.terms.target.as_str());
        let refused = driving.refused(purged, pts.expected(), &jobs)?;
        print(&planned(&pts))?;
        return steps::judged("test", refused);
    }
    say(&format!("pts: {}", steps::forecast(&expected)));
    let mut parameters = pts.parameters();
    if let Some(tuner) = &tuner {
        parameters.extend(tuner.parameters());
        parameters.push(("knob".to_owned(), tuner.knob().to_owned()));
    }
    let procedure = (Pts::DEFINITION.name, parameters);
    driving
        .run_and_print(&args.measure.result, "pts", procedure, jobs, rehearsal.as_ref())
        .map(|(_, exit)| exit)
}

/// Sets the write cache, where that is asked for and the device offers it; otherwise the report says how it is.
fn cache_tuner(args: &PtsArgs, terms: &mut PtsTerms, here: &Here) -> Result<Option<KnobTuner>, Failure> {
    if !args.set_cache || terms.is_simulated {
        return Ok(None);
    }
    let knob = (args.target.as_path(), Goal::Repeatability, terms.edition.cache_knob());
    let tuner = KnobTuner::for_target(knob, Path::new(STATE_DIR), here)?;
    match (&tuner, terms.write_cache.deviation(terms.edition.wants_write_cache(), CacheSetting::Impossible)) {
        (Some(tuner), _) => {
            terms.cache_setting = CacheSetting::Set;
            tuner.show()?;
        }
        (None, Some(deviation)) => {
            terms.cache_setting = CacheSetting::Impossible;
            let sentence = fathom_words::deviation::sentence(&deviation);
            say(&format!("note: {sentence} Every page of the report says so."));
        }
        (None, None) => say("note: the write cache is as the standard asks"),
    }
    Ok(tuner)
}

fn edition(args: &PtsArgs) -> Edition {
    match (&args.variant, args.edition.as_str()) {
        (Some(_), _) => Edition::Tkperf,
        (None, "client") => Edition::Client,
        (None, _) => Edition::Enterprise,
    }
}

/// Is it one of the tests of hard disks, which TKperf runs by a command of its own?
fn is_of_hard_disks(test: &PtsTest) -> bool {
    test.name.starts_with("hdd-")
}

/// The tests that are asked for, each once.
fn tests(args: &PtsArgs) -> Result<Vec<&'static PtsTest>, Failure> {
    let edition = edition(args);
    let mut tests: Vec<&'static PtsTest> = Vec::new();
    for name in &args.tests {
        let is_asked = |test: &&PtsTest| match name.as_str() {
            "all" => !is_of_hard_disks(test),
            name => test.name == name,
        };
        let found: Vec<&'static PtsTest> = tests_of(edition).iter().copied().filter(is_asked).collect();
        if found.is_empty() {
            let message = format!("{} has no test {name}", edition.standard());
            return Err(Failure::new(Exit::Usage, message).hint(match edition {
                Edition::Tkperf => "without --as tkperf the tests of the standard run",
                _ => "it is a test of TKperf: add --as tkperf",
            }));
        }
        for test in found {
            if !tests.iter().any(|known| known.name == test.name) {
                tests.push(test);
            }
        }
    }
    let of_disks = tests.iter().filter(|test| is_of_hard_disks(test)).count();
    match of_disks {
        0 => Ok(tests),
        all if all == tests.len() => Ok(tests),
        _ => Err(Failure::new(Exit::Usage, "the tests of hard disks and those of SSDs are two runs")
            .hint("TKperf does not run them together either")),
    }
}

/// Threads and depth have a meaning only in tests whose operator chooses them.
fn takes_demand(args: &PtsArgs, tests: &[&'static PtsTest]) -> Result<(), Failure> {
    let given = [args.threads.map(|_| "--threads"), args.depth.map(|_| "--depth")];
    let given: Vec<&str> = given.into_iter().flatten().collect();
    if given.is_empty() || tests.iter().any(|test| test.takes_demand) {
        return Ok(());
    }
    let names = |tests: &[&'static PtsTest], take: bool| -> String {
        let found = tests.iter().filter(|test| test.takes_demand == take).map(|test| test.name);
        found.collect::<Vec<_>>().join(", ")
    };
    let edition = edition(args);
    let message = format!("{} cannot be chosen in {}", given.join(" and "), names(tests, false));
    Err(Failure::new(Exit::Usage, message)
        .hint(format!("{} says what they are there", edition.standard()))
        .hint(format!("the tests that take them: {}", names(tests_of(edition), true))))
}

/// The target as it is, and the options.
fn terms(args: &PtsArgs, target: &Path, here: &Here) -> Result<PtsTerms, Failure> {
    let aim = Aim::of(target, here)?;
    let why = "they overwrite at random, which only a device without zones takes";
    aim.refuse_zones(target, "the tests of the standard do not run", why)?;
    let name = shown::path(target);
    let Some(sector) = aim.sector.filter(|_| aim.size > Bytes(0)) else {
        return Err(Failure::new(
            Exit::Usage,
            format!("{name} is no block device, and the standard tests devices"),
        )
        .hint("to list the disks of this machine: fathom devices")
        .hint("a file can be tested as a loop device: losetup --find --show --direct-io=on FILE"));
    };
    let edition = edition(args);
    let engine = match edition {
        _ if aim.is_simulated => "io_uring".to_owned(),
        Edition::Tkperf => "libaio".to_owned(),
        _ => usual_engine(),
    };
    let usual = edition.demand();
    let demand =
        Demand { threads: args.threads.unwrap_or(usual.threads), depth: args.depth.unwrap_or(usual.depth) };
    let terms = PtsTerms {
        edition,
        target: of_os(target),
        capacity: aim.size,
        sector,
        engine,
        direct: true,
        purges: !args.no_purge,
        is_simulated: aim.is_simulated,
        active_percent: args.active.unwrap_or(edition.active_percent()),
        demand,
        time_divisor: args.scale,
        rounds_max: args.rounds,
        cache_setting: CacheSetting::Left,
        write_cache: aim.write_cache,
        operator: args.operator.clone(),
    };
    let least = Bytes::mib(16);
    if terms.active() < least {
        let message =
            format!("{name}: its active range has {}, and the tests need at least {least}", terms.active());
        return Err(Failure::new(Exit::Usage, message));
    }
    Ok(terms)
}

/// The plan: a line for each test.
fn planned(pts: &Pts) -> String {
    let terms = &pts.terms;
    let mut text = format!(
        "{} on {} ({} bytes, blocks of {} B), active range {} %\n",
        terms.edition.standard(),
        shown::line(&terms.target),
        terms.capacity.0,
        terms.sector.0,
        terms.active_percent
    );
    let tests = plan(pts);
    tests.iter().for_each(|test| text += &line(test));
    let sum = |of: fn(&PlannedTest) -> u64| tests.iter().map(of).sum::<u64>();
    text += &format!(
        "all: {} of measurement, and the fills: {} in order\n",
        range(sum(|test| test.ms.0), sum(|test| test.ms.1)),
        bytes(sum(|test| test.fill_bytes) as f64)
    );
    if pts.purges() {
        text += "the device is emptied before each test\n";
    }
    if !terms.is_simulated {
        text += "what they write in all, and the wear: the same with --rehearse in place of --plan\n";
    }
    text
}

fn line(test: &PlannedTest) -> String {
    if let Some(why) = &test.cannot {
        return format!("  {:<6} not run: {}\n", test.test, fathom_words::deviation::cannot(why));
    }
    let rounds = match test.rounds {
        (least, most) if least == most => format!("{most} rounds"),
        (least, most) => format!("{least} to {most} rounds"),
    };
    let fill = match test.fill_bytes {
        0 => String::new(),
        fill => format!(", after {} of fill", bytes(fill as f64)),
    };
    let earlier = test
        .written_max
        .map_or_else(String::new, |most| format!("; it ends as soon as {} are written", bytes(most as f64)));
    format!("  {:<6} {rounds}, {}{fill}{earlier}\n", test.test, range(test.ms.0, test.ms.1))
}

fn range(least_ms: u64, most_ms: u64) -> String {
    let time = |ms: u64| Nanos(ms.saturating_mul(1_000_000)).to_string();
    if least_ms == most_ms { time(most_ms) } else { format!("{} to {}", time(least_ms), time(most_ms)) }
}
