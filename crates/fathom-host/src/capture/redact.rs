//! Removes from a capture what identifies the machine or its owner.
//!
//! Serial numbers, world-wide names, host name, machine id, UUIDs, MAC and IP addresses, users' homes and
//! mounted servers are replaced. A replacement has the same length, because binary answers have fixed fields.
//! It is the same at every place of the original, because two files that name one drive must still do so. It
//! differs between captures, because otherwise somebody could find short serial numbers by trying all of
//! them.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use crate::smbios;
use crate::smbios::Structure;
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
                let bytes = without_names(path, bytes);
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
    let mut secrets = Vec::new();
    for (path, entry) in tree.iter() {
        if let TreeEntry::File { bytes, .. } = entry {
            let text = String::from_utf8_lossy(bytes);
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if is_secret(path) {
                secrets.push(bare(text.trim()));
            }
            let keyed = text.lines().filter_map(|l| SECRET_KEYS.iter().find_map(|k| l.split_once(k)));
            secrets.extend(keyed.map(|(_, word)| bare(word.trim())));
            if name.starts_with("identify-controller") {
                // Serial number: bytes 4 to 23 (NVMe base specification).
                let serial = bytes.get(4..24).unwrap_or_default();
                secrets.push(String::from_utf8_lossy(serial).trim().to_owned());
            }
            secrets.extend(identifying::find(&text));
        }
        secrets.extend(identifying::find(&path.to_string_lossy()));
    }
    secrets.retain(|word| word.len() >= SECRET_MIN && !identifying::is_harmless(word));
    secrets
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

// Names in binary answers. A search for words does not find them, so they are
// removed by their position.

/// The part of the configuration space that fathom reads. After it are the
/// extended capabilities, including the device's serial number, which for a
/// network card is its MAC address.
const CONFIG_BYTES: usize = 256;

/// FGUID of Identify Controller; NGUID and EUI-64 of Identify Namespace (NVMe
/// base specification 2.0, 5.17).
const CONTROLLER_NAMES: std::ops::Range<usize> = 112..128;
const NAMESPACE_NAMES: std::ops::Range<usize> = 104..128;

/// Structures of the firmware's table that are kept: slots, memory, and the end
/// (SMBIOS 3.4, 7.10, 7.17, 7.18). The others contain serial numbers, UUIDs,
/// asset tags and text of the owner.
const DMI_KEPT: [u8; 4] = [9, 16, 17, 127];

/// Offsets in a memory device of the string numbers for serial number and asset
/// tag.
const DMI_MEMORY: u8 = 17;
const DMI_MEMORY_NAMES: [usize; 2] = [0x18, 0x19];

/// The bytes of an answer without the names in it.
fn without_names(path: &Path, bytes: &[u8]) -> Vec<u8> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut bytes = bytes.to_vec();
    let mut blank = |range: std::ops::Range<usize>| {
        if let Some(part) = bytes.get_mut(range) {
            part.fill(0);
        }
    };
    match name.as_ref() {
        "identify-controller" => blank(CONTROLLER_NAMES),
        name if name.starts_with("identify-namespace") => blank(NAMESPACE_NAMES),
        "config" if path.starts_with("/sys") => bytes.truncate(CONFIG_BYTES),
        "DMI" => return dmi(&bytes),
        _ => {}
    }
    bytes
}

fn dmi(table: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = table;
    while let Some((Structure { formatted, strings }, next)) = smbios::first(rest) {
        rest = next;
        if DMI_KEPT.contains(&formatted[0]) {
            out.extend(formatted);
            let named = DMI_MEMORY_NAMES.iter().filter_map(|at| formatted.get(*at)).copied();
            let named: Vec<u8> = named.filter(|_| formatted[0] == DMI_MEMORY).collect();
            for (number, text) in (1u8..=u8::MAX).zip(strings.split(|byte| *byte == 0)) {
                let stand_in = if named.contains(&number) { vec![b'X'; text.len()] } else { text.to_vec() };
                out.extend([&stand_in[..], &[0]].concat());
            }
            out.push(0);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_fixed_places_are_blank() {
        let namespace = without_names(Path::new("/.fathom/asked/nvme0/identify-namespace-1"), &[7; 4096]);
        assert_eq!((namespace[103], namespace[104], namespace[127], namespace[128]), (7, 0, 0, 7));
        let controller = without_names(Path::new("/.fathom/asked/nvme0/identify-controller"), &[7; 4096]);
        assert_eq!((controller[111], controller[112], controller[127], controller[128]), (7, 0, 0, 7));
        let config = without_names(Path::new("/sys/devices/pci0000:00/0000:00:01.0/config"), &[7; 4096]);
        assert_eq!(config.len(), CONFIG_BYTES);
        assert_eq!(without_names(Path::new("/etc/config"), &[7; 300]).len(), 300);
        assert_eq!(without_names(Path::new("/x/identify-namespace-1"), &[7; 3]), [7; 3]);
    }

    #[test]
    fn of_the_firmwares_table_slots_and_memory_are_left() {
        let system = [&[1u8, 8, 0, 0, 1, 2, 3, 4][..], b"Maker\0Model\0SECRET-1\0\0"].concat();
        let slot = [&[9u8, 17, 0, 0, 1, 0xa5, 10, 4, 4, 7, 0, 4, 1, 0, 0, 5, 0][..], b"SLOT 7\0\0"].concat();
        let mut memory = vec![17u8, 0x1b, 0, 0];
        memory.resize(0x1b, 0);
        (memory[0x10], memory[0x18], memory[0x19]) = (1, 2, 3);
        memory.extend(b"DIMM A1\0SECRET-2\0TAG-3\0\0");
        let end = [127u8, 4, 0, 0, 0, 0];
        let table = [&system[..], &slot, &memory, &end].concat();
        let left = without_names(Path::new("/sys/firmware/dmi/tables/DMI"), &table);
        let text = String::from_utf8_lossy(&left).into_owned();
        assert!(text.contains("DIMM A1") && !text.contains("SECRET") && !text.contains("TAG"), "{text}");
        assert!(text.contains("SLOT 7"), "{text}");
        assert_eq!(left.len(), table.len() - system.len());
        assert_eq!(
            without_names(Path::new("/sys/firmware/dmi/tables/DMI"), &left),
            left,
            "done once is done"
        );
    }
}
