//! An audit for people, and the man page of a check.
//!
//! The gravest come last, next to the summary and the prompt: on a terminal
//! that is what is read first.

use std::fmt::Write;

use super::retired::{self, Advice};
use super::{Audit, Check, Evidence, Examined, Needs, Observation, Verdict};
use crate::goal::Goal;

/// Subjects named before "and N more".
const SUBJECTS_MAX: usize = 4;
/// Width of a paragraph: the 80 columns of a terminal, less its indent.
const WIDTH: usize = 74;

impl Audit {
    /// Every check with its verdict for the goal (the gravest of all goals
    /// where none is given), evidence, and for what needs attention the remedy.
    pub fn to_text(&self, goal: Option<Goal>) -> String {
        let mut order: Vec<&Examined> = self.examined.iter().collect();
        order.sort_by_key(|examined| examined.judged(goal));
        let mut out = String::new();
        for examined in order {
            one_check(&mut out, examined, goal);
        }
        out.push('\n');
        out.push_str(&self.summary(goal));
        out
    }

    /// How many came to what, and what more rights would add.
    pub fn summary(&self, goal: Option<Goal>) -> String {
        let count = |verdict| self.examined.iter().filter(|e| e.judged(goal) == verdict).count();
        let for_goal = goal.map_or_else(|| "every goal".to_owned(), |goal| goal.to_string());
        let mut out = format!(
            "{} checks for {for_goal}: {} bad, {} warn, {} info, {} ok, {} n-a\n",
            self.examined.len(),
            count(Verdict::Bad),
            count(Verdict::Warn),
            count(Verdict::Info),
            count(Verdict::Ok),
            count(Verdict::NotApplicable),
        );
        let denied = self.denied();
        match denied.len() {
            0 => out.push_str("no fact needed root\n"),
            n => {
                let paths: Vec<String> = denied.iter().map(|path| path.display().to_string()).collect();
                let noun = if n == 1 { "fact needs" } else { "facts need" };
                let _ = writeln!(out, "{n} {noun} root: {}", joined(&paths));
            }
        }
        out
    }
}

impl Examined {
    /// The verdict for the goal, or the gravest of all.
    pub fn judged(&self, goal: Option<Goal>) -> Verdict {
        match goal {
            Some(goal) => self.verdict(goal),
            None => {
                Goal::ALL.into_iter().map(|goal| self.verdict(goal)).max().unwrap_or(Verdict::NotApplicable)
            }
        }
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
        let _ = writeln!(out, "{word:<5}{name:<21}{subjects}: {says}{}", goals_hit(seen[0], goal, verdict));
        let evidence = seen[0].evidence.first();
        // "X is not there" needs no line that X was not found.
        if let Some(evidence) =
            evidence.filter(|e| e.raw.is_some() || !says.contains(&*e.path.to_string_lossy()))
        {
            let _ = writeln!(out, "{:26}{}", "", shown(evidence));
        }
        (word, name) = ("", "");
    }
    if verdict >= Verdict::Warn {
        let _ = writeln!(out, "{:26}{}", "", remedy_in_a_line(check));
    }
}

/// What comes to the check's verdict, subjects with the same sentence together.
fn grouped(
    observations: &[Observation],
    goal: Option<Goal>,
    verdict: Verdict,
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

fn verdict_of(seen: &Observation, goal: Option<Goal>) -> Verdict {
    goal.map_or_else(|| seen.verdicts.worst(), |goal| seen.verdicts.of(goal))
}

/// Without a goal, for which the finding counts.
fn goals_hit(seen: &Observation, goal: Option<Goal>, verdict: Verdict) -> String {
    let hit: Vec<&str> =
        Goal::ALL.into_iter().filter(|g| seen.verdicts.of(*g) == verdict).map(Goal::name).collect();
    if goal.is_some() || verdict < Verdict::Warn || hit.len() == Goal::ALL.len() {
        return String::new();
    }
    format!(" (for {})", hit.join(", "))
}

fn shown(evidence: &Evidence) -> String {
    let path = evidence.path.display();
    match (&evidence.raw, &evidence.unknown) {
        (Some(raw), _) => {
            let mut lines = raw.lines();
            let first = lines.next().unwrap_or_default();
            let first: String = first.chars().take(WIDTH).collect();
            let more = if lines.next().is_some() { " …" } else { "" };
            format!("{path}: {first}{more}")
        }
        (None, Some(why)) => format!("{path}: {why}"),
        (None, None) => path.to_string(),
    }
}

fn remedy_in_a_line(check: &Check) -> String {
    let more = format!("fathom doctor --explain {}", check.id);
    match check.needs {
        Needs::Knob(knob) => format!("fathom tune can change it for a run (knob {knob}); more: {more}"),
        Needs::Nothing => format!("nothing to change; more: {more}"),
        needs => format!("takes {}; more: {more}", needs.words()),
    }
}

impl Needs {
    /// What it takes, as the object of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Needs::Nothing => "nothing",
            Needs::Knob(_) => "a knob of fathom tune, without a reboot",
            Needs::Job => "another way to run the job",
            Needs::Administrator => "a decision of the administrator, without a reboot",
            Needs::Reload => "a driver loaded again",
            Needs::Reboot => "a boot parameter and a reboot",
            Needs::Firmware => "a BIOS, UEFI or BMC setting, and mostly a reboot",
            Needs::Hardware => "a hand on the machine",
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
            ("What that takes", self.needs.words()),
            ("Read from", self.reads),
            ("Kernels", self.kernels),
            ("Sources", &sources),
        ];
        for (title, text) in sections.iter().filter(|(_, text)| !text.is_empty()) {
            let _ = write!(out, "\n{title}\n{}", paragraphs(text));
        }
        let advice: Vec<&Advice> = retired::about(self.id).collect();
        if !advice.is_empty() {
            out.push_str("\nAdvice that is around\n");
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
    /// What became of it.
    pub fn to_text(&self) -> String {
        let mut out = format!("{} - {}\n\n", self.id, self.standing.word());
        let (sources, checks) = (self.sources.join(", "), self.checks.join(", "));
        let sections = [
            ("The advice", self.advice),
            ("What to do instead, and why", self.instead),
            ("Checks that look after it", &checks),
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

/// Text in lines of at most [`WIDTH`] columns, four in; a blank line stays.
pub(super) fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
                let _ = writeln!(out, "    {line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        let _ = writeln!(out, "    {line}");
    }
    out
}

fn joined(words: &[String]) -> String {
    match words.len().checked_sub(SUBJECTS_MAX) {
        None | Some(0) => words.join(", "),
        Some(more) => format!("{} and {more} more", words[..SUBJECTS_MAX].join(", ")),
    }
}
