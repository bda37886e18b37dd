//! `fathom sweep`: job files with many values of their options; or the one value that a person looks for, by few measurements.
//!
//! The whole sweep is a suite that the command line makes; its cells come in a random order, and the first comes again and again, so
//! that a drift of the machine or the drive is seen. A search is a procedure of its own, which halves what is left.

use super::suite::run::{pair, run_and_print, target, told_plan, values, variables};
use crate::args::carried;
use crate::driven::{Driving, MeasureArgs};
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say};
use crate::steps;
use crate::terminal::here;
use clap::Args;
use clap::builder::TypedValueParser;
use fathom_job::parse::Adjust;
use fathom_judge::steady::ConfidentTerms;
use fathom_procedures::suite::{
    PlannedGroup, SettledWithin, Shown, SuitePlanDocument, SuiteTarget, SuiteTerms, Vary,
};
use fathom_procedures::{Procedure, Search, SearchGoal, Suite};
use fathom_results::procedure::{JobSource, ProcedureForecast};
use fathom_session::procedure::{forecast, read_jobs};
use fathom_session::{Here, planned};
use fathom_text::carried::{of_os, to_path};
use fathom_text::shown;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct SweepArgs {
    /// Job files; `-` is standard input
    #[arg(required = true, value_parser = carried())]
    pub files: Vec<String>,
    /// An option and its values: iodepth=1,2,4..256 doubles, bs=4k,8k..1m too, numjobs=1..8 counts; values that have commas are
    /// separated by bars: 'cpus_allowed=0-3|4-7'. Several of these make a grid
    #[arg(long, required = true, value_name = "OPTION=VALUES", value_parser = carried().try_map(|text| text.parse::<Vary>()))]
    pub vary: Vec<Vary>,
    /// Find one value of the option and do not measure all: knee, the least value that reaches 95 % of the most rate; or the most
    /// rate under a latency limit, such as 'p99<=1ms' (mean, a percentile such as p99.9, max). The values must be in order of demand
    #[arg(long, value_name = "GOAL", value_parser = |text: &str| text.parse::<SearchGoal>())]
    pub find: Option<SearchGoal>,
    /// Use this target in place of every filename
    #[arg(long, value_name = "TARGET")]
    pub target: Option<PathBuf>,
    /// Set an option in every job, whatever the job file says
    #[arg(long, value_name = "OPTION=VALUE", value_parser = carried().try_map(pair))]
    pub set: Vec<(String, String)>,
    /// Measure each value this many times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub repeat: u32,
    /// The order of the cells: random, with the first cell again and again to see a drift; or as they are written
    #[arg(long, value_name = "ORDER", default_value = "random", value_parser = ["random", "as-written"])]
    pub order: String,
    /// End each cell when its rate has settled, as `fathom run --until` does
    #[arg(long, value_name = "confident=PERCENT", value_parser = super::run::until)]
    pub until: Option<ConfidentTerms>,
    /// All random numbers, also the order, come from this one [default: 1 for the order, a new one for the rest]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub plan: bool,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

impl SweepArgs {
    fn adjust(&self) -> Adjust {
        let target = self.target.as_ref().map(of_os);
        Adjust { set: self.set.clone(), target, ..Adjust::default() }
    }

    fn driving<'a>(&'a self, here: &'a Here) -> Driving<'a> {
        Driving { seed: self.seed, ..self.measure.driving(here) }
    }
}

pub fn run(args: &SweepArgs) -> Result<Exit, Failure> {
    let here = here();
    // The jobs as they are: an error in them is not one of each cell.
    let (jobs, source) = read_jobs(&args.files, &args.adjust(), &here)?;
    let plan = planned(&jobs, &here)?;
    match args.find {
        Some(goal) => search(args, goal, source, &here),
        None => {
            let first = plan.jobs.iter().flat_map(|job| &job.files).next().map(|file| file.path.clone());
            sweep(args, &source, first.unwrap_or_default(), &here)
        }
    }
}

/// Every combination of the values.
fn sweep(args: &SweepArgs, source: &JobSource, first_target: String, here: &Here) -> Result<Exit, Failure> {
    let target = match &args.target {
        Some(path) => target(path, here)?,
        None => SuiteTarget {
            is_simulated: first_target.starts_with("sim:"),
            path: first_target,
            ..SuiteTarget::default()
        },
    };
    let terms = SuiteTerms {
        variables: variables(&[], &[to_path(&target.path)], here),
        targets: vec![target],
        own_targets: args.target.is_none(),
        time_divisor: 1,
        set: args.set.clone(),
        until: args.until.map(|terms| SettledWithin::of(terms.half_width)),
        order_seed: args.seed.unwrap_or(1),
        values: values(&args.measure.result.columns)?,
        ..SuiteTerms::default()
    };
    if let Some(included) = source.texts.iter().find(|text| text.from.is_some()) {
        let message = format!(
            "a job file of a sweep cannot include another, and {} is included",
            shown::line(&included.path)
        );
        return Err(Failure::new(Exit::Usage, message).hint("write its lines into the job file"));
    }
    let suite = Suite::new(Suite::SWEEP, suite_text(args, source), Vec::new(), terms, false)
        .map_err(|why| Failure::new(Exit::Usage, format!("the sweep: {why}")))?;
    let (driving, result) = (args.driving(here), &args.measure.result);
    match args.plan {
        true => told_plan(&suite, &driving, result.json),
        false => run_and_print(&suite, &driving, result, None),
    }
}

/// How often the first cell comes again: after this share of the cells.
const REFERENCES: usize = 8;

/// The figures of its tables, as a suite names them: those of every table of cells, and the CPU time.
fn figures() -> Vec<String> {
    let names = Shown::usual().into_iter().map(Shown::name);
    names.chain(["cpu".to_owned()]).map(|name| serde_json::Value::from(name).to_string()).collect()
}

/// The suite that the command line asks for.
fn suite_text(args: &SweepArgs, source: &JobSource) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let names: Vec<&str> = args.vary.iter().map(|vary| vary.name.as_str()).collect();
    let cells: usize = args.vary.iter().map(|vary| vary.values.len()).product();
    let every = match args.order.as_str() {
        "random" => cells.div_ceil(REFERENCES).max(4),
        _ => 0,
    };
    let vary: Vec<String> = args.vary.iter().map(|vary| quoted(&vary.text())).collect();
    let job = source.texts.iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n");
    format!(
        "title = {}\nsource = {}\nkind = \"own\"\norder = {}\nreference-every = {every}\n\n[[group]]\nname = \"sweep\"\nwhat = {}\n\
         repeat = {}\nvary = [{}]\nvalues = [{}]\njob = {}\n",
        quoted(&format!("Sweep of {}", names.join(" × "))),
        quoted(&args.files.join(", ")),
        quoted(&args.order),
        quoted(&format!("{} by {}", args.files.join(", "), names.join(" and "))),
        args.repeat,
        vary.join(", "),
        figures().join(", "),
        quoted(&job)
    )
}

