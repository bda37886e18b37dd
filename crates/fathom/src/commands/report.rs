//! `fathom report`: a saved run, printed again, whole or cut short.

use super::compare::of_procedure;
use super::{output, power_cut, users};
use crate::args::{Format, RUNS_DIR, ResultArgs};
use crate::edge::Ready;
use crate::failure::{Exit, Failure, say};
use crate::place::OutputPlace;
use crate::procedure_output::{ProcedureOutput, with_percentiles};
use crate::saved_result::{self, FoundRun};
use clap::Args;
use fathom_report::terminal::ProcedureState;
use fathom_report::{BesideProcedure, NotRedacted, Redacted};
use fathom_report::{SysstatForm, SysstatSpans};
use fathom_results::procedure::{ProcedureResult, ROUNDS, is_procedure};
use fathom_results::{PowerCutResult, RunResult};
use fathom_session::outputs::InUse;
use fathom_session::procedure::{
    answer_so_far, is_not_valid, is_running, rejudged, saved_procedure, standard_report,
};
use fathom_text::shell::quoted;
use std::borrow::Cow;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Directory of a run or a procedure, the id it printed or the beginning of that, its name, `latest`, or the
    /// file of a bundle; default: the newest in fathom-runs
    pub run: Option<PathBuf>,
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Print what the machine did beside the run, as this program prints it: the mean of the measured window. iostat: iostat -x;
    /// mpstat: mpstat -P ALL; sar: sar -u ALL -r -B -W -d
    #[arg(long = "as", value_name = "PROGRAM", conflicts_with_all = ["output_format", "details", "json", "rejudge"])]
    pub program: Option<ProgramArg>,
    /// With --as: each sample with its time (UTC), a second apart, and not their mean
    #[arg(long, requires = "program")]
    pub each: bool,
    /// Judge the run again by the rules of this version, from what was saved; the saved run stays as
    /// it is
    #[arg(long)]
    pub rejudge: bool,
    /// For a report that goes to somebody else: replace the names of the host, of users and of the run, paths, serial
    /// numbers, network and PCI addresses and the names of other programs, also in commands, and leave out the note, the
    /// tags and the picture of the machine. Names of jobs and their descriptions stay, and in sentences such names as
    /// are ordinary words of reports: disk, read
    #[arg(long)]
    pub redact: bool,
    /// Title of the page; default: device, size and host
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Allow replacing this file, although it holds something else
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
    /// What is printed, and where, and what is a failure.
    #[command(flatten)]
    pub result: ResultArgs,
}

/// The programs of `--as`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProgramArg {
    /// CPUs together, and each disk.
    Iostat,
    /// Each CPU.
    Mpstat,
    /// CPUs, memory, paging, swapping and disks.
    Sar,
    /// Hits and misses of the page cache.
    Cachestat,
    /// Memory.
    Free,
    /// Interrupts of the targets' devices, by CPU.
    Interrupts,
    /// Temperatures, clocks, slow-downs by heat, errors of PCIe links.
    Sensors,
}

impl ProgramArg {
    /// The form of what was sampled beside a run.
    const fn sysstat(self) -> SysstatForm {
        match self {
            ProgramArg::Iostat => SysstatForm::Iostat,
            ProgramArg::Mpstat => SysstatForm::Mpstat,
            ProgramArg::Sar => SysstatForm::Sar,
            ProgramArg::Cachestat => SysstatForm::Cachestat,
            ProgramArg::Free => SysstatForm::Free,
            ProgramArg::Interrupts => SysstatForm::Interrupts,
            ProgramArg::Sensors => SysstatForm::Sensors,
        }
    }
}

impl ReportArgs {
    /// Is the output no PDF? fathom writes none, and text in a file of that name could not be opened.
    fn refuse_pdf(&self) -> Result<(), Failure> {
        let is_pdf = |path: &&PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("pdf"));
        let Some(path) = self.result.output.as_ref().filter(is_pdf) else { return Ok(()) };
        let page = quoted(path.with_extension("html"));
        Err(Failure::new(Exit::Usage, format!("cannot write {}: fathom does not write PDF", path.display()))
            .hint(format!("write the page with -o {page}, and print it to PDF from a browser")))
    }
}

