//! What would exclude another cause, and decide the figures that are unclear: the commands, in their order.

use super::cause::reads_unwritten;
use super::settings::{is_one_machine, settings, tried};
use super::subject::Subject;
use crate::typed_command::Again;
use fathom_results::procedure::MEASURING_COMMANDS;
use fathom_results::{
    Basis, ComparedFigure, ComparisonStep, FigureVerdict, RUNS_MAX, StepPurpose, UnclearDecided,
};
use fathom_text::shell::quoted_carried;
use std::collections::BTreeSet;

/// Runs of each that give an interval, where single runs do not tell how many it takes.
const RUNS: u32 = 5;

/// Fewer runs know their spread to within a third at best: where they tell no number that decides, this many may tell one.
const RUNS_TO_PLAN: u32 = 10;

/// Options of a command that say how its result is shown.
const FORMS: [&str; 5] = ["--html", "--json", "--details", "--quiet", "-q"];

/// The steps; none where no figure is unclear and every block was written, and where nothing that can be measured
/// again decides one.
pub(super) fn steps(subjects: &[Subject], figures: &[ComparedFigure]) -> Vec<ComparisonStep> {
    let fill = fill(subjects);
    let has = subjects.iter().map(Subject::runs_of_each).min().unwrap_or(0);
    let needed = runs_needed(figures, has);
    if fill.is_empty() && needed.is_none() {
        return Vec::new();
    }
    // How the reads of unwritten blocks vary says nothing of how many runs of the disk it takes.
    let runs = match &needed {
        Some(needed) if fill.is_empty() => needed.runs.max(has + 1),
        _ => has.max(RUNS),
    };
    let decides = needed.filter(|_| fill.is_empty()).and_then(|needed| needed.decides());
    let again = in_turn(subjects, runs, decides);
    let again = again.unwrap_or_else(|| one_after_the_other(subjects, runs, decides));
    // The comparison in turn stands at the end, because it compares fewer figures.
    let tried = trying(subjects).map(|command| step(command, StepPurpose::CompareInTurn));
    if again.is_empty() { again } else { fill.into_iter().chain(again).chain(tried).collect() }
}

/// A step that needs no consent of its own.
pub(super) fn step(command: String, purpose: StepPurpose) -> ComparisonStep {
    ComparisonStep { command, purpose, asks_for_consent: false }
}

/// The step that types a command again.
fn step_again(again: &Again, purpose: StepPurpose) -> ComparisonStep {
    ComparisonStep { command: again.text(), purpose, asks_for_consent: again.had_consent() }
}

/// Writes each target that was read before all of it was written. There is one step, or one for each of two targets.
fn fill(subjects: &[Subject]) -> Vec<ComparisonStep> {
    if !reads_unwritten(subjects) {
        return Vec::new();
    }
    let mut known = BTreeSet::new();
    let targets = subjects.iter().flat_map(|subject| &subject.targets).map(|target| target.path.as_str());
    let targets: Vec<&str> = targets.filter(|path| known.insert(*path)).collect();
    let has_more = targets.len() > 2;
    let shown = if has_more { 1 } else { targets.len() };
    let fill = |path: &&str| {
        let command = format!("fathom precondition {} --passes 1", quoted_carried(path));
        step(command, StepPurpose::FillTarget { has_more })
    };
    targets[..shown].iter().map(fill).collect()
}

/// The command that measures all of them in turn, if they were measured so.
fn in_turn(
    subjects: &[Subject],
    rounds: u32,
    decides: Option<UnclearDecided>,
) -> Option<Vec<ComparisonStep>> {
    let first = &subjects[0];
    first.in_turn.as_ref()?;
    if !subjects.iter().all(|subject| subject.in_turn == first.in_turn) {
        return None;
    }
    let again =
        Again::of(&first.command, "compare")?.without_flags(&FORMS).with("--rounds", &rounds.to_string());
    Some(vec![step_again(&again, StepPurpose::MeasureInTurn { rounds, decides })])
}

