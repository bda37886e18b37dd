//! Reads a procedure back from its directory: its record, its history, and whether they are whole.
//!
//! The rounds are read one at a time with [`crate::load`]; [`ProcedureResult::round_damage`] says
//! whether a round is the one that the history names.

use super::done::{RoundDone, StepRecord};
use super::history::{History, HistoryExtent};
use super::record::{FORMAT, ProcedureRecord};
use super::{HISTORY, ROUNDS, seal::ProcedureSeal};
use crate::directory::SavedDirectory;
use crate::load::{LoadError, RunResult, load_with, parsed};
use crate::record::RunRecord;
use crate::run_end::RoundFailure;
use crate::seal::has_checksum;
use std::path::{Path, PathBuf};

/// The longest record that is read.
const RECORD_MAX_BYTES: u64 = 16 << 20;

/// A procedure as it was read from its directory.
#[derive(Clone, Debug)]
pub struct ProcedureResult {
    /// The directory of the procedure.
    pub dir: PathBuf,
    /// `procedure.json`.
    pub record: ProcedureRecord,
    /// The steps that ended, in order.
    pub steps: Vec<StepRecord>,
    /// How far the history is whole.
    pub extent: HistoryExtent,
    /// Bytes of a line that was cut when fathom was killed; they are no step.
    pub rest_bytes: u64,
    /// What is missing, cut or not as it was saved.
    pub damage: Option<String>,
}

/// Does the directory hold a procedure, or the rest of one?
pub fn is_procedure(dir: &Path) -> bool {
    dir.join(ProcedureRecord::FILE).exists() || dir.join(HISTORY).exists()
}

/// Reads the procedure in `dir`. A history that ends early is not an error: the result says what is
/// missing.
///
/// # Errors
/// The directory holds no procedure, or `procedure.json` cannot be read or was changed.
pub fn load_procedure(dir: &Path) -> Result<ProcedureResult, LoadError> {
    let held = SavedDirectory::open(dir)
        .map_err(|source| LoadError::Read { path: dir.join(ProcedureRecord::FILE), source })?;
    let record = load_record(&held)?;
    let path = dir.join(HISTORY);
    let history = match History::read(&held, &record.id) {
        Ok(history) => history,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            History { damage: Some("it is missing".to_owned()), ..History::default() }
        }
        Err(source) => return Err(LoadError::Read { path, source }),
    };
    let damage = history.damage.as_ref().map(|what| format!("the history is damaged: {what}"));
    let damage = damage.or_else(|| record.seal.as_ref().and_then(|seal| seal_damage(seal, &history)));
    let damage = damage.or_else(|| {
        let is_unsealed = record.conclusion.is_some() && record.seal.is_none();
        is_unsealed.then(|| "procedure.json has a conclusion and no seal".to_owned())
    });
    Ok(ProcedureResult {
        dir: dir.to_owned(),
        record,
        steps: history.steps,
        extent: history.extent,
        rest_bytes: history.rest_bytes,
        damage,
    })
}

fn seal_damage(seal: &ProcedureSeal, history: &History) -> Option<String> {
    let HistoryExtent { bytes, crc32 } = history.extent;
    let is_whole = history.rest_bytes == 0
        && bytes == seal.history_bytes
        && format!("{crc32:08x}") == seal.history_crc32;
    (!is_whole).then(|| "the history is not the one that was saved".to_owned())
}

pub(crate) fn load_record(dir: &SavedDirectory) -> Result<ProcedureRecord, LoadError> {
    let path = dir.at(ProcedureRecord::FILE);
    let text = dir.text(ProcedureRecord::FILE, RECORD_MAX_BYTES);
    let text = text.map_err(|source| LoadError::Read { path: path.clone(), source })?;
    let record: ProcedureRecord = parsed(&path, &text, FORMAT)?;
    match has_checksum(text.as_bytes(), &record.record_crc32) {
        true => Ok(record),
        false => Err(LoadError::Invalid { path, what: "it was changed after it was saved".to_owned() }),
    }
}

impl ProcedureResult {
    /// The rounds that ended, in order.
    pub fn rounds(&self) -> impl Iterator<Item = &RoundDone> {
        self.steps.iter().filter_map(StepRecord::round)
    }

    /// The first round that cannot count as a measurement, and why.
    pub fn failed_round(&self) -> Option<(&RoundDone, RoundFailure)> {
        self.rounds().find_map(|round| Some((round, round.failed()?)))
    }

    /// Reads a round with all that it shares with the others.
    ///
    /// # Errors
    /// Those of [`crate::load()`].
    pub fn load_round(&self, round: &RoundDone) -> Result<RunResult, LoadError> {
        self.load_round_in(&self.dir, &round.directory)
    }

    /// Reads the round in the directory of this name, of a procedure that is read from `dir`.
    ///
    /// # Errors
    /// Those of [`crate::load()`]. A name that leads out of the procedure is one of them.
    pub fn load_round_in(&self, dir: &Path, directory: &str) -> Result<RunResult, LoadError> {
        let path = || dir.join(ROUNDS).join(directory).join(RunRecord::FILE);
        let held = SavedDirectory::open(dir).and_then(|dir| dir.below(ROUNDS)?.below(directory));
        let held = held.map_err(|source| LoadError::Read { path: path(), source })?;
        load_with(&held, |record| Ok(record.take_shared_of(&self.record).err()))
    }

    /// Why a round that was read is not the one that the history names, or is not whole.
    pub fn round_damage(&self, round: &RoundDone, run: &RunResult) -> Option<String> {
        let crc32 = run.record.seal.as_ref().map(|seal| seal.record_crc32.as_str());
        match &run.damage {
            Some(damage) => Some(format!("round {}: {damage}", round.directory)),
            None if crc32 != Some(round.record_crc32.as_str()) => {
                Some(format!("round {} is not the one that was measured", round.directory))
            }
            None => None,
        }
    }
}
