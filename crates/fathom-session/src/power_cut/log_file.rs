//! The log of acknowledgements as a file or a pipe: a thread writes it, so that no write of the target waits for the log's
//! disk, and `check` reads it.

use crate::exit::{Exit, Failure};
use crate::outputs;
use fathom_device::Root;
use fathom_device::inventory::Standing;
use fathom_results::LogEnd;
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_verify::power_cut::{HeaderFault, History, LogHeader, RECORD_BYTES, RecordCoder};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// One record as it is in the log.
pub type RecordBytes = [u8; RECORD_BYTES];

/// Records that may wait for the log. A log that is slower than that holds up the writers, because what is not in the log
/// is not judged.
const WAITING_MAX: usize = 1 << 16;

/// Records that are written at once.
const TOGETHER: usize = 4096;

/// Where the log goes.
#[derive(Debug)]
pub struct LogDestination {
    /// The file or the pipe.
    pub file: File,
    /// Is it a file, which is brought to stable storage after each part?
    pub is_file: bool,
}

/// The thread that writes the log.
#[derive(Debug)]
pub struct LogWriter {
    records: SyncSender<RecordBytes>,
    thread: JoinHandle<io::Result<()>>,
}

/// Makes a new file for the log.
///
/// # Errors
/// The file is there already, or cannot be made.
pub fn create_log(path: &Path) -> Result<LogDestination, Failure> {
    let cannot = |e: io::Error| {
        let failure = Failure::new(Exit::Usage, format!("cannot make the log {}: {e}", shown::path(path)));
        match e.kind() {
            io::ErrorKind::AlreadyExists => failure
                .hint("each run has a log of its own, and none is replaced: name another file, or remove it"),
            _ => failure,
        }
    };
    outputs::can_be_new(path).map_err(cannot)?;
    let file = File::create_new(path).map_err(cannot)?;
    // Without this, the name of the log could be lost with the power of its disk.
    let directory = File::open(outputs::parent(path)).and_then(|directory| directory.sync_all());
    directory.map_err(cannot)?;
    Ok(LogDestination { file, is_file: true })
}

/// The disk that holds both the target and the log, if there is one: with its power the end of the log would be lost, too. Where a
/// file system has no disk that is known, it is its mount point.
pub fn shares_disk(root: &Root, target: &Path, log: &Path) -> Option<String> {
    let (target, log) = (Standing::of(root, target)?, Standing::of(root, log)?);
    let disks = |standing: &Standing| standing.counting_disks(root).unwrap_or_default();
    let of_log = disks(&log);
    let disk = disks(&target).into_iter().find(|disk| of_log.contains(disk));
    let mount = target.mount.filter(|mount| log.mount.as_ref() == Some(mount));
    disk.or_else(|| mount.map(|mount| shown::path(&mount.point)))
}

impl LogWriter {
    /// Writes the header, and begins to wait for records.
    ///
    /// # Errors
    /// The header cannot be written: nothing was written to the target then.
    pub fn start(header: &LogHeader, mut to: LogDestination) -> Result<LogWriter, Failure> {
        let begun = to.file.write_all(&header.encode()).and_then(|()| to.stable());
        begun.map_err(|e| failed(&e))?;
        let (records, received) = sync_channel(WAITING_MAX);
        let thread = Builder::new().name("log".to_owned()).spawn(move || write_records(&received, to));
        let thread = thread
            .map_err(|e| Failure::new(Exit::Failed, format!("cannot start the thread of the log: {e}")))?;
        Ok(LogWriter { records, thread })
    }

    /// The way to the thread, in which records must be in their order.
    pub fn sender(&self) -> SyncSender<RecordBytes> {
        self.records.clone()
    }

    /// Waits until everything is in the log. All senders must be gone.
    ///
    /// # Errors
    /// The log could not be written.
    pub fn finish(self) -> Result<(), Failure> {
        drop(self.records);
        let ended = self.thread.join().unwrap_or_else(|_| Err(io::Error::other("its thread panicked")));
        ended.map_err(|e| failed(&e))
    }
}

fn failed(e: &io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("cannot write the log: {e}"))
        .hint("what is in it can be judged; the writer has ended")
}

impl LogDestination {
    fn stable(&mut self) -> io::Result<()> {
        if self.is_file { self.file.sync_data() } else { self.file.flush() }
    }
}

