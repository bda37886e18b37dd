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

/// The one array that is made of exactly these devices.
///
/// # Errors
/// There is none, or it is made of others too.
pub fn array_of(root: &Root, members: &[&str]) -> Result<String, String> {
    let mut members: Vec<String> = members.iter().map(|name| (*name).to_owned()).collect();
    members.sort();
    let found = members.first().map(|first| arrays_over(root, first)).unwrap_or_default();
    let [array] = found.as_slice() else {
        return Err(format!("the kernel shows {} arrays over {}", found.len(), members.join(" and ")));
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
            let said = array_of(&root, members).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
