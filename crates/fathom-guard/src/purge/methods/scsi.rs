//! SCSI SANITIZE (SBC-4 §5.30) of the whole logical unit, and FORMAT UNIT (SBC-4 §5.4) with the blocks that it has now.

use crate::purge::drive::{DataDirection, ScsiCommand};
use crate::purge::error::PurgeError;
use crate::purge::facts::{DriveFacts, ScsiFacts};
use crate::purge::method::{
    DriveAnswer, Method, Offer, ProgressListener, PurgeProgress, Reach, Terms, Wish, Work,
};
use crate::purge::sense::{self, Sense};
use std::time::Duration;

const SANITIZE: u8 = 0x48;
const IMMED: u8 = 0x80;
/// Allow unrestricted exit from failure.
const AUSE: u8 = 0x20;

const FORMAT_UNIT: u8 = 0x04;
/// A parameter list follows.
const FMTDATA: u8 = 0x10;
/// The short header, with nothing but IMMED.
const HEADER: [u8; 4] = [0, 0x02, 0, 0];

const REQUEST_SENSE: u8 = 0x03;
const SENSE_BYTES: usize = 252;
/// The sense key of a medium or hardware error: the operation failed.
const FAILED_KEYS: [u8; 2] = [3, 4];
const PAUSE: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Overwrite = 1,
    Block = 2,
    Crypto = 3,
}

impl Action {
    fn act(self) -> String {
        format!("SANITIZE, service action {}", self as u8)
    }
}

pub(in crate::purge) static BLOCK: Method = Method {
    id: "scsi-sanitize-block",
    title: "SCSI SANITIZE, block erase",
    leaves: "every block of the unit is erased, also those that no address leads to",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Action::Block),
    run: |work, tell| run(work, tell, Action::Block),
};

pub(in crate::purge) static CRYPTO: Method = Method {
    id: "scsi-sanitize-crypto",
    title: "SCSI SANITIZE, cryptographic erase",
    leaves: "the key that all data was encrypted with is gone",
    only_by_name: None,
    offers: |facts, wish| offers(facts, wish, Action::Crypto),
    run: |work, tell| run(work, tell, Action::Crypto),
};

pub(in crate::purge) static OVERWRITE: Method = Method {
    id: "scsi-sanitize-overwrite",
    title: "SCSI SANITIZE, overwrite",
    leaves: "every block of the unit was overwritten with zeroes",
    only_by_name: Some("it writes the whole unit, which takes hours"),
    offers: |facts, wish| offers(facts, wish, Action::Overwrite),
    run: |work, tell| run(work, tell, Action::Overwrite),
};

fn offers(facts: &DriveFacts, wish: &Wish, action: Action) -> Offer {
    let Some(scsi) = &facts.scsi else {
        return Offer::no("it is not a whole SCSI disk");
    };
    match known(scsi, action) {
        Err(why) => return Offer::no(why.clone()),
        Ok(false) => return Offer::no("the disk does not support this kind of SANITIZE"),
        Ok(true) => {}
    }
    if wish.block_bytes.is_some_and(|wanted| Some(wanted) != facts.identity.logical_block_bytes) {
        return Offer::no("SANITIZE does not change the size of blocks");
    }
    Offer::Yes(Terms { act: action.act(), reach: Reach::Target, block_bytes: None, takes: None })
}

fn known(scsi: &ScsiFacts, action: Action) -> &Result<bool, String> {
    match action {
        Action::Overwrite => &scsi.sanitizes_overwrite,
        Action::Block => &scsi.sanitizes_block,
        Action::Crypto => &scsi.sanitizes_crypto,
    }
}

fn run(work: &Work<'_>, tell: ProgressListener<'_>, action: Action) -> Result<Vec<DriveAnswer>, PurgeError> {
    // Overwrite: one pass of a pattern of four bytes, all zero.
    let parameters: &[u8] = if action == Action::Overwrite { &[1, 0, 0, 4, 0, 0, 0, 0] } else { &[] };
    let mut cdb = vec![0; 10];
    cdb[0] = SANITIZE;
    cdb[1] = IMMED | AUSE | action as u8;
    cdb[8] = parameters.len() as u8;
    carry_out(work, tell, &action.act(), cdb, parameters)
}

