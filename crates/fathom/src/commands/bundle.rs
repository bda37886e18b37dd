//! `fathom bundle`: a saved run in one file.

use crate::args::RUNS_DIR;
use crate::failure::{Exit, Failure, print, say};
use crate::place::{OutputKind, OutputPlace, OutputTerms};
use crate::saved_result;
use crate::terminal::slow_look;
use clap::Args;
use fathom_device::bounded;
use fathom_guard::Door;
use fathom_results::RunRecord;
use fathom_results::procedure::is_procedure;
use fathom_session::bundle::{BundleRequest, PackedBundle, pack};
use fathom_session::outputs::InUse;
use fathom_session::procedure::saved_procedure;
use fathom_text::quantity::bytes;
use fathom_text::shell::quoted;
use fathom_text::shown;
use fathom_text::words::{counted, first_of};
use std::path::{Path, PathBuf};

/// What `--help` says after the arguments.
const HELP: &str = "\
It has the files that fathom saved with the run, and nothing else of its directory. The file is a tar archive, compressed with gzip: `tar xzf FILE` unpacks it, and `sha256sum -c SHA256SUMS` in its directory verifies it. Its first file, \
manifest.json, has the size and the SHA-256 of each file, so `fathom report FILE` refuses a bundle that was changed. The \
digests show damage; they are no signature. A bundle names the machine, its users and its files, as the run does. To send a \
result without these names: fathom report --redact --output-format html -o page.html RUN";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct BundleArgs {
    /// Directory of a run or a procedure, its id or the beginning of that, its name, or `latest`; default: the
    /// newest in fathom-runs
    pub run: Option<PathBuf>,
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Add this capture of the machine, from `fathom doctor capture`
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,
    /// The file to write; default: the name of the run's directory with .fathom.tar.gz, here
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Allow replacing this file, although it holds something else
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
    /// Not possible: a bundle has the run as it is
    #[arg(long, hide = true)]
    pub redact: bool,
}

/// The ending of the file's name.
const ENDING: &str = ".fathom.tar.gz";

/// The longest capture that is read to see whether it is one.
const CAPTURE_MAX_BYTES: u64 = 64 << 20;

/// Runs the command.
pub fn run(args: &BundleArgs) -> Result<Exit, Failure> {
    let dir = saved_result::run(&args.runs_dir, args.run.as_deref())?;
    if args.redact {
        let message =
            "a bundle holds the record and the spool of a run as they are, with the names of the machine";
        let page = format!("fathom report --redact --output-format html -o page.html {}", quoted(&dir));
        return Err(Failure::new(Exit::Usage, message).hint(format!("to send a result without them: {page}")));
    }
    let BundledRun { configuration, damage } = BundledRun::of(&dir)?;
    args.capture.as_deref().map_or(Ok(()), is_capture)?;
    let output = match &args.output {
        Some(output) => output.clone(),
        None => named(&dir)?,
    };
    let in_use = InUse::default();
    let kind = OutputKind::Bundle;
    let terms = OutputTerms { kind, overwrite: &args.overwrite, door: Door::Native, in_use: &in_use };
    let place = OutputPlace::of(Some(&output), terms)?;
    let request = BundleRequest { dir: &dir, capture: args.capture.as_deref(), configuration };
    let PackedBundle { manifest, left_out } =
        slow_look().at(&dir, || place.fill(|file| pack(&request, file)))?;
    let size = std::fs::metadata(&output).map_or(0, |meta| meta.len());
    let files = counted(manifest.files.len(), "file");
    say(&format!("bundled {files} of {} in {}", manifest.directory, bytes(size as f64)));
    tell_left_out(&dir, &left_out);
    if let Some(what) = damage {
        say(&format!("warning: {} is damaged, and so is its bundle: {what}", shown::path(&dir)));
    }
    say(&format!("  to verify and print it: fathom report {}", quoted(&output)));
    print(&format!("{}\n", shown::path(&output))).map(|()| Exit::Ok)
}

/// How many files that are left out are named.
const LEFT_OUT_NAMED: usize = 3;

/// Says what of the directory is not in the bundle. A page of a run is made again from the bundle.
fn tell_left_out(dir: &Path, left_out: &[String]) {
    let left_out: Vec<&String> = left_out.iter().filter(|path| *path != RunRecord::PAGE).collect();
    if left_out.is_empty() {
        return;
    }
    let named: Vec<_> = left_out.iter().map(|path| shown::line(path)).collect();
    let named = first_of(&named, LEFT_OUT_NAMED);
    say(&format!("note: left out of the bundle, as fathom did not save it in {}: {named}", shown::path(dir)));
}

/// What is known of a run or procedure before it is bundled.
struct BundledRun {
    /// The short id of its configuration; of a procedure the history decides, so it has none.
    configuration: Option<String>,
    /// What is not as it was saved.
    damage: Option<String>,
}

impl BundledRun {
    /// What is no run is an error; a damaged one can be sent as it is.
    fn of(dir: &Path) -> Result<BundledRun, Failure> {
        let read = match is_procedure(dir) {
            true => saved_procedure(dir).map(|(_, damage)| (None, damage.into_iter().next())),
            false => fathom_session::load(dir)
                .map(|run| (Some(fathom_report::configuration_id(&run.record)), run.damage)),
        };
        match read {
            Ok((configuration, damage)) => Ok(BundledRun { configuration, damage }),
            Err(e) if e.exit == Exit::Incomplete => {
                Ok(BundledRun { configuration: None, damage: Some(e.message) })
            }
            Err(e) => Err(e),
        }
    }
}

fn is_capture(path: &Path) -> Result<(), Failure> {
    let read = slow_look().at(path, || bounded::file(path, CAPTURE_MAX_BYTES));
    let message = match read {
        Ok(head) if OutputKind::Capture.is_begun_by(&head[..head.len().min(64)]) => return Ok(()),
        Ok(_) => "it is not the capture of a machine".to_owned(),
        Err(e) => e.to_string(),
    };
    let message = format!("cannot add {}: {message}", shown::path(path));
    Err(Failure::new(Exit::Usage, message).hint("to make a capture: fathom doctor capture -o FILE"))
}

/// The name of the run's directory, in the current directory.
fn named(dir: &Path) -> Result<PathBuf, Failure> {
    let real = std::fs::canonicalize(dir);
    let real = real.map_err(|e| Failure::new(Exit::Usage, format!("cannot read {}: {e}", dir.display())))?;
    let mut name = real.file_name().unwrap_or_default().to_owned();
    name.push(ENDING);
    Ok(name.into())
}