/// Runs the command. A run that is incomplete is printed and exits with 7.
pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    args.refuse_pdf()?;
    let found = saved_result::readable_or_check(&args.runs_dir, args.run.as_deref())?;
    if PowerCutResult::is_in(&found.dir) {
        let is_other = args.program.is_some() || args.rejudge || args.redact || args.title.is_some();
        return power_cut::report(&found.dir, &args.result, &args.overwrite, is_other);
    }
    if is_procedure(&found.dir) {
        return procedure(&found, args);
    }
    let mut result = fathom_session::load(&found.dir)?;
    result.dir = found.place().to_owned();
    match &result.record {
        _ if args.rejudge => rejudge(&mut result),
        // It was killed before it was judged: the answer is made of what was saved.
        record if record.finish.is_none() => fathom_procedures::judge(&mut result),
        _ => {}
    }
    args.result.put_datasheet(&mut result);
    let forms = args.result.forms();
    if args.result.datasheet.is_some()
        && !(args.program.is_none() && forms.iter().any(|it| it.has_datasheet()))
    {
        let message = "--datasheet is for the report of a run, and this form has no place for it";
        return Err(Failure::new(Exit::Usage, message)
            .hint("it is printed in these forms: summary, details, html, document"));
    }
    if args.title.is_some() && !forms.contains(&Format::Html) {
        return Err(no_page_for_the_title());
    }
    result.title = args.title.clone();
    let redacted = match args.redact {
        true => Some(fathom_report::redacted(&result, &users::of(&found.dir)).map_err(not_redacted)?),
        false => None,
    };
    let result = redacted.as_ref().map_or(&result, |redacted| &redacted.run);
    let in_use = InUse::default();
    let place = args.result.place(&args.overwrite, &in_use)?;
    if let Some(program) = args.program {
        return sysstat(result, redacted.as_ref(), (program.sysstat(), args.each), place);
    }
    let text = output::text(result, &args.result, output::style(&place));
    check(redacted.as_ref(), &text)?;
    output::put(result, &text, &place)?;
    let exit = if result.incomplete.is_some() { Exit::Incomplete } else { Exit::Ok };
    output::tell_incomplete(result, &forms, place.is_stdout(), exit);
    Ok(args.result.exit(exit, result.record.answer.as_ref()))
}

fn no_page_for_the_title() -> Failure {
    title_without_page().hint("add --output-format html -o page.html")
}

/// A title was given, and no page is made.
pub(super) fn title_without_page() -> Failure {
    Failure::new(Exit::Usage, "--title is the title of the page")
}

/// Prints what was sampled beside a run.
fn sysstat(
    run: &RunResult,
    redacted: Option<&Redacted>,
    (form, each): (SysstatForm, bool),
    place: OutputPlace<'_>,
) -> Result<Exit, Failure> {
    let spans = if each { SysstatSpans::Each } else { SysstatSpans::Whole };
    let Some(text) = fathom_report::sysstat(run, form, spans) else {
        let message = format!("nothing was sampled beside the run {}", run.record.id);
        return Err(Failure::new(Exit::Usage, message).hint(
            "fathom run and fathom quick sample the machine; fathom fio and runs in virtual time do not",
        ));
    };
    let text = Ready::text(&text);
    check(redacted, &text)?;
    place.write(&text)?;
    let exit = if run.incomplete.is_some() { Exit::Incomplete } else { Exit::Ok };
    output::tell_incomplete(run, &[], place.is_stdout(), exit);
    Ok(exit)
}

/// Is no private name in the text of a redacted run?
pub(super) fn check(redacted: Option<&Redacted>, text: &Ready) -> Result<(), Failure> {
    redacted.map_or(Ok(()), |redacted| redacted.check(text.as_str()).map_err(not_redacted))
}

/// A report that would hold a private name is not printed.
pub(super) fn not_redacted(left: NotRedacted) -> Failure {
    Failure::new(Exit::Failed, left.to_string())
        .hint("please report this as an error of fathom; without --redact the report has the names")
}

