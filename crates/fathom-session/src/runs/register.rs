//! Tells the index in which directory a run is saved.

use super::index::RunIndex;
use super::rows::Rows;
use super::unusable::Unusable;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

/// The longest time for which a run waits for the index.
const WAIT: Duration = Duration::from_millis(250);

/// Remembers the directory that holds the directory of a run. A run needs no index, so nothing that
/// goes wrong with it is told here. The index may lie on a file system that does not answer; so a
/// thread writes to it, and the run waits for that thread for a short time only.
pub(crate) fn register(dir: &Path, index: &RunIndex) {
    let Ok(dir) = std::fs::canonicalize(dir) else { return };
    if index.path().is_none() {
        return;
    }
    let (index, (told, ended)) = (index.clone(), channel());
    let register = move || {
        let done = known(&dir, &index);
        let _ = told.send(done);
    };
    if std::thread::Builder::new().name("fathom-index".to_owned()).spawn(register).is_ok() {
        let _ = ended.recv_timeout(WAIT);
    }
}

/// The lines of runs are not read: there may be many of them, and a run begins.
fn known(dir: &Path, index: &RunIndex) -> Result<(), Unusable> {
    if index.text().is_ok_and(|text| Rows::directories_in(&text).iter().any(|known| known == dir)) {
        return Ok(());
    }
    index.change(WAIT, |rows| rows.add(dir))
}
