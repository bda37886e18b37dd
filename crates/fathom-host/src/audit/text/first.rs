//! What to do first: the changes that matter most for the goal.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use super::AuditText;
use crate::audit::{Check, Examined, Grade, Needs};
use fathom_device::Goal;
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_text::words::{counted, wrapped};

/// The most changes that are named: a person does one after the other, and then looks again.
const CHANGES_MAX: usize = 3;

/// The most knobs of the plan that are named.
const KNOBS_MAX: usize = 6;

/// Spaces before a change, and before the lines that follow its first one.
const INDENT: usize = 5;

/// The changes, or that there is nothing to change, or only something to read. `findings` are in the order of their verdicts.
pub(super) fn block(findings: &[&Examined], text: &AuditText) -> String {
    let goal = text.goal.map_or_else(|| "any goal".to_owned(), |goal| goal.to_string());
    let mut changes: Vec<&Examined> =
        findings.iter().copied().filter(|examined| examined.check.needs != Needs::Nothing).collect();
    if changes.is_empty() {
        return match findings.is_empty() {
            true => {
                paragraph(&format!("Nothing needs to be changed for {goal}."), text, |t| text.style.good(t))
            }
            false => {
                paragraph("Read what follows: no change of a setting is known to help.", text, str::to_owned)
            }
        };
    }
    changes.sort_by_key(|examined| rank(examined, text.goal));
    let title = match text.goal {
        Some(goal) => format!("What to do first for {goal}:"),
        None => "What to do first:".to_owned(),
    };
    let mut out = paragraph(&title, text, |title| text.style.strong(title));
    for (at, examined) in changes.iter().take(CHANGES_MAX).enumerate() {
        out += &change(at + 1, examined, text);
    }
    out
}

/// The worst first; then what counts for more goals; then what is easier to do.
fn rank(examined: &Examined, goal: Option<Goal>) -> (Reverse<Grade>, Reverse<usize>, usize) {
    let verdict = examined.judged(goal);
    let hit = Goal::ALL.into_iter().filter(|goal| examined.verdict(*goal) == verdict).count();
    (Reverse(verdict), Reverse(hit), effort(examined.check.needs))
}

fn effort(needs: Needs) -> usize {
    match needs {
        Needs::Knob(_) => 0,
        Needs::NamedKnob(_) => 1,
        Needs::Job => 2,
        Needs::Administrator => 3,
        Needs::Reload => 4,
        Needs::Reboot => 5,
        Needs::Firmware => 6,
        Needs::Hardware => 7,
        Needs::Purge => 8,
        Needs::Nothing => 9,
    }
}

/// ` 1. pcie.width: Reseat the drive.` and what that needs.
fn change(number: usize, examined: &Examined, text: &AuditText) -> String {
    let check = examined.check;
    let (what, command) = match (check.needs, &text.tune) {
        (Needs::Knob(knob) | Needs::NamedKnob(knob), Some(tune)) => (
            format!("{}: {} ({})", check.id, todo(check), by_fathom(check.needs)),
            tune.of_knob(knob, examined, text.goal),
        ),
        (needs, _) => (
            format!("{}: {} ({})", check.id, todo(check), takes(needs)),
            format!("fathom doctor --explain {}", check.id),
        ),
    };
    let mut lines = wrapped(&shown::line(&what), text.style.width - INDENT);
    // A command is one line, so that a person can copy it.
    lines.push(shown::line(&command).into_owned());
    let number = format!("{number}.");
    let heads = std::iter::once(number.as_str()).chain(std::iter::repeat(""));
    lines.iter().zip(heads).map(|(line, head)| format!("{head:>4} {line}\n")).collect()
}

/// What to do. Mostly it is the first sentence of the remedy, which names what helps most often; the
/// remedy of a knob begins with a command, and some others begin with a reason.
fn todo(check: &Check) -> &'static str {
    let first = check.remedy.split_once(". ").map_or(check.remedy, |(first, _)| first);
    check.in_short.unwrap_or(first.trim_end_matches('.'))
}

fn by_fathom(needs: Needs) -> String {
    match needs {
        Needs::NamedKnob(knob) => format!("fathom changes it only with --knob {knob}"),
        _ => "fathom can change it for a run".to_owned(),
    }
}

fn takes(needs: Needs) -> String {
    match needs {
        Needs::Administrator => "you must decide; no reboot".to_owned(),
        needs => format!("needs {}", needs.words()),
    }
}

