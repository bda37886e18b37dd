//! Makes a bundle of the directory of a run or a procedure.

use super::contents::Contents;
use super::envelope::{Hashed, compressed};
use super::hindered;
use super::manifest::{self, BundleManifest, BundledFile, FILES_MAX, SAVED_MAX_BYTES};
use crate::exit::{Exit, Failure};
use crate::runs;
use fathom_results::SavedDirectory;
use fathom_results::procedure::is_procedure;
use fathom_text::calendar::Moment;
use fathom_text::carried;
use std::fs::{self, File};
use std::io::{self, Read, Take, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use tar::{Builder, EntryType, Header};

/// Name of a capture in a bundle.
const CAPTURE: &str = "capture.txt";

/// What a bundle is made of.
#[derive(Clone, Debug)]
pub struct BundleRequest<'a> {
    /// The directory of a run or a procedure.
    pub dir: &'a Path,
    /// The capture of a machine that goes with it.
    pub capture: Option<&'a Path>,
    /// The short id of its configuration, where that is known.
    pub configuration: Option<String>,
}

/// A bundle that was written.
#[derive(Clone, Debug)]
pub struct PackedBundle {
    /// What it holds.
    pub manifest: BundleManifest,
    /// What the directory holds besides, by paths in it (carried), in order: nothing of it belongs to the saved run.
    pub left_out: Vec<String>,
}

/// Writes the bundle: the regular files that fathom saved.
///
/// # Errors
/// A file cannot be read, or is changed while it is read; or the bundle cannot be written.
pub fn pack(request: &BundleRequest<'_>, to: &mut impl Write) -> Result<PackedBundle, Failure> {
    let dir = fs::canonicalize(request.dir).map_err(|e| cannot(request.dir, &e))?;
    let held = SavedDirectory::open(&dir).map_err(|e| cannot(&dir, &e))?;
    let Contents { saved, foreign } = Contents::of(&held).map_err(|e| cannot(&dir, &e))?;
    let sources = sources(&dir, saved, request.capture)?;
    fits(&held, &sources)?;
    let manifest = manifest(&held, request, &sources)?;
    write(&held, &manifest, &sources, to)?;
    Ok(PackedBundle { manifest, left_out: foreign.iter().map(carried::of_os).collect() })
}

/// A file that goes into the bundle.
enum Source {
    /// By its path in the directory.
    OfRun(PathBuf),
    /// By the path that a person gave.
    Capture(PathBuf),
}

impl Source {
    /// Opens it: of the run's directory, only a regular file, and through no link. A file that grows is read up to the limit of a
    /// bundle.
    fn open(&self, dir: &SavedDirectory) -> Result<Take<File>, Failure> {
        let file = match self {
            Source::OfRun(path) => dir.file_below(path).map_err(|e| cannot(&dir.path().join(path), &e))?,
            Source::Capture(path) => opened(path)?,
        };
        Ok(file.take(SAVED_MAX_BYTES))
    }

    /// Its path, for messages.
    fn path(&self, dir: &SavedDirectory) -> PathBuf {
        match self {
            Source::OfRun(path) => dir.path().join(path),
            Source::Capture(path) => path.clone(),
        }
    }
}

/// The files that go into the bundle, and their paths in it, in order.
fn sources(
    dir: &Path,
    saved: Vec<PathBuf>,
    capture: Option<&Path>,
) -> Result<Vec<(Source, String)>, Failure> {
    let of_run = |path: PathBuf| {
        let name = carried::of_os(&path);
        (Source::OfRun(path), name)
    };
    let mut sources: Vec<(Source, String)> = saved.into_iter().map(of_run).collect();
    if let Some(capture) = capture {
        if sources.iter().any(|(_, path)| path == CAPTURE) {
            let message =
                format!("{} has a file {CAPTURE} already, so no capture can be added", dir.display());
            return Err(Failure::new(Exit::Usage, message));
        }
        // The capture may be named by a link; what is in the directory may not be one.
        let capture = fs::canonicalize(capture).map_err(|e| cannot(capture, &e))?;
        sources.push((Source::Capture(capture), CAPTURE.to_owned()));
    }
    match sources.len() {
        0..=FILES_MAX => Ok(sources),
        _ => {
            let message = format!("{} has more than {FILES_MAX} files, and a bundle does not", dir.display());
            Err(Failure::new(Exit::Usage, message))
        }
    }
}

