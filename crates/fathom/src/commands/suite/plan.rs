//! What a suite would do: its groups with their cells, rounds and time.

use crate::failure::Failure;
use crate::steps;
use fathom_job::units::Nanos;
use fathom_procedures::Suite;
use fathom_procedures::suite::{Before, PlannedGroup, SuitePlanDocument};
use fathom_results::procedure::{JobSource, ProcedureForecast};
use fathom_session::Here;
use fathom_session::procedure::forecast_of;
use fathom_text::table;
use fathom_text::words::counted;
use fathom_words::deviation;

/// The plan. Every cell is planned.
pub fn document(suite: &Suite, here: &Here) -> Result<SuitePlanDocument, Failure> {
    let targets = suite.terms.targets.iter().map(|target| target.path.clone()).collect();
    let mut document = SuitePlanDocument::of(&suite.name, targets, suite.deviations());
    let source = JobSource::default();
    let all = forecast_of(suite.rounds_of(|_| true), &source, here)?;
    (document.rounds, document.time_ns) = (all.rounds, all.time_ns);
    (document.written_bytes, document.laid_out_bytes) = (all.written_bytes, all.laid_out_bytes);
    document.laid_out = all.laid_out;
    for (place, group) in suite.file().groups.iter().enumerate() {
        let rounds = suite.rounds_of(|cell| cell.group == Some(place));
        let cells = rounds.len();
        let of_group = forecast_of(rounds, &source, here)?;
        document.groups.push(PlannedGroup {
            name: group.name.clone(),
            what: group.what.clone(),
            cells,
            rounds: of_group.rounds,
            time_ns: of_group.time_ns,
            is_measured: group.measure,
        });
    }
    Ok(document)
}

/// The plan for a person.
pub fn planned(suite: &Suite, plan: &SuitePlanDocument) -> String {
    let file = suite.file();
    let mut text = format!("suite     {}: {}\n", suite.name, file.title);
    text += &format!("source    {}\n", file.source);
    for (number, target) in plan.targets.iter().enumerate() {
        text += &format!("target {}  {target}\n", number + 1);
    }
    let mut rows = Vec::new();
    let asked = file.groups.iter().zip(&plan.groups).filter(|(_, planned)| planned.cells > 0);
    for (group, planned) in asked {
        rows.push(vec![planned.name.clone(), planned.what.clone()]);
        let first = befores("once before", &group.first);
        let before = befores("before each cell", &group.before);
        let kind = if planned.is_measured { "" } else { "conditioning, in no table; " };
        let rounds = counted(u64::from(planned.rounds), "round");
        let cells = counted(planned.cells as u64, "cell");
        let time = planned.time_ns.map_or_else(|| "until it is done".to_owned(), |ns| Nanos(ns).to_string());
        rows.push(vec![String::new(), format!("{kind}{cells}, {rounds}, {time}{first}{before}")]);
    }
    table::lines(&rows).iter().for_each(|line| text += &format!("  {line}\n"));
    let time = plan
        .time_ns
        .map_or_else(|| "a time that depends on the target".to_owned(), |ns| Nanos(ns).to_string());
    let expected = ProcedureForecast {
        written_bytes: plan.written_bytes,
        laid_out_bytes: plan.laid_out_bytes,
        laid_out: plan.laid_out.clone(),
        ..ProcedureForecast::default()
    };
    let written =
        steps::written(&expected).unwrap_or_else(|| "it writes as much as the target can take".to_owned());
    text += &format!("all       {}, {time} of jobs; {written}\n", counted(u64::from(plan.rounds), "round"));
    plan.deviations.iter().for_each(|it| text += &format!("differs   {}\n", deviation::sentence(it)));
    if !suite.terms.is_simulated() && plan.written_bytes != Some(0) {
        text += "what it writes in all, and the wear: fathom suite run with --rehearse\n";
    }
    text
}

fn befores(when: &str, all: &[Before]) -> String {
    let word = |before: &Before| match before {
        Before::Purge => "purge".to_owned(),
        Before::Fill(1) => "fill once".to_owned(),
        Before::Fill(passes) => format!("fill {passes} times"),
        Before::FillRandom(1) => "fill once at random".to_owned(),
        Before::FillRandom(passes) => format!("fill {passes} times at random"),
        Before::Format(bytes) => format!("format to {bytes} bytes"),
        Before::DropCaches => "drop caches".to_owned(),
        Before::Wait(ms) => format!("wait {}", Nanos(ms * 1_000_000)),
        Before::Idle(seconds) => format!("wait until the disks are idle, at most {seconds} s"),
        Before::Built => "wait until arrays are built".to_owned(),
    };
    let words: Vec<String> = all.iter().map(word).collect();
    if words.is_empty() { String::new() } else { format!("; {when}: {}", words.join(", ")) }
}
