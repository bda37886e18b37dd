//! `fathom filesystem`: makes a file system on a device and mounts it, as the guides do before they measure files (contract I-22).

use crate::args::{ConsentArgs, carried};
use crate::failure::{Exit, Failure, print};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use fathom_device::Root;
use fathom_guard::{FILE_SYSTEMS, FileSystemError, make_file_system, mount};
use fathom_text::shell::{quoted, quoted_carried};
use fathom_text::shown;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct FilesystemArgs {
    /// What to do.
    #[command(subcommand)]
    pub act: FilesystemAct,
}

#[derive(Debug, Subcommand)]
pub enum FilesystemAct {
    /// Make a file system on a whole device, whose contents are lost, and mount it
    Create(FilesystemCreateArgs),
}

#[derive(Debug, Args)]
pub struct FilesystemCreateArgs {
    /// The device
    #[arg(value_name = "DEVICE")]
    pub device: PathBuf,
    /// Its kind
    #[arg(long, value_name = "KIND", default_value = "xfs", value_parser = PossibleValuesParser::new(FILE_SYSTEMS.iter().map(|kind| kind.name)))]
    pub kind: String,
    /// The directory on which it is mounted; it must be empty, and is made if it is missing
    #[arg(long, value_name = "DIRECTORY")]
    pub at: PathBuf,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub plan: bool,
    /// Allow destroying all that the device with this serial holds (or WWID, by-id name, BACKING_PATH:SIZE)
    #[arg(long, value_name = "SERIAL", value_parser = carried())]
    pub destroy: Vec<String>,
}

pub fn run(args: &FilesystemArgs) -> Result<Exit, Failure> {
    match &args.act {
        FilesystemAct::Create(args) => create(args),
    }
}

fn create(args: &FilesystemCreateArgs) -> Result<Exit, Failure> {
    let (device, at, kind) = (&args.device, &args.at, &args.kind);
    if args.plan {
        let text = format!(
            "make      mkfs.{kind} on {}: all that it holds is lost\nmount     on {}, without programs of other users and without \
             device nodes\ncheck     fathom devices {} says what it holds now, and what gives consent\nmeasure   fathom run JOB --target \
             {}\n",
            shown::path(device),
            shown::path(at),
            quoted(device),
            quoted(at.join("file")),
        );
        return print(&text).map(|()| Exit::Ok);
    }
    // Found before the device is written.
    if std::fs::read_dir(at).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(failure(FileSystemError::NotEmpty(at.clone())));
    }
    let root = Root::live();
    let consent = || ConsentArgs { destroy: args.destroy.clone(), ..ConsentArgs::default() }.consent();
    make_file_system(&root, consent()?, device, kind).map_err(failure)?;
    // The new file system is content too, so the same consent is asked for the mount.
    mount(&root, consent()?, device, kind, at).map_err(failure)?;
    let words: Vec<String> =
        args.destroy.iter().map(|word| format!("--destroy {}", quoted_carried(word))).collect();
    let text = format!(
        "{}: an empty {kind}, mounted on {}\nmeasure   fathom run JOB --target {} --set size=…\nundo      umount {}; fathom purge {} {}\n",
        shown::path(device),
        shown::path(at),
        quoted(at.join("file")),
        quoted(at),
        quoted(device),
        words.join(" ")
    );
    print(&text).map(|()| Exit::Ok)
}

fn failure(error: FileSystemError) -> Failure {
    match &error {
        FileSystemError::Guard(guard) if guard.is_refusal() => {
            Failure::new(Exit::Refused, guard).hints(guard.hints())
        }
        FileSystemError::NotEmpty(_) => Failure::new(Exit::Refused, &error),
        FileSystemError::UnknownKind(_) | FileSystemError::NoDevice(_) => Failure::new(Exit::Usage, &error),
        _ => Failure::new(Exit::Failed, &error),
    }
}