/// One value, by halving.
fn search(args: &SweepArgs, goal: SearchGoal, source: JobSource, here: &Here) -> Result<Exit, Failure> {
    let [axis] = args.vary.as_slice() else {
        let message = "--find looks for the value of one option, and several vary";
        return Err(
            Failure::new(Exit::Usage, message).hint("give one --vary with it, and set the others with --set")
        );
    };
    if axis.values.len() < 3 {
        let message = format!("--find needs at least three values of {}", axis.name);
        return Err(
            Failure::new(Exit::Usage, message).hint(format!("such as --vary {}=1,2,4..256", axis.name))
        );
    }
    if args.set.iter().any(|(name, _)| *name == axis.name) {
        let message = format!("{} varies, so it cannot be set for every job", axis.name);
        return Err(Failure::new(Exit::Usage, message).hint("leave --set or --vary of it out"));
    }
    if let Err([before, behind]) = axis.check_order_of_demand() {
        let message = format!(
            "--find needs the values of {} in order of demand, and {behind} is behind {before}",
            axis.name
        );
        let hint = "halving needs the least demand first and the most last, each value once";
        return Err(Failure::new(Exit::Usage, message).hint(hint));
    }
    let search = Search { axis: axis.clone(), goal, repeat: args.repeat, until: args.until };
    let expected = forecast(&search, &source, here)?;
    let cells = expected.rounds / args.repeat.max(1);
    let driving = args.driving(here);
    let told = format!("sweep: at most {cells} of {} values", axis.values.len());
    if args.plan {
        let refused = driving.refused([], search.expected(), &source)?;
        match args.measure.result.json {
            true => print_document(&planned_search(args, goal, cells, &expected)),
            false => print(&format!("{told}; {}\n", steps::forecast(&expected))),
        }?;
        return steps::judged("sweep", refused);
    }
    say(&format!("{told}; {}", steps::forecast(&expected)));
    let procedure = (Search::DEFINITION.name, search.parameters());
    driving.run_and_print(&args.measure.result, "sweep", procedure, source, None).map(|(_, exit)| exit)
}

/// The plan of a search: one group, whose cells are as many as halving takes at most.
fn planned_search(
    args: &SweepArgs,
    goal: SearchGoal,
    cells: u32,
    expected: &ProcedureForecast,
) -> SuitePlanDocument {
    let (rounds, time_ns, written_bytes) = (expected.rounds, expected.time_ns, expected.written_bytes);
    let what = format!("{goal} of {}", args.vary[0].name);
    let (name, cells) = ("search".to_owned(), cells as usize);
    let groups = vec![PlannedGroup { name, what, cells, rounds, time_ns, is_measured: true }];
    let targets = args.target.iter().map(of_os).collect();
    let none = SuitePlanDocument::of("search", targets, Vec::new());
    let (laid_out_bytes, laid_out) = (expected.laid_out_bytes, expected.laid_out.clone());
    SuitePlanDocument { groups, rounds, time_ns, written_bytes, laid_out_bytes, laid_out, ..none }
}
