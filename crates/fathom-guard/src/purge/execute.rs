//! Carries out a plan on this machine, through the guard.

use super::drive::DriveInterfaces;
use super::error::PurgeError;
use super::facts::DriveFacts;
use super::ledger::Ledger;
use super::live::OpenDrive;
use super::method::{ProgressListener, Wish};
use super::perform::{Bench, PurgeTask, PurgedDevice, perform};
use super::plan::{Affected, Choice, PurgePlan, choose, gather};
use super::record::PurgeRecord;
use super::samples::Sampling;
use crate::{Access, Admitted, Consent, Door, Guard};
use fathom_device::device::Identity;
use fathom_device::root::Root;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// The kernel looks at a namespace again by itself soon after a format.
const LOOKS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);
/// After this many looks the kernel is asked to look too.
const LOOKS_BEFORE_ASKING: u32 = 20;

/// Carries out a plan. Every device of the plan is claimed first and stays claimed until the proof
/// is complete. Then the guard and all its admissions are dropped, because the device is no longer
/// the one that was admitted.
pub fn execute(
    root: &Root,
    plan: &PurgePlan,
    consent: Consent,
    ledger: &Ledger,
    sampling: Sampling,
    tell: ProgressListener<'_>,
) -> Result<PurgeRecord, PurgeError> {
    ClaimedPurge::claim(root, plan, consent)?.execute(ledger, sampling, tell)
}

/// A plan whose devices are claimed, and which still holds. Who empties several devices claims all of them before the first is
/// emptied.
#[derive(Debug)]
pub struct ClaimedPurge<'a> {
    root: &'a Root,
    plan: &'a PurgePlan,
    guard: Guard,
    claims: Vec<Arc<Admitted>>,
    drive: OpenDrive,
    facts: DriveFacts,
    wish: Wish,
    choice: Choice,
}

impl<'a> ClaimedPurge<'a> {
    /// Claims every device of the plan. Nothing is written.
    ///
    /// # Errors
    /// A device is refused or cannot be claimed, or the plan does not hold any more.
    pub fn claim(root: &'a Root, plan: &'a PurgePlan, consent: Consent) -> Result<Self, PurgeError> {
        let guard = Guard::new(root.clone(), Door::Native, consent.clone());
        let claims = claim(&guard, &plan.affected)?;
        let (drive, facts) = gather(root, &claims[0], true)?;
        let wish = Wish { method: Some(plan.method.to_owned()), ..plan.wish.clone() };
        let choice = choose(root, &facts, &wish, &consent)?;
        unchanged(plan, &choice)?;
        Ok(ClaimedPurge { root, plan, guard, claims, drive, facts, wish, choice })
    }

    /// Carries out the plan.
    ///
    /// # Errors
    /// The device does not do it, or its proof cannot be read.
    pub fn execute(
        self,
        ledger: &Ledger,
        sampling: Sampling,
        tell: ProgressListener<'_>,
    ) -> Result<PurgeRecord, PurgeError> {
        let ClaimedPurge { root, plan, guard, claims, drive, facts, wish, choice } = self;
        let bench = Claimed { root, path: &plan.path, drive, device: &plan.device };
        let job = PurgeTask {
            method: plan.method(),
            terms: &choice.terms,
            wish: &wish,
            facts: &facts,
            affected: &choice.affected,
            sampling,
        };
        let record = perform(&job, &bench, ledger, tell);
        drop((bench, claims, guard));
        forget_partitions(root, plan);
        record
    }
}

/// Admits all devices of a plan for writing, or none; the refusals of all are told.
pub(crate) fn claim(guard: &Guard, devices: &[Affected]) -> Result<Vec<Arc<Admitted>>, PurgeError> {
    let mut claims = Vec::new();
    let mut refused = Vec::new();
    for device in devices {
        match guard.admit(&device.path, Access::Write) {
            Ok(claim) => claims.push(claim),
            Err(e) => refused.push(e),
        }
    }
    if !refused.is_empty() {
        return Err(PurgeError::Refused(refused));
    }
    for (device, claim) in devices.iter().zip(&claims) {
        let identity = claim.identity().expect("what is admitted for writing was identified");
        same(&device.identity, identity)?;
    }
    Ok(claims)
}