/// Sends `cdb` (with IMMED set) and waits for what it began.
fn carry_out(
    work: &Work<'_>,
    tell: ProgressListener<'_>,
    act: &str,
    cdb: Vec<u8>,
    parameters: &[u8],
) -> Result<Vec<DriveAnswer>, PurgeError> {
    tell(PurgeProgress::Step(act.to_owned()));
    let direction = if parameters.is_empty() { DataDirection::None } else { DataDirection::ToDrive };
    let command = ScsiCommand { cdb, direction, timeout: TIMEOUT };
    let mut data = parameters.to_vec();
    let reply = work.drive.scsi(&command, &mut data).map_err(|e| work.io(&format!("send {act} to"), e))?;
    if let Some(message) = sense::refusal(&reply) {
        return Err(PurgeError::Scsi { device: work.drive.name().to_owned(), act: act.to_owned(), message });
    }
    let last = wait(work, tell, act)?;
    Ok(vec![DriveAnswer::new(act, "accepted"), DriveAnswer::new("REQUEST SENSE", last)])
}

fn wait(work: &Work<'_>, tell: ProgressListener<'_>, act: &str) -> Result<String, PurgeError> {
    loop {
        let Some(sense) = ask(work)? else {
            return Ok("no sense".to_owned());
        };
        if FAILED_KEYS.contains(&sense.key) {
            return Err(work.failed(act, sense.to_string(), None));
        }
        if !sense.is_in_progress() {
            return Ok(sense.to_string());
        }
        tell(PurgeProgress::Done(f64::from(sense.progress_65536ths.unwrap_or(0)) / 65536.0));
        work.drive.pause(PAUSE);
    }
}

/// REQUEST SENSE returns the sense as its data.
fn ask(work: &Work<'_>) -> Result<Option<Sense>, PurgeError> {
    let cdb = vec![REQUEST_SENSE, 0, 0, 0, SENSE_BYTES as u8, 0];
    let command = ScsiCommand { cdb, direction: DataDirection::FromDrive, timeout: TIMEOUT };
    let mut answer = [0; SENSE_BYTES];
    let reply =
        work.drive.scsi(&command, &mut answer).map_err(|e| work.io("ask for the sense data of", e))?;
    // Some drives answer with a check condition instead.
    Ok(Sense::parse(&reply.sense).or_else(|| Sense::parse(&answer)))
}

pub(in crate::purge) static FORMAT: Method = Method {
    id: "scsi-format",
    title: "SCSI FORMAT UNIT",
    leaves: "every block of the unit was initialised; what it reads as depends on the drive",
    only_by_name: None,
    offers: offers_format,
    run: run_format,
};

fn offers_format(facts: &DriveFacts, wish: &Wish) -> Offer {
    let Some(scsi) = &facts.scsi else {
        return Offer::no("it is not a whole SCSI disk");
    };
    match &scsi.format {
        Err(why) => return Offer::no(why.clone()),
        Ok(false) => return Offer::no("the disk does not support FORMAT UNIT"),
        Ok(true) => {}
    }
    if wish.block_bytes.is_some_and(|wanted| Some(wanted) != facts.identity.logical_block_bytes) {
        return Offer::No {
            why:
                "another block size is wanted, but fathom formats a SCSI disk only with the size that it has"
                    .to_owned(),
            remedy: Some("sg_format --size changes the block size".to_owned()),
        };
    }
    Offer::Yes(Terms { act: "FORMAT UNIT".to_owned(), reach: Reach::Target, block_bytes: None, takes: None })
}

fn run_format(work: &Work<'_>, tell: ProgressListener<'_>) -> Result<Vec<DriveAnswer>, PurgeError> {
    carry_out(work, tell, "FORMAT UNIT", vec![FORMAT_UNIT, FMTDATA, 0, 0, 0, 0], &HEADER)
}
