//! The picture of the machine that goes into the report.

use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::notice::Message;
use fathom_host::topology::{MapRequest, Topology, svg};
use fathom_results::{RunRecord, write_run_file};
use fathom_text::carried::of_os;
use std::io;
use std::path::Path;

/// Draws the way from the targets to the processors, and saves the picture in
/// the run's directory. A run without a device has none. A run does not fail
/// because of its picture: one that cannot be drawn is left out.
pub fn draw(here: &Here, grounds: &PlanGrounds, dir: &Path) {
    let targets: Vec<String> = grounds.targets.iter().map(of_os).collect();
    if targets.is_empty() {
        return;
    }
    let request = MapRequest { targets, ..MapRequest::default() };
    let read = || Topology::read(here.root(), &request);
    let Ok(map) = here.slow_look().at_all_within_limit(&grounds.targets, read) else {
        return;
    };
    if let Err(e) = save(dir, &svg::svg(&map)) {
        let path = dir.join(RunRecord::TOPOLOGY);
        here.tell(Message::warning(format!("cannot write {}: {e}", path.display())));
    }
}

fn save(dir: &Path, picture: &str) -> io::Result<()> {
    write_run_file(dir, RunRecord::TOPOLOGY, picture.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_not_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let precious = dir.path().join("precious");
        std::fs::write(&precious, "mine").unwrap();
        std::os::unix::fs::symlink(&precious, dir.path().join(RunRecord::TOPOLOGY)).unwrap();
        save(dir.path(), "<svg/>").unwrap();
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "mine");
    }
}
