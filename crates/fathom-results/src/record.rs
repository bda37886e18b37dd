//! `run.json`: what was planned, on what machine, and how it ended.
//!
//! Written before the first I/O, so that a crash leaves a readable run, and replaced at the end in
//! one step, with the judgement and a [`Seal`]. Until then `finish` is absent, and the run counts
//! as incomplete.

use crate::answer::{Answer, Headline, Reason};
use crate::datasheet::DeviceSheet;
use crate::directory::SavedDirectory;
use crate::finding::Finding;
use crate::plan::PlanRecord;
use crate::printed::PrintedText;
use crate::replace::{create_run_file, write_run_file};
use crate::round::RoundRecord;
use crate::run_end::RunEnd;
use crate::seal::{self, RECORD_MAX_BYTES, Seal};
use crate::self_knowledge::SelfKnowledge;
use crate::spool::SpoolExtent;
use crate::stop_record::StopRecord;
use crate::surroundings::RunSurroundings;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// Version of `run.json`. A reader refuses a newer one; added fields do not change it.
pub const FORMAT: u32 = 1;

/// The record of one run.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// [`FORMAT`] of the writer.
    pub format: u32,
    /// Unique name of the run: the last part of its directory's name.
    pub id: String,
    /// The name that the user sees: the first job file's stem, `quick`, ….
    pub name: String,
    /// Version of fathom.
    pub fathom: String,
    /// Wall clock at the start, nanoseconds since 1970 UTC.
    pub started_unix_ns: u64,
    /// The command as typed.
    pub command: Vec<String>,
    /// What was planned.
    pub plan: PlanRecord,
    /// Options of `[global]`, in order, as typed.
    pub globals: Vec<(String, String)>,
    /// The machine and its targets before the run.
    pub host: Vec<Fact>,
    /// What the machine and the targets are, for judges.
    pub surroundings: RunSurroundings,
    /// Kernel counters of the disks below the targets, over the measured
    /// windows.
    pub disks: Vec<DiskDelta>,
    /// What the kernel counted for this process over the same windows; absent where the kernel does not say it.
    pub process_io: Option<ProcessIo>,
    /// What the run found out about itself: see [`SelfKnowledge`].
    pub self_knowledge: SelfKnowledge,
    /// Notes, hints and warnings of the plan and of the run, as they were printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<PrintedText>,
    /// What the rules found that may end jobs before their time, such as fio's steady state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stops: Vec<StopRecord>,
    /// What the rules found: reasons for which figures of this run need care, the most serious first.
    pub findings: Vec<Finding>,
    /// The codes of all rules that could have found something, when it was judged.
    pub rules: Vec<String>,
    /// The procedure that the run belongs to, which judges it: `quick`.
    pub procedure: Option<String>,
    /// The round of a procedure that this run is.
    pub round: Option<RoundRecord>,
    /// A remark of the user.
    pub note: Option<String>,
    /// Words by which the user finds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What the run says to a person who has ten seconds; absent before it is judged.
    pub answer: Option<Answer>,
    /// The claims of a data sheet that were given with the run, beside what it measured.
    pub datasheet: Option<DeviceSheet>,
    /// How it ended; absent while it runs, and after a crash.
    #[serialize_always]
    pub finish: Option<Finish>,
    /// What the directory held when the run was saved last. The last field: its checksum is found
    /// from the end.
    pub seal: Option<Seal>,
}

/// Is a command one of `fathom fio`, or of a link named `fio`?
pub fn is_fio_s(command: &[String]) -> bool {
    let program = command.first().and_then(|path| path.rsplit('/').next());
    program == Some("fio") || command.get(1).is_some_and(|verb| verb == "fio")
}

/// End of the name of a fact about a target: the memory below the loop device of which it is made, a type of file system or
/// the kernel name of a disk.
pub const MEMORY_BENEATH: &str = "memory_beneath";

/// One fact about the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fact {
    /// Dotted name: `cpu.model`, `target./dev/loop0.scheduler`.
    pub name: String,
    /// Its value; `None` when it could not be found out.
    pub value: Option<String>,
    /// Where it was read, or why it could not be.
    pub source: String,
}

