//! What a purge would do, found out without a write.

use super::error::PurgeError;
use super::facts::DriveFacts;
use super::live::OpenDrive;
use super::method::{LADDER, Method, Offer, Reach, Terms, Wish};
use crate::{Access, Admitted, Consent, Door, Finding, FindingKind, Guard, GuardError};
use fathom_device::device::{Graph, Identity, all_disks};
use fathom_device::nvme::{CriticalWarning, LbaFormat};
use fathom_device::root::Root;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What would be done.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PurgePlan {
    /// The device, as it was asked for.
    #[serde(with = "fathom_device::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// The identity of the device.
    pub device: Identity,
    /// What was wanted.
    pub wish: Wish,
    /// Id of the method.
    pub method: &'static str,
    /// What it is called in text.
    pub title: &'static str,
    /// What is true of the device afterwards, if the drive does what it reports.
    pub leaves: &'static str,
    /// Act, reach, blocks and time.
    pub terms: Terms,
    /// Every device that is emptied, the named one first.
    pub affected: Vec<Affected>,
    /// NVMe: the formats there are.
    pub formats: Vec<LbaFormat>,
    /// Every method, the strongest first, and why it is not used.
    pub ladder: Vec<Rung>,
    /// What could not be found out.
    pub unknown: Vec<String>,
    /// What a person should know before the purge.
    pub notes: Vec<String>,
}

/// One method of the ladder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rung {
    /// Its id.
    pub method: &'static str,
    /// What it is called in text.
    pub title: &'static str,
    /// Whether the device offers it.
    pub is_offered: bool,
    /// Why it is not the one that would be used; `None` for the one that is,
    /// and for weaker ones.
    pub why_not: Option<String>,
    /// What would change that.
    pub remedy: Option<String>,
}

impl PurgePlan {
    /// Whether consent can allow everything that would be emptied.
    pub fn is_possible(&self) -> bool {
        self.affected.iter().all(|device| !device.is_barred)
    }

    /// What keeps a device of the plan from being emptied, whatever is consented to, such as a mount; `None` if nothing does.
    pub fn barred_by(&self) -> Option<String> {
        let barred = self.affected.iter().filter(|device| device.is_barred);
        let why =
            barred.flat_map(|device| device.holds.iter().filter(|finding| !finding.can_be_overridden()));
        let why: Vec<String> = why.map(ToString::to_string).collect();
        (!self.is_possible()).then(|| why.join("; "))
    }

    /// Whether all that is emptied was consented to.
    pub fn is_allowed(&self) -> bool {
        self.affected.iter().all(|device| device.is_allowed)
    }

    /// The words to consent with, as a command line takes them; `None` if one
    /// of the devices cannot be named.
    pub fn consent(&self) -> Option<Vec<String>> {
        self.affected.iter().map(|device| device.consent.clone()).collect()
    }

    pub(super) fn method(&self) -> &'static Method {
        let mut methods = LADDER.iter();
        methods.find(|method| method.id == self.method).expect("a plan names a method of the ladder")
    }
}

/// What would be done to the device at `path`. Nothing is written, whatever `consent` allows: it
/// only decides whether the ladder may choose a method that empties more than what was named, and
/// the plan says whether it is enough.
pub fn plan(root: &Root, path: &Path, wish: &Wish, consent: &Consent) -> Result<PurgePlan, PurgeError> {
    wish.check()?;
    let guard = Guard::new(root.clone(), Door::Native, Consent::default());
    let admitted = guard.admit(path, Access::Read).map_err(|e| PurgeError::Refused(vec![e]))?;
    let facts = gather(root, &admitted, false)?.1;
    let choice = choose(root, &facts, wish, consent)?;
    Ok(PurgePlan {
        path: path.to_path_buf(),
        device: facts.identity.clone(),
        wish: wish.clone(),
        method: choice.method.id,
        title: choice.method.title,
        leaves: choice.method.leaves,
        terms: choice.terms,
        affected: examine(root, choice.affected, consent)?,
        notes: notes(&facts),
        formats: facts.nvme.map(|nvme| nvme.namespace.formats).unwrap_or_default(),
        ladder: choice.ladder,
        unknown: facts.unknown,
    })
}

