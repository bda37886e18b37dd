//! An NVMe namespace, its controller, its neighbours.

use crate::purge::drive::DriveInterfaces;
use fathom_device::nvme::{
    AdminCommand, Controller, CriticalWarning, Health, Namespace, NvmeStatus, SanitizeLog,
};

const IDENTIFY: u8 = 0x06;
const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY_BYTES: usize = 4096;
const HEALTH_PAGE: u32 = 2;
const HEALTH_LOG_BYTES: usize = 512;
const SANITIZE_PAGE: u32 = 0x81;
const SANITIZE_LOG_BYTES: usize = 32;
/// The most namespaces in one list; further ones are in the next list.
const NAMESPACES_PER_LIST: usize = IDENTIFY_BYTES / 4;
/// More than any drive has: a drive that names more is not believed.
const NAMESPACES_MAX: usize = 1 << 16;
/// The log belongs to the drive, not to a namespace.
const NSID_ALL: u32 = 0xffff_ffff;

/// Controller or Namespace Structure.
const CNS_NAMESPACE: u32 = 0;
const CNS_CONTROLLER: u32 = 1;
const CNS_ACTIVE: u32 = 2;
/// Namespaces of the subsystem, attached to a controller or not.
const CNS_ALLOCATED: u32 = 0x10;

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
        let controller = identify(drive, 0, CNS_CONTROLLER)?;
        let controller = Controller::parse(&controller).map_err(|e| e.to_string())?;
        let namespace = identify(drive, nsid, CNS_NAMESPACE)?;
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
    log(drive, "the health log", HEALTH_PAGE, &mut bytes)?;
    Ok(Health::parse(&bytes).map_err(|e| e.to_string())?.critical_warning)
}

pub(in crate::purge) fn sanitize_log(drive: &dyn DriveInterfaces) -> Result<SanitizeLog, String> {
    let mut bytes = [0; SANITIZE_LOG_BYTES];
    log(drive, "the sanitize log", SANITIZE_PAGE, &mut bytes)?;
    SanitizeLog::parse(&bytes).map_err(|e| e.to_string())
}

fn log(drive: &dyn DriveInterfaces, what: &str, page: u32, bytes: &mut [u8]) -> Result<(), String> {
    let dwords = (bytes.len() / 4 - 1) as u32;
    let command = AdminCommand {
        opcode: GET_LOG_PAGE,
        nsid: NSID_ALL,
        cdw10_15: [page | dwords << 16, 0, 0, 0, 0, 0],
        ..AdminCommand::default()
    };
    ask(drive, what, command, bytes)
}

/// A drive with namespace management may have namespaces that no controller here shows; a drive
/// without it shows all that it has.
fn namespaces(drive: &dyn DriveInterfaces, controller: &Controller) -> Result<Vec<u32>, String> {
    let cns = if controller.has_namespace_management { CNS_ALLOCATED } else { CNS_ACTIVE };
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
    let mut bytes = vec![0; IDENTIFY_BYTES];
    let cdw10_15 = [cns, 0, 0, 0, 0, 0];
    let command = AdminCommand { opcode: IDENTIFY, nsid, cdw10_15, ..AdminCommand::default() };
    ask(drive, &format!("Identify (CNS {cns})"), command, &mut bytes)?;
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
