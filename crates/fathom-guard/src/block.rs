//! Block devices: judged, claimed, and judged again under the claim.

use crate::admitted::{Admitted, AdmittedKind, Alone, changed};
use crate::error::GuardError;
use crate::facts::Facts;
use crate::finding::{Finding, FindingKind, IN_EXCLUSIVE_USE, Refusal, Weight, in_exclusive_use};
use crate::inspect::inspect;
use crate::judge::{judge, rests_on_blankness};
use crate::lock::{Access, TargetLock, lock_disk, open_node};
use crate::open::{Guard, GuardMessage, io_error};
use fathom_device::device::{DevNumber, Graph, Identity, Node, Relation};
use fathom_device::root::Unknown;
use fathom_device::signature::{Contents, Samples};
use fathom_device::sys;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

impl Guard {
    pub(super) fn admit_block(
        &self,
        pin: File,
        path: &Path,
        number: DevNumber,
        access: Access,
    ) -> Result<Admitted, GuardError> {
        // Read before the device is judged, so that no later use is among them.
        let before = (access == Access::Write).then(|| self.uses.now().ok()).flatten();
        let own = self.lock_target(&pin, path, access)?;
        let (identity, claim, disk) = match access {
            Access::Read => (self.identify(number), None, None),
            Access::Write => {
                let (identity, claim, disk) = self.claim(&pin, path, number)?;
                (Some(identity), Some(claim), disk)
            }
        };
        let kind = AdmittedKind::Block(identity.map(Box::new));
        let alone = before.map(|uses| Alone::new(Arc::clone(&self.uses), uses));
        let locks = own.into_iter().chain(disk).collect();
        Ok(Admitted { claim, alone, locks, ..Admitted::new(path, kind, access, pin) })
    }

    fn identify(&self, number: DevNumber) -> Option<Identity> {
        let graph = Graph::read(&self.root, number).ok()?;
        Identity::read(&self.root, &graph).ok()
    }

    /// Nothing is opened for writing before the first verdict. Between that and the claim another
    /// process may have mounted, formatted or replaced the device, so everything is checked again
    /// under the claim.
    fn claim(
        &self,
        pin: &File,
        path: &Path,
        number: DevNumber,
    ) -> Result<(Identity, File, Option<Arc<TargetLock>>), GuardError> {
        let facts = self.first_verdict(pin, path, number)?;
        let claim = crate::sys::reopen_to_write(pin, libc::O_EXCL)
            .map_err(|e| claim_error(path, &facts.identity, e))?;
        let lock = lock_disk(&self.root, facts.graph.whole_disk());
        let again = self.verdict(Some(&claim), path, number)?;
        if let Some(what) = difference(&facts.identity, &again.identity) {
            return Err(moved(path, &facts.identity, what));
        }
        let again = self.sample(&claim, path, again)?;
        Ok((again.identity, claim, lock))
    }

    /// Looks for data on the whole of a device that may be written only if it holds none. That
    /// takes a minute on a hard disk, so it is done once, and under the claim, where no other
    /// program can put a file system or an array on the device any more. The look at both ends and
    /// at the places of spare superblocks takes no time; it is done before the claim and again
    /// under it. Partitions of the target are parts of it and need no samples of their own.
    fn sample(&self, claim: &File, path: &Path, mut facts: Facts) -> Result<Facts, GuardError> {
        if !rests_on_blankness(&facts, &inspect(&facts), self.door, &self.consent) {
            return Ok(facts);
        }
        let name = path.display();
        let is_disk = facts.identity.backing_file.is_none() && facts.identity.rotational == Some(true);
        if is_disk {
            self.tell(GuardMessage::Examining(&format!(
                "{name}: looking for data on the whole device, which takes about a minute on a hard disk"
            )));
        }
        let samples = Samples::take(claim, facts.identity.size_bytes).map_err(|e| e.to_string());
        facts.samples = Some(samples);
        judge(path, &facts, inspect(&facts), self.door, &self.consent)?;
        if let Some(Ok(samples)) = &facts.samples {
            self.tell(GuardMessage::Examining(&format!("{name} {samples}")));
        }
        Ok(facts)
    }

    /// If a device cannot even be opened for reading, a refusal for which it need not be read is
    /// reported instead of that error.
    fn first_verdict(&self, pin: &File, path: &Path, number: DevNumber) -> Result<Facts, GuardError> {
        match sys::reopen(pin, libc::O_NONBLOCK) {
            Ok(reader) => self.verdict(Some(&reader), path, number),
            Err(e) => match self.verdict(None, path, number) {
                Err(GuardError::Refused(why)) if !why.can_be_overridden() => Err(GuardError::Refused(why)),
                _ => Err(io_error("open", path, e)),
            },
        }
    }

    fn verdict(&self, open: Option<&File>, path: &Path, number: DevNumber) -> Result<Facts, GuardError> {
        let look_into = |node: &Node| self.look_into(open, node);
        let facts =
            Facts::gather(&self.root, number, look_into).map_err(|unknown| cannot_tell(path, unknown))?;
        let what = open.map_or(Ok(None), |open| changed(&facts.identity, open));
        let what = what.map_err(|e| io_error("examine", path, e))?;
        if let Some(what) = what {
            return Err(moved(path, &facts.identity, what));
        }
        let mut findings = in_exclusive_use(&self.root, &facts.graph);
        findings.extend(inspect(&facts));
        judge(path, &facts, findings, self.door, &self.consent)?;
        Ok(facts)
    }

    fn look_into(&self, target: Option<&File>, node: &Node) -> io::Result<Contents> {
        match (node.relation, target) {
            (Relation::Target, Some(open)) => Contents::read(open, node.size_bytes),
            (Relation::Target, None) => Err(io::Error::other("it cannot be opened")),
            _ => Contents::read(&open_node(&self.root, node)?, node.size_bytes),
        }
    }
}

/// What has changed, if consent depends on it. udev adds and removes links, so `by_id` is not
/// compared.
fn difference(then: &Identity, now: &Identity) -> Option<String> {
    let same = then.dev == now.dev
        && then.serial == now.serial
        && then.wwid == now.wwid
        && then.backing_file == now.backing_file
        && then.size_bytes == now.size_bytes
        && then.diskseq == now.diskseq;
    (!same).then(|| format!("{} became {}", then.describe(), now.describe()))
}

fn cannot_tell(path: &Path, unknown: Unknown) -> GuardError {
    GuardError::CannotTell { path: path.to_path_buf(), unknown }
}

fn claim_error(path: &Path, identity: &Identity, error: io::Error) -> GuardError {
    if error.raw_os_error() != Some(libc::EBUSY) {
        return io_error("open for writing", path, error);
    }
    absolute(path, identity, FindingKind::Claimed, IN_EXCLUSIVE_USE.to_owned())
}

fn moved(path: &Path, identity: &Identity, what: String) -> GuardError {
    let detail = format!("changed while it was being examined: {what}");
    absolute(path, identity, FindingKind::IdentityChanged, detail)
}

fn absolute(path: &Path, identity: &Identity, kind: FindingKind, detail: String) -> GuardError {
    let node = &identity.kernel_name;
    GuardError::Refused(Box::new(Refusal {
        target: path.to_path_buf(),
        device: Some(identity.describe()),
        findings: vec![Finding::new(kind, Weight::Absolute, node, detail)],
        hints: vec!["no option overrides this: release the device first".to_owned()],
    }))
}
