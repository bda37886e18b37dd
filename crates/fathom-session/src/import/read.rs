//! From files to figures. The first bytes of a file say what it is; only the name of a log says what its values are.

use super::find::{FoundBy, ImportSource, cannot};
use super::{ImportTerms, notes};
use crate::{Exit, Failure};
use fathom_figures::fio::{
    FioLog, FioResult, FioResultError, HistogramLogReader, Imported, ImportedLog, ImportedResult, LineFault,
    LogName, LogReader, LogTerms, TextCheck, UnreadFile, contradictions, epoch_begin_ms,
};
use fathom_figures::programs::{ImportedProgram, ProgramFormat};
use fathom_figures::{ResultForm, result_form};
use fathom_text::carried;
use fathom_text::shell::quoted;
use fathom_words::fio::log_against_result;
use fathom_words::programs::finding;
use std::fs::File;
use std::io::{self, Read, Take};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// Bytes by which it is known what a file is. Before its JSON, fio writes some 110 bytes for each job if it is asked for the
/// normal form, too.
const HEAD: usize = 256 << 10;

/// What editors of Windows write before a text of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes in which the first lines of a log tell when it began.
const FIRST_LINES: u64 = 4096;

/// The largest file of a result: fio writes some KB for a job, and with `json+` 100 KB. The text is kept while it is read, so
/// this is most of the memory that an import needs.
const RESULT_MAX: u64 = 128 << 20;

/// No file is that long: it is a pipe, which is read to its end.
const PIPE_MIN: u64 = 1 << 62;

/// Why a file was not read.
enum Unread {
    /// It is nothing that fathom imports; among files that were not named themselves, it is passed over.
    Foreign(Failure),
    /// It is damaged, or cannot be read.
    Failed(Failure),
}

impl From<Failure> for Unread {
    fn from(failure: Failure) -> Self {
        Unread::Failed(failure)
    }
}

/// Reads all files. One that cannot be read does not stop the others: it is among [`Imported::unread`].
///
/// # Errors
/// If nothing was read: the first file that cannot be read, with its line where it has lines.
pub fn read(sources: &[ImportSource], terms: &ImportTerms) -> Result<Imported, Failure> {
    let mut imported = Imported { title: terms.title.clone(), ..Imported::default() };
    let epoch_ms = sources.iter().filter_map(|source| epoch_begin(&source.path, terms)).min();
    let (mut first_failure, mut passed_over) = (None, Vec::new());
    for source in sources {
        match file(source, terms, epoch_ms, &mut imported) {
            Err(Unread::Foreign(_)) if source.found != FoundBy::Name => {
                passed_over.push(source.path.as_path())
            }
            Err(Unread::Foreign(failure) | Unread::Failed(failure)) => {
                let (file, why) = (carried::of_os(&source.path), failure.message.clone());
                imported.unread.push(UnreadFile { file, why });
                first_failure.get_or_insert(failure);
            }
            Ok(()) => imported.fit_time_lines(),
        }
    }
    imported.notes.extend(notes::of_passed_over(&passed_over));
    let has_lines = imported.logs.iter().any(|log| !log.log.parts.is_empty());
    if !has_lines && imported.results.is_empty() && imported.programs.is_empty() {
        return Err(first_failure.unwrap_or_else(|| nothing(&imported, terms)));
    }
    imported.logs.retain(|log| !log.log.parts.is_empty());
    imported.notes.extend(contradictions(&imported).iter().map(log_against_result));
    Ok(imported)
}

/// When the job of a log began whose times are those of the epoch. A pipe is not read twice: it is counted from the beginning of the
/// others, or from its own.
fn epoch_begin(path: &Path, terms: &ImportTerms) -> Option<u64> {
    let name = log_name(path, terms).ok()?;
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|meta| meta.is_file()))?;
    let mut head = Vec::new();
    file.take(FIRST_LINES).read_to_end(&mut head).ok()?;
    epoch_begin_ms(head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&head), name.kind)
}

