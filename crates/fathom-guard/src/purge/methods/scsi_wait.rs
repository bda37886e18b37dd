//! Long SCSI operations: sent with IMMED, then asked for until they end.

use std::time::Duration;

use crate::purge::drive::{DataDirection, ScsiCommand};
use crate::purge::error::PurgeError;
use crate::purge::method::{DriveAnswer, ProgressListener, PurgeProgress, Work};
use crate::purge::sense::{self, Sense};

const REQUEST_SENSE: u8 = 0x03;
const SENSE_BYTES: usize = 252;
/// The sense key of a medium or hardware error: the operation failed.
const FAILED_KEYS: [u8; 2] = [3, 4];
const PAUSE: Duration = Duration::from_secs(1);
const TIMEOUT: Duration = Duration::from_secs(60);

/// Sends `cdb` (with IMMED set) and waits for what it began.
pub(super) fn carry_out(
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
    if let Some(said) = sense::refusal(&reply) {
        return Err(PurgeError::Scsi { device: work.drive.name().to_owned(), act: act.to_owned(), said });
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
