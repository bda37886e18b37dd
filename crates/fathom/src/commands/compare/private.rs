//! The private names of what is compared: a redacted comparison has stand-ins for them.

use crate::commands::report::not_redacted;
use crate::commands::users;
use crate::edge::Ready;
use crate::failure::Failure;
use fathom_procedures::own_words;
use fathom_report::PrivateNames;
use fathom_results::Comparison;
use fathom_results::procedure::{ProcedureResult, is_procedure};
use fathom_session::procedure::saved_procedure;
use fathom_text::carried;
use std::path::Path;

/// The names, if the comparison is to be redacted.
pub(in crate::commands) struct Private(Option<PrivateNames>);

impl Private {
    pub(in crate::commands) fn of(is_redacted: bool) -> Self {
        Private(is_redacted.then(PrivateNames::default))
    }

    /// Learns the names in a saved run, or in a procedure and its rounds.
    pub(in crate::commands) fn learn(&mut self, dir: &Path) -> Result<(), Failure> {
        let Some(names) = &mut self.0 else { return Ok(()) };
        let users = users::of(dir);
        if !is_procedure(dir) {
            names.learn_run(&fathom_session::load(dir)?, &users);
            return Ok(());
        }
        learn_procedure(names, &saved_procedure(dir)?.0, &users);
        Ok(())
    }

    /// Learns the path of a file that is compared.
    pub(super) fn learn_file(&mut self, file: &Path) {
        if let Some(names) = &mut self.0 {
            names.learn_file(&carried::of_os(file));
        }
    }

    /// The text of the comparison; of one that is redacted, without private names.
    pub(super) fn without(
        self,
        comparison: &Comparison,
        text: impl Fn(&Comparison) -> Result<Ready, Failure>,
    ) -> Result<Ready, Failure> {
        let Some(names) = self.0 else { return text(comparison) };
        let redacted = names.redacted(comparison).map_err(not_redacted)?;
        let text = text(&redacted.comparison)?;
        redacted.check(text.as_str()).map_err(not_redacted)?;
        Ok(text)
    }
}

/// The names in a procedure and in its rounds.
pub(in crate::commands) fn of_procedure(saved: &ProcedureResult, dir: &Path) -> PrivateNames {
    let mut names = PrivateNames::default();
    learn_procedure(&mut names, saved, &users::of(dir));
    names
}

/// What disturbed a round is known in its run alone. A round that cannot be read has nothing that could be told.
fn learn_procedure(names: &mut PrivateNames, saved: &ProcedureResult, users: &[String]) {
    names.learn_procedure(saved, users, &own_words(&saved.record));
    for mut run in saved.rounds().filter_map(|round| saved.load_round(round).ok()) {
        // Rounds are called by their cells, and the directory of all of them is known.
        run.dir.clone_from(&saved.dir);
        names.learn_run(&run, users);
    }
}