fn file(
    source: &ImportSource,
    terms: &ImportTerms,
    epoch_ms: Option<u64>,
    into: &mut Imported,
) -> Result<(), Unread> {
    let path = &source.path;
    let file = File::open(path).map_err(|e| cannot(path, &e))?;
    let meta = file.metadata().map_err(|e| cannot(path, &e))?;
    // A file of /proc says that its length is 0, and some of them keep a reader waiting.
    if source.found == FoundBy::Directory && meta.len() == 0 {
        return Err(of_another_kind(path, "an empty file"));
    }
    // What grows meanwhile is read up to where it was; a pipe is read to its end.
    let most = if meta.is_file() { meta.len() } else { u64::MAX };
    refuse_without_length(path, &file, most)?;
    let mut file = file.take(most);
    let mut head = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut head).map_err(|e| cannot(path, &e))?;
    if head.starts_with(BYTE_ORDER_MARK) {
        head.drain(..BYTE_ORDER_MARK.len());
    }
    // The name of a file of another kind says nothing.
    let own_name = if source.found == FoundBy::Directory { String::new() } else { file_name(path) };
    let form = result_form(&String::from_utf8_lossy(&head), &own_name);
    if source.found == FoundBy::Directory && form.is_none() {
        return Err(of_another_kind(path, "neither a log nor a result"));
    }
    if let Some(name) = LogName::of_histograms(&file_name(path)) {
        return log(source, terms, (name, epoch_ms, true), &head, file, into);
    }
    if head.is_empty() {
        into.notes.push(format!("{}: it is empty", path.display()));
        return Ok(());
    }
    refuse_unreadable_form(path, &head, terms)?;
    match form {
        Some(ResultForm::Fio(format)) => result(path, head, file, format.parse, into),
        Some(ResultForm::Program(format)) => program(path, head, file, format, into),
        None => log(source, terms, (log_name(path, terms)?, epoch_ms, false), &head, file, into),
    }
}

/// Refuses a file with the first bytes of a form that is not read.
fn refuse_unreadable_form(path: &Path, head: &[u8], terms: &ImportTerms) -> Result<(), Unread> {
    if head.starts_with(&[0x1f, 0x8b]) {
        let kind = LogName::of(&stem(path)).map_or("KIND".to_owned(), |name| name.kind.word().to_owned());
        let hint = format!("fathom import --kind {kind} <(zcat {})", quoted(path));
        let message = format!("{}: this is compressed", path.display());
        return Err(terms.with_kind(Failure::new(Exit::Usage, message), hint).into());
    }
    if head.starts_with(b"fio version ") {
        return Err(of_another_kind(path, "a log of I/Os for replaying (write_iolog)"));
    }
    Ok(())
}

/// Files of `/proc` and `/sys` say that their length is 0, and some of them have no end.
fn refuse_without_length(path: &Path, file: &File, length: u64) -> Result<(), Failure> {
    let has_bytes = || file.read_at(&mut [0; 4096], 0).is_ok_and(|count| count > 0);
    if length > 0 || !has_bytes() {
        return Ok(());
    }
    let message =
        format!("{}: it has no length, as files of /proc and /sys, so it may have no end", path.display());
    Err(Failure::new(Exit::Usage, message).hint("copy what it holds into a file, and import that"))
}

/// The text of a file of results, of which these are the first bytes.
fn whole_text(path: &Path, mut bytes: Vec<u8>, file: Take<File>) -> Result<String, Failure> {
    let room = RESULT_MAX.saturating_sub(bytes.len() as u64);
    // A buffer that grows is copied again and again. Of a pipe the length is not known.
    let left = file.limit();
    if left <= room {
        bytes.reserve_exact(left as usize);
    }
    let is_too_long = left > room && left < PIPE_MIN;
    if !is_too_long {
        file.take(room + 1).read_to_end(&mut bytes).map_err(|e| cannot(path, &e))?;
    }
    if is_too_long || bytes.len() as u64 > RESULT_MAX {
        let message =
            format!("{}: a result of more than {} MiB is not read", path.display(), RESULT_MAX >> 20);
        return Err(
            Failure::new(Exit::Usage, message).hint("let the program write its results into several files")
        );
    }
    Ok(text_of(bytes))
}