/// What `fathom tune plan` would change by itself, so that nobody takes the list for its plan.
pub(super) fn plan(text: &AuditText) -> String {
    let Some((changes, goal, command)) = text.tune.as_ref().and_then(|tune| tune.whole(text.goal)) else {
        return String::new();
    };
    if changes.is_empty() {
        return paragraph(
            &format!("For {goal}, fathom would change no setting by itself."),
            text,
            str::to_owned,
        );
    }
    let mut knobs: Vec<&str> = changes.iter().map(String::as_str).collect();
    knobs.dedup();
    let names = knobs[..knobs.len().min(KNOBS_MAX)].join(", ");
    let more = if knobs.len() > KNOBS_MAX { ", and others" } else { "" };
    let count = counted(changes.len(), "setting");
    let message = format!("For {goal}, fathom can change {count} for you ({names}{more}). To see why:");
    paragraph(&message, text, str::to_owned) + &format!("{:INDENT$}{}\n", "", shown::line(&command))
}

fn paragraph(words: &str, text: &AuditText, paint: impl Fn(&str) -> String) -> String {
    wrapped(words, text.style.width).iter().map(|line| paint(line) + "\n").collect()
}

// The commands of `fathom tune plan` that an audit names.

/// The most targets that a command names: a longer one is not read.
const TARGETS_MAX: usize = 4;

/// What makes `fathom tune plan` look at the same machine and targets as the audit.
#[derive(Debug, Clone, Default)]
pub struct TuneCommand {
    /// Options that follow it: empty, or ` --root FILE`.
    pub options: String,
    /// What was audited. Without a target, a plan changes settings of no disk.
    pub targets: Vec<PathBuf>,
    /// The knob of each setting that the plan changes where no knob is named, for the goal of the
    /// audit or else for [`TuneCommand::GOAL`]; `None` if there is no plan.
    pub changes: Option<Vec<String>>,
}

impl TuneCommand {
    /// The goal of a plan for which none was named.
    pub const GOAL: Goal = Goal::Repeatability;

    /// The plan of one knob, for the disks of the finding.
    pub(super) fn of_knob(&self, knob: &str, examined: &Examined, goal: Option<Goal>) -> String {
        let goal = goal.unwrap_or_else(|| goal_of(examined));
        let is_subject = |target: &&PathBuf| {
            let name = target.strip_prefix("/dev").unwrap_or(target);
            examined.observations.iter().any(|observation| {
                Path::new(&observation.subject) == name
                    && observation.verdicts.of(goal) == examined.verdict(goal)
            })
        };
        let mut targets: Vec<&PathBuf> = self.targets.iter().filter(is_subject).collect();
        if targets.is_empty() {
            targets = self.targets.iter().collect();
        }
        targets.truncate(TARGETS_MAX);
        self.line(&format!("--goal {goal} --only --knob {knob}"), &targets)
    }

    /// The plan without a named knob, and the knobs of the settings that it changes.
    pub(super) fn whole(&self, goal: Option<Goal>) -> Option<(&[String], Goal, String)> {
        let targets: Vec<&PathBuf> = self.targets.iter().collect();
        let changes = self.changes.as_deref().filter(|_| targets.len() <= TARGETS_MAX)?;
        let goal = goal.unwrap_or(Self::GOAL);
        Some((changes, goal, self.line(&format!("--goal {goal}"), &targets)))
    }

    fn line(&self, words: &str, targets: &[&PathBuf]) -> String {
        let targets: String = targets.iter().map(|target| format!(" {}", quoted(target))).collect();
        format!("fathom tune plan {words}{}{targets}", self.options)
    }
}

/// The goal for which the finding counts most; the one that a plan takes by itself, if it is one of
/// several.
fn goal_of(examined: &Examined) -> Goal {
    let worst = examined.judged(None);
    let mut hit = [TuneCommand::GOAL].into_iter().chain(Goal::ALL);
    hit.find(|goal| examined.verdict(*goal) == worst).unwrap_or(TuneCommand::GOAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::checks;

    /// Words by which a remedy begins that is a command or a reason.
    const NO_ORDERS: [&str; 10] =
        ["fathom", "For", "The", "This", "That", "Where", "Up", "Nothing", "Strict", "Reformatting"];

    #[test]
    fn each_is_an_order() {
        for check in checks::catalogue().filter(|check| check.needs != Needs::Nothing) {
            let first = todo(check).split([' ', ',', ':']).next().unwrap();
            let is_order = first.starts_with(char::is_uppercase) && !NO_ORDERS.contains(&first);
            let is_command =
                ["ip", "mount", "umount", "swapoff", "blockdev", "ulimit", "lsof"].contains(&first);
            assert!(is_order || is_command, "{}: {}", check.id, todo(check));
            let is_knob = matches!(check.needs, Needs::Knob(_) | Needs::NamedKnob(_));
            assert!(!is_knob || check.in_short.is_some(), "{} has no order of its own", check.id);
        }
    }
}
