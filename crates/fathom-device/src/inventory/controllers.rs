//! The NVMe controllers that lead to a namespace.

use std::path::{Path, PathBuf};

use crate::glob::glob;
use crate::root::Root;

/// The directories in sysfs of the controllers that lead to the disk in `sys_dir`, whose names are
/// theirs (`nvme0`). Empty for a disk that is no NVMe namespace.
///
/// The `device` of a namespace is its controller. With native multipath it is the subsystem, which
/// has a link to each of its controllers.
pub(super) fn controllers(root: &Root, sys_dir: &Path) -> Vec<PathBuf> {
    let Ok(device) = root.resolve(sys_dir.join("device")) else { return Vec::new() };
    let name = leaf(&device);
    if !name.starts_with("nvme") {
        return Vec::new();
    }
    if !name.starts_with("nvme-subsys") {
        return vec![device];
    }
    let links = glob(root, &format!("{}/nvme#", device.display()));
    let all: Vec<PathBuf> = links.into_iter().map(|link| root.resolve(&link).unwrap_or(link)).collect();
    let namespace = leaf(sys_dir);
    let attached: Vec<PathBuf> = all.iter().filter(|dir| has_path(root, dir, &namespace)).cloned().collect();
    // A machine that was recorded without the hidden paths does not say which controllers the
    // namespace is attached to.
    if attached.is_empty() { all } else { attached }
}

/// Whether the namespace is attached to this controller: a subsystem can have controllers that do
/// not lead to each of its namespaces. The hidden disk of the path is below its controller.
fn has_path(root: &Root, controller: &Path, namespace: &str) -> bool {
    root.list(controller).unwrap_or_default().iter().any(|name| is_path_of(name, namespace))
}

/// `nvme0c1n2` is a path of `nvme0n2`.
fn is_path_of(path: &str, head: &str) -> bool {
    let numbers = |text: &str| -> Option<(String, String, bool)> {
        let (front, namespace) = text.strip_prefix("nvme")?.rsplit_once('n')?;
        let (subsystem, controller) = front.split_once('c').unwrap_or((front, ""));
        Some((subsystem.to_owned(), namespace.to_owned(), !controller.is_empty()))
    };
    let (Some(path), Some(head)) = (numbers(path), numbers(head)) else {
        return false;
    };
    path.2 && !head.2 && (path.0, path.1) == (head.0, head.1)
}

/// The last part of a path.
pub(super) fn leaf(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::is_path_of;

    #[test]
    fn paths_of_a_namespace() {
        assert!(is_path_of("nvme0c1n2", "nvme0n2"));
        for (path, head) in
            [("nvme0c1n1", "nvme0n2"), ("nvme1c1n2", "nvme0n2"), ("nvme0n2", "nvme0n2"), ("sda", "sdb")]
        {
            assert!(!is_path_of(path, head), "{path} {head}");
        }
    }
}