fn notes(facts: &DriveFacts) -> Vec<String> {
    let is_shared = facts.nvme.as_ref().is_some_and(|nvme| nvme.namespace.is_shared);
    let shared = "the namespace can be reached through several controllers: fathom cannot see whether \
                  another host uses it";
    is_shared.then(|| shared.to_owned()).into_iter().collect()
}

pub(super) fn gather(
    root: &Root,
    admitted: &Admitted,
    write: bool,
) -> Result<(OpenDrive, DriveFacts), PurgeError> {
    let path = admitted.path();
    let identity = admitted.identity().ok_or_else(|| PurgeError::NotADevice { path: path.to_path_buf() })?;
    let drive = OpenDrive::open(admitted, write).map_err(|source| PurgeError::Io {
        device: path.display().to_string(),
        act: "open".to_owned(),
        source,
    })?;
    let facts = DriveFacts::gather(root, identity, &drive);
    Ok((drive, facts))
}

/// The method that would be used.
#[derive(Debug)]
pub struct Choice {
    /// The method that was chosen.
    pub method: &'static Method,
    /// On which terms.
    pub terms: Terms,
    /// What it empties, the target first.
    pub affected: Vec<Identity>,
    /// Every method, and why it is not used.
    pub ladder: Vec<Rung>,
}

/// Takes the first method of the ladder that the drive offers and the user allows. A drive in
/// critical health is refused before. Unless a method is named, one that empties other devices too
/// is taken only if all of them are consented to.
pub fn choose(root: &Root, facts: &DriveFacts, wish: &Wish, consent: &Consent) -> Result<Choice, PurgeError> {
    wish.check()?;
    check(facts)?;
    let mut chosen: Option<(&'static Method, Terms, Vec<Identity>)> = None;
    let mut ladder = Vec::new();
    for method in LADDER {
        let offer = (method.offers)(facts, wish);
        let mut rung = Rung::of(method, &offer);
        if let (Offer::Yes(terms), None) = (offer, &chosen) {
            match usable(root, facts, method, terms.reach, wish, consent)? {
                Ok(devices) => chosen = Some((method, terms, devices)),
                Err(why) => rung.why_not = Some(why),
            }
        }
        ladder.push(rung);
    }
    match chosen {
        Some((method, terms, affected)) => Ok(Choice { method, terms, affected, ladder }),
        None => Err(nothing(facts, wish, &ladder)),
    }
}

impl Rung {
    fn of(method: &Method, offer: &Offer) -> Self {
        let (why_not, remedy) = match offer {
            Offer::Yes(_) => (None, None),
            Offer::No { why, remedy } => (Some(why.clone()), remedy.clone()),
        };
        let is_offered = why_not.is_none();
        Self { method: method.id, title: method.title, is_offered, why_not, remedy }
    }
}

/// What an offered method would empty, or why it is not used.
fn usable(
    root: &Root,
    facts: &DriveFacts,
    method: &Method,
    reach: Reach,
    wish: &Wish,
    consent: &Consent,
) -> Result<Result<Vec<Identity>, String>, PurgeError> {
    if !wish.admits(method) {
        return Ok(Err(not_admitted(method, wish)));
    }
    let devices = match affected(root, facts, reach) {
        Err(e) if wish.method.is_none() => return Ok(Err(e.to_string())),
        devices => devices?,
    };
    match withheld(root, &devices, wish, consent)? {
        Some(why) => Ok(Err(why)),
        None => Ok(Ok(devices)),
    }
}

fn not_admitted(method: &Method, wish: &Wish) -> String {
    match (&wish.method, method.only_by_name) {
        (None, Some(why)) => format!("it must be asked for by name, because {why}"),
        (name, _) => format!("{} was asked for", name.as_deref().unwrap_or("another")),
    }
}

/// Why the ladder does not take a method that empties several devices.
fn withheld(
    root: &Root,
    devices: &[Identity],
    wish: &Wish,
    consent: &Consent,
) -> Result<Option<String>, PurgeError> {
    if devices.len() == 1 || wish.method.is_some() {
        return Ok(None);
    }
    let disks = all_disks(root)?;
    let is_allowed = |device: &Identity| {
        let others: Vec<Identity> = disks.iter().filter(|disk| disk.dev != device.dev).cloned().collect();
        consent.destroys(device, &others)
    };
    let kept: Vec<&str> = devices
        .iter()
        .filter(|device| !is_allowed(device))
        .map(|device| device.kernel_name.as_str())
        .collect();
    let message = format!("it would also empty {}, which --destroy does not name", kept.join(" and "));
    Ok((!kept.is_empty()).then_some(message))
}

/// Why no method can be used. Of several reasons the one with a remedy is given, because it helps
/// more than "it is not such a device".
fn nothing(facts: &DriveFacts, wish: &Wish, ladder: &[Rung]) -> PurgeError {
    let meant = |(method, _): &(&&Method, &Rung)| wish.method.is_none() || wish.admits(method);
    let mut rungs: Vec<&Rung> = LADDER.iter().zip(ladder).filter(meant).map(|(_, rung)| rung).collect();
    rungs.sort_by_key(|rung| rung.remedy.is_none());
    let remedy = rungs.first().and_then(|rung| rung.remedy.clone());
    let why = match (&wish.method, wish.block_bytes, &remedy) {
        (None, Some(bytes), None) => format!("no method of this device makes blocks of {bytes} bytes"),
        _ => rungs.first().and_then(|rung| rung.why_not.clone()).unwrap_or_default(),
    };
    let unknown = facts.unknown.join("; ");
    PurgeError::NotOffered {
        device: facts.identity.kernel_name.clone(),
        method: wish.method.clone().unwrap_or_else(|| "any method".to_owned()),
        why: if unknown.is_empty() { why } else { format!("{why} ({unknown})") },
        remedy,
    }
}

/// A device that would be emptied.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Affected {
    /// Its node.
    #[serde(with = "fathom_device::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// Its identity.
    pub identity: Identity,
    /// What it holds, and what forbids emptying it, the most severe first.
    pub holds: Vec<Finding>,
    /// The word that consents to it; `None` if it has no name of its own.
    pub consent: Option<String>,
    /// Whether it was consented to.
    pub is_allowed: bool,
    /// Whether no consent can let it through: it is in use, or it could not
    /// be examined.
    pub is_barred: bool,
}