/// A result of another program. One of which no row can be read is an error with the first thing that is wrong with it.
fn program(
    path: &Path,
    head: Vec<u8>,
    file: Take<File>,
    format: &ProgramFormat,
    into: &mut Imported,
) -> Result<(), Unread> {
    let text = whole_text(path, head, file)?;
    let runs = (format.parse)(&text);
    if runs.iter().all(|run| run.rows.is_empty()) {
        let first = runs.iter().flat_map(|run| &run.findings).next().map(finding);
        let why = first.map(|why| format!(": {why}")).unwrap_or_default();
        let name = format.program.name();
        let message =
            format!("{}: this is output of {name}, but no row of it can be read{why}", path.display());
        return Err(Unread::Failed(Failure::new(Exit::Usage, message)));
    }
    let all = runs.len();
    into.notes.extend(notes::of_runs(path, format.program.name(), all));
    for (result, number) in runs.into_iter().zip(1..) {
        let imported =
            ImportedProgram { file: carried::of_os(path), run: (all > 1).then_some(number), result };
        into.notes.extend(notes::of_program(&imported));
        into.programs.push(imported);
    }
    Ok(())
}

fn result(
    path: &Path,
    head: Vec<u8>,
    file: Take<File>,
    parse: impl Fn(&str) -> Result<Vec<FioResult>, FioResultError>,
    into: &mut Imported,
) -> Result<(), Unread> {
    let text = whole_text(path, head, file)?;
    let runs = parse(&text).map_err(|why| {
        let failure = Failure::new(Exit::Usage, format!("{}: {why}", path.display()));
        match why {
            FioResultError::NotJson { .. } => {
                Unread::Failed(failure.hint("fio was perhaps killed before it had written all of it"))
            }
            FioResultError::NotFio => Unread::Foreign(failure),
            _ => Unread::Failed(failure),
        }
    })?;
    let all = runs.len();
    into.notes.extend(notes::of_runs(path, "fio", all));
    for (result, number) in runs.into_iter().zip(1..) {
        let result = ImportedResult { file: carried::of_os(path), run: (all > 1).then_some(number), result };
        into.notes.extend(notes::of_result(&result));
        into.results.push(result);
    }
    Ok(())
}

/// The bytes as text, in the same memory: what is not UTF-8, such as a name in Latin-1, becomes a question mark for each byte.
fn text_of(mut bytes: Vec<u8>) -> String {
    let mut from = 0;
    while let Err(e) = std::str::from_utf8(&bytes[from..]) {
        let wrong = from + e.valid_up_to();
        let next = e.error_len().map_or(bytes.len(), |length| wrong + length);
        bytes[wrong..next].fill(b'?');
        from = next;
    }
    String::from_utf8(bytes).expect("every byte that was not UTF-8 is a question mark")
}

fn log(
    source: &ImportSource,
    terms: &ImportTerms,
    (name, epoch_ms, has_histograms): (LogName, Option<u64>, bool),
    head: &[u8],
    file: impl Read,
    into: &mut Imported,
) -> Result<(), Unread> {
    let path = &source.path;
    let log_terms = LogTerms {
        kind: name.kind,
        latency_unit: terms.latency_unit,
        from_ms: terms.from.as_millis() as u64,
        to_ms: terms.to.map_or(u64::MAX, |to| to.as_millis() as u64),
        epoch_ms,
        has_parts: name.job.is_none(),
    };
    let log = if has_histograms {
        let mut reader = HistogramLogReader::new(log_terms);
        feed(path, head, file, |piece| reader.feed(piece)).map(|()| reader.finish())
    } else {
        let mut reader = LogReader::new(log_terms);
        feed(path, head, file, |piece| reader.feed(piece)).map(|()| reader.finish())
    }?;
    judge(path, &name, &log, terms)?;
    into.notes.extend(notes::of_log(path, &name, &log, terms));
    let directory = path.parent().map(carried::of_os).unwrap_or_default();
    into.logs.push(ImportedLog { directory, file: carried::of_os(path), name, log });
    Ok(())
}

