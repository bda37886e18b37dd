//! `fathom array`: makes md arrays of whole devices, and takes them apart again.

use super::purge::text::affected;
use crate::args::{ConsentArgs, carried};
use crate::failure::{Exit, Failure, print, say};
use clap::{Args, Subcommand};
use fathom_device::Root;
use fathom_guard::Consent;
use fathom_guard::array::{self, ArrayError, ArrayMetadata, ArrayPlan, ArrayRecords, ArraySpec, RemovalPlan};
use fathom_guard::purge::Affected;
use fathom_job::parse::read_size;
use fathom_job::units::Bytes;
use fathom_session::procedure::arrays_being_built;
use fathom_session::state_dir;
use fathom_text::shell::{quoted, quoted_carried};
use fathom_text::shown;
use std::path::PathBuf;
use std::time::Duration;

/// How often the kernel is asked how far an array is.
const LOOK: Duration = Duration::from_secs(1);
/// Looks between two messages.
const LOOKS_TOLD: u64 = 10;

#[derive(Debug, Args)]
pub struct ArrayArgs {
    /// What to do.
    #[command(subcommand)]
    pub act: ArrayAct,
}

#[derive(Debug, Subcommand)]
pub enum ArrayAct {
    /// Make an md array of devices, whose contents are lost
    Create(CreateArgs),
    /// Stop an array that fathom made, and its container, and erase their metadata from its members
    Remove(RemoveArgs),
}

#[derive(Debug, Args)]
pub struct CreateArgs {
    /// The members in their order: disks or partitions
    #[arg(required = true, value_name = "MEMBER")]
    pub members: Vec<PathBuf>,
    /// The RAID level
    #[arg(long, value_name = "LEVEL", value_parser = ["0", "1", "5", "6", "10"])]
    pub level: String,
    /// Who keeps the metadata: md itself (1.2), or Intel's firmware (imsm), where the platform has VROC or Rapid Storage. Then a
    /// container of all members is made first, and the array as a volume in it; mdadm chooses the order of its members
    #[arg(long, value_name = "FORM", default_value = "1.2", value_parser = ["1.2", "imsm"])]
    pub metadata: String,
    /// How much lies on one member before the next one follows [default: 512k, imsm 128k]
    #[arg(long, value_name = "SIZE")]
    pub chunk: Option<String>,
    /// Name of the array: it becomes /dev/md/NAME too
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Wait until the array has initialised itself. `pts` and `precondition` wait without it
    #[arg(long)]
    pub wait: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub plan: bool,
    /// Allow destroying all that the device with this serial holds (or WWID, by-id name, BACKING_PATH:SIZE); once for every member
    #[arg(long, value_name = "SERIAL", value_parser = carried())]
    pub destroy: Vec<String>,
}

#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// The array, such as /dev/md127
    #[arg(value_name = "ARRAY")]
    pub array: PathBuf,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub plan: bool,
    /// Allow destroying all that the array with this UUID holds
    #[arg(long, value_name = "UUID", value_parser = carried())]
    pub destroy: Vec<String>,
}

pub fn run(args: &ArrayArgs) -> Result<Exit, Failure> {
    match &args.act {
        ArrayAct::Create(args) => create(args),
        ArrayAct::Remove(args) => remove(args),
    }
}

fn create(args: &CreateArgs) -> Result<Exit, Failure> {
    let (root, consent) = (Root::live(), consent(&args.destroy)?);
    let usage = |message: String| Failure::new(Exit::Usage, message);
    let chunk_bytes = args.chunk.as_deref().map(read_size).transpose().map_err(usage)?;
    let level = args.level.parse().map_err(usage)?;
    let metadata = args.metadata.parse().map_err(usage)?;
    let spec = ArraySpec { metadata, level, chunk_bytes, name: args.name.clone() };
    let plan = array::plan(&root, &spec, &args.members, &consent).map_err(|e| failure(&e))?;
    if args.plan || !plan.is_possible() || !plan.is_allowed() {
        print(&planned(&plan))?;
    }
    if args.plan {
        let runs: String = array::commands(&plan).iter().map(|runs| line("runs", runs)).collect();
        print(&(runs + &line("command", &command(args, &plan))))?;
        return array::check(&root, &plan).map(|()| Exit::Ok).map_err(|e| failure(&e));
    }
    let made = array::create(&root, &plan, &consent, &records())
        .map_err(|e| with_command(&e, plan.is_possible(), || command(args, &plan)))?;
    if args.wait {
        wait(&made.node, &root);
    }
    let array = made.node.display();
    let mut text = format!("{array}: {}\n", shape(&plan));
    let id = match plan.metadata {
        ArrayMetadata::Native => "uuid",
        ArrayMetadata::Imsm => "family",
    };
    text += &line(id, &made.record.id);
    if let [building] = arrays_being_built(std::slice::from_ref(&made.node), &root).as_slice() {
        text +=
            &line("state", &format!("it initialises itself: {building}; pts and precondition wait for that"));
    }
    let word = Consent::word_for(&made.identity, &[]).unwrap_or_default();
    let destroy = format!("--destroy {}", quoted_carried(&word));
    text += &line("measure", &format!("fathom pts iops --target {array} {destroy}"));
    text += &line("remove", &format!("fathom array remove {array} {destroy}"));
    print(&text).map(|()| Exit::Ok)
}

