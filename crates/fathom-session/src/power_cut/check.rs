//! The check after the power is back: every unit of the region is read and judged.

use super::aligned;
use super::log_file::{ReadLog, read_log};
use super::target::{CutTarget, admit};
use crate::exit::{Exit, Failure};
use crate::here::Here;
use crate::run_id::new_id;
use fathom_guard::{Access, Consent};
use fathom_results::{POWER_CUT_FORMAT, PowerCutLog, PowerCutResult};
use fathom_text::carried::of_os;
use fathom_text::number::grouped;
use fathom_text::shown;
use fathom_verify::power_cut::{CutJudge, LogHeader};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is judged, and by which log.
#[derive(Debug)]
pub struct CheckRequest {
    /// The target.
    pub target: PathBuf,
    /// The log.
    pub log: PathBuf,
    /// Judge a target of another name or size, such as an image of the disk.
    pub any_target: bool,
}

/// Bytes that are read at once, unless a unit is larger.
const CHUNK: usize = 1 << 20;

/// Reads the target, and judges it by the log. Nothing is written.
///
/// # Errors
/// The log or the target cannot be read, or the log is that of another target.
pub fn check(request: &CheckRequest, here: &Here) -> Result<PowerCutResult, Failure> {
    let log = here.slow_look().at(&request.log, || read_log(&request.log))?;
    let target = admit(&request.target, Access::Read, Consent::default(), None, here)?;
    let name = shown::path(&request.target);
    let cannot = |e: io::Error| Failure::new(Exit::Failed, format!("cannot read {name}: {e}"));
    let file = open(&target).map_err(cannot)?;
    if !request.any_target {
        is_target_of(&target, &file, &log.header).map_err(cannot)??;
    }
    let mut judge = CutJudge::new(&log.history);
    read(&file, &log.header, &mut judge).map_err(cannot)?;
    let tally = judge.tally();
    let id = new_id().map_err(|e| Failure::new(Exit::Failed, format!("cannot make an id: {e}")))?;
    Ok(PowerCutResult {
        format: POWER_CUT_FORMAT,
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        id,
        checked_unix_s: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        target: of_os(&request.target),
        verdict: tally.verdict(&log.history),
        tally,
        log: summary(&log),
    })
}

fn summary(log: &ReadLog) -> PowerCutLog {
    let LogHeader { unit, start, len, durability, flush, target, started_unix_s, .. } = log.header.clone();
    let (writes, flushes) = (log.history.writes(), log.history.flushes().len() as u64);
    let (records, end) = (log.records, log.end);
    PowerCutLog { target, unit, start, len, durability, flush, started_unix_s, records, writes, flushes, end }
}

/// Past the page cache, unless the file system cannot do that: it may have kept what the target lost.
fn open(target: &CutTarget) -> io::Result<File> {
    match target.open(false) {
        Err(e) if e.kind() == io::ErrorKind::InvalidInput && !target.is_device() => target.open_cached(),
        opened => opened,
    }
}

/// Is it the target that the log is about? A file has no name of its own.
fn is_target_of(target: &CutTarget, file: &File, header: &LogHeader) -> io::Result<Result<(), Failure>> {
    if !target.is_device() {
        return Ok(Ok(()));
    }
    let size = io::Seek::seek(&mut &*file, io::SeekFrom::End(0))?;
    let (there, logged) = (target.named(size), &header.target);
    let what = match (&there.identity, &logged.identity) {
        (Some(there), Some(logged)) if there != logged => {
            format!("it is {there}, and the log is of {logged}")
        }
        _ if there.size != logged.size => {
            format!("it has {} bytes, and that of the log had {}", grouped(there.size), grouped(logged.size))
        }
        _ => return Ok(Ok(())),
    };
    let message =
        format!("{} is another device than that of the log: {what}", target.admitted.path().display());
    Ok(Err(Failure::new(Exit::Usage, message)
        .hint("with --any-target it is judged all the same, such as a copy of the disk")))
}

/// Reads the region, and has each unit judged.
fn read(file: &File, header: &LogHeader, judge: &mut CutJudge<'_>) -> io::Result<()> {
    let unit = header.unit as usize;
    let chunk = CHUNK.max(unit);
    let mut memory = Vec::new();
    let buffer = aligned(&mut memory, chunk);
    let units_at_once = (chunk / unit) as u64;
    for first in (0..header.units()).step_by(units_at_once as usize) {
        let units = units_at_once.min(header.units() - first);
        let data = &mut buffer[..units as usize * unit];
        let offset = header.start + first * unit as u64;
        match read_all(file, data, offset) {
            Ok(()) => judge.add(first, data),
            Err(e) if is_of_medium(&e) => {
                for (n, data) in data.chunks_exact_mut(unit).enumerate() {
                    let number = first + n as u64;
                    match read_all(file, data, offset + (n * unit) as u64) {
                        Ok(()) => judge.add(number, data),
                        Err(e) if is_of_medium(&e) => judge.add_unreadable(number),
                        Err(e) => return Err(e),
                    }
                }
            }
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Errors of single blocks: a drive gives them for a block whose write was cut. The numbers are those that the kernel makes
/// of a medium error, of protection data that does not fit, and of a failed I/O.
fn is_of_medium(e: &io::Error) -> bool {
    matches!(e.raw_os_error(), Some(libc::EIO | libc::ENODATA | libc::EILSEQ))
}

/// Reads all of it. What is behind the end of a file is zeros: the file lost its length.
fn read_all(file: &File, data: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < data.len() {
        match file.read_at(&mut data[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    data[done..].fill(0);
    Ok(())
}
