//! A comparison without what names a machine, a person or a customer, by the rules for a run.
//!
//! A comparison holds facts of several runs. So the names are learned from the runs, and the same name has
//! the same stand-in in all of them.

use super::check::{NotRedacted, Private};
use super::names::Names;
use super::procedure::{BesideProcedure, RedactedProcedure};
use super::{facts, learn, learn_users, options, procedure, through_json};
use fathom_results::procedure::{OwnWords, ProcedureResult};
use fathom_results::{ComparedSubject, Comparison, Difference, DifferenceOf, RunResult};

/// The private names of a procedure with its rounds, or of several runs.
#[derive(Clone, Debug, Default)]
pub struct PrivateNames(Names);

/// A comparison without private names, and the names that no report of it may hold.
#[derive(Clone, Debug)]
pub struct RedactedComparison {
    /// The comparison with stand-ins.
    pub comparison: Comparison,
    private: Private,
}

impl RedactedComparison {
    /// Searches a finished report of this comparison for private names.
    ///
    /// # Errors
    /// The first name that is still there.
    pub fn check(&self, report: &str) -> Result<(), NotRedacted> {
        self.private.is_not_in(report)
    }
}

impl PrivateNames {
    /// Learns the names in a run. `users` are the names of the user who ran it.
    pub fn learn_run(&mut self, run: &RunResult, users: &[String]) {
        learn_users(users, &mut self.0);
        learn(run, &mut self.0);
    }

    /// Learns the names in a procedure without those in its rounds, which are runs: what disturbed a round is known there
    /// alone. `own` is what a person named in its parameters.
    pub fn learn_procedure(&mut self, procedure: &ProcedureResult, users: &[String], own: &OwnWords) {
        learn_users(users, &mut self.0);
        procedure::learn(procedure, own, &mut self.0);
    }

    /// Learns the path of a file that is compared.
    pub fn learn_file(&mut self, path: &str) {
        self.0.learn_path(path);
    }

    /// The procedure with stand-ins for everything private. Its rounds were learned with it.
    ///
    /// # Errors
    /// A private name is also a fixed word of a saved procedure.
    pub fn redacted_procedure(
        mut self,
        procedure: &ProcedureResult,
        beside: BesideProcedure<'_>,
    ) -> Result<RedactedProcedure, NotRedacted> {
        procedure::redacted(procedure, beside, &mut self.0)
    }

    /// The comparison with stand-ins for everything private. The names of figures that a person typed stay, like those
    /// of jobs.
    ///
    /// # Errors
    /// A private name is also a fixed word of a comparison.
    pub fn redacted(mut self, comparison: &Comparison) -> Result<RedactedComparison, NotRedacted> {
        let names = &mut self.0;
        // A name that has a known form at one place may be bare at an earlier one.
        replaced(comparison, names)?;
        let comparison = replaced(comparison, names)?;
        Ok(RedactedComparison { comparison, private: self.0.private() })
    }
}

fn replaced(comparison: &Comparison, names: &mut Names) -> Result<Comparison, NotRedacted> {
    let mut open = comparison.clone();
    open.subjects.iter_mut().for_each(|it| subject(it, names));
    open.differences.iter_mut().for_each(|it| difference(it, names));
    // The reader of a redacted report does not have the machine.
    (open.next, open.then) = (None, Vec::new());
    through_json(&open, names)
}

/// The name of a subject is that of a run, of a procedure with that of its rounds behind a comma, or a typed one. Rounds with other
/// options are called by these, of which the values can be private.
fn subject(subject: &mut ComparedSubject, names: &mut Names) {
    let mut stand_in = |part: &str| match options::is_cell(part) {
        true => {
            options::learn_cell(part, names);
            names.without(part)
        }
        false => names.of_run(part),
    };
    let parts: Vec<String> = subject.name.split(", ").map(&mut stand_in).collect();
    subject.name = parts.join(", ");
    names.learn_path(&subject.source);
    subject.source = names.at_its_place(&subject.source);
}

fn difference(difference: &mut Difference, names: &mut Names) {
    let what = difference.what.as_str();
    for value in difference.values.iter_mut().flatten() {
        *value = match difference.of {
            DifferenceOf::Job => options::open_value(what, value, names).unwrap_or_else(|| value.clone()),
            _ => facts::value(what, value, names).unwrap_or_else(|| "left out".to_owned()),
        };
    }
}