/// The command that measures the IOPS of all of them in turn, where one knob is all that differs and the same job files were run.
fn trying(subjects: &[Subject]) -> Option<String> {
    let knob = tried(subjects)?;
    let run = |subject: &Subject| {
        let again = Again::of(&subject.command, "run").filter(|_| !subject.is_kept)?;
        Some(again.without_flags(&FORMS).without("--output-format").without("--repeat"))
    };
    let first = run(&subjects[0])?;
    let is_same = |subject: &Subject| run(subject).is_some_and(|again| again.words() == first.words());
    // Other options of `run` are none of `try`.
    let has_options = first.words().iter().any(|word| word.starts_with('-'));
    let is_usable = !has_options && subjects.iter().all(is_same);
    is_usable.then(|| first.named("try").plus(&[&knob, "--"]).text())
}

/// Sets and measures each of them, and compares them. Where one cannot be measured again, only the others are.
fn one_after_the_other(
    subjects: &[Subject],
    runs: u32,
    decides: Option<UnclearDecided>,
) -> Vec<ComparisonStep> {
    let names = names(subjects);
    let is_elsewhere = !is_one_machine(subjects);
    let (mut steps, mut measured) = (Vec::new(), 0);
    for ((subject, name), set) in subjects.iter().zip(&names).zip(settings(subjects)) {
        let command = MEASURING_COMMANDS.iter().find_map(|command| Again::of(&subject.command, command));
        let Some(again) = command.filter(|_| !subject.is_kept) else { continue };
        let again =
            again.without_flags(&FORMS).without("--output-format").with("--repeat", &runs.to_string());
        steps.extend(set);
        let purpose = StepPurpose::MeasureAgain { subject: subject.about.letter.clone(), is_elsewhere };
        steps.push(step_again(&again.and(&["--name", name]), purpose));
        measured += 1;
    }
    if measured == subjects.len() {
        let names: Vec<String> = names.iter().map(|name| quoted_carried(name)).collect();
        let command = format!("fathom compare {}", names.join(" "));
        steps.push(step(command, StepPurpose::CompareNewRuns { decides }));
    }
    steps
}

/// New names for the runs, so that each can be told from those before.
fn names(subjects: &[Subject]) -> Vec<String> {
    let known: BTreeSet<&str> = subjects.iter().map(|subject| subject.about.name.as_str()).collect();
    let is_distinct = known.len() == subjects.len();
    let name = |subject: &Subject| {
        let about = &subject.about;
        if !is_distinct {
            return format!("{}-{}", about.name, about.letter.to_lowercase());
        }
        let counted = about.name.rsplit_once('-').and_then(|(name, n)| Some((name, n.parse::<u32>().ok()?)));
        match counted.filter(|(_, n)| (2..1_000).contains(n)) {
            Some((name, n)) => format!("{name}-{}", n + 1),
            None => format!("{}-2", about.name),
        }
    };
    subjects.iter().map(name).collect()
}

/// The runs that are worth it, and how many of the unclear figures they decide.
struct Needed {
    runs: u32,
    figures: usize,
    unclear: usize,
}

impl Needed {
    /// `None` where the runs only say more.
    fn decides(&self) -> Option<UnclearDecided> {
        let (figures, of) = (self.figures as u64, self.unclear as u64);
        (figures > 0).then_some(UnclearDecided { figures, of })
    }
}

/// `has` is how many runs each side has.
fn runs_needed(figures: &[ComparedFigure], has: u32) -> Option<Needed> {
    let unclear = figures.iter().flat_map(|figure| &figure.against).filter_map(|it| match it.verdict {
        FigureVerdict::Unknown { runs_needed } => Some((runs_needed, it.basis)),
        _ => None,
    });
    let unclear: Vec<(Option<u32>, Basis)> = unclear.collect();
    // Where single runs tell nothing of their variation, some runs give an interval first.
    let runs = unclear.iter().map(|(runs, basis)| match basis {
        Basis::Within | Basis::Nothing => runs.unwrap_or(RUNS),
        _ => runs.unwrap_or(u32::MAX),
    });
    let worth: Vec<u32> = runs.filter(|runs| *runs <= RUNS_MAX).collect();
    match worth.iter().max() {
        Some(runs) => Some(Needed { runs: *runs, figures: worth.len(), unclear: unclear.len() }),
        None if !unclear.is_empty() && has < RUNS_TO_PLAN => {
            Some(Needed { runs: RUNS_TO_PLAN, figures: 0, unclear: unclear.len() })
        }
        None => None,
    }
}
