//! What the kernel says of arrays: which one is made of a device, and of what it is made.

use super::error::ArrayError;
use fathom_device::root::Root;

/// The md arrays that are made of the device with this kernel name.
pub fn arrays_over(root: &Root, member: &str) -> Vec<String> {
    let holders = root.list(format!("/sys/class/block/{member}/holders")).unwrap_or_default();
    let is_array = |name: &String| root.is_dir(format!("/sys/class/block/{name}/md"));
    holders.into_iter().filter(is_array).collect()
}

/// The kernel names of the devices that an array is made of, sorted.
pub fn members_of(root: &Root, array: &str) -> Result<Vec<String>, ArrayError> {
    let mut members = root.list(format!("/sys/class/block/{array}/slaves"))?;
    members.sort();
    Ok(members)
}

/// What the kernel calls the metadata of an array: `1.2`, `external:imsm` of a container, `external:/md127/0` of a volume in it.
pub fn metadata_of(root: &Root, array: &str) -> String {
    root.read_text(format!("/sys/class/block/{array}/md/metadata_version")).unwrap_or_default()
}

/// The container that an array is a volume of. `-` takes the place of the first `/` as long as nobody manages the volume.
pub fn container_of(root: &Root, array: &str) -> Option<String> {
    let metadata = metadata_of(root, array);
    let place = metadata.strip_prefix("external:")?.strip_prefix(['/', '-'])?;
    place.split('/').next().map(str::to_owned)
}

/// Whether it is a container, which holds volumes and no data.
pub fn is_container(root: &Root, array: &str) -> bool {
    metadata_of(root, array).starts_with("external:") && container_of(root, array).is_none()
}

/// The one array of data that is made of exactly these devices.
///
/// # Errors
/// There is none, or it is made of others too.
pub fn array_of(root: &Root, members: &[&str]) -> Result<String, String> {
    over(root, members, false)
}

/// The one container of exactly these devices.
///
/// # Errors
/// There is none, or it is made of others too.
pub fn container_over(root: &Root, members: &[&str]) -> Result<String, String> {
    over(root, members, true)
}

fn over(root: &Root, members: &[&str], container: bool) -> Result<String, String> {
    let mut members: Vec<String> = members.iter().map(|name| (*name).to_owned()).collect();
    members.sort();
    let mut over_first = members.first().map(|first| arrays_over(root, first)).unwrap_or_default();
    over_first.retain(|array| is_container(root, array) == container);
    let [array] = over_first.as_slice() else {
        return Err(format!("the kernel shows {} arrays over {}", over_first.len(), members.join(" and ")));
    };
    match members_of(root, array) {
        Ok(there) if there == members => Ok(array.clone()),
        Ok(there) => Err(format!("{array} is made of {}, not of {}", there.join(", "), members.join(", "))),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn machine(stacks: &[(&str, &[&str])]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for (array, members) in stacks {
            let block = dir.path().join("sys/class/block");
            fs::create_dir_all(block.join(array).join("md")).unwrap();
            for member in *members {
                fs::create_dir_all(block.join(array).join("slaves").join(member)).unwrap();
                fs::create_dir_all(block.join(member).join("holders").join(array)).unwrap();
            }
        }
        let root = Root::recorded(dir.path());
        (dir, root)
    }

    /// A volume and its container have the same members.
    #[test]
    fn a_volume_is_told_from_its_container() {
        let (dir, root) =
            machine(&[("md126", &["sda", "sdb"]), ("md127", &["sda", "sdb"]), ("md5", &["sdc", "sdd"])]);
        let metadata = |array: &str, text: &str| {
            fs::write(dir.path().join(format!("sys/class/block/{array}/md/metadata_version")), text).unwrap();
        };
        metadata("md127", "external:imsm\n");
        metadata("md5", "1.2\n");
        for managed in ["external:/md127/0", "external:-md127/0"] {
            metadata("md126", managed);
            assert_eq!(container_of(&root, "md126").as_deref(), Some("md127"));
            assert_eq!(array_of(&root, &["sdb", "sda"]).unwrap(), "md126");
            assert_eq!(container_over(&root, &["sda", "sdb"]).unwrap(), "md127");
        }
        assert!(is_container(&root, "md127") && !is_container(&root, "md126") && !is_container(&root, "md5"));
        assert!(container_over(&root, &["sdc", "sdd"]).is_err());
    }

    #[test]
    fn an_array_is_found_by_its_members_whatever_its_number() {
        let (_dir, root) = machine(&[("md7", &["sdb", "sda"]), ("md127", &["sdc", "sdd", "sde"])]);
        assert_eq!(array_of(&root, &["sda", "sdb"]).unwrap(), "md7");
        assert_eq!(array_of(&root, &["sde", "sdc", "sdd"]).unwrap(), "md127");
        for (members, why) in [
            (&["sda"][..], "made of sda, sdb, not of sda"),
            (&["sdx"], "0 arrays"),
            (&["sdc", "sda"], "md7 is"),
        ] {
            let message = array_of(&root, members).unwrap_err();
            assert!(message.contains(why), "{message}");
        }
    }
}
