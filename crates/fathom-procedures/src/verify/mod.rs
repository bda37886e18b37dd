//! `verify`: writes a whole target so that every block can be proven, and reads it back.
//!
//! A pass writes all of the range first and reads all of it afterwards, so that a drive that has less space than it
//! says, and writes new blocks over old ones, is found. Both halves are cut into portions, and each portion is a round:
//! a crash costs one portion. The state of a portion (what was written, and by which seeds) is in the directory of the round that
//! wrote it; the round that reads it back loads it from there, and so does a second pass weeks later, which only reads.

mod verdict;

use super::definition::{Parameters, ProcedureDef};
use super::precondition::{Portion, Portions};
use super::repeat::failure;
use super::{History, Procedure, Proof, Round, RoundJobs, Step, Wait};
use fathom_job::parse::Adjust;
use fathom_job::units::Bytes;
use fathom_results::procedure::{RoundDone, StepDone};

/// Block of the writes: large enough for the full rate of every drive.
pub const VERIFY_BLOCK_USUAL: Bytes = Bytes::mib(1);
/// The most that a crash costs: at 200 MB/s, 64 GiB take less than six minutes.
pub const VERIFY_PORTION_USUAL: Bytes = Bytes::gib(64);
/// I/Os in flight.
const DEPTH: u32 = 8;
/// The longest wait for an array to be built: it may take days.
const ARRAY_WAIT_S: u64 = 7 * 86_400;

/// What separates the directories of the saved parameter. No path has it.
const SEPARATOR: char = '\n';

/// What is written and read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyTarget {
    /// The device or file.
    pub target: String,
    /// First byte of the range.
    pub offset: Bytes,
    /// Length of the range.
    pub size: Bytes,
    /// Engine of the jobs.
    pub engine: String,
    /// Direct I/O.
    pub direct: bool,
    /// Block of the writes.
    pub block: Bytes,
    /// The most bytes of a round.
    pub portion: Bytes,
    /// The method of the checksums, by its name in a job file.
    pub method: String,
    /// Passes are repeated until so much time has passed, in seconds; 0 is one pass.
    pub least_s: u64,
    /// The directories of the states of an earlier pass, one for each portion: then nothing is written.
    pub read_only: Vec<String>,
    /// The target does not exist yet. What reads it cannot be planned before it does.
    pub is_new: bool,
    /// The directory for what was expected and received of wrong blocks; empty: they are not saved.
    pub wrong_blocks_to: String,
}

impl VerifyTarget {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef = ProcedureDef { name: "verify", open: VerifyTarget::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        VerifyTarget::read(parameters).map(|procedure| Box::new(procedure) as Box<dyn Procedure>)
    }

    /// The procedure with these saved parameters.
    ///
    /// # Errors
    /// One sentence: a parameter is missing or wrong.
    pub fn saved(parameters: &[(String, String)]) -> Result<VerifyTarget, String> {
        VerifyTarget::read(&Parameters(parameters))
    }