/// Prints a procedure. One that is damaged or not finished, or in which a round failed, exits with 7 as a run does in which a job
/// failed, and one whose result is not valid with 5.
fn procedure(found: &FoundRun, args: &ReportArgs) -> Result<Exit, Failure> {
    let dir = found.dir.as_path();
    let of_rounds = |failure: Failure| {
        failure.hint(format!("each round in {} is a run", quoted(found.place().join(ROUNDS))))
    };
    if args.program.is_some() {
        let message = "--as works for a run, and this is a procedure";
        return Err(of_rounds(Failure::new(Exit::Usage, message)));
    }
    let (mut saved, mut damage) = saved_procedure(dir)?;
    saved.dir = found.place().to_owned();
    let in_use = InUse::default();
    let output = ProcedureOutput::of(&args.result, &saved.record.procedure, &args.overwrite, &in_use)
        .map_err(|failure| if failure.exit == Exit::Usage { of_rounds(failure) } else { failure })?;
    let is_whole = damage.is_empty() && saved.record.conclusion.is_some() && saved.failed_round().is_none();
    let exit = match is_whole {
        false => Exit::Incomplete,
        // As the run itself ended.
        true if is_not_valid(&saved) => Exit::NotValid,
        true => Exit::Ok,
    };
    if args.title.is_some() && !args.result.forms().contains(&Format::Html) {
        return Err(no_page_for_the_title());
    }
    if args.rejudge {
        say(&match rejudged(&saved, &damage)? {
            same if Some(&same) == saved.record.conclusion.as_ref().map(|it| &it.verdict) => {
                "judged again: the words are the same as when it ran".to_owned()
            }
            _ if args.redact => "judged again: the words differ now".to_owned(),
            now => format!("judged again: the words differ now: {}", fathom_words::headline(&now.headline)),
        });
    }
    saved = with_percentiles(Cow::Owned(saved), dir, &output.columns).into_owned();
    // The tables are made before names are replaced: a suite without its text has none.
    let mut standard_report = standard_report(&saved, dir, &output.columns);
    let mut sheet = output.sheet(&saved, dir)?;
    let mut so_far = answer_so_far(&saved);
    let redacted = match args.redact {
        true => {
            let (standard, so_far) = (standard_report.as_ref(), so_far.as_ref());
            let beside = BesideProcedure { damage: &damage, standard, so_far };
            Some(of_procedure(&saved, dir).redacted_procedure(&saved, beside).map_err(not_redacted)?)
        }
        false => None,
    };
    let named = redacted.as_ref().map_or(&saved, |redacted| &redacted.procedure);
    let series = output.series(&saved, named, dir);
    if let Some(redacted) = &redacted {
        (saved, damage) = (redacted.procedure.clone(), redacted.damage.clone());
        (standard_report, so_far) = (redacted.standard.clone(), redacted.so_far.clone());
        // A reason may name a program or a job.
        sheet.iter_mut().flat_map(|sheet| &mut sheet.trust).for_each(|trust| trust.reasons.clear());
    }
    let state = ProcedureState {
        damage: &damage,
        is_running: is_running(dir),
        so_far: so_far.as_ref(),
        standard: standard_report.as_ref(),
        sheet: sheet.as_ref(),
        ..ProcedureState::default()
    };
    let text = output.text(&saved, state, (&series, args.title.as_deref()))?;
    if let Some(redacted) = redacted {
        redacted.check(text.as_str()).map_err(not_redacted)?;
    }
    output.place.write(&text)?;
    let is_table = args.result.forms().contains(&Format::Csv);
    if is_table || !output.place.is_stdout() {
        tell_incomplete(&saved, &damage, exit);
    }
    output.exit(exit, &saved, so_far.as_ref())
}

/// Says on stderr why a procedure is not whole, where nothing on the terminal does.
fn tell_incomplete(saved: &ProcedureResult, damage: &[String], exit: Exit) {
    if matches!(exit, Exit::Ok | Exit::NotValid) {
        return;
    }
    let why = match (damage.first(), saved.failed_round()) {
        (Some(damage), _) => damage.clone(),
        (None, Some((round, why))) => {
            format!("round {} failed: {}", round.directory, fathom_words::round_failure(&why))
        }
        (None, None) => "it is not finished".to_owned(),
    };
    say(&format!("warning: incomplete: {why}"));
}

/// Judges a run again, and says what is judged differently now.
fn rejudge(run: &mut RunResult) {
    let before = run.record.clone();
    fathom_procedures::judge(run);
    let now = &run.record;
    let is_same = (&before.findings, &before.answer) == (&now.findings, &now.answer)
        && before.self_knowledge == now.self_knowledge;
    say(&match (is_same, fathom_judge::new_rules(&before)) {
        (true, _) => "judged again: the words are the same as when it ran".to_owned(),
        (false, None) => format!(
            "judged again: the words differ; the run was judged by fathom {}, which did not record its rules",
            before.fathom
        ),
        (false, Some(new)) if new.is_empty() => {
            format!("judged again: the words of fathom {} were different; no rule is new", before.fathom)
        }
        (false, Some(new)) => format!("judged again: new rules since then: {}", new.join(", ")),
    });
}