/// An error unless the admitted device is the one of the plan.
pub(crate) fn same(planned: &Identity, admitted: &Identity) -> Result<(), PurgeError> {
    let key = |i: &Identity| (i.dev, i.serial.clone(), i.wwid.clone(), i.size_bytes, i.diskseq);
    if key(planned) == key(admitted) {
        return Ok(());
    }
    changed(planned, format!("{} became {}", planned.describe(), admitted.describe()))
}

/// An error unless what would be done now is what the plan said.
fn unchanged(plan: &PurgePlan, choice: &Choice) -> Result<(), PurgeError> {
    let planned: Vec<_> = plan.affected.iter().map(|device| device.identity.dev).collect();
    let now: Vec<_> = choice.affected.iter().map(|device| device.dev).collect();
    if planned != now {
        return changed(
            &plan.device,
            "the namespaces that would be emptied are not those of the plan".to_owned(),
        );
    }
    if plan.terms != choice.terms {
        return changed(&plan.device, format!("{:?} became {:?}", plan.terms.act, choice.terms.act));
    }
    Ok(())
}

fn changed(device: &Identity, what: String) -> Result<(), PurgeError> {
    Err(PurgeError::Changed { device: device.kernel_name.clone(), what })
}

struct Claimed<'a> {
    root: &'a Root,
    path: &'a Path,
    drive: OpenDrive,
    device: &'a Identity,
}

impl Bench for Claimed<'_> {
    fn drive(&self) -> &dyn DriveInterfaces {
        &self.drive
    }

    fn reopen(&self, block_bytes: Option<u32>) -> Result<PurgedDevice, PurgeError> {
        for look in 0..LOOKS {
            let facts_now = read(self.root, self.path);
            if let Ok((drive, facts)) = facts_now {
                let blocks = facts.identity.logical_block_bytes;
                if block_bytes.is_none() || blocks == block_bytes || look + 1 == LOOKS {
                    self.is_still(&facts.identity)?;
                    return Ok(PurgedDevice {
                        identity: facts.identity.clone(),
                        drive: Box::new(drive),
                        facts,
                    });
                }
            }
            if look == LOOKS_BEFORE_ASKING {
                rescan(self.root, &self.device.kernel_name);
            }
            sleep(PAUSE);
        }
        let (drive, facts) = read(self.root, self.path)?;
        self.is_still(&facts.identity)?;
        Ok(PurgedDevice { identity: facts.identity.clone(), drive: Box::new(drive), facts })
    }
}

impl Claimed<'_> {
    /// An error unless the device under this path is the one that was purged.
    fn is_still(&self, now: &Identity) -> Result<(), PurgeError> {
        let same = now.serial == self.device.serial && now.wwid == self.device.wwid;
        if same {
            return Ok(());
        }
        changed(self.device, format!("after the purge the path leads to {}", now.describe()))
    }
}

/// Opens the device through a second guard, which only reads and is independent of the claim.
fn read(root: &Root, path: &Path) -> Result<(OpenDrive, DriveFacts), PurgeError> {
    let guard = Guard::new(root.clone(), Door::Native, Consent::default());
    let admitted = guard.admit(path, Access::Read).map_err(|e| PurgeError::Refused(vec![e]))?;
    gather(root, &admitted, false)
}

/// Asks the kernel to look at the namespaces again. The links of a namespace with several paths
/// lead to its subsystem, and from there to each controller.
fn rescan(root: &Root, name: &str) {
    let device = PathBuf::from(format!("/sys/class/block/{name}/device"));
    let within = root.list(&device).unwrap_or_default();
    let controllers = within.iter().filter(|entry| entry.starts_with("nvme")).map(|entry| device.join(entry));
    for dir in controllers.chain([device.clone()]) {
        // Some of them are not controllers.
        let _ = fs::OpenOptions::new()
            .write(true)
            .open(root.at(dir.join("rescan_controller")))
            .and_then(|mut file| std::io::Write::write_all(&mut file, b"1"));
    }
}

