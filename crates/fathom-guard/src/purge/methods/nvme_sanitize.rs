//! NVMe Sanitize: empties the whole drive with every namespace, also blocks that no address leads
//! to.
//!
//! The drive continues by itself: neither a reset nor loss of power stops it, so a Sanitize that is
//! already under way is waited for instead of begun again.

use std::time::Duration;

use crate::purge::error::PurgeError;
use crate::purge::facts::{DriveFacts, sanitize_log};
use crate::purge::method::{
    DriveAnswer, Method, Offer, ProgressListener, PurgeProgress, Reach, Terms, Wish, Work,
};
use fathom_device::nvme::{AdminCommand, SanitizeLog, SanitizeState};

const SANITIZE: u8 = 0x84;
/// Sanitize Action 1: leave the failure state.
const EXIT_FAILURE: u32 = 1;
/// Allow Unrestricted Sanitize Exit (CDW10 bit 3): a failure can be left.
const UNRESTRICTED: u32 = 1 << 3;
/// One overwrite pass (CDW10 bits 4 to 7): on flash a second one only causes wear.
const ONE_PASS: u32 = 1 << 4;
/// Between two looks at the log.
const PAUSE: Duration = Duration::from_secs(1);

/// Sanitize Action (CDW10 bits 0 to 2).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Block = 2,
    Overwrite = 3,
    Crypto = 4,
}

pub(in crate::purge) static BLOCK: Method = Method {
    id: "sanitize-block",
    title: "NVMe Sanitize, block erase",
    leaves: "every flash block of the drive is erased; nothing is mapped",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Action::Block),
    run: |work, tell| run(work, tell, Action::Block),
};

pub(in crate::purge) static CRYPTO: Method = Method {
    id: "sanitize-crypto",
    title: "NVMe Sanitize, cryptographic erase",
    leaves: "the key that all data was encrypted with is gone; nothing is mapped",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Action::Crypto),
    run: |work, tell| run(work, tell, Action::Crypto),
};

pub(in crate::purge) static OVERWRITE: Method = Method {
    id: "sanitize-overwrite",
    title: "NVMe Sanitize, overwrite",
    leaves: "every block of the drive was overwritten with zeroes; nothing is mapped",
    only_by_name: Some("it wears the flash and may take hours"),
    offers: |facts, wish| offers(facts, wish, Action::Overwrite),
    run: |work, tell| run(work, tell, Action::Overwrite),
};

fn offers(facts: &DriveFacts, wish: &Wish, action: Action) -> Offer {
    let Some(nvme) = &facts.nvme else {
        return Offer::no("it is not a whole NVMe namespace");
    };
    let (offered, takes) = match (action, &nvme.sanitize) {
        (Action::Block, log) => {
            (nvme.controller.sanitizes_block, log.as_ref().and_then(|log| log.block_erase_takes))
        }
        (Action::Crypto, log) => {
            (nvme.controller.sanitizes_crypto, log.as_ref().and_then(|log| log.crypto_erase_takes))
        }
        (Action::Overwrite, log) => {
            (nvme.controller.sanitizes_overwrite, log.as_ref().and_then(|log| log.overwrite_takes))
        }
    };
    if !offered {
        return Offer::no("the drive does not support this kind of Sanitize");
    }
    let now = nvme.namespace.format().data_bytes;
    if let Some(wanted) = wish.block_bytes.filter(|&wanted| wanted != now) {
        return Offer::No {
            why: format!("Sanitize keeps blocks of {now} bytes, but blocks of {wanted} bytes are wanted"),
            remedy: Some("use a format method, or sanitize first and then format".to_owned()),
        };
    }
    let state = nvme.sanitize.as_ref().map(|log| log.state);
    let act = match state {
        Some(SanitizeState::InProgress) => "wait for the Sanitize that is under way".to_owned(),
        Some(SanitizeState::Failed) => {
            format!("Sanitize again, action {}, since the last one failed", action as u8)
        }
        _ => format!("Sanitize of the whole drive, action {}", action as u8),
    };
    Offer::Yes(Terms { act, reach: Reach::AllNamespaces, block_bytes: None, takes })
}

fn run(work: &Work<'_>, tell: ProgressListener<'_>, action: Action) -> Result<Vec<DriveAnswer>, PurgeError> {
    let mut answers = Vec::new();
    if patient_log(work)?.state == SanitizeState::InProgress {
        tell(PurgeProgress::Step("waiting for the Sanitize that is under way".to_owned()));
    } else {
        let passes = if action == Action::Overwrite { ONE_PASS } else { 0 };
        answers.push(send(work, tell, action as u32 | UNRESTRICTED | passes)?);
    }
    let last = wait(work, tell)?;
    let message = format!("{:?}, {} overwrite passes", last.state, last.passes);
    answers.push(DriveAnswer::new("the sanitize log", message));
    match last.state {
        SanitizeState::Done | SanitizeState::DoneDeallocated => Ok(answers),
        state => Err(leave_failure(work, tell, state)),
    }
}

fn send(work: &Work<'_>, tell: ProgressListener<'_>, cdw10: u32) -> Result<DriveAnswer, PurgeError> {
    let act = format!("Sanitize (CDW10 0x{cdw10:x})");
    let command =
        AdminCommand { opcode: SANITIZE, cdw10_15: [cdw10, 0, 0, 0, 0, 0], ..AdminCommand::default() };
    work.admin(tell, "Sanitize", act, command)
}

/// Waits until the log says that it ended. There is no limit: the drive continues whether or not
/// anyone waits.
fn wait(work: &Work<'_>, tell: ProgressListener<'_>) -> Result<SanitizeLog, PurgeError> {
    loop {
        let log = patient_log(work)?;
        if log.state != SanitizeState::InProgress {
            return Ok(log);
        }
        tell(PurgeProgress::Done(log.fraction()));
        work.drive.pause(PAUSE);
    }
}

/// A controller that was reset in the middle answers again after a while.
fn patient_log(work: &Work<'_>) -> Result<SanitizeLog, PurgeError> {
    const ATTEMPTS: u32 = 30;
    let mut message = String::new();
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            work.drive.pause(PAUSE);
        }
        match sanitize_log(work.drive) {
            Ok(log) => return Ok(log),
            Err(e) => message = e,
        }
    }
    Err(work.failed(
        "Sanitize",
        message,
        Some("the drive continues by itself: run the same command again to wait for its end"),
    ))
}

/// A drive that failed refuses all writes until it is told to leave the failure state; what its
/// data are then is not known.
fn leave_failure(work: &Work<'_>, tell: ProgressListener<'_>, state: SanitizeState) -> PurgeError {
    let left = match send(work, tell, EXIT_FAILURE) {
        Ok(_) => {
            "the drive left its failure state and may be used, but what it holds is not known".to_owned()
        }
        Err(e) => format!("it could not leave its failure state: {e}"),
    };
    work.failed(
        "Sanitize",
        format!("the log says {state:?}; {left}"),
        Some("try another kind of Sanitize, or a format"),
    )
}