/// Gives the beginning, and then the rest of the file, piece by piece, up to a line that no log has.
fn feed(path: &Path, head: &[u8], mut file: impl Read, mut to: impl FnMut(&[u8])) -> Result<(), Failure> {
    let mut check = TextCheck::default();
    let mut next = |piece: &[u8]| {
        check.check(piece).map_err(|(line, fault)| no_log(path, line, fault))?;
        to(piece);
        Ok(())
    };
    next(head)?;
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(length) => next(&piece[..length])?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(cannot(path, &e)),
        }
    }
}

/// The error of a file with a line that no log has.
fn no_log(path: &Path, line: u64, fault: LineFault) -> Failure {
    let message = format!("{}: line {line} is not of a log: {fault}", path.display());
    let failure = Failure::new(Exit::Usage, message);
    match line {
        1 => failure.hint("a line of a log is: time, value, direction, block size"),
        _ => failure.hint(format!("the lines before it may be read: head -n {} {}", line - 1, quoted(path))),
    }
}

fn log_name(path: &Path, terms: &ImportTerms) -> Result<LogName, Unread> {
    let file_name = file_name(path);
    if file_name.ends_with(".fz") {
        let message = format!("{}: fio compressed this log (log_store_compressed)", path.display());
        let hint = format!("fio --inflate-log={} prints it", quoted(path));
        return Err(Failure::new(Exit::Usage, message).hint(hint).into());
    }
    match (LogName::of(&file_name), terms.kind) {
        (Some(name), Some(kind)) => Ok(LogName { kind, ..name }),
        (Some(name), None) => Ok(name),
        (None, Some(kind)) => Ok(LogName { prefix: stem(path), kind, job: None }),
        (None, None) => {
            let message = format!("{}: its name does not say what its values are", path.display());
            let hint = "say it with --kind bw, iops, lat, clat or slat";
            Err(Unread::Foreign(terms.with_kind(Failure::new(Exit::Usage, message), hint)))
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(carried::of_os).unwrap_or_default()
}

/// The name without the ending of a compressed file.
fn stem(path: &Path) -> String {
    let name = file_name(path);
    name.strip_suffix(".gz").unwrap_or(&name).to_owned()
}

fn of_another_kind(path: &Path, what: &str) -> Unread {
    let message = format!("{}: this is {what}, which fathom import does not read", path.display());
    let hint = "logs and results of fio are read, and results of the programs that docs/commands.md lists";
    Unread::Foreign(Failure::new(Exit::Usage, message).hint(hint))
}

/// Refuses a log in which nothing could be read, and one whose lines contradict its name.
fn judge(path: &Path, name: &LogName, log: &FioLog, terms: &ImportTerms) -> Result<(), Failure> {
    if let (true, 0, Some((line, fault))) = (log.parts.is_empty(), log.outside, log.left_out.first) {
        let lines = log.left_out.lines;
        let message = format!("{}: no line of {lines} can be read; line {line}: {fault}", path.display());
        return Err(
            Failure::new(Exit::Usage, message).hint("a line of a log is: time, value, direction, block size")
        );
    }
    if name.kind.is_latency() && log.counts_ios() {
        let message =
            format!("{}: all values are 1, so this is a log of IOPS, not of latencies", path.display());
        return Err(terms.with_kind(Failure::new(Exit::Usage, message), "say what it is: --kind iops"));
    }
    Ok(())
}

fn nothing(imported: &Imported, terms: &ImportTerms) -> Failure {
    let is_outside = imported.logs.iter().any(|log| log.log.outside > 0);
    if is_outside && (terms.to.is_some() || !terms.from.is_zero()) {
        return Failure::new(Exit::Usage, "no line of the logs lies between --from and --to");
    }
    let failure =
        Failure::new(Exit::Usage, format!("there is nothing to import: {}", imported.notes.join("; ")));
    failure.hint("logs are called PREFIX_bw.1.log, PREFIX_iops.1.log, PREFIX_lat.1.log; results are known by what they hold")
}

#[cfg(test)]
mod tests;
