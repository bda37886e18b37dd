//! An audit as readable text, and the man page of a check.
//!
//! The worst findings come last, next to the summary and the prompt, because
//! on a terminal people read these lines first. Checks that have nothing to
//! judge come first; those with the same reason share one entry, so that they
//! do not hide the rest.

use std::fmt::Write;

use fathom_text::shown;

use super::observation::named;
use super::retired::{self, Advice};
use super::{Audit, Check, Evidence, Examined, Grade, Needs, Observation};
use fathom_device::Goal;
use fathom_text::words::counted;
use fathom_text::words::wrapped;

/// Subjects named before "and N more".
const SUBJECTS_MAX: usize = 4;
/// Width of a paragraph: the 80 columns of a terminal, less its indent.
const WIDTH: usize = 74;

impl Audit {
    /// Every check with its verdict for the goal (the worst of all goals
    /// where none is given) and its evidence, and with the remedy for findings
    /// that need attention.
    pub fn to_text(&self, goal: Option<Goal>) -> String {
        let mut order: Vec<&Examined> = self.examined.iter().collect();
        order.sort_by_key(|examined| examined.judged(goal));
        let mut out = String::new();
        let (lacking, judged): (Vec<&Examined>, Vec<&Examined>) =
            order.into_iter().partition(|examined| lack(examined, goal).is_some());
        for group in by_lack(&lacking, goal) {
            several_checks(&mut out, &group, goal);
        }
        for examined in judged {
            one_check(&mut out, examined, goal);
        }
        out.push('\n');
        out.push_str(&self.summary(goal));
        out
    }

    /// The number of checks with each verdict, and the facts that only root can read.
    pub fn summary(&self, goal: Option<Goal>) -> String {
        let count = |verdict| self.examined.iter().filter(|e| e.judged(goal) == verdict).count();
        let for_goal = goal.map_or_else(|| "every goal".to_owned(), |goal| goal.to_string());
        let mut out = format!(
            "{} checks for {for_goal}: {} bad, {} warn, {} info, {} ok, {} n-a\n",
            self.examined.len(),
            count(Grade::Bad),
            count(Grade::Warn),
            count(Grade::Info),
            count(Grade::Ok),
            count(Grade::NotApplicable),
        );
        let denied = self.denied();
        match denied.len() {
            0 => out.push_str("no fact needed root\n"),
            n => {
                let paths: Vec<String> = denied.iter().map(|path| shown::path(path)).collect();
                let noun = if n == 1 { "fact needs" } else { "facts need" };
                let _ = writeln!(out, "{n} {noun} root, outside a container: {}", joined(&paths));
            }
        }
        out
    }
}

impl Examined {
    /// The verdict for the goal, or the worst of all.
    pub fn judged(&self, goal: Option<Goal>) -> Grade {
        match goal {
            Some(goal) => self.verdict(goal),
            None => {
                Goal::ALL.into_iter().map(|goal| self.verdict(goal)).max().unwrap_or(Grade::NotApplicable)
            }
        }
    }
}

/// Why a check has nothing to judge: subject and reason.
fn lack(examined: &Examined, goal: Option<Goal>) -> Option<(&str, &str)> {
    match examined.observations.as_slice() {
        [seen] if examined.judged(goal) == Grade::NotApplicable => Some((&seen.subject, &seen.says)),
        _ => None,
    }
}

/// Groups of checks that have nothing to judge for the same reason, in the order of the catalogue.
fn by_lack<'a>(lacking: &[&'a Examined], goal: Option<Goal>) -> Vec<Vec<&'a Examined>> {
    let mut groups: Vec<Vec<&Examined>> = Vec::new();
    for examined in lacking {
        match groups.iter_mut().find(|group| lack(group[0], goal) == lack(examined, goal)) {
            Some(group) => group.push(examined),
            None => groups.push(vec![examined]),
        }
    }
    groups
}

/// One line for the reason that they share, then their names.
fn several_checks(out: &mut String, group: &[&Examined], goal: Option<Goal>) {
    let [first, _, ..] = group else {
        return group.iter().for_each(|examined| one_check(out, examined, goal));
    };
    let seen = &first.observations[0];
    let word = Grade::NotApplicable.word();
    let told = format!("{}: {}", seen.subject, seen.says);
    let _ = writeln!(out, "{word:<5}{:<21}{}", counted(group.len(), "check"), shown::line(&told));
    let names: Vec<&str> = group.iter().map(|examined| examined.check.id).collect();
    for line in paragraphs(&names.join(", ")).lines() {
        let _ = writeln!(out, "{:26}{}", "", line.trim_start());
    }
}

fn one_check(out: &mut String, examined: &Examined, goal: Option<Goal>) {
    let check = examined.check;
    let verdict = examined.judged(goal);
    let mut word = verdict.word();
    let mut name = check.id;
    for (says, seen) in grouped(&examined.observations, goal, verdict) {
        let mut subjects: Vec<String> = seen.iter().map(|seen| seen.subject.clone()).collect();
        subjects.dedup();
        let subjects = joined(&subjects);
        let told = format!("{subjects}: {says}{}", goals_hit(seen[0], goal, verdict));
        let _ = writeln!(out, "{word:<5}{name:<21}{}", shown::line(&told));
        let evidence = seen[0].evidence.first();
        if let Some(evidence) = evidence.filter(|evidence| adds_to(evidence, says)) {
            let _ = writeln!(out, "{:26}{}", "", shown::line(&in_a_line(evidence)));
        }
        (word, name) = ("", "");
    }
    if verdict >= Grade::Warn {
        if !matches!(check.needs, Needs::Knob(_) | Needs::NamedKnob(_)) {
            let _ = writeln!(out, "{:26}do: {}", "", first_sentence(check.remedy));
        }
        let _ = writeln!(out, "{:26}{}", "", remedy_in_a_line(check));
    }
}

