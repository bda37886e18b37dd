//! `manifest.json`: what a bundle holds.

use fathom_text::carried;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashSet;

/// Version of the manifest. A reader refuses a newer one; added fields do not change it.
pub(super) const FORMAT: u32 = 1;

/// Name of the manifest in the directory of the bundle.
pub(super) const FILE: &str = "manifest.json";

/// Name of the digests of all files, in the form of `sha256sum`.
pub(super) const SUMS: &str = "SHA256SUMS";

/// The longest manifest that is read.
pub(super) const MANIFEST_MAX_BYTES: u64 = 64 << 20;

/// The most files in a bundle: a procedure of 1,400 rounds has less than 10,000.
pub(super) const FILES_MAX: usize = 100_000;

/// The most bytes of a saved run or procedure that are copied. The spool of a day with 64 jobs has 2.2 GB.
pub const SAVED_MAX_BYTES: u64 = 8 << 30;

/// What the archive may have besides the content of its files: a block for each, and long names.
pub(super) const BLOCKS_MAX_BYTES: u64 = 1 << 30;

/// What a bundle holds. All names are carried ([`fathom_text::carried`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleManifest {
    /// Version of the manifest.
    pub fathom_bundle: u32,
    /// Version of fathom that made the bundle.
    pub fathom: String,
    /// `run` or `procedure`.
    pub kind: String,
    /// Id of the run or the procedure; `None` where its record is damaged, as for the next fields.
    pub id: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// When it began, as `2026-11-21 03:38:46 UTC`.
    pub started: Option<String>,
    /// The short id of its configuration: results with the same one came from the same jobs on the same
    /// kind of machine.
    pub configuration: Option<String>,
    /// The directory of everything in the bundle.
    pub directory: String,
    /// The capture of a machine among the files.
    pub capture: Option<String>,
    /// Every other file, in the order of the archive, but for the digests at its end.
    pub files: Vec<BundledFile>,
}

/// One file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundledFile {
    /// Path in the directory.
    pub path: String,
    /// Length.
    pub bytes: u64,
    /// SHA-256 as 64 hexadecimal digits.
    pub sha256: String,
}

impl BundleManifest {
    /// Reads and checks a manifest. The error is a sentence without the path of the bundle.
    pub(super) fn read(bytes: &[u8]) -> Result<BundleManifest, String> {
        #[derive(Deserialize)]
        struct FormatOnly {
            fathom_bundle: u32,
        }
        let wrong = |e: serde_json::Error| format!("its manifest cannot be read: {e}");
        let version = serde_json::from_slice::<FormatOnly>(bytes).map_err(wrong)?.fathom_bundle;
        if version > FORMAT {
            return Err(format!("its manifest has format {version}; this fathom reads up to {FORMAT}"));
        }
        let manifest: BundleManifest = serde_json::from_slice(bytes).map_err(wrong)?;
        manifest.check().map(|()| manifest)
    }

    /// What `sha256sum -c` reads: the digests of all files, and of the text of this manifest. A name with a backslash or a
    /// line break has escapes, and its line begins with a backslash.
    pub(super) fn sums(&self, text: &[u8]) -> Vec<u8> {
        let own = (sha256(text), FILE);
        let of_files = self.files.iter().map(|file| (file.sha256.clone(), file.path.as_str()));
        of_files.chain([own]).flat_map(|(digest, path)| sums_line(&digest, path)).collect()
    }

    fn check(&self) -> Result<(), String> {
        if !is_name(&self.directory) {
            return Err("its manifest names no directory".to_owned());
        }
        if self.files.len() > FILES_MAX {
            return Err(format!("it has {} files, and at most {FILES_MAX} are read", self.files.len()));
        }
        let total = self.files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.bytes));
        if total.is_none_or(|total| total > SAVED_MAX_BYTES) {
            return Err(format!("its files have more than {SAVED_MAX_BYTES} bytes together"));
        }
        let mut known = HashSet::new();
        for file in &self.files {
            if !is_below(&file.path) {
                return Err(format!("the path {:?} leads out of its directory", file.path));
            }
            if [FILE, SUMS].contains(&file.path.as_str()) || !known.insert(file.path.as_str()) {
                return Err(format!("it has {:?} twice", file.path));
            }
        }
        Ok(())
    }
}

fn sums_line(digest: &str, path: &str) -> Vec<u8> {
    let mut name = Vec::new();
    for byte in carried::to_bytes(path) {
        match byte {
            b'\\' => name.extend(b"\\\\"),
            b'\n' => name.extend(b"\\n"),
            b'\r' => name.extend(b"\\r"),
            plain => name.push(plain),
        }
    }
    let mark: &[u8] = if name.contains(&b'\\') { b"\\" } else { b"" };
    [mark, digest.as_bytes(), b"  ", &name, b"\n"].concat()
}

/// Is it one name, and no way to another directory?
fn is_name(text: &str) -> bool {
    is_below(text) && !text.contains('/')
}

/// Is it a path of names alone?
fn is_below(text: &str) -> bool {
    let bytes = carried::to_bytes(text);
    let is_plain = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
    bytes.split(|byte| *byte == b'/').all(is_plain)
}

/// The SHA-256 of bytes, as hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
