//! Paths by pattern, within a root.
//!
//! sysfs numbers its directories, and has `cpufreq` next to `cpu0`, so there are two wild cards:
//! `*` means anything, `#` means digits only.

use std::path::{Path, PathBuf};

use crate::root::Root;

/// The existing paths that match, in the order of their numbers.
pub fn glob(root: &Root, pattern: &str) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from("/")];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        paths = paths.iter().flat_map(|dir| step(root, dir, part)).collect();
    }
    paths
}

fn step(root: &Root, dir: &Path, part: &str) -> Vec<PathBuf> {
    if !part.contains(['*', '#']) {
        let path = dir.join(part);
        return if root.exists(&path) { vec![path] } else { Vec::new() };
    }
    let mut names = root.list(dir).unwrap_or_default();
    names.retain(|name| matches(part.as_bytes(), name.as_bytes()));
    names.sort_by_cached_key(|name| (first_number(name), name.clone()));
    names.into_iter().map(|name| dir.join(name)).collect()
}

/// The first run of digits, so that cpu10 comes after cpu9.
fn first_number(name: &str) -> u64 {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().unwrap_or(0)
}

fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|skip| matches(rest, &name[skip..])),
        Some((b'#', rest)) => {
            let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (1..=digits).any(|skip| matches(rest, &name[skip..]))
        }
        Some((byte, rest)) => name.first() == Some(byte) && matches(rest, &name[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_anything() {
        assert!(matches(b"cpu#", b"cpu12"));
        assert!(!matches(b"cpu#", b"cpufreq"));
        assert!(!matches(b"cpu#", b"cpu"));
        assert!(matches(b"*_max", b"a_max"));
        assert!(matches(b"nvme#c*n#", b"nvme0c1n1"));
    }

    #[test]
    fn found_in_the_order_of_numbers() {
        let mut tree = crate::tree::Tree::default();
        tree.overlay("/c/cpu10/x = 1\n/c/cpu9/x = 1\n/c/cpufreq/x = 1\n/c/cpu1/y = 1\n").unwrap();
        let paths = glob(&Root::held(&tree), "/c/cpu#/x");
        assert_eq!(paths, [Path::new("/c/cpu9/x"), Path::new("/c/cpu10/x")]);
    }
}