/// Everything that a method with this reach empties, the target first.
pub fn affected(root: &Root, facts: &DriveFacts, reach: Reach) -> Result<Vec<Identity>, PurgeError> {
    let target = &facts.identity;
    let mut emptied = vec![target.clone()];
    let Some(nvme) = &facts.nvme else { return Ok(emptied) };
    let neighbours = neighbours(root, target)?;
    for nsid in &nvme.namespaces {
        let mut nodes = neighbours.iter().filter(|(number, _)| number == nsid).peekable();
        // The same namespace may be there twice, by two controllers.
        if reach == Reach::Target && *nsid != nvme.nsid {
            continue;
        }
        if nodes.peek().is_none() {
            return Err(PurgeError::HiddenNamespace { device: target.kernel_name.clone(), nsid: *nsid });
        }
        emptied.extend(nodes.map(|(_, identity)| identity.clone()).filter(|other| other.dev != target.dev));
    }
    if reach == Reach::AllNamespaces {
        // A controller without namespace management lists only its own namespaces; those of the
        // drive's other controllers are emptied too.
        for (_, other) in neighbours {
            if emptied.iter().all(|known| known.dev != other.dev) {
                emptied.push(other);
            }
        }
    }
    Ok(emptied)
}

/// The namespaces of the target's subsystem that are block devices here, the
/// target among them, each with its number.
fn neighbours(root: &Root, target: &Identity) -> Result<Vec<(u32, Identity)>, PurgeError> {
    let own = subsystem(root, &target.kernel_name)?;
    let mut namespaces = Vec::new();
    for disk in all_disks(root)? {
        let name = &disk.kernel_name;
        if subsystem(root, name).ok().as_ref() == Some(&own) {
            namespaces.push((root.read_value(format!("/sys/class/block/{name}/nsid"))?, disk));
        }
    }
    Ok(namespaces)
}