fn write_records(received: &Receiver<RecordBytes>, mut to: LogDestination) -> io::Result<()> {
    let mut together = Vec::with_capacity(TOGETHER * RECORD_BYTES);
    while let Ok(first) = received.recv() {
        together.clear();
        together.extend(first);
        together.extend(received.try_iter().take(TOGETHER - 1).flatten());
        to.file.write_all(&together)?;
        to.stable()?;
    }
    Ok(())
}

/// A log that was read.
#[derive(Debug)]
pub struct ReadLog {
    /// What it says before its records.
    pub header: LogHeader,
    /// What it demands.
    pub history: History,
    /// Records that were read.
    pub records: u64,
    /// How it ends.
    pub end: LogEnd,
}

/// Reads a log up to the first bytes that are not its next record.
///
/// # Errors
/// The file cannot be read, is no log of this version, or contradicts itself.
pub fn read_log(path: &Path) -> Result<ReadLog, Failure> {
    let name = shown::path(path);
    let cannot = |e: io::Error| Failure::new(Exit::Usage, format!("cannot read the log {name}: {e}"));
    if !path.metadata().map_err(cannot)?.is_file() {
        return Err(Failure::new(Exit::Usage, format!("the log {name} is not a file")));
    }
    let mut file = BufReader::with_capacity(1 << 20, File::open(path).map_err(cannot)?);
    let mut front = Vec::new();
    file.by_ref().take(LogHeader::BYTES_MAX as u64).read_to_end(&mut front).map_err(cannot)?;
    let (header, len) = LogHeader::decode(&front).map_err(|fault| no_log(path, fault))?;
    let rest = front.split_off(len);
    let mut records = rest.as_slice().chain(file);
    let (mut history, mut coder) = (History::new(&header), RecordCoder::new(header.key));
    let end = loop {
        let (bytes, filled) = next(&mut records).map_err(cannot)?;
        let record = if filled == RECORD_BYTES { coder.decode(&bytes) } else { None };
        match record {
            Some(record) => history.add(&record).map_err(|at| malformed(path, at.record))?,
            None if filled == 0 && history.has_ended() => break LogEnd::Ended,
            None if filled == 0 => break LogEnd::Cut,
            None => break not_believed(&mut records, filled as u64, &coder).map_err(cannot)?,
        }
    };
    Ok(ReadLog { header, history, records: coder.count(), end })
}

/// The next bytes that should be a record, and how many they are.
fn next(from: &mut impl Read) -> io::Result<(RecordBytes, usize)> {
    let (mut bytes, mut filled) = ([0; RECORD_BYTES], 0);
    while filled < RECORD_BYTES {
        match from.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok((bytes, filled))
}

/// What follows the last record: `bytes` of it were read.
fn not_believed(rest: &mut impl Read, mut bytes: u64, coder: &RecordCoder) -> io::Result<LogEnd> {
    let mut has_records = false;
    loop {
        let (next, filled) = next(rest)?;
        bytes += filled as u64;
        has_records |= filled == RECORD_BYTES && coder.is_of_this_log(&next);
        if filled < RECORD_BYTES {
            return Ok(if has_records { LogEnd::Damaged { bytes } } else { LogEnd::Torn { bytes } });
        }
    }
}

fn no_log(path: &Path, fault: HeaderFault) -> Failure {
    let name = shown::path(path);
    let wrong = |message: String| Failure::new(Exit::Usage, message);
    match fault {
        HeaderFault::NoLog => wrong(format!("{name} is no log of fathom power-cut write"))
            .hint(format!("such a log begins with fathomPC: head -c 8 {}", quoted(path))),
        HeaderFault::Version(version) => {
            wrong(format!("{name} is a log of version {version}, which this fathom cannot read"))
                .hint("judge it with the fathom that wrote it")
        }
        HeaderFault::Short => wrong(format!("{name} ends within its header: nothing was acknowledged"))
            .hint("nothing was written to the target before the header was in the log"),
        HeaderFault::Damaged => {
            wrong(format!("the header of the log {name} is damaged, so nothing can be judged by it"))
        }
    }
}

fn malformed(path: &Path, record: u64) -> Failure {
    let message = format!("record {record} of the log {} contradicts those before it", shown::path(path));
    Failure::new(Exit::Usage, message)
        .hint("its checksum is right, so this is an error of fathom: please report it with the log")
}