/// The observations with the check's verdict; subjects with the same sentence are together.
fn grouped(
    observations: &[Observation],
    goal: Option<Goal>,
    verdict: Grade,
) -> Vec<(&str, Vec<&Observation>)> {
    let mut groups: Vec<(&str, Vec<&Observation>)> = Vec::new();
    for seen in observations.iter().filter(|seen| verdict_of(seen, goal) == verdict) {
        match groups.iter_mut().find(|(says, _)| *says == seen.says) {
            Some((_, group)) => group.push(seen),
            None => groups.push((&seen.says, vec![seen])),
        }
    }
    groups
}

fn verdict_of(seen: &Observation, goal: Option<Goal>) -> Grade {
    goal.map_or_else(|| seen.verdicts.worst(), |goal| seen.verdicts.of(goal))
}

/// If no goal was given, the goals for which the finding counts.
fn goals_hit(seen: &Observation, goal: Option<Goal>, verdict: Grade) -> String {
    let hit: Vec<&str> =
        Goal::ALL.into_iter().filter(|g| seen.verdicts.of(*g) == verdict).map(Goal::name).collect();
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
            let first: String = first.chars().take(WIDTH).collect();
            let more = if lines.next().is_some() { " …" } else { "" };
            format!("{path}: {first}{more}")
        }
        (None, Some(why)) => format!("{path}: {why}"),
        (None, None) => path,
    }
}

/// The first sentence of a remedy names what helps most often.
fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn remedy_in_a_line(check: &Check) -> String {
    let more = format!("fathom doctor --explain {}", check.id);
    match check.needs {
        Needs::NamedKnob(knob) => {
            format!("do: fathom run --tune --tune-knob {knob}; more: {more}")
        }
        Needs::Knob(knob) => format!("do: fathom run --tune (knob {knob}); more: {more}"),
        Needs::Nothing => format!("nothing to change; more: {more}"),
        needs => format!("needs {}; more: {more}", needs.words()),
    }
}

impl Needs {
    /// What the remedy needs, as the object of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Needs::Nothing => "nothing",
            Needs::Knob(_) | Needs::NamedKnob(_) => "a knob of fathom tune, without a reboot",
            Needs::Job => "a change of the job",
            Needs::Administrator => "a decision of the administrator, without a reboot",
            Needs::Reload => "a reload of a driver",
            Needs::Reboot => "a boot parameter and a reboot",
            Needs::Firmware => "a BIOS, UEFI or BMC setting, and mostly a reboot",
            Needs::Hardware => "work on the hardware",
            Needs::Purge => "wiping or reformatting the device",
        }
    }
}

impl Check {
    /// The man page.
    pub fn to_text(&self) -> String {
        let mut out = format!("{} - {}\n", self.id, self.title);
        let sources = self.sources.join(", ");
        let sections = [
            ("What it is and why it matters", self.why),
            ("How it is judged", self.judged),
            ("What to do", self.remedy),
            ("What that needs", self.needs.words()),
            ("Read from", self.reads),
            ("Kernels", self.kernels),
            ("Sources", &sources),
        ];
        for (title, text) in sections.iter().filter(|(_, text)| !text.is_empty()) {
            let _ = write!(out, "\n{title}\n{}", paragraphs(text));
        }
        let advice: Vec<&Advice> = retired::about(self.id).collect();
        if !advice.is_empty() {
            out.push_str("\nAdvice in guides\n");
        }
        for advice in advice {
            let text = format!(
                "{} ({}): fathom doctor --explain {}",
                advice.advice,
                advice.standing.word(),
                advice.id
            );
            out.push_str(&paragraphs(&text));
        }
        out
    }
}

impl Advice {
    /// What is true of it today.
    pub fn to_text(&self) -> String {
        let mut out = format!("{} - {}\n\n", self.id, self.standing.word());
        let (sources, checks) = (self.sources.join(", "), self.checks.join(", "));
        let sections = [
            ("The advice", self.advice),
            (self.standing.heading(), self.instead),
            ("Checks that cover it", &checks),
            ("Sources", &sources),
        ];
        for (title, text) in sections.iter().filter(|(_, text)| !text.is_empty()) {
            let _ = writeln!(out, "{title}\n{}", paragraphs(text));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

/// Text in lines of at most [`WIDTH`] columns, indented by four; blank lines are kept.
pub(super) fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        for line in wrapped(paragraph, WIDTH) {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

fn joined(words: &[String]) -> String {
    match words.len().checked_sub(SUBJECTS_MAX) {
        None | Some(0) => words.join(", "),
        Some(more) => format!("{} and {more} more", words[..SUBJECTS_MAX].join(", ")),
    }
}
