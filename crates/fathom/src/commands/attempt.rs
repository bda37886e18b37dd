//! `fathom try`: jobs as they are and with settings, in turn; which setting is better, by how much, and how sure that is.
//!
//! A setting is an option of the jobs (an engine, CPUs, direct I/O, …) or a knob of the host. Options are compared as
//! `fathom compare` compares runs. A knob is changed and put back for every pair, as `fathom tune try` does; of a series of
//! values each is tried against what is set.

use super::compare::{Asked, ComparisonFormat, Private, ShownArgs, print_comparison, whole};
use super::run::planned;
use super::tune::try_knob;
use crate::args::{Format, carried};
use crate::driven::MeasureArgs;
use crate::failure::{Exit, Failure, print, say};
use crate::messages as findings;
use crate::place::{OutputKind, OutputPlace, OutputTerms};
use crate::procedure_output::{series, table};
use crate::steps;
use crate::terminal::here;
use clap::Args;
use clap::builder::TypedValueParser;
use fathom_guard::Door;
use fathom_job::parse::Adjust;
use fathom_judge::compare::Tolerances;
use fathom_procedures::suite::Vary;
use fathom_procedures::{Procedure, Tried};
use fathom_results::procedure::load_procedure;
use fathom_session::compared;
use fathom_session::outputs::InUse;
use fathom_session::procedure::{forecast, read_jobs};
use fathom_text::shown;

#[derive(Debug, Args)]
pub struct AttemptArgs {
    /// What is tried: an option of the jobs such as ioengine=libaio or 'cpus_allowed=0-3', or a knob of the host such as
    /// blk.nomerges=2; several values are separated by commas, or by bars where they have commas
    #[arg(required = true, value_name = "SETTING=VALUES", value_parser = carried().try_map(|text| text.parse::<Vary>()))]
    pub settings: Vec<Vary>,
    /// Job files
    #[arg(last = true, required = true, value_name = "JOBFILE", value_parser = carried())]
    pub files: Vec<String>,
    /// How often each is measured; a knob is measured in at least six pairs
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub rounds: u32,
    /// Use this target in place of every filename
    #[arg(long, value_parser = carried())]
    pub target: Option<String>,
    /// Show what would be done, and do nothing
    #[arg(long, conflicts_with_all = ["json", "html", "output", "output_format"])]
    pub plan: bool,
    /// Go ahead with a knob: it is changed and put back for every pair
    #[arg(long)]
    pub yes: bool,
    /// End with exit code 6 if a figure is worse by more than this and it is not chance
    #[arg(long, value_name = "PERCENT", value_parser = super::compare::percent)]
    pub fail_if_worse: Option<f64>,
    /// End with exit code 5 if there is no clear answer
    #[arg(long)]
    pub fail_if_unclear: bool,
    /// Print an HTML page in one file; the same as --output-format html
    #[arg(long, conflicts_with_all = ["output_format", "json"])]
    pub html: bool,
    /// For somebody else: replace the names of hosts, users, runs and job files, paths, serial numbers, addresses and the
    /// names of other programs. Names of jobs stay
    #[arg(long)]
    pub redact: bool,
    /// What is printed, and where results go.
    #[command(flatten)]
    pub measure: MeasureArgs,
}

impl AttemptArgs {
    /// How the comparison is shown.
    ///
    /// # Errors
    /// A form that a comparison does not have, or claims, which are for the result of one job file.
    fn shown(&self) -> Result<ShownArgs, Failure> {
        let result = &self.measure.result;
        let forms = result.forms();
        let (json, html, output_format) = match forms.as_slice() {
            [Format::Summary | Format::Details] => (false, self.html, None),
            [Format::Json | Format::Document] => (true, false, None),
            [Format::Html] => (false, true, None),
            [Format::Junit] => (false, false, Some(ComparisonFormat::Junit)),
            [Format::Markdown] => (false, false, Some(ComparisonFormat::Markdown)),
            [Format::Csv] if !self.redact => (false, false, None),
            _ => {
                let message = "a comparison is printed as summary, details, html, json, junit or markdown, and its rounds as csv";
                return Err(Failure::new(Exit::Usage, message)
                    .hint("the rounds in more forms: fathom report --output-format …"));
            }
        };
        result.check_series()?;
        if result.datasheet.is_some() {
            let message = "--datasheet is for a result, and try compares several";
            return Err(
                Failure::new(Exit::Usage, message).hint("fathom run JOBFILE --datasheet … --repeat 5")
            );
        }
        Ok(ShownArgs { details: result.details, json, html, redact: self.redact, output_format })
    }
}

/// Options of jobs have no point in their name, and knobs have one.
fn is_knob(setting: &Vary) -> bool {
    setting.name.contains('.')
}

