//! `fathom filesystem`: makes a file system on a device and mounts it, as the guides do before they measure files (contract I-22).

use crate::args::{ConsentArgs, carried};
use crate::failure::{Exit, Failure, print};
use crate::steps;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use fathom_device::Root;
use fathom_guard::{FILE_SYSTEMS, check_file_system, create_file_system};
use fathom_session::procedure::filesystem_failure;
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
    let root = Root::live();
    let consent = ConsentArgs { destroy: args.destroy.clone(), ..ConsentArgs::default() }.consent()?;
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
        print(&text)?;
        let refused = check_file_system(&root, consent, device, kind, at).map_err(|e| filesystem_failure(&e));
        return steps::judged("command", refused.err().into_iter().collect());
    }
    create_file_system(&root, &consent, device, kind, at).map_err(|e| filesystem_failure(&e))?;
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
