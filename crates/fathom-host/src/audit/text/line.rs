//! The lines of one check.

use fathom_text::shown;
use fathom_text::style::Style;
use fathom_text::words::{counted, first_of, wrapped};

use super::AuditText;
use crate::audit::observation::named;
use crate::audit::{Evidence, Examined, Grade, Observation};
use fathom_device::Goal;

/// Subjects named before "and N more".
const SUBJECTS_MAX: usize = 4;

/// Characters of raw text that are shown.
const RAW_MAX: usize = 74;

/// Columns of the verdict and of the check's name; the text begins after them.
const VERDICT: usize = 5;
const NAME: usize = 21;

/// On a narrower screen the text begins below the name.
const WIDE: usize = 80;

/// One check: what it says of each group of subjects, and the evidence if everything is shown.
pub(super) fn check(examined: &Examined, text: &AuditText) -> String {
    let verdict = examined.judged(text.goal);
    let (mut out, mut name) = (String::new(), examined.check.id);
    for (says, group) in grouped(&examined.observations, text.goal, verdict) {
        let mut subjects: Vec<String> = group.iter().map(|one| one.subject.clone()).collect();
        subjects.dedup();
        let goals = goals_hit(group[0], text.goal, verdict);
        out += &entry(
            verdict,
            name,
            &format!("{}: {says}{goals}", first_of(&subjects, SUBJECTS_MAX)),
            text.style,
        );
        let evidence = group[0].evidence.first().filter(|evidence| text.all && adds_to(evidence, says));
        out += &evidence.map(|evidence| below(&in_a_line(evidence), text.style)).unwrap_or_default();
        name = "";
    }
    out
}

/// Checks that have nothing to judge for the same reason, in one entry.
pub(super) fn several(group: &[&Examined], style: Style) -> String {
    let observation = &group[0].observations[0];
    let message = format!("{}: {}", observation.subject, observation.says);
    let names: Vec<&str> = group.iter().map(|examined| examined.check.id).collect();
    entry(Grade::NotApplicable, &counted(group.len(), "check"), &message, style)
        + &below(&names.join(", "), style)
}

/// Verdict, name and text; without a name, the text continues the entry above.
fn entry(verdict: Grade, name: &str, text: &str, style: Style) -> String {
    let lines = lines(text, style);
    let indent = indent(style);
    let word = if name.is_empty() { "" } else { verdict.word() };
    let head = painted(&format!("{word:<VERDICT$}"), verdict, style);
    if style.width < WIDE {
        let head = if name.is_empty() { String::new() } else { format!("{head}{name}\n") };
        return head + &lines.iter().map(|line| format!("{:indent$}{line}\n", "")).collect::<String>();
    }
    let rest = lines.iter().skip(1).map(|line| format!("{:indent$}{line}\n", ""));
    let first = lines.first().map_or("", String::as_str);
    format!("{head}{name:<NAME$}{first}\n") + &rest.collect::<String>()
}

/// A text below an entry.
fn below(text: &str, style: Style) -> String {
    let indent = indent(style);
    lines(text, style).iter().map(|line| format!("{:indent$}{}\n", "", style.faint(line))).collect()
}

fn indent(style: Style) -> usize {
    if style.width < WIDE { VERDICT } else { VERDICT + NAME }
}

/// The text in lines beside the indent. A path may be longer than a line, and is broken.
fn lines(text: &str, style: Style) -> Vec<String> {
    let room = style.width - indent(style);
    let lines = wrapped(&shown::line(text), room);
    lines.iter().flat_map(|line| broken(line, room)).collect()
}

fn broken(line: &str, room: usize) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    characters.chunks(room).map(|chunk| chunk.iter().collect()).collect()
}

fn painted(word: &str, verdict: Grade, style: Style) -> String {
    match verdict {
        Grade::Bad => style.bad(word),
        Grade::Warn => style.careful(word),
        Grade::Ok => style.good(word),
        Grade::Info | Grade::NotApplicable => style.faint(word),
    }
}

/// The observations with the check's verdict; subjects with the same sentence are together.
fn grouped(
    observations: &[Observation],
    goal: Option<Goal>,
    verdict: Grade,
) -> Vec<(&str, Vec<&Observation>)> {
    let mut groups: Vec<(&str, Vec<&Observation>)> = Vec::new();
    for observation in observations.iter().filter(|observation| verdict_of(observation, goal) == verdict) {
        match groups.iter_mut().find(|(says, _)| *says == observation.says) {
            Some((_, group)) => group.push(observation),
            None => groups.push((&observation.says, vec![observation])),
        }
    }
    groups
}

fn verdict_of(observation: &Observation, goal: Option<Goal>) -> Grade {
    goal.map_or_else(|| observation.verdicts.worst(), |goal| observation.verdicts.of(goal))
}

/// If no goal was given, the goals for which the finding counts.
fn goals_hit(observation: &Observation, goal: Option<Goal>, verdict: Grade) -> String {
    let hit: Vec<&str> =
        Goal::ALL.into_iter().filter(|g| observation.verdicts.of(*g) == verdict).map(Goal::name).collect();
    if goal.is_some() || verdict < Grade::Warn || hit.len() == Goal::ALL.len() {
        return String::new();
    }
    format!(" (for {})", hit.join(", "))
}

/// Whether the evidence adds something to the sentence. "X is not there" needs
/// no line that says that X was not found, and words of the sentence need no
/// repetition. A number may be in a sentence by chance.
fn adds_to(evidence: &Evidence, says: &str) -> bool {
    match &evidence.raw {
        Some(raw) => raw.split_whitespace().count() < 3 || !says.contains(raw.as_str()),
        None => !says.contains(&named(&evidence.path)),
    }
}

fn in_a_line(evidence: &Evidence) -> String {
    let path = named(&evidence.path);
    match (&evidence.raw, &evidence.unknown) {
        (Some(raw), _) => {
            let mut lines = raw.lines();
            let first = lines.next().unwrap_or_default();
            let first: String = first.chars().take(RAW_MAX).collect();
            let more = if lines.next().is_some() { " …" } else { "" };
            format!("{path}: {first}{more}")
        }
        (None, Some(why)) => format!("{path}: {why}"),
        (None, None) => path,
    }
}
