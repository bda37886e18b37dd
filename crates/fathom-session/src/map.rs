//! The picture of the machine that goes into the report.

use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::notice::Message;
use fathom_host::topology::{MapRequest, Topology, svg};
use fathom_results::{RunRecord, write_run_file};
use fathom_text::carried::of_os;
use fathom_text::shown;
use std::path::Path;

/// Draws the way from the targets to the processors, and saves the picture in
/// the run's directory. A run without a device has none. A run does not fail
/// because of its picture: one that cannot be drawn is left out. `held` leads to the directory, even if that was moved; `dir` is the
/// path by which a person knows it.
pub fn draw(here: &Here, grounds: &PlanGrounds, held: &Path, dir: &Path) {
    let targets: Vec<String> = grounds.targets.iter().map(of_os).collect();
    if targets.is_empty() {
        return;
    }
    let request = MapRequest { targets, ..MapRequest::default() };
    let read = || Topology::read(here.root(), &request);
    let Ok(map) = here.slow_look().at_all_within_limit(&grounds.targets, read) else {
        return;
    };
    if let Err(unsaved) = save(held, dir, &svg::svg(&map)) {
        here.tell(Message::warning(unsaved));
    }
}

fn save(held: &Path, dir: &Path, picture: &str) -> Result<(), String> {
    let path = dir.join(RunRecord::TOPOLOGY);
    let unsaved = |e| format!("cannot write {}: {e}", shown::path(&path));
    write_run_file(held, RunRecord::TOPOLOGY, picture.as_bytes()).map_err(unsaved)
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
        save(dir.path(), dir.path(), "<svg/>").unwrap();
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "mine");
    }

    /// A person knows no descriptor.
    #[test]
    fn a_picture_that_cannot_be_saved_is_named_by_the_path_of_the_run() {
        let unsaved = save(Path::new("/proc/self/fd/999"), Path::new("runs/one"), "<svg/>").unwrap_err();
        assert_eq!(unsaved, "cannot write runs/one/topology.svg: No such file or directory (os error 2)");
    }
}