    fn read(parameters: &Parameters<'_>) -> Result<VerifyTarget, String> {
        let read_only: String = parameters.get("read_only")?;
        let found = VerifyTarget {
            target: parameters.get("target")?,
            offset: Bytes(parameters.get("offset")?),
            size: Bytes(parameters.get("size")?),
            engine: parameters.get("engine")?,
            direct: parameters.get("direct")?,
            block: Bytes(parameters.get("block")?),
            portion: Bytes(parameters.get("portion")?),
            method: parameters.get("method")?,
            least_s: parameters.get("least_s")?,
            read_only: read_only.split(SEPARATOR).filter(|dir| !dir.is_empty()).map(str::to_owned).collect(),
            is_new: parameters.get("is_new")?,
            // Verifications that were saved before have none.
            wrong_blocks_to: parameters.get("wrong_blocks_to").unwrap_or_default(),
        };
        if found.block.0 == 0 || found.size.0 == 0 || found.portion.0 == 0 {
            return Err("the parameters block, size and portion must not be 0".to_owned());
        }
        if !found.read_only.is_empty() && found.read_only.len() != found.portions().iter().count() {
            return Err("the parameter read_only does not name a state for each portion".to_owned());
        }
        Ok(found)
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let parameters = [
            ("target", self.target.clone()),
            ("offset", self.offset.0.to_string()),
            ("size", self.size.0.to_string()),
            ("engine", self.engine.clone()),
            ("direct", self.direct.to_string()),
            ("block", self.block.0.to_string()),
            ("portion", self.portion.0.to_string()),
            ("method", self.method.clone()),
            ("least_s", self.least_s.to_string()),
            ("read_only", self.read_only.join(&SEPARATOR.to_string())),
            ("is_new", self.is_new.to_string()),
            ("wrong_blocks_to", self.wrong_blocks_to.clone()),
        ];
        parameters.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// The names of the rounds, of this procedure's history, in which the last whole pass wrote; empty where none did.
    /// Their directories have the states for a pass that only reads.
    pub fn written_rounds(&self, history: &History<'_>) -> Vec<String> {
        let all = self.portions().iter().count();
        let of_pass = |pass| written(history, pass).map(|round| round.directory.clone()).collect::<Vec<_>>();
        let whole = (1..).map(of_pass).take_while(|rounds| rounds.len() == all);
        whole.last().unwrap_or_default()
    }

    fn portions(&self) -> Portions {
        Portions::at_most(self.portion.0, self.offset.0, self.size.0, self.block.0)
    }

    fn writes(&self) -> bool {
        self.read_only.is_empty()
    }

    fn write_round(&self, pass: u32, portion: Portion) -> Round {
        let options = "rw=write\nend_fsync=1\ndo_verify=0\nverify_state_save=1\n";
        self.round(write_cell(pass), portion, options)
    }

    /// `state` is the directory of the state: of a round of this procedure, or a whole path.
    fn read_round(&self, pass: u32, portion: Portion, state: Option<String>) -> Round {
        let dumps = u8::from(!self.wrong_blocks_to.is_empty());
        let options = format!("rw=read\nverify_state_load=1\nverify_dump={dumps}\n");
        let wrong_blocks_to = Some(self.wrong_blocks_to.clone()).filter(|dir| !dir.is_empty());
        Round { state_from: state, wrong_blocks_to, ..self.round(read_cell(pass), portion, &options) }
    }

    /// An I/O that fails is counted and the job goes on, so that every place that fails is found.
    fn round(&self, cell: String, portion: Portion, options: &str) -> Round {
        let Portion { offset, size, block } = portion;
        let (engine, direct, method) = (&self.engine, u8::from(self.direct), &self.method);
        let text = format!(
            "[verify]\nioengine={engine}\niodepth={DEPTH}\ndirect={direct}\nbs={block}\noffset={offset}\nsize={size}\n\
             verify={method}\ncontinue_on_error=io\n{options}"
        );
        let adjust = Adjust { target: Some(self.target.clone()), ..Adjust::default() };
        Round::of(cell, RoundJobs::Text { text, adjust })
    }

    /// The rounds of one half of a pass that differ in length, with how many there are of each.
    fn lengths(&self, round: impl Fn(Portion) -> Round) -> Vec<(Round, u32)> {
        let mut lengths: Vec<(Portion, u32)> = Vec::new();
        for portion in self.portions().iter() {
            let is_alike =
                |(known, _): &&mut (Portion, u32)| (known.size, known.block) == (portion.size, portion.block);
            match lengths.iter_mut().find(is_alike) {
                Some((_, times)) => *times += 1,
                None => lengths.push((portion, 1)),
            }
        }
        lengths.into_iter().map(|(portion, times)| (round(portion), times)).collect()
    }

    /// The next round of this pass.
    fn next_of_pass(&self, pass: u32, history: &History<'_>) -> Option<Round> {
        if self.writes()
            && let Some(portion) = self.portions().iter().nth(written(history, pass).count())
        {
            return Some(self.write_round(pass, portion));
        }
        let at = read_back(history, pass).count();
        let portion = self.portions().iter().nth(at)?;
        let state = match self.writes() {
            true => written(history, pass).nth(at).map(|round| round.directory.clone()),
            false => self.read_only.get(at).cloned(),
        };
        let of_pass = |pass| written(history, pass).nth(at).map(|round| round.directory.clone());
        let earlier_states = (1..pass).filter(|_| self.writes()).filter_map(of_pass).collect();
        Some(Round { earlier_states, ..self.read_round(pass, portion, state) })
    }

    /// Is another pass to begin after this one?
    fn goes_on(&self, history: &History<'_>) -> bool {
        let times = history.steps().iter().map(|step| step.ended_unix_ns.saturating_sub(step.began_unix_ns));
        self.writes() && times.sum::<u64>() / 1_000_000_000 < self.least_s
    }
}

fn write_cell(pass: u32) -> String {
    format!("write-{pass}")
}

fn read_cell(pass: u32) -> String {
    format!("read-{pass}")
}

/// The rounds of a pass that wrote.
fn written<'a>(history: &History<'a>, pass: u32) -> impl Iterator<Item = &'a RoundDone> + use<'a> {
    let cell = write_cell(pass);
    history.rounds().filter(move |round| round.cell == cell)
}

/// The rounds of a pass that read back.
fn read_back<'a>(history: &History<'a>, pass: u32) -> impl Iterator<Item = &'a RoundDone> + use<'a> {
    let cell = read_cell(pass);
    history.rounds().filter(move |round| round.cell == cell)
}

/// Why a round failed in another way than by what was read back: then nothing more is done.
fn broken<'a>(history: &History<'a>) -> Option<&'a RoundDone> {
    history.rounds().find(|round| round.failed().is_some() && round.verified.is_empty())
}

impl Procedure for VerifyTarget {
    fn expected(&self) -> Vec<(Round, u32)> {
        let writes =
            if self.writes() { self.lengths(|portion| self.write_round(1, portion)) } else { Vec::new() };
        let reads = match self.is_new {
            true => Vec::new(),
            false => self.lengths(|portion| self.read_round(1, portion, None)),
        };
        writes.into_iter().chain(reads).collect()
    }

    fn unplanned_rounds(&self) -> u32 {
        if self.is_new { self.portions().iter().count() as u32 } else { 0 }
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = broken(history) {
            return Step::Done(failure(history, failed));
        }
        let has_waited = history.steps().iter().any(|step| matches!(step.did, StepDone::Waited { .. }));
        if !has_waited {
            return Step::Wait(Wait::Built { at_most_seconds: ARRAY_WAIT_S });
        }
        let begun = (1..).take_while(|pass| {
            written(history, *pass).next().is_some() || read_back(history, *pass).next().is_some()
        });
        let pass = begun.last().unwrap_or(1);
        match self.next_of_pass(pass, history) {
            Some(round) => Step::Run(round),
            None if self.goes_on(history) => self
                .next_of_pass(pass + 1, history)
                .map_or_else(|| Step::Done(self.verdict(history)), Step::Run),
            None => Step::Done(self.verdict(history)),
        }
    }

    fn proof(&self, history: &History<'_>) -> Option<Proof> {
        broken(history).is_none().then(|| self.proof_of(history))
    }

    fn is_not_valid(&self, history: &History<'_>) -> bool {
        self.proof(history).is_some_and(|proof| proof != Proof::Whole)
    }
}

#[cfg(test)]
mod tests;
