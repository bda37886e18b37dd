//! SCSI SANITIZE (SBC-4 §5.30): the whole logical unit.

use super::scsi_wait;
use crate::purge::error::PurgeError;
use crate::purge::facts::{DriveFacts, ScsiFacts};
use crate::purge::method::{DriveAnswer, Method, Offer, ProgressListener, Reach, Terms, Wish, Work};

const SANITIZE: u8 = 0x48;
const IMMED: u8 = 0x80;
/// Allow unrestricted exit from failure.
const AUSE: u8 = 0x20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Overwrite = 1,
    Block = 2,
    Crypto = 3,
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
    let act = format!("SANITIZE, service action {}", action as u8);
    Offer::Yes(Terms { act, reach: Reach::Target, block_bytes: None, takes: None })
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
    let act = format!("SANITIZE, service action {}", action as u8);
    scsi_wait::carry_out(work, tell, &act, cdb, parameters)
}
