//! ATA SECURITY ERASE UNIT. It needs a password, which is set before and which the erase removes.
//!
//! A drive that loses power in the middle stays locked with that password, so
//! it is a fixed word that every message names.

use std::time::Duration;

use crate::purge::drive::DataDirection;
use crate::purge::error::PurgeError;
use crate::purge::facts::{AtaCommand, DriveFacts, IDENTIFY_BYTES};
use crate::purge::method::{
    DriveAnswer, Method, Offer, ProgressListener, PurgeProgress, Reach, Terms, Wish, Work,
};

const SET_PASSWORD: u8 = 0xf1;
const ERASE_PREPARE: u8 = 0xf3;
const ERASE_UNIT: u8 = 0xf4;
const DISABLE_PASSWORD: u8 = 0xf6;
/// The user password that is set.
const PASSWORD: &[u8] = b"fathom";
/// Word 0 of ERASE UNIT: enhanced.
const ENHANCED_BIT: u8 = 2;
/// What short commands may take.
const SHORT: Duration = Duration::from_secs(30);
/// For a drive that does not say how long it takes: "more than 508 minutes" is the most that the
/// short form can say (ACS-3 §7.12.7.43).
const UNSAID: Duration = Duration::from_secs(508 * 60);

pub(in crate::purge) static ENHANCED: Method = Method {
    id: "ata-erase-enhanced",
    title: "ATA Security Erase, enhanced",
    leaves: "all sectors hold the vendor's pattern, also those that were retired",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, true),
    run: |work, tell| run(work, tell, true),
};

pub(in crate::purge) static NORMAL: Method = Method {
    id: "ata-erase",
    title: "ATA Security Erase",
    leaves: "all sectors that can be addressed are erased; on flash nothing is mapped",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, false),
    run: |work, tell| run(work, tell, false),
};

fn offers(facts: &DriveFacts, wish: &Wish, enhanced: bool) -> Offer {
    let no = |why: &str, remedy: &str| Offer::No { why: why.to_owned(), remedy: Some(remedy.to_owned()) };
    let Some(ata) = facts.ata else {
        return Offer::no("it is not a whole ATA disk");
    };
    let Some(security) = ata.security else {
        return Offer::no("the disk has no security feature set");
    };
    if enhanced && !security.has_enhanced {
        return Offer::no("the disk has no enhanced erase");
    }
    if wish.block_bytes.is_some_and(|wanted| Some(wanted) != facts.identity.logical_block_bytes) {
        return Offer::no("an erase does not change the size of blocks");
    }
    if security.is_frozen {
        return no(
            "its security commands are frozen, which the firmware does when the machine starts",
            "suspend the machine to memory and wake it, or plug the disk in while the machine runs; then try \
             again",
        );
    }
    if security.is_expired {
        return no("too many wrong passwords were given", "switch the disk off and on");
    }
    if security.is_locked || security.is_enabled {
        return no(
            "a password is set on it",
            "remove the password first; if an erase by fathom was cut short, the user password is \
             \"fathom\": hdparm --user-master u --security-unlock fathom, then --security-disable fathom",
        );
    }
    let takes = if enhanced { ata.enhanced_takes } else { ata.erase_takes };
    let kind = if enhanced { "enhanced " } else { "" };
    let act = format!(
        "set the password \"fathom\", then {kind}SECURITY ERASE UNIT, which removes the password again"
    );
    Offer::Yes(Terms { act, reach: Reach::Target, block_bytes: None, takes })
}

fn run(work: &Work<'_>, tell: ProgressListener<'_>, enhanced: bool) -> Result<Vec<DriveAnswer>, PurgeError> {
    let ata = work.facts.ata;
    let says = ata.and_then(|ata| if enhanced { ata.enhanced_takes } else { ata.erase_takes });
    let erase_flags = if enhanced { ENHANCED_BIT } else { 0 };
    let mut answers = vec![send(work, tell, "SECURITY SET PASSWORD", SET_PASSWORD, Some(0), SHORT)?];
    // Twice the time that the drive reports: that time is an estimate, and the kernel resets the
    // link when a command takes longer than its timeout.
    let patience = says.unwrap_or(UNSAID) * 2 + SHORT;
    let mut erase = || {
        answers.push(send(work, tell, "SECURITY ERASE PREPARE", ERASE_PREPARE, None, SHORT)?);
        answers.push(send(work, tell, "SECURITY ERASE UNIT", ERASE_UNIT, Some(erase_flags), patience)?);
        Ok(())
    };
    let Err(failure) = erase() else {
        return Ok(answers);
    };
    // After a refused erase the password is still set. It is removed, because a disk must not stay
    // locked.
    match send(work, tell, "SECURITY DISABLE PASSWORD", DISABLE_PASSWORD, Some(0), SHORT) {
        Ok(_) => Err(failure),
        Err(kept) => Err(work.failed(
            "SECURITY ERASE UNIT",
            format!("{failure}; the password \"fathom\" is still set: {kept}"),
            Some("hdparm --user-master u --security-disable fathom"),
        )),
    }
}

/// Sends a command, with a sector that holds the flags and the password.
fn send(
    work: &Work<'_>,
    tell: ProgressListener<'_>,
    name: &str,
    command: u8,
    flags: Option<u8>,
    timeout: Duration,
) -> Result<DriveAnswer, PurgeError> {
    tell(PurgeProgress::Step(name.to_owned()));
    let direction = if flags.is_some() { DataDirection::ToDrive } else { DataDirection::None };
    let mut sector = vec![0; if flags.is_some() { IDENTIFY_BYTES } else { 0 }];
    if let Some(flags) = flags {
        sector[0] = flags;
        sector[2..2 + PASSWORD.len()].copy_from_slice(PASSWORD);
    }
    let command = AtaCommand { command, direction, timeout };
    let answer = command.send(work.drive, &mut sector).map_err(|e| work.io(&format!("send {name} to"), e))?;
    match answer {
        Ok(()) => Ok(DriveAnswer::new(name, "done")),
        Err(message) => {
            Err(PurgeError::Scsi { device: work.drive.name().to_owned(), act: name.to_owned(), message })
        }
    }
}
