//! `fathom suite check` and `fathom suite run`.

use super::chosen::Chosen;
use super::plan::{document, planned};
use crate::aim::Aim;
use crate::args::{ColumnArgs, PlaceArgs, RUNS_DIR, ResultArgs, carried};
use crate::driven::{Driving, MeasureArgs};
use crate::edge::print_document;
use crate::engines::usual_engine;
use crate::failure::{Exit, Failure, print, say};
use crate::rehearsal::{Rehearsal, RehearsalArgs};
use crate::steps;
use crate::terminal::here;
use clap::Args;
use clap::builder::TypedValueParser;
use fathom_device::inventory::near_cpus;
use fathom_figures::metric::Output;
use fathom_judge::steady::ConfidentTerms;
use fathom_procedures::Suite;
use fathom_procedures::suite::{SettledWithin, Shown, SuiteTarget, SuiteTerms};
use fathom_results::procedure::JobSource;
use fathom_session::Here;
use fathom_session::procedure::forecast;
use fathom_text::carried::of_os;
use fathom_words::deviation;
use std::path::{Path, PathBuf};

/// A suite, its targets, and what is changed in it.
#[derive(Clone, Debug, Args)]
pub struct SuiteTargetArgs {
    /// The name of a suite, or a file
    #[arg(value_name = "SUITE")]
    pub suite: String,
    /// A device, a file, a directory, or a simulated drive such as sim:datacentre/64; once for each target of the suite
    #[arg(long = "target", value_name = "TARGET", required = true)]
    pub targets: Vec<PathBuf>,
    /// Give a variable of the suite another value; `fathom suite show` lists them
    #[arg(long = "with", value_name = "NAME=VALUE", value_parser = carried().try_map(pair))]
    pub variables: Vec<(String, String)>,
    /// Set an option in every job; the report says so
    #[arg(long, value_name = "OPTION=VALUE", value_parser = carried().try_map(pair))]
    pub set: Vec<(String, String)>,
    /// Measure only these groups of the suite, separated by commas; the report says so
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Divide all times by this number; the report says so
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    pub scale: u32,
    /// Measure each cell this many times, whatever the suite says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub repeat: Option<u32>,
    /// Do not empty the targets where the suite does; the report says so
    #[arg(long)]
    pub no_purge: bool,
    /// End each measured cell when its rate has settled, as `fathom run --until` does
    #[arg(long, value_name = "confident=PERCENT", value_parser = crate::commands::run::until)]
    pub until: Option<ConfidentTerms>,
}