/// What the kernel counted on a disk between two instants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiskDelta {
    /// Kernel name.
    pub disk: String,
    /// Length of the interval, ms.
    pub interval_ms: u64,
    /// I/Os read, written, discarded.
    pub ios: [u64; 3],
    /// Merged I/Os read, written, discarded.
    pub merges: [u64; 3],
    /// Sectors (512 B) read, written, discarded.
    pub sectors: [u64; 3],
    /// Milliseconds that I/Os spent in the device, summed over I/Os: read,
    /// written, discarded.
    pub ticks_ms: [u64; 3],
    /// Milliseconds with at least one I/O in the device (not a measure of
    /// saturation on parallel devices).
    pub busy_ms: u64,
    /// Weighted milliseconds in queue.
    pub queue_ms: u64,
    /// Flushes of the disk's write cache; absent where the kernel does not count them (before 5.5). The write without data that asks for a flush is one of the I/Os written, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<u64>,
}

/// What the kernel counted for the process that measured (`/proc/self/io`): I/O that went to a block device. What the page
/// cache answered, and what a file system answered without its device, is not in it; what other programs did is not either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcessIo {
    /// Bytes that were read from block devices.
    pub read_bytes: u64,
    /// Bytes that were written to block devices, or to pages that will be written back.
    pub write_bytes: u64,
}

/// What a procedure came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The figures that matter.
    pub headline: Headline,
    /// What to distrust, the most serious first.
    pub distrust: Vec<Reason>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finish {
    /// Length of the run, ns.
    pub elapsed_ns: u64,
    /// Every job ended by its own rule.
    pub complete: bool,
    /// What ended it.
    pub ended: RunEnd,
    /// What was going on, where the end alone does not say it: who began to use the target, what could not be saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl RunRecord {
    /// Name of the file in the run's directory.
    pub const FILE: &'static str = seal::RECORD;

    /// Name of the picture of the machine in the same directory.
    pub const TOPOLOGY: &'static str = "topology.svg";

    /// Name of the HTML page in the same directory.
    pub const PAGE: &'static str = "report.html";

    /// Is a file with this beginning a record? Checks its first fields, in the
    /// order in which they are written.
    pub fn is_begun_by(head: &[u8]) -> bool {
        let head = String::from_utf8_lossy(head);
        let mut rest = head.as_ref();
        head.starts_with('{')
            && ["\"format\":", "\"id\":", "\"name\":", "\"fathom\":", "\"started_unix_ns\":"].iter().all(
                |key| {
                    let found = rest.find(key);
                    rest = found.map_or("", |at| &rest[at..]);
                    found.is_some()
                },
            )
    }

    /// Writes the record into `dir`, replacing an older one in one step: after a
    /// crash there is either the old record or the new one.
    ///
    /// # Errors
    /// Those of the file system; the older record is then still there.
    pub fn save(&self, dir: &Path) -> io::Result<()> {
        write_run_file(dir, Self::FILE, self.text()?.as_bytes())
    }

    /// Writes the record of a run that begins into `dir`, which holds no other run.
    ///
    /// # Errors
    /// Those of the file system; `AlreadyExists` where another run has begun in `dir`.
    pub fn save_new(&self, dir: &Path) -> io::Result<()> {
        create_run_file(dir, Self::FILE, self.text()?.as_bytes())
    }

    /// In one piece: a plan of a thousand clones is megabytes, and the serialiser writes a few
    /// bytes at a time.
    fn text(&self) -> io::Result<String> {
        let text = match &self.round {
            Some(_) => serde_json::to_string(&self.without_shared())?,
            None => serde_json::to_string_pretty(self)?,
        } + "\n";
        Ok(seal::sealed_text(&text))
    }

    /// Writes the record of a run that has ended and was judged, with the seal of its directory,
    /// whose spool was written to this extent.
    ///
    /// # Errors
    /// Those of the file system; the older record is then still there.
    pub fn save_sealed(&mut self, dir: &Path, spool: SpoolExtent) -> io::Result<()> {
        self.seal = Some(Seal::of(dir, spool)?);
        self.save(dir)
    }

    /// Writes another file into the directory of a run that this process saved, and names it in the seal. The other files
    /// keep the checksums that the seal has.
    ///
    /// # Errors
    /// Those of the file system. `InvalidData` where the directory does not hold this record as it was sealed, and of a round,
    /// whose procedure knows the checksum of its record: then nothing is written.
    pub fn add_file(&self, dir: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
        let not_as_saved = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
        let Some(seal) = self.seal.clone().filter(|_| self.round.is_none()) else {
            return Err(not_as_saved("the run has no seal of its own"));
        };
        let there = SavedDirectory::open(dir)?.text(Self::FILE, RECORD_MAX_BYTES)?;
        if !seal.is_of(&there) {
            return Err(not_as_saved("run.json is not as it was saved"));
        }
        write_run_file(dir, name, bytes)?;
        RunRecord { seal: Some(seal.with(name, bytes)), ..self.clone() }.save(dir)
    }
}
