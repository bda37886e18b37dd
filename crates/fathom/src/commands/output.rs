//! Printing a result in the forms that were asked for, and to where.
//!
//! An output file is a place where a typo can hurt: only what is known to hold
//! text is written to, and a file is replaced in one step.

use crate::cli::Format;
use crate::failure::{Exit, Failure, print};
use crate::session::exit_of;
use fathom_report::{fio_json, html, normal, terminal, terse};
use fathom_results::RunResult;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A place that may be written to; looked at before anything runs.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// Nothing there yet, or a regular file: replaced by rename.
    File { mode: Option<u32> },
    /// A pipe, a terminal, /dev/null: written to, open since it was looked at.
    Stream(File),
}

impl Place {
    /// Looks at the place. A block device, or any other device that could
    /// hold something, is refused.
    pub fn of(path: &Path) -> Result<Place, Failure> {
        let cannot =
            |e: io::Error| Failure::new(Exit::Usage, format!("cannot write {}: {e}", path.display()));
        match std::fs::metadata(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
                std::fs::read_dir(parent).map_err(cannot)?;
                Ok(Place { path: path.to_owned(), kind: Kind::File { mode: None } })
            }
            Err(e) => Err(cannot(e)),
            Ok(meta) if meta.is_file() => {
                // A link is kept: what it leads to is replaced.
                let path = path.canonicalize().map_err(cannot)?;
                Ok(Place { path, kind: Kind::File { mode: Some(meta.mode()) } })
            }
            Ok(meta) if meta.is_dir() => {
                Err(Failure::new(Exit::Usage, format!("{} is a directory", path.display())))
            }
            Ok(_) => Self::stream(path),
        }
    }

    /// Opened first and judged by its descriptor, so that nothing else can
    /// take its place in between.
    fn stream(path: &Path) -> Result<Place, Failure> {
        let cannot =
            |e: io::Error| Failure::new(Exit::Usage, format!("cannot write {}: {e}", path.display()));
        let file = OpenOptions::new().write(true).open(path).map_err(cannot)?;
        let meta = file.metadata().map_err(cannot)?;
        if !holds_nothing(&file, &meta) {
            let said = format!("refused to write the result to {}: it is a device", path.display());
            return Err(Failure::new(Exit::Refused, said).hint("--output takes a file, a pipe or a terminal"));
        }
        Ok(Place { path: path.to_owned(), kind: Kind::Stream(file) })
    }

    /// Writes the text: a reader sees the old or the new, whole.
    pub fn write(mut self, text: &str) -> Result<(), Failure> {
        let done = match &mut self.kind {
            Kind::Stream(file) => file.write_all(text.as_bytes()),
            Kind::File { mode } => replace(&self.path, *mode, text),
        };
        done.map_err(|e| Failure::new(Exit::Failed, format!("cannot write {}: {e}", self.path.display())))
    }
}

/// Pipes, sockets, terminals, and /dev/null and its kin (major 1).
fn holds_nothing(file: &File, meta: &Metadata) -> bool {
    let kind = meta.file_type();
    let major = (meta.rdev() >> 8) & 0xfff;
    kind.is_fifo() || kind.is_socket() || (kind.is_char_device() && (file.is_terminal() || major == 1))
}

fn replace(path: &Path, mode: Option<u32>, text: &str) -> io::Result<()> {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // As any new file, subject to the umask; an old one keeps its mode.
    builder.prefix(".fathom-").permissions(Permissions::from_mode(0o666));
    let mut file = builder.tempfile_in(parent)?;
    file.write_all(text.as_bytes())?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(Permissions::from_mode(mode & 0o7777))?;
    }
    file.persist(path).map(drop).map_err(|e| e.error)
}

/// Prints the run, or writes it to a place.
pub fn write(run: &RunResult, formats: &[Format], place: Option<Place>) -> Result<(), Failure> {
    let colour = place.is_none() && io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let text: String = formats.iter().map(|f| render(run, *f, colour)).collect();
    match place {
        Some(place) => place.write(&text),
        // A terminal that went away takes no more text; the run is saved.
        None => print(&text).or_else(|e| if exit_of(run) == Exit::HungUp { Ok(()) } else { Err(e) }),
    }
}

/// Writes the HTML page into the run's directory.
pub fn page(run: &RunResult) -> Result<PathBuf, Failure> {
    let path = run.dir.join("report.html");
    Place::of(&path)?.write(&html::page(run))?;
    Ok(path)
}

fn render(run: &RunResult, format: Format, colour: bool) -> String {
    let style = terminal::Style { colour, width: 100 };
    match format {
        Format::Summary => terminal::summary(run, style),
        Format::Details => terminal::details(run, style),
        Format::Normal => normal::normal(run),
        Format::Json => fio_json::to_text(&fio_json::fio_json(run, false)) + "\n",
        Format::JsonPlus => fio_json::to_text(&fio_json::fio_json(run, true)) + "\n",
        Format::Terse => terse::terse(run, terse::TerseVersion::V3),
        Format::Html => html::page(run),
    }
}