pub fn run(args: &AttemptArgs) -> Result<Exit, Failure> {
    match args.settings.iter().filter(|setting| is_knob(setting)).count() {
        0 => options(args),
        knobs if knobs == args.settings.len() => self::knobs(args),
        _ => {
            Err(Failure::new(Exit::Usage, "options of jobs and knobs of the host are tried by two commands")
                .hint("a knob is changed and put back for every pair, and an option needs none of that"))
        }
    }
}

/// Each value of each knob against what is set.
fn knobs(args: &AttemptArgs) -> Result<Exit, Failure> {
    let each = args.settings.iter().flat_map(|knob| knob.values.iter().map(|value| (&knob.name, value)));
    let settings: Vec<String> = each.map(|(name, value)| format!("{name}={value}")).collect();
    let of_comparison = [
        (args.fail_if_worse.is_some(), "--fail-if-worse"),
        (args.fail_if_unclear, "--fail-if-unclear"),
        (args.redact, "--redact"),
    ];
    if let Some((_, option)) = of_comparison.iter().find(|(is_given, _)| *is_given) {
        let message =
            format!("{option} is for options of jobs, which are compared, and not for a knob of the host");
        return Err(
            Failure::new(Exit::Usage, message).hint("fathom report --redact makes a report for others")
        );
    }
    if !args.measure.result.is_for_person() && settings.len() > 1 {
        return Err(Failure::new(Exit::Usage, "each value of a knob makes a document of its own")
            .hint("give one value with --json, --output-format or --output"));
    }
    let mut worst = Exit::Ok;
    for setting in settings {
        say(&format!("try: {}", shown::line(&setting)));
        let exit = try_knob(setting.clone(), args)?.unwrap_or_else(|| {
            say(&format!(
                "note: {} is set already: the other values are compared with it",
                shown::line(&setting)
            ));
            Exit::Ok
        });
        worst = if worst == Exit::Ok { exit } else { worst };
    }
    Ok(worst)
}

/// The jobs as they are, and with each value of each option.
fn options(args: &AttemptArgs) -> Result<Exit, Failure> {
    let (in_use, shown, here) = (InUse::default(), args.shown()?, here());
    let result = &args.measure.result;
    let (kind, overwrite) = (OutputKind::Comparison, &args.measure.consent.overwrite[..]);
    let terms = OutputTerms { kind, overwrite, door: Door::Native, in_use: &in_use };
    let place = OutputPlace::of(result.output.as_deref(), terms)?;
    let driving = args.measure.driving(&here);
    let adjust = Adjust { target: args.target.clone(), ..Adjust::default() };
    let (jobs, source) = read_jobs(&args.files, &adjust, &here)?;
    findings::findings(&planned(&jobs, &here)?);
    let each = |vary: &Vary| {
        let name = vary.name.clone();
        vary.values.iter().map(move |value| (name.clone(), value.clone())).collect::<Vec<_>>()
    };
    let tried = Tried { settings: args.settings.iter().flat_map(each).collect(), rounds: args.rounds };
    let expected = forecast(&tried, &source, &here)?;
    let told_before = format!("try: {}", steps::forecast(&expected));
    if args.plan {
        let line =
            |(name, value): &(String, String)| format!("  {}\n", shown::line(&format!("{name}={value}")));
        let all: Vec<String> = tried.settings.iter().map(line).collect();
        let refused = driving.refused([], tried.expected(), &source)?;
        print(&format!("{told_before}\n  as given\n{}", all.concat()))?;
        return steps::judged("trial", refused);
    }
    say(&told_before);
    let dir = whole(driving.run("try", (Tried::DEFINITION.name, tried.parameters()), source)?)?;
    let saved = load_procedure(&dir).map_err(|e| Failure::new(Exit::Incomplete, e))?;
    let is_table = result.forms() == [Format::Csv];
    let mut private = Private::of(args.redact);
    private.learn(&dir)?;
    let asked = Asked {
        tolerances: Tolerances::USUAL,
        fail_if_worse: args.fail_if_worse,
        fail_if_unclear: args.fail_if_unclear,
        is_page: shown.is_page(result.output.as_deref()),
        shown: &shown,
        private,
        is_measured: true,
        instead: is_table.then(|| table(&saved, result)),
        series: (result.series && shown.is_json()).then(|| series(&saved, &saved, &dir)),
    };
    let exit = print_comparison(compared::subjects(&dir, &result.columns.chosen())?, asked, place)?;
    let answers: Vec<_> = saved.rounds().filter_map(|round| round.answer.as_deref()).collect();
    result.exit_of_procedure(exit, &answers)
}