fn subsystem(root: &Root, name: &str) -> Result<String, fathom_device::root::Unknown> {
    root.read_text(format!("/sys/class/block/{name}/device/subsysnqn"))
}

/// What each of the devices holds, what it takes to empty it, and whether `consent` is enough. The
/// guard that is asked has no consent, so nothing is opened for writing.
pub fn examine(root: &Root, devices: Vec<Identity>, consent: &Consent) -> Result<Vec<Affected>, PurgeError> {
    let disks = all_disks(root)?;
    devices.into_iter().map(|identity| examine_one(root, identity, &disks, consent)).collect()
}

fn examine_one(
    root: &Root,
    identity: Identity,
    disks: &[Identity],
    consent: &Consent,
) -> Result<Affected, PurgeError> {
    let graph = Graph::read(root, identity.dev)?;
    let path = graph.target().dev_path.clone();
    let disk = graph.whole_disk().number;
    let others: Vec<Identity> = disks.iter().filter(|other| other.dev != disk).cloned().collect();
    let is_allowed = consent.destroys(&identity, &others);
    let guard = Guard::new(root.clone(), Door::Native, Consent::default());
    let (mut holds, is_barred) = match guard.admit(&path, Access::Write) {
        Ok(_) => (Vec::new(), false),
        Err(GuardError::Refused(refusal)) => {
            let is_barred = !refusal.can_be_overridden();
            (refusal.findings, is_barred)
        }
        Err(other) => return Err(PurgeError::Refused(vec![other])),
    };
    holds.retain(|finding| finding.kind != FindingKind::NoConsent);
    let word = Consent::word_for(&identity, &others);
    Ok(Affected { path, identity, holds, consent: word, is_allowed, is_barred })
}

// A drive that is failing is not purged.
//
// Nothing puts a heavier load on a drive than erasing. A drive without spare blocks, with
// read-only media or with a failing controller may stop in the middle and stay locked or in a
// failure state. What it reports afterwards about blocks that it retired proves nothing.

/// Bit 5 of the critical warning is about the persistent memory region, which
/// holds no blocks and is not touched by a purge (NVMe base specification 2.0,
/// figure "SMART / Health Information Log Page").
const MEMORY_REGION: u8 = 1 << 5;

/// Bit 1: too hot or too cold.
const TEMPERATURE: u8 = 1 << 1;

/// Refuses a drive whose own report says that it is in critical health. What it does not report, or
/// could not be asked, is in [`DriveFacts::unknown`].
pub(super) fn check(facts: &DriveFacts) -> Result<(), PurgeError> {
    let message = critical(facts);
    if message.is_empty() {
        return Ok(());
    }
    let warnings = facts.nvme.as_ref().map_or(CriticalWarning(0), |nvme| nvme.critical_warning);
    let hint = match warnings.0 & !MEMORY_REGION {
        TEMPERATURE => {
            "bring the drive back to its range of temperature before you purge it: a drive that is too hot \
             may switch off during the purge"
        }
        _ => {
            "replace the drive; only destroying the drive itself destroys its data for certain. smartctl -a \
             shows what the drive reports"
        }
    };
    Err(PurgeError::CriticalHealth {
        device: facts.identity.kernel_name.clone(),
        message: message.join("; "),
        hint: hint.to_owned(),
    })
}

/// What the drive reports as critical, as clauses.
fn critical(facts: &DriveFacts) -> Vec<String> {
    let mut messages = Vec::new();
    if let Some(nvme) = &facts.nvme {
        messages.extend(CriticalWarning(nvme.critical_warning.0 & !MEMORY_REGION).clauses());
    }
    if facts.ata.is_some_and(|ata| ata.is_failing == Some(true)) {
        messages.push("the disk predicts its own failure (SMART: threshold exceeded)".to_owned());
    }
    if facts.scsi.as_ref().is_some_and(|scsi| scsi.is_failing == Some(true)) {
        messages.push("the disk predicts its own failure (informational exception 0x5d)".to_owned());
    }
    messages
}
