//! Removes from a capture what identifies the machine or its owner.
//!
//! Serial numbers, world-wide names, host name, machine id, UUIDs, MAC and IP addresses, users' homes and
//! mounted servers are replaced. A replacement has the same length, because binary answers have fixed fields.
//! It is the same at every place of the original, because two files that name one drive must still do so. It
//! differs between captures, because otherwise somebody could find short serial numbers by trying all of
//! them.

mod binary;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use fathom_device::tree::{Tree, TreeEntry};
use fathom_text::identifying;

/// Names of files that contain only a secret.
const SECRET_FILES: [&str; 15] = [
    "serial",
    "wwid",
    "uuid",
    "nguid",
    "eui",
    "subsysnqn",
    "hostnqn",
    "hostid",
    "hostname",
    "machine-id",
    "product_serial",
    "product_uuid",
    "board_serial",
    "chassis_serial",
    "boot_id",
];

/// Keys of udev properties whose value is a secret.
const SECRET_KEYS: [&str; 6] = [
    "ID_SERIAL=",
    "ID_SERIAL_SHORT=",
    "ID_WWN=",
    "ID_WWN_WITH_EXTENSION=",
    "ID_FS_UUID=",
    "ID_PART_ENTRY_UUID=",
];

/// Shorter words are not replaced: to replace every `1` would destroy the tree.
const SECRET_MIN: usize = 5;

/// The replacement rules of one capture.
#[derive(Debug, Clone)]
pub struct Redaction {
    /// The same salt gives the same replacements.
    pub(super) salt: u64,
}

impl Default for Redaction {
    fn default() -> Self {
        Self { salt: RandomState::new().build_hasher().finish() }
    }
}

impl Redaction {
    /// The tree without anything that identifies the machine.
    pub fn apply(&self, tree: &Tree) -> Tree {
        let words: BTreeMap<String, String> =
            secrets(tree).into_iter().map(|word| (word.clone(), self.stand_in(&word))).collect();
        // A serial number may be part of a longer name, so the longest words are replaced first.
        let mut words: Vec<(String, String)> = words.into_iter().collect();
        words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        let mut out = Tree::default();
        for (path, entry) in tree.iter() {
            out.insert(path_without(path, &words), self.without(path, entry, &words));
        }
        out
    }

    fn without(&self, path: &Path, entry: &TreeEntry, words: &[(String, String)]) -> TreeEntry {
        match entry {
            TreeEntry::Link(to) => TreeEntry::Link(path_without(to, words)),
            TreeEntry::File { bytes, mode } => {
                let bytes = binary::without_names(path, bytes);
                let bytes = match std::str::from_utf8(&bytes) {
                    // The word is too short to be replaced elsewhere, but it is still a name.
                    Ok(text) if is_secret(path) && bare(text.trim()).len() < SECRET_MIN => {
                        self.stand_in(text).into_bytes()
                    }
                    Ok(text) => replaced(text, words).into_bytes(),
                    Err(_) => replaced_bytes(&bytes, words),
                };
                TreeEntry::File { bytes, mode: *mode }
            }
            other => other.clone(),
        }
    }

    /// A replacement of the same length, with letters for letters and digits
    /// for digits, so that every parser still works.
    fn stand_in(&self, word: &str) -> String {
        let mut state = word.bytes().fold(self.salt ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
            // FNV-1a spreads well enough; the salt protects the original.
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let is_hex = word.chars().all(|c| c.is_ascii_hexdigit() || !c.is_ascii_alphanumeric());
        let mut pick = |from: &[u8]| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(from[(state >> 33) as usize % from.len()])
        };
        let (kept, word) = word.split_at(identifying::kept(word));
        let scrambled = word.chars().map(|c| match c {
            '0'..='9' => pick(b"0123456789"),
            'a'..='z' if is_hex => pick(b"abcdef"),
            'A'..='Z' if is_hex => pick(b"ABCDEF"),
            'a'..='z' => pick(b"abcdefghijklmnopqrstuvwxyz"),
            'A'..='Z' => pick(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
            other => other,
        });
        format!("{kept}{}", scrambled.collect::<String>())
    }
}

fn secrets(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (path, entry) in tree.iter() {
        if let TreeEntry::File { bytes, .. } = entry {
            let text = String::from_utf8_lossy(bytes);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if is_secret(path) {
                found.push(bare(text.trim()));
            }
            let keyed = text.lines().filter_map(|l| SECRET_KEYS.iter().find_map(|k| l.split_once(k)));
            found.extend(keyed.map(|(_, word)| bare(word.trim())));
            if name.starts_with("identify-controller") {
                // Serial number: bytes 4 to 23 (NVMe base specification).
                let serial = bytes.get(4..24).unwrap_or_default();
                found.push(String::from_utf8_lossy(serial).trim().to_owned());
            }
            found.extend(identifying::find(&text));
        }
        found.extend(identifying::find(&path.to_string_lossy()));
    }
    found.retain(|word| word.len() >= SECRET_MIN && !identifying::is_harmless(word));
    found
}

/// Whether the file contains only a secret.
fn is_secret(path: &Path) -> bool {
    path.file_name().is_some_and(|name| SECRET_FILES.iter().any(|file| name == *file))
}

/// The name without the prefix for its kind: `eui.`, `naa.`.
fn bare(word: &str) -> String {
    let kinds =
        ["eui.", "naa.", "uuid.", "t10.", "nqn.2014.08.org.nvmexpress:", "nqn.2014-08.org.nvmexpress:uuid:"];
    let rest = kinds.iter().find_map(|kind| word.strip_prefix(kind));
    rest.unwrap_or(word).to_owned()
}

fn replaced(text: &str, words: &[(String, String)]) -> String {
    let mut text = text.to_owned();
    for (word, stand_in) in words {
        if text.contains(word.as_str()) {
            text = text.replace(word.as_str(), stand_in);
        }
    }
    text
}

fn path_without(path: &Path, words: &[(String, String)]) -> PathBuf {
    PathBuf::from(replaced(&path.to_string_lossy(), words))
}

fn replaced_bytes(bytes: &[u8], words: &[(String, String)]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for (word, stand_in) in words {
        let word = word.as_bytes();
        for at in 0..out.len().saturating_sub(word.len() - 1) {
            if out[at..].starts_with(word) {
                out[at..at + word.len()].copy_from_slice(stand_in.as_bytes());
            }
        }
    }
    out
}
