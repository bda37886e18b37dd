//! The private names of what is compared: a redacted comparison has stand-ins for them.

use crate::commands::report::not_redacted;
use crate::commands::users;
use crate::edge::Ready;
use crate::failure::Failure;
use fathom_report::ComparedNames;
use fathom_results::Comparison;
use fathom_results::procedure::is_procedure;
use fathom_session::procedure::saved_procedure;
use fathom_suites::procedure::Suite;
use fathom_text::carried;
use std::path::Path;

/// The names, if the comparison is to be redacted.
pub(in crate::commands) struct Private(Option<ComparedNames>);

impl Private {
    pub(in crate::commands) fn of(is_redacted: bool) -> Self {
        Private(is_redacted.then(ComparedNames::default))
    }

    /// Learns the names in a saved run, or in a procedure and its rounds.
    pub(in crate::commands) fn learn(&mut self, dir: &Path) -> Result<(), Failure> {
        let Some(names) = &mut self.0 else { return Ok(()) };
        let users = users::of(dir);
        if !is_procedure(dir) {
            names.learn_run(&fathom_session::load(dir)?, &users);
            return Ok(());
        }
        let (saved, _) = saved_procedure(dir)?;
        names.learn_procedure(&saved, &users, Suite::own_name(&saved.record));
        // A round that cannot be read is an error of the comparison, which reads it too.
        for run in saved.rounds().filter_map(|round| saved.load_round(round).ok()) {
            names.learn_run(&run, &users);
        }
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
