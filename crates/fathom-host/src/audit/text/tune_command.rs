//! The commands of `fathom tune plan` that an audit names.

use std::path::{Path, PathBuf};

use fathom_device::Goal;
use fathom_text::shell::quoted;

use crate::audit::Examined;

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
            examined.observations.iter().any(|seen| {
                Path::new(&seen.subject) == name && seen.verdicts.of(goal) == examined.verdict(goal)
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
