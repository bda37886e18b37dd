//! What would exclude another cause, and decide the figures that are unclear: the commands, in their order.

use super::cause::reads_unwritten;
use super::settings::{is_one_machine, settings, tried};
use super::subject::Subject;
use crate::again::Again;
use fathom_results::{Basis, ComparedFigure, FigureVerdict, NextStep};
use fathom_text::shell::quoted_carried;
use std::collections::BTreeSet;

/// Runs of each that give an interval, where single runs do not tell how many it takes.
const RUNS: u32 = 5;

/// Fewer runs know their spread to within a third at best: where they tell no number that decides, this many may tell one.
const RUNS_TO_PLAN: u32 = 10;

/// Nobody measures more often than this for one figure.
pub(super) const RUNS_MAX: u32 = 100;

/// Options of a command that say how its result is shown.
const FORMS: [&str; 5] = ["--html", "--json", "--details", "--quiet", "-q"];

/// The steps; none where no figure is unclear and every block was written, and where nothing that can be measured
/// again decides one.
pub(super) fn steps(subjects: &[Subject], figures: &[ComparedFigure]) -> Vec<NextStep> {
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
    let again = in_turn(subjects, runs, decides.as_deref());
    let again = again.unwrap_or_else(|| one_after_the_other(subjects, runs, decides.as_deref()));
    // The comparison in turn stands at the end, because it compares fewer figures.
    let tried = trying(subjects).map(|command| NextStep {
        command,
        why: "compares the IOPS in turn, so that a drift of the disk or the machine favours no side"
            .to_owned(),
    });
    if again.is_empty() { again } else { fill.into_iter().chain(again).chain(tried).collect() }
}

/// Writes each target that was read before all of it was written. There is one step, or one for each of two targets.
fn fill(subjects: &[Subject]) -> Vec<NextStep> {
    if !reads_unwritten(subjects) {
        return Vec::new();
    }
    let mut known = BTreeSet::new();
    let targets = subjects.iter().flat_map(|subject| &subject.targets).map(|target| target.path.as_str());
    let targets: Vec<&str> = targets.filter(|path| known.insert(*path)).collect();
    let others = if targets.len() > 2 { "; then each other target in the same way" } else { "" };
    let shown = if others.is_empty() { targets.len() } else { 1 };
    let step = |path: &&str| NextStep {
        command: format!("fathom precondition {} --passes 1", quoted_carried(path)),
        why: format!(
            "writes every block once, which erases what is there; it first says which consent it needs{others}"
        ),
    };
    targets[..shown].iter().map(step).collect()
}

/// The command that measures all of them in turn, if they were measured so.
fn in_turn(subjects: &[Subject], runs: u32, decides: Option<&str>) -> Option<Vec<NextStep>> {
    let first = &subjects[0];
    first.in_turn.as_ref()?;
    if !subjects.iter().all(|subject| subject.in_turn == first.in_turn) {
        return None;
    }
    let again =
        Again::of(&first.command, "compare")?.without_flags(&FORMS).with("--rounds", &runs.to_string());
    let decides = decides.map(|what| format!(", which should decide {what}")).unwrap_or_default();
    Some(vec![again.advised(&format!("measures {runs} rounds of each{decides}"))])
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
fn one_after_the_other(subjects: &[Subject], runs: u32, decides: Option<&str>) -> Vec<NextStep> {
    let names = names(subjects);
    let place = if is_one_machine(subjects) { "" } else { ", on its machine" };
    let (mut steps, mut measured) = (Vec::new(), 0);
    for ((subject, name), set) in subjects.iter().zip(&names).zip(settings(subjects)) {
        let command = ["run", "quick"].iter().find_map(|command| Again::of(&subject.command, command));
        let Some(again) = command.filter(|_| !subject.is_kept) else { continue };
        let again =
            again.without_flags(&FORMS).without("--output-format").with("--repeat", &runs.to_string());
        steps.extend(set);
        let why = format!("measures {} again{place}", subject.about.letter);
        steps.push(again.and(&["--name", name]).advised(&why));
        measured += 1;
    }
    if measured == subjects.len() {
        let names: Vec<String> = names.iter().map(|name| quoted_carried(name)).collect();
        let decides = decides.map(|what| format!("should decide {what}"));
        let why = decides.unwrap_or_else(|| "compares the new runs".to_owned());
        steps.push(NextStep { command: format!("fathom compare {}", names.join(" ")), why });
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
    /// `what is unclear`; `13 of the 15 unclear figures`; `None` where the runs only tell more.
    fn decides(&self) -> Option<String> {
        match self.figures {
            0 => None,
            all if all == self.unclear => Some("what is unclear".to_owned()),
            _ => Some(format!(
                "{} of the {} unclear figures; the others would take more than {RUNS_MAX} runs of each",
                self.figures, self.unclear
            )),
        }
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