fn remove(args: &RemoveArgs) -> Result<Exit, Failure> {
    let (root, consent, records) = (Root::live(), consent(&args.destroy)?, records());
    let plan = array::plan_removal(&root, &args.array, &consent, &records).map_err(|e| failure(&e))?;
    let command = || {
        let word = plan.array.consent.as_deref().unwrap_or("UUID");
        format!("fathom array remove {} --destroy {}", quoted(&args.array), quoted_carried(word))
    };
    if args.plan || plan.array.is_barred || !plan.array.is_allowed {
        print(&planned_removal(&plan))?;
    }
    if args.plan {
        print(&line("command", &command()))?;
        return array::check_removal(&plan).map(|()| Exit::Ok).map_err(|e| failure(&e));
    }
    array::remove(&root, &plan, &consent, &records)
        .map_err(|e| with_command(&e, !plan.array.is_barred, command))?;
    let names: Vec<String> =
        plan.members.iter().map(|member| format!("/dev/{}", member.kernel_name)).collect();
    let mut text =
        format!("{}: stopped, and its metadata is erased from its members\n", shown::path(&args.array));
    text += &line("members", &names.join(" "));
    plan.notes.iter().for_each(|note| text += &line("note", note));
    text += &line(
        "empty",
        &format!("what was written to the array is still on them: fathom purge --plan {}", names.join(" ")),
    );
    print(&text).map(|()| Exit::Ok)
}

/// Waits until the array is built. After Ctrl-C the array stays, and goes on initialising itself.
fn wait(node: &std::path::Path, root: &Root) {
    for look in 0.. {
        let building = arrays_being_built(&[node.to_owned()], root);
        if building.is_empty() {
            return;
        }
        if look % LOOKS_TOLD == 0 {
            say(&format!("waiting until the array is built: {}", building.join("; ")));
        }
        std::thread::sleep(LOOK);
    }
}

fn consent(destroy: &[String]) -> Result<Consent, Failure> {
    ConsentArgs { destroy: destroy.to_vec(), ..ConsentArgs::default() }.consent()
}

fn records() -> ArrayRecords {
    ArrayRecords::at(state_dir("arrays").unwrap_or_else(|| PathBuf::from("./fathom/arrays")))
}

fn failure(error: &ArrayError) -> Failure {
    Failure::of(error, error.is_refusal(), error.is_usage()).hints(error.hints())
}

/// A refusal that options can change has the command that they make.
fn with_command(error: &ArrayError, is_possible: bool, command: impl FnOnce() -> String) -> Failure {
    match error {
        ArrayError::Refused { .. } if is_possible => {
            Failure::new(Exit::Refused, error).hint(format!("to do this: {}", command()))
        }
        _ => failure(error),
    }
}

/// The command that does what the plan says.
fn command(args: &CreateArgs, plan: &ArrayPlan) -> String {
    let mut words = vec![format!("fathom array create --level {}", plan.level.number())];
    let is_other = plan.metadata != ArrayMetadata::default();
    words.extend(is_other.then(|| format!("--metadata {}", plan.metadata)));
    words.extend(args.chunk.iter().map(|chunk| format!("--chunk {}", quoted(chunk))));
    words.extend(args.name.iter().map(|name| format!("--name {}", quoted(name))));
    words.extend(args.members.iter().map(quoted));
    let consent = |member: &Affected| {
        format!("--destroy {}", quoted_carried(member.consent.as_deref().unwrap_or("SERIAL")))
    };
    words.extend(plan.members.iter().map(consent));
    words.join(" ")
}

fn shape(plan: &ArrayPlan) -> String {
    let chunk = plan.chunk_bytes.map_or(String::new(), |bytes| format!(", chunks of {}", Bytes(bytes)));
    let (level, members) = (plan.level, plan.members.len());
    let metadata = match plan.metadata {
        ArrayMetadata::Native => String::new(),
        other => format!(", metadata {other}"),
    };
    format!("{level} of {members} members{chunk}{metadata}, at most {} of data", Bytes(plan.size_bytes))
}

fn planned(plan: &ArrayPlan) -> String {
    let mut text = shape(plan) + "\n";
    plan.members.iter().for_each(|member| text += &line("member", &affected(member)));
    text += &line("loses", "everything that the members hold");
    if plan.level.is_redundant() {
        text += &line(
            "then",
            "the array initialises itself, which reads and writes whole members; it has no write-intent bitmap",
        );
    }
    plan.notes.iter().for_each(|note| text += &line("note", note));
    text
}

fn planned_removal(plan: &RemovalPlan) -> String {
    let mut text = format!("{}, made by fathom\n", shown::path(&plan.array.path));
    text += &line("array", &affected(&plan.array));
    plan.members.iter().for_each(|member| text += &line("member", &member.describe()));
    let stopped = plan
        .container
        .as_ref()
        .map_or_else(String::new, |container| format!(" and its container {container}"));
    text += &line("does", &format!("stops the array{stopped}, and erases its metadata from these members"));
    plan.notes.iter().for_each(|note| text += &line("note", note));
    text
}

fn line(name: &str, value: &str) -> String {
    format!("  {name:<8} {}\n", shown::line(value))
}
