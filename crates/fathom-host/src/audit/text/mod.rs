//! An audit as readable text, and the page of a check.
//!
//! What to do comes first, then the findings, the worst of them first, then one line with the number
//! of checks of each verdict. The other checks and the evidence are shown where a person asks for
//! all; there, checks that have nothing to judge for the same reason share one entry.

mod first;
mod line;

pub use first::TuneCommand;

use super::retired::{self, Advice};
use super::{Audit, Check, Examined, Grade, Needs};
use fathom_device::Goal;
use fathom_text::painted::Painted;
use fathom_text::style::Style;
use fathom_text::words::{counted, wrapped};
use std::fmt::Write;

/// What an audit is printed for.
#[derive(Debug, Clone)]
pub struct AuditText {
    /// The goal that is judged; `None` is the worst of all goals.
    pub goal: Option<Goal>,
    /// Whether root looks: what root may not read, nobody may.
    pub is_root: bool,
    /// Every check with its evidence, and not only the findings.
    pub all: bool,
    /// What makes `fathom tune plan` look at the same machine and targets; `None` where fathom cannot, because only printouts of the machine are there.
    pub tune: Option<TuneCommand>,
    /// Colours and width.
    pub style: Style,
}

impl Audit {
    /// What to do first, the findings that need attention, and the number of the others.
    pub fn to_text(&self, text: &AuditText) -> Painted {
        let mut order: Vec<&Examined> = self.examined.iter().collect();
        order.sort_by_key(|examined| std::cmp::Reverse(examined.judged(text.goal)));
        let (findings, others): (Vec<&Examined>, Vec<&Examined>) =
            order.into_iter().partition(|examined| examined.judged(text.goal) >= Grade::Warn);
        let mut blocks = vec![first::block(&findings, text) + &first::plan(text)];
        blocks.push(findings.iter().map(|examined| line::check(examined, text)).collect());
        if text.all {
            blocks.push(rest(&others, text));
        }
        blocks.push(self.tally_line(text));
        blocks.retain(|block| !block.is_empty());
        text.style.page(&blocks.join("\n"))
    }

    /// `133 checks for every goal: 2 bad, 5 warnings, …`.
    fn tally_line(&self, text: &AuditText) -> String {
        let judged = |examined: &&Examined, grade| examined.judged(text.goal) == grade;
        let count = |grade| self.examined.iter().filter(|examined| judged(examined, grade)).count();
        let lacking = self.examined.iter().filter(|examined| judged(examined, Grade::NotApplicable));
        let needs_root = lacking.filter(|examined| needs_root(examined)).count();
        let for_goal = text.goal.map_or_else(|| "every goal".to_owned(), |goal| goal.to_string());
        let mut message = format!(
            "{} for {for_goal}: {} bad, {}, {}, {} ok, {} not applicable",
            counted(self.examined.len(), "check"),
            count(Grade::Bad),
            counted(count(Grade::Warn), "warning"),
            counted(count(Grade::Info), "remark"),
            count(Grade::Ok),
            count(Grade::NotApplicable) - needs_root,
        );
        if needs_root > 0 {
            message += &match text.is_root {
                true => format!(", {needs_root} could not be read: this machine does not allow it"),
                false => format!(", {needs_root} could not be read without root"),
            };
        }
        message += if text.all { "." } else { "; --all shows them." };
        wrapped(&message, text.style.width).iter().map(|line| format!("{line}\n")).collect()
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

fn needs_root(examined: &Examined) -> bool {
    let evidence = examined.observations.iter().flat_map(|observation| &observation.evidence);
    evidence.into_iter().any(|evidence| evidence.needs_root)
}

/// The checks without a finding.
fn rest(others: &[&Examined], text: &AuditText) -> String {
    let (lacking, judged): (Vec<&Examined>, Vec<&Examined>) =
        others.iter().partition(|examined| lack(examined, text.goal).is_some());
    let judged = judged.into_iter().map(|examined| line::check(examined, text));
    let lacking = by_lack(&lacking, text.goal).into_iter().map(|group| match group.as_slice() {
        [one] => line::check(one, text),
        several => line::several(several, text.style),
    });
    judged.chain(lacking).collect()
}

/// Why a check has nothing to judge: subject and reason.
fn lack(examined: &Examined, goal: Option<Goal>) -> Option<(&str, &str)> {
    match examined.observations.as_slice() {
        [observation] if examined.judged(goal) == Grade::NotApplicable => {
            Some((&observation.subject, &observation.says))
        }
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

/// Width of a paragraph: the 80 columns of a terminal, less its indent.
const WIDTH: usize = 74;

impl Needs {
    /// What the remedy needs, as the object of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Needs::Nothing => "nothing",
            Needs::Knob(_) | Needs::NamedKnob(_) => "a knob of fathom tune, without a reboot",
            Needs::Job => "a change of the job",
            Needs::Administrator => "your decision; no reboot",
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
        let sources = readable(self.sources);
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
        let (sources, checks) = (readable(self.sources), self.checks.join(", "));
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

/// The sources that a reader can find: not the codes of the requirements that fathom was made from,
/// which are in the JSON document and in the documentation.
fn readable(sources: &[&str]) -> String {
    let is_code = |source: &&str| {
        let number = source.split_once('-').filter(|(letter, _)| letter.len() == 1).map(|(_, number)| number);
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    let readable: Vec<&str> = sources.iter().copied().filter(|source| !is_code(source)).collect();
    readable.join("; ")
}

/// Text in lines of at most [`WIDTH`] columns, indented by four; blank lines are kept.
fn paragraphs(text: &str) -> String {
    let mut out = String::new();
    for paragraph in text.split("\n\n") {
        for line in wrapped(paragraph, WIDTH) {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}
