//! The page of a check and that of old advice: what `fathom doctor --explain` prints.

use std::fmt::Write;

use fathom_text::words::wrapped;

use crate::audit::retired::{self, Advice};
use crate::audit::{Check, Needs};

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
