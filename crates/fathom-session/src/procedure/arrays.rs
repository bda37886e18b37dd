//! md arrays at or below targets that are being built (contract I-20: an array initialises itself after it was made).

use fathom_device::Root;
use fathom_device::device::Graph;
use fathom_device::target;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The arrays that are not built, each with how far it is: `md0: resync 41.2 %`.
pub fn arrays_being_built(targets: &[PathBuf], root: &Root) -> Vec<String> {
    let devices = targets.iter().filter_map(|path| target::inspect(root, path).ok()?.device);
    let graphs = devices.filter_map(|device| Graph::read(root, device).ok());
    let names: BTreeSet<String> = graphs
        .flat_map(|graph| graph.nodes().iter().map(|node| node.name.clone()).collect::<Vec<_>>())
        .collect();
    names.iter().filter_map(|name| of_array(root, name)).collect()
}

/// The action of an array that is not idle (Documentation/admin-guide/md.rst); `None` for what is no array, and for an
/// array without redundancy, which has nothing to build.
fn of_array(root: &Root, name: &str) -> Option<String> {
    let md = Path::new("/sys/class/block").join(name).join("md");
    let text = |file: &str| root.read_text(md.join(file)).ok().map(|text| text.trim().to_owned());
    let action = text("sync_action").filter(|action| !["idle", "frozen", ""].contains(&action.as_str()))?;
    let share = text("sync_completed").and_then(|text| {
        let (done, all) = text.split_once('/')?;
        let (done, all): (f64, f64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
        (all > 0.0).then(|| format!(" {:.1} %", 100.0 * done / all))
    });
    Some(format!("{name}: {action}{}", share.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn array(action: &str, completed: &str) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let md = dir.path().join("sys/class/block/md0/md");
        fs::create_dir_all(&md).unwrap();
        fs::write(md.join("sync_action"), action).unwrap();
        fs::write(md.join("sync_completed"), completed).unwrap();
        of_array(&Root::recorded(dir.path()), "md0")
    }

    #[test]
    fn an_array_that_initialises_itself_is_not_built() {
        for (action, completed, told) in [
            ("resync\n", "823040 / 2093056\n", Some("md0: resync 39.3 %")),
            ("recover\n", "none\n", Some("md0: recover")),
            ("check\n", "0 / 0\n", Some("md0: check")),
            ("idle\n", "none\n", None),
            ("frozen\n", "none\n", None),
        ] {
            assert_eq!(array(action, completed).as_deref(), told, "{action}");
        }
        assert_eq!(of_array(&Root::live(), "no-such-disk"), None);
    }
}
