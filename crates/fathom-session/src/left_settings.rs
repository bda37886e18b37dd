//! Says which settings of the host a fathom that ended has left changed: what is measured now, is measured with them.

use crate::here::Here;
use crate::notice::Message;
use fathom_device::Root;
use fathom_text::words::counted;
use fathom_tune::{LeftSession, Record, left_in_force, revert_command};

/// Settings that are named of each session.
const NAMED_MAX: usize = 4;

/// One warning for each session whose settings are in force although its process has ended, with the command that puts them
/// back. None where nothing is known, as for a user who may not read what root has changed.
pub fn left_settings(root: &Root) -> Vec<Message> {
    left_in_force(root).unwrap_or_default().iter().map(warning).collect()
}

/// Reports them.
pub(crate) fn report(here: &Here) {
    left_settings(here.root()).into_iter().for_each(|warning| here.tell(warning));
}

fn warning(session: &LeftSession) -> Message {
    let setting = |record: &Record| {
        format!("{} at {} is {}, and was {}", record.id, record.path, record.in_force(), record.before_typed)
    };
    let mut named: Vec<String> = session.records.iter().take(NAMED_MAX).map(setting).collect();
    let more = session.records.len().saturating_sub(NAMED_MAX);
    named.extend((more > 0).then(|| format!("{more} more")));
    let process = session.pid.map_or_else(String::new, |pid| format!(" (process {pid})"));
    let text = format!(
        "a fathom that has ended{process} left {} of this machine changed: {}",
        counted(session.records.len() as u64, "setting"),
        named.join("; ")
    );
    Message::warning(text).hint(format!("to put back what it left: {}", revert_command(&session.journal)))
}