#[derive(Debug, Args)]
pub struct SuiteCheckArgs {
    /// What is checked.
    #[command(flatten)]
    pub of: SuiteTargetArgs,
    /// Which figures its tables have.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Print one JSON document with what would be done (its schema: fathom schema suite-plan)
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct SuiteRunArgs {
    /// What is run.
    #[command(flatten)]
    pub of: SuiteTargetArgs,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub plan: bool,
    /// End the suite when a cell fails; without it, the other cells are measured, and its place in the tables stays empty
    #[arg(long)]
    pub stop_on_failure: bool,
    /// All random numbers come from this one [default: a new one; on a simulated drive 1, so that the same is measured again]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// On a simulated drive first.
    #[command(flatten)]
    pub rehearsal: RehearsalArgs,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

/// `NAME=VALUE`.
pub fn pair(text: String) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    pair.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .ok_or_else(|| "give NAME=VALUE".to_owned())
}

/// The figures of the tables that a person chose; none where they chose nothing. Rounds keep the percentiles of the catalogue, so another
/// one is an error before anything is measured.
pub fn values(args: &ColumnArgs) -> Result<Vec<Shown>, Failure> {
    let columns = args.chosen();
    if !columns.are_chosen() {
        return Ok(Vec::new());
    }
    let (asked, shown) = (columns.of(Output::Rounds), Shown::chosen(&columns));
    let missing = asked.iter().find(|metric| !shown.iter().any(|shown| shown.is(metric)));
    let Some(missing) = missing else { return Ok(shown) };
    let names: Vec<&str> = Shown::all().map(Shown::id).collect();
    let message = format!("a suite cannot show {}, because its rounds do not keep it", missing.title);
    Err(Failure::new(Exit::Usage, message).hint(format!("its tables can have: {}", names.join(", "))))
}

/// What the suite would do. Every cell is planned, so one that cannot run is an error.
pub fn check(args: &SuiteCheckArgs) -> Result<Exit, Failure> {
    let here = here();
    let suite = opened(&args.of, &args.columns, &args.of.targets, 1, false, &here)?;
    let measure = MeasureArgs {
        place: PlaceArgs { runs_dir: RUNS_DIR.into(), ..PlaceArgs::default() },
        ..MeasureArgs::default()
    };
    told_plan(&suite, &measure.driving(&here), args.json)
}

/// Prints the plan, and ends as the suite would.
pub fn told_plan(suite: &Suite, driving: &Driving<'_>, json: bool) -> Result<Exit, Failure> {
    let refused = driving.refused(suite.purged(), suite.rounds_of(|_| true), &JobSource::default())?;
    let document = document(suite, driving.here)?;
    if json {
        print_document(&document)?
    } else {
        print(&planned(suite, &document))?
    }
    steps::judged("suite", refused)
}

pub fn run(args: &SuiteRunArgs) -> Result<Exit, Failure> {
    let here = here();
    let rehearsal = rehearsed(args, &here)?;
    let targets =
        rehearsal.as_ref().map_or(args.of.targets.clone(), |rehearsal| vec![rehearsal.target.clone()]);
    let is_simulated = targets.iter().all(|target| of_os(target).starts_with("sim:"));
    let seed = args.seed.or(is_simulated.then_some(1));
    let result = &args.measure.result;
    let suite = opened(&args.of, &result.columns, &targets, seed.unwrap_or(1), args.stop_on_failure, &here)?;
    let driving = Driving { seed, ..args.measure.driving(&here) };
    match args.plan {
        true => told_plan(&suite, &driving, result.json),
        false => run_and_print(&suite, &driving, result, rehearsal.as_ref()),
    }
}

/// Runs a suite, and prints what it found.
pub fn run_and_print(
    suite: &Suite,
    driving: &Driving<'_>,
    result: &ResultArgs,
    rehearsal: Option<&Rehearsal>,
) -> Result<Exit, Failure> {
    let expected = forecast(suite, &JobSource::default(), driving.here)?;
    say(&format!("{}: {}", suite.name, steps::forecast(&expected)));
    suite.deviations().iter().for_each(|it| say(&format!("note: {}", deviation::sentence(it))));
    let jobs = JobSource { target: Some(suite.terms.targets[0].path.clone()), ..JobSource::default() };
    let procedure = (Suite::DEFINITION.name, suite.parameters());
    driving.run_and_print(result, suite.name.as_str(), procedure, jobs, rehearsal).map(|(_, exit)| exit)
}

/// The simulated drive in the place of the target.
fn rehearsed(args: &SuiteRunArgs, here: &Here) -> Result<Option<Rehearsal>, Failure> {
    match args.of.targets.as_slice() {
        [target] => Rehearsal::asked(&args.rehearsal, target, here),
        _ if args.rehearsal.rehearse.is_none() => Ok(None),
        _ => Err(Failure::new(Exit::Usage, "--rehearse takes a suite of one target")
            .hint("name simulated drives as targets: --target sim:datacentre/64 --target sim:consumer/64")),
    }
}

/// The suite for these targets.
fn opened(
    args: &SuiteTargetArgs,
    columns: &ColumnArgs,
    targets: &[PathBuf],
    order_seed: u64,
    stops: bool,
    here: &Here,
) -> Result<Suite, Failure> {
    let chosen = Chosen::named(&args.suite, here)?;
    let terms = SuiteTerms {
        targets: targets.iter().map(|target| self::target(target, here)).collect::<Result<_, _>>()?,
        own_targets: false,
        keeps_content: args.no_purge,
        time_divisor: args.scale,
        repeat: args.repeat,
        variables: variables(&args.variables, targets, here),
        set: args.set.clone(),
        until: args.until.map(|terms| SettledWithin::of(terms.half_width)),
        only: args.only.clone(),
        order_seed,
        values: values(columns)?,
    };
    let name = chosen.name.clone();
    let suite = Suite::new(chosen.name, chosen.text, chosen.job_files, terms, stops)
        .map_err(|why| Failure::new(Exit::Usage, format!("the suite {name}: {why}")))?;
    let known = &suite.file().variables;
    let unknown = args.variables.iter().find(|(name, _)| !known.contains_key(name));
    match unknown {
        None => Ok(suite),
        Some((name, _)) => {
            let known = known.keys().cloned().collect::<Vec<_>>().join(", ");
            let known = if known.is_empty() { "none".to_owned() } else { known };
            let message = format!("the suite {} has no variable {name}", suite.name);
            Err(Failure::new(Exit::Usage, message)
                .hint(format!("its variables: {known}"))
                .hint(format!("to set an option in every job: --set {name}=…")))
        }
    }
}

/// A target as it is.
pub fn target(path: &Path, here: &Here) -> Result<SuiteTarget, Failure> {
    let is_directory = path.is_dir();
    if is_directory {
        return Ok(SuiteTarget { path: of_os(path), is_directory, ..SuiteTarget::default() });
    }
    let aim = Aim::of(path, here)?;
    let can_purge = aim.is_simulated || aim.sector.is_some();
    Ok(SuiteTarget { path: of_os(path), can_purge, is_simulated: aim.is_simulated, is_directory })
}

/// The variables of the command line, and those that only the machine knows.
pub fn variables(given: &[(String, String)], targets: &[PathBuf], here: &Here) -> Vec<(String, String)> {
    let near = targets.first().and_then(|target| near_cpus(here.root(), target)).unwrap_or_default();
    let policy = if near.is_empty() { "" } else { "split" };
    let is_simulated = targets.iter().all(|target| of_os(target).starts_with("sim:"));
    let engine = if is_simulated { "io_uring".to_owned() } else { usual_engine() };
    let mut all = given.to_vec();
    for (name, value) in [
        ("near", near.as_str()),
        ("near_policy", policy),
        ("ncpus", &here.cpus().to_string()),
        ("engine", engine.as_str()),
    ] {
        if !all.iter().any(|(known, _)| known == name) {
            all.push((name.to_owned(), value.to_owned()));
        }
    }
    all
}
