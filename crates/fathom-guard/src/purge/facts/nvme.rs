//! An NVMe namespace, its controller, its neighbours.

use crate::purge::drive::DriveInterfaces;
use fathom_device::nvme::{
    AdminCommand, Controller, CriticalWarning, Health, Namespace, NvmeStatus, SanitizeLog,
};

const HEALTH_PAGE: u8 = 2;
const HEALTH_LOG_BYTES: usize = 512;
const SANITIZE_PAGE: u8 = 0x81;
const SANITIZE_LOG_BYTES: usize = 32;
/// The most namespaces in one list; further ones are in the next list.
const NAMESPACES_PER_LIST: usize = AdminCommand::IDENTIFY_BYTES / 4;
/// More than any drive has: a drive that names more is not believed.
const NAMESPACES_MAX: usize = 1 << 16;
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvmeFacts {
    /// Number of the namespace that is the target.
    pub nsid: u32,
    pub controller: Controller,
    pub namespace: Namespace,
    /// All namespaces that there are, the target among them.
    pub namespaces: Vec<u32>,
    /// The sanitize log, of a drive that has one.
    pub sanitize: Option<SanitizeLog>,
    pub critical_warning: CriticalWarning,
}

impl NvmeFacts {
    /// Asks through the descriptor of the namespace.
    pub(super) fn ask(drive: &dyn DriveInterfaces) -> Result<Self, String> {
        let nsid = drive.namespace_id().map_err(|e| format!("the namespace's number: {e}"))?;
        let controller = identify(drive, 0, AdminCommand::CNS_CONTROLLER)?;
        let controller = Controller::parse(&controller).map_err(|e| e.to_string())?;
        let namespace = identify(drive, nsid, AdminCommand::CNS_NAMESPACE)?;
        let sanitize = if controller.has_sanitize() { Some(sanitize_log(drive)?) } else { None };
        Ok(Self {
            nsid,
            namespace: Namespace::parse(&namespace).map_err(|e| e.to_string())?,
            namespaces: namespaces(drive, &controller)?,
            controller,
            sanitize,
            critical_warning: critical_warning(drive)?,
        })
    }
}

/// The health log is mandatory, so a drive that refuses it is not understood.
fn critical_warning(drive: &dyn DriveInterfaces) -> Result<CriticalWarning, String> {
    let mut bytes = [0; HEALTH_LOG_BYTES];
    ask(drive, "the health log", AdminCommand::log(HEALTH_PAGE, HEALTH_LOG_BYTES), &mut bytes)?;
    Ok(Health::parse(&bytes).map_err(|e| e.to_string())?.critical_warning)
}

pub(in crate::purge) fn sanitize_log(drive: &dyn DriveInterfaces) -> Result<SanitizeLog, String> {
    let mut bytes = [0; SANITIZE_LOG_BYTES];
    ask(drive, "the sanitize log", AdminCommand::log(SANITIZE_PAGE, SANITIZE_LOG_BYTES), &mut bytes)?;
    SanitizeLog::parse(&bytes).map_err(|e| e.to_string())
}

/// A drive with namespace management may have namespaces that no controller here shows; a drive
/// without it shows all that it has.
fn namespaces(drive: &dyn DriveInterfaces, controller: &Controller) -> Result<Vec<u32>, String> {
    let cns = if controller.has_namespace_management {
        AdminCommand::CNS_ALLOCATED
    } else {
        AdminCommand::CNS_ACTIVE
    };
    let mut ids: Vec<u32> = Vec::new();
    loop {
        // The list begins with the first namespace above this number.
        let after = ids.last().copied().unwrap_or(0);
        let list = identify(drive, after, cns)?;
        let numbers = list.chunks_exact(4).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
        let more: Vec<u32> = numbers.take_while(|&nsid| nsid != 0).collect();
        if more.first().is_some_and(|&first| first <= after) || !more.is_sorted_by(|one, next| one < next) {
            return Err(format!("Identify (CNS {cns}): the list of namespaces is not in ascending order"));
        }
        let is_last = more.len() < NAMESPACES_PER_LIST;
        ids.extend(more);
        if ids.len() > NAMESPACES_MAX {
            return Err(format!(
                "Identify (CNS {cns}): the drive names more than {NAMESPACES_MAX} namespaces"
            ));
        }
        if is_last {
            return Ok(ids);
        }
    }
}

fn identify(drive: &dyn DriveInterfaces, nsid: u32, cns: u32) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; AdminCommand::IDENTIFY_BYTES];
    ask(drive, &format!("Identify (CNS {cns})"), AdminCommand::identify(nsid, cns), &mut bytes)?;
    Ok(bytes)
}

fn ask(
    drive: &dyn DriveInterfaces,
    what: &str,
    command: AdminCommand,
    data: &mut [u8],
) -> Result<(), String> {
    let done = drive.admin(command, data).map_err(|e| format!("{what}: {e}"))?;
    let status = NvmeStatus(done.status);
    if status.is_success() { Ok(()) } else { Err(format!("{what}: {status}")) }
}
