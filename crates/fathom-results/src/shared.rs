//! What the rounds of a procedure share is saved once, in `procedure.json`. A round that is read gets
//! it back from there, so a round is read like any other run.

use crate::directory::SavedDirectory;
use crate::load::LoadError;
use crate::obstacle::ReadObstacle;
use crate::procedure::{ProcedureRecord, ROUNDS, load_record};
use crate::record::RunRecord;
use std::io;

impl RunRecord {
    /// The record without what `procedure.json` holds.
    pub(crate) fn without_shared(&self) -> RunRecord {
        let mut own = self.clone();
        if let Some(round) = &self.round {
            own.host.drain(..round.shared_facts.min(own.host.len()));
            let audit = &mut own.self_knowledge.audit;
            audit.drain(..round.shared_findings.min(audit.len()));
        }
        own
    }

    /// Puts back what the rounds of the procedure share, for a round that was read from `dir`, which must be a directory of
    /// that procedure. `Some` says what of it is damaged.
    ///
    /// # Errors
    /// An obstacle keeps the procedure from being read.
    pub(crate) fn take_shared(&mut self, dir: &SavedDirectory) -> Result<Option<String>, LoadError> {
        let Some(round) = self.round.clone() else { return Ok(None) };
        if (round.shared_facts, round.shared_findings) == (0, 0) {
            return Ok(None);
        }
        let above = procedure_of(dir).map_err(|source| LoadError::Read { path: dir.at(".."), source });
        match above.and_then(|above| load_record(&above)) {
            Ok(procedure) => Ok(self.take_shared_of(&procedure).err()),
            Err(LoadError::Read { path, source }) if ReadObstacle::of(&source).is_some() => {
                Err(LoadError::Read { path, source })
            }
            Err(e) => Ok(Some(format!("the facts of the host are missing: {e}"))),
        }
    }

    /// The same, for a round of a procedure that was read already.
    pub(crate) fn take_shared_of(&mut self, procedure: &ProcedureRecord) -> Result<(), String> {
        let Some(round) = self.round.clone() else { return Ok(()) };
        if procedure.id != round.procedure {
            return Err(format!(
                "the facts of the host are missing: the directory above is the procedure {}, and the round belongs to {}",
                procedure.id, round.procedure
            ));
        }
        let (facts, findings) = (&procedure.shared.host, &procedure.shared.audit);
        if facts.len() < round.shared_facts || findings.len() < round.shared_findings {
            return Err("procedure.json has fewer facts of the host than the round needs".to_owned());
        }
        self.host.splice(..0, facts.iter().take(round.shared_facts).cloned());
        self.self_knowledge.audit.splice(..0, findings.iter().take(round.shared_findings).cloned());
        Ok(())
    }
}

/// The procedure to which the directory of a round belongs.
fn procedure_of(round: &SavedDirectory) -> io::Result<SavedDirectory> {
    let real = round.path().canonicalize()?;
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    round.above_as(&name)?.above_as(ROUNDS)
}