/// Makes the kernel forget the partitions, which are gone with the table. The kernel refuses this
/// while udev looks at the disk, so it is asked a few times. A node that is left over leads to
/// empty blocks and does no harm.
fn forget_partitions(root: &Root, plan: &PurgePlan) {
    const ATTEMPTS: u32 = 5;
    if plan.device.partition.is_some() {
        return;
    }
    for _ in 0..ATTEMPTS {
        let Ok((disk, _)) = read(root, &plan.path) else { return };
        match disk.reread_partitions() {
            Err(e) if e.raw_os_error() == Some(libc::EBUSY) => sleep(PAUSE),
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::purge::method::{LADDER, Reach, Terms};
    use fathom_device::device::{DevNumber, DiskKind};

    fn disk(minor: u32) -> Identity {
        Identity {
            kernel_name: format!("nvme0n{minor}"),
            dev: DevNumber { major: 259, minor },
            partition: None,
            serial: Some("S-1".to_owned()),
            wwid: Some("eui.1".to_owned()),
            by_id: Vec::new(),
            backing_file: None,
            size_bytes: 1 << 30,
            diskseq: Some(9),
            model: None,
            logical_block_bytes: Some(512),
            physical_block_bytes: None,
            rotational: None,
            removable: None,
            read_only: false,
            driver: None,
            kind: DiskKind::Nvme,
        }
    }

    /// Between plan and claim a name can come to mean another disk.
    #[test]
    fn another_disk_under_the_name_is_not_emptied() {
        let planned = disk(1);
        assert!(same(&planned, &disk(1)).is_ok());
        let changes: [fn(&mut Identity); 5] = [
            |i| i.dev.minor = 2,
            |i| i.serial = Some("S-2".to_owned()),
            |i| i.wwid = None,
            |i| i.size_bytes += 512,
            |i| i.diskseq = Some(10),
        ];
        for change in changes {
            let mut now = disk(1);
            change(&mut now);
            assert!(matches!(same(&planned, &now), Err(PurgeError::Changed { .. })), "{now:?}");
        }
    }

    fn terms(act: &str) -> Terms {
        Terms { act: act.to_owned(), reach: Reach::AllNamespaces, block_bytes: None, takes: None }
    }

    fn plan(devices: &[u32]) -> PurgePlan {
        let affected = |minor: &u32| Affected {
            path: format!("/dev/nvme0n{minor}").into(),
            identity: disk(*minor),
            holds: Vec::new(),
            consent: None,
            is_allowed: true,
            is_barred: false,
        };
        PurgePlan {
            path: "/dev/nvme0n1".into(),
            device: disk(1),
            wish: Wish::default(),
            method: LADDER[0].id,
            title: LADDER[0].title,
            leaves: LADDER[0].leaves,
            terms: terms("format 1"),
            affected: devices.iter().map(affected).collect(),
            formats: Vec::new(),
            ladder: Vec::new(),
            unknown: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn choice(devices: &[u32], act: &str) -> Choice {
        let affected = devices.iter().map(|minor| disk(*minor)).collect();
        Choice { method: LADDER[0], terms: terms(act), affected, ladder: Vec::new() }
    }

    /// Nobody consented to a namespace that was created after the plan.
    #[test]
    fn more_than_the_plan_said_is_not_emptied() {
        assert!(unchanged(&plan(&[1, 2]), &choice(&[1, 2], "format 1")).is_ok());
        for now in [choice(&[1, 2, 3], "format 1"), choice(&[1], "format 1"), choice(&[1, 2], "format 0")] {
            assert!(matches!(unchanged(&plan(&[1, 2]), &now), Err(PurgeError::Changed { .. })));
        }
    }
}
