//! NVMe Format NVM: the namespace by its number, never all at once.
//!
//! The bits FNA say whether a drive formats every namespace, whichever one is named. If it does,
//! every one of them needs consent.

use std::time::Duration;

use crate::purge::error::PurgeError;
use crate::purge::facts::{DriveFacts, NvmeFacts};
use crate::purge::method::{DriveAnswer, Method, Offer, ProgressListener, Reach, Terms, Wish, Work};
use fathom_device::nvme::{AdminCommand, LbaFormat, Namespace};

const FORMAT_NVM: u8 = 0x80;
/// A drive that overwrites may take hours; the kernel resets the controller when a command takes
/// longer than its timeout.
const TIMEOUT: Duration = Duration::from_secs(4 * 3600);

/// Secure Erase Settings (CDW10 bits 9 to 11).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Erase {
    None = 0,
    UserData = 1,
    Crypto = 2,
}

pub(in crate::purge) static ERASE: Method = Method {
    id: "format-erase",
    title: "NVMe Format with user data erase",
    leaves: "all user data of the namespace is erased, also in blocks without an address; nothing is mapped",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Erase::UserData),
    run: |work, tell| run(work, tell, Erase::UserData),
};

pub(in crate::purge) static CRYPTO: Method = Method {
    id: "format-crypto",
    title: "NVMe Format with cryptographic erase",
    leaves: "the key that the data was encrypted with is gone; nothing is mapped",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Erase::Crypto),
    run: |work, tell| run(work, tell, Erase::Crypto),
};

pub(in crate::purge) static PLAIN: Method = Method {
    id: "format",
    title: "NVMe Format without secure erase",
    leaves: "nothing is mapped; the old data may stay in the flash until garbage collection",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Erase::None),
    run: |work, tell| run(work, tell, Erase::None),
};

fn offers(facts: &DriveFacts, wish: &Wish, erase: Erase) -> Offer {
    let Some(nvme) = &facts.nvme else {
        return Offer::no("it is not a whole NVMe namespace");
    };
    if !nvme.controller.has_format {
        return Offer::no("the drive does not support Format NVM");
    }
    if erase == Erase::Crypto && !nvme.controller.erases_crypto {
        return Offer::no("the drive has no cryptographic erase");
    }
    if nvme.namespace.is_write_protected {
        return Offer::no("the namespace is write-protected");
    }
    let Some(format) = wanted(&nvme.namespace, wish) else {
        return no_such_block(&nvme.namespace, wish);
    };
    let now = nvme.namespace.format();
    Offer::Yes(Terms {
        act: format!(
            "Format NVM of namespace {}: blocks of {} (LBA format {}) become {} (LBA format {}), secure erase \
             setting {}",
            nvme.nsid,
            block(now),
            now.index,
            block(format),
            format.index,
            erase as u8
        ),
        reach: reach(nvme, erase),
        block_bytes: Some(format.data_bytes),
        takes: None,
    })
}

fn reach(nvme: &NvmeFacts, erase: Erase) -> Reach {
    let hits_all = match erase {
        Erase::None => nvme.controller.format_hits_all,
        // A secure erase is also a format.
        _ => nvme.controller.format_hits_all || nvme.controller.erase_hits_all,
    };
    if hits_all { Reach::AllNamespaces } else { Reach::Target }
}

/// The format in use, unless other blocks are wanted.
fn wanted(namespace: &Namespace, wish: &Wish) -> Option<LbaFormat> {
    let now = namespace.format();
    match wish.block_bytes {
        None => Some(now),
        Some(bytes) if bytes == now.data_bytes && now.metadata_bytes == 0 => Some(now),
        Some(bytes) => namespace.best_format(bytes),
    }
}

fn no_such_block(namespace: &Namespace, wish: &Wish) -> Offer {
    let wanted = wish.block_bytes.unwrap_or_default();
    let formats: Vec<String> = namespace.formats.iter().map(|format| block(*format)).collect();
    Offer::No {
        why: format!("it has no blocks of {wanted} bytes"),
        remedy: Some(format!("it has blocks of {}", formats.join(", "))),
    }
}

fn block(format: LbaFormat) -> String {
    match format.metadata_bytes {
        0 => format!("{} bytes", format.data_bytes),
        more => format!("{} bytes with {more} of metadata", format.data_bytes),
    }
}

fn run(work: &Work<'_>, tell: ProgressListener<'_>, erase: Erase) -> Result<Vec<DriveAnswer>, PurgeError> {
    let lost = || work.failed("Format NVM", "the namespace no longer answers as it did before", None);
    let nvme = work.facts.nvme.as_ref().ok_or_else(lost)?;
    let format = wanted(&nvme.namespace, work.wish).ok_or_else(lost)?;
    let command = command(nvme, format, erase);
    let act = format!("Format NVM (namespace {}, CDW10 0x{:08x})", nvme.nsid, command.cdw10_15[0]);
    Ok(vec![work.admin(tell, "Format NVM", act, command)?])
}

/// A format that stays keeps its metadata and protection; a new one has none.
fn command(nvme: &NvmeFacts, format: LbaFormat, erase: Erase) -> AdminCommand {
    let namespace = &nvme.namespace;
    let stays = format.index == namespace.format_index;
    let index = u32::from(format.index);
    let mut cdw10 = index & 0xf | (index >> 4 & 3) << 12 | (erase as u32) << 9;
    if stays {
        cdw10 |= u32::from(namespace.has_extended_blocks) << 4;
        cdw10 |= u32::from(namespace.protection_type) << 5;
        cdw10 |= u32::from(namespace.protection_first) << 8;
    }
    AdminCommand {
        opcode: FORMAT_NVM,
        nsid: nvme.nsid,
        cdw10_15: [cdw10, 0, 0, 0, 0, 0],
        timeout_ms: TIMEOUT.as_millis() as u32,
    }
}