/// Refuses what is too long before it is read: a sparse file of a terabyte would be read for hours.
fn fits(dir: &SavedDirectory, sources: &[(Source, String)]) -> Result<(), Failure> {
    let mut bytes: u64 = 0;
    for (source, _) in sources {
        let path = source.path(dir);
        bytes = bytes.saturating_add(fs::symlink_metadata(&path).map_err(|e| cannot(&path, &e))?.len());
    }
    if bytes <= SAVED_MAX_BYTES {
        return Ok(());
    }
    let message = format!(
        "{} has {bytes} bytes, and a bundle has at most {SAVED_MAX_BYTES}, those of a day with hundreds of jobs",
        dir.path().display()
    );
    Err(Failure::new(Exit::Usage, message))
}

/// Opens a capture, which must be a regular file, without waiting where it is a FIFO by now.
fn opened(source: &Path) -> Result<File, Failure> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags).open(source).map_err(|e| cannot(source, &e))?;
    let meta = file.metadata().map_err(|e| cannot(source, &e))?;
    match meta.is_file() {
        true => Ok(file),
        false => Err(cannot(source, &io::Error::other("it is not a regular file"))),
    }
}

fn manifest(
    held: &SavedDirectory,
    request: &BundleRequest<'_>,
    sources: &[(Source, String)],
) -> Result<BundleManifest, Failure> {
    let dir = held.path();
    let head = runs::look(dir).and_then(|run| run.head.ok());
    let mut files = Vec::new();
    for (source, path) in sources {
        let mut hashed = Hashed::new(source.open(held)?);
        io::copy(&mut hashed, &mut io::sink()).map_err(|e| cannot(&source.path(held), &e))?;
        files.push(BundledFile { path: path.clone(), bytes: hashed.bytes, sha256: hashed.hex() });
    }
    let kind = if is_procedure(dir) { "procedure" } else { "run" };
    Ok(BundleManifest {
        fathom_bundle: manifest::FORMAT,
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        kind: kind.to_owned(),
        id: head.as_ref().map(|head| head.id.clone()),
        name: head.as_ref().map(|head| head.name.clone()),
        started: head.map(|head| Moment::of_unix_ns(head.started_unix_ns).to_string()),
        configuration: request.configuration.clone(),
        directory: carried::of_os(dir.file_name().unwrap_or_default()),
        capture: request.capture.map(|_| CAPTURE.to_owned()),
        files,
    })
}

fn write(
    held: &SavedDirectory,
    manifest: &BundleManifest,
    sources: &[(Source, String)],
    to: &mut impl Write,
) -> Result<(), Failure> {
    let unsaved = |e: io::Error| Failure::new(Exit::Failed, format!("cannot write the bundle: {e}"));
    let mut archive = Builder::new(compressed(to));
    let text = serde_json::to_vec_pretty(manifest).map_err(|e| unsaved(e.into()))?;
    append(&mut archive, &manifest.directory, manifest::FILE, text.len() as u64, &mut text.as_slice())
        .map_err(unsaved)?;
    for ((source, _), file) in sources.iter().zip(&manifest.files) {
        let mut hashed = Hashed::new(source.open(held)?.take(file.bytes));
        append(&mut archive, &manifest.directory, &file.path, file.bytes, &mut hashed).map_err(unsaved)?;
        if hashed.hex() != file.sha256 {
            let message = format!("{} was changed while it was read", source.path(held).display());
            return Err(Failure::new(Exit::Failed, message).hint("if the run is not over, wait for its end"));
        }
    }
    let sums = manifest.sums(&text);
    append(&mut archive, &manifest.directory, manifest::SUMS, sums.len() as u64, &mut sums.as_slice())
        .map_err(unsaved)?;
    let to = archive.into_inner().and_then(|gzip| gzip.finish()).map_err(unsaved)?;
    to.flush().map_err(unsaved)
}

/// Adds a file, without owner and time: the record tells when the run was.
fn append(
    archive: &mut Builder<impl Write>,
    directory: &str,
    path: &str,
    bytes: u64,
    content: &mut impl Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_mode(0o644);
    header.set_size(bytes);
    archive.append_data(&mut header, carried::to_path(directory).join(carried::to_path(path)), content)
}

fn cannot(path: &Path, e: &io::Error) -> Failure {
    hindered(format!("cannot bundle {}: {e}", path.display()), e, Exit::Usage)
}
