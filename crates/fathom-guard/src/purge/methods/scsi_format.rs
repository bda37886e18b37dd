//! SCSI FORMAT UNIT (SBC-4 §5.4), with the blocks that the unit has now.

use super::scsi_wait;
use crate::purge::error::PurgeError;
use crate::purge::facts::DriveFacts;
use crate::purge::method::{DriveAnswer, Method, Offer, ProgressListener, Reach, Terms, Wish, Work};

const FORMAT_UNIT: u8 = 0x04;
/// A parameter list follows.
const FMTDATA: u8 = 0x10;
/// The short header, with nothing but IMMED.
const HEADER: [u8; 4] = [0, 0x02, 0, 0];

pub(in crate::purge) static FORMAT: Method = Method {
    id: "scsi-format",
    title: "SCSI FORMAT UNIT",
    leaves: "every block of the unit was initialised; what it reads as depends on the drive",
    only_by_name: None,
    offers,
    run,
};

fn offers(facts: &DriveFacts, wish: &Wish) -> Offer {
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

fn run(work: &Work<'_>, tell: ProgressListener<'_>) -> Result<Vec<DriveAnswer>, PurgeError> {
    scsi_wait::carry_out(work, tell, "FORMAT UNIT", vec![FORMAT_UNIT, FMTDATA, 0, 0, 0, 0], &HEADER)
}
