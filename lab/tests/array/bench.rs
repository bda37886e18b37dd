//! Four drives of one size, and an array of them.

use fathom_lab::{Drive, Run, fathom, try_sh};

/// The members.
pub const SERIALS: [&str; 4] = ["LAB-E", "LAB-F", "LAB-G", "LAB-H"];

/// Blank drives.
pub fn drives() -> Vec<Drive> {
    let drives: Vec<Drive> = SERIALS.iter().map(|serial| Drive::by_serial(serial)).collect();
    drives.iter().for_each(Drive::blank);
    drives
}

/// `fathom array create` of these drives with consent to each.
pub fn create(drives: &[Drive], words: &[&str]) -> Run {
    let mut all = vec!["array", "create"];
    all.extend(words);
    all.extend(drives.iter().map(|drive| drive.node.as_str()));
    drives.iter().for_each(|drive| all.extend(["--destroy", &drive.serial]));
    fathom(&all)
}

/// An array that was made: node and UUID.
pub struct Array {
    pub node: String,
    pub uuid: String,
}

impl Array {
    /// Makes it, which must succeed.
    #[track_caller]
    pub fn of(drives: &[Drive], words: &[&str]) -> Self {
        let run = create(drives, words);
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
        let node = run.stdout.split(':').next().unwrap().to_owned();
        let uuid =
            run.stdout.lines().find_map(|line| line.trim().strip_prefix("uuid")).unwrap().trim().to_owned();
        Self { node, uuid }
    }

    /// Takes it apart, which must succeed.
    #[track_caller]
    pub fn remove(&self) {
        let run = fathom(&["array", "remove", &self.node, "--destroy", &self.uuid]);
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    }
}

/// A test that failed leaves no array to the next one.
impl Drop for Array {
    fn drop(&mut self) {
        if std::thread::panicking() {
            try_sh(&["mdadm", "--stop", &self.node]);
        }
    }
}

/// What md and other programs would find: no array runs, no member has a signature.
#[track_caller]
pub fn assert_apart(drives: &[Drive]) {
    let arrays = std::fs::read_to_string("/proc/mdstat").unwrap();
    assert!(!arrays.contains("active"), "{arrays}");
    for drive in drives {
        let examined = try_sh(&["mdadm", "--examine", &drive.node]);
        assert_ne!(examined.code, Some(0), "{}: {}", drive.serial, examined.stdout);
        let found = try_sh(&["wipefs", &drive.node]);
        assert_eq!(found.stdout, "", "{}", drive.serial);
    }
}
