//! The seal of a run: what its directory held when it was saved last.
//!
//! `run.json` is replaced in one step when the run has ended and was judged, and only then it has a
//! seal. So a run without a seal did not come to its end, and in a run with one everything can be
//! checked: each file has its length and a checksum, `run.json` itself among them. A checksum finds
//! damage; it is no proof against somebody who changes a result on purpose.

use crate::directory::SavedDirectory;
use crate::obstacle::{ReadObstacle, UnreadFile};
use crate::spool::{self, SpoolExtent};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The longest record that is read; that of a plan of ten thousand jobs is a tenth of it.
pub(crate) const RECORD_MAX_BYTES: u64 = 1 << 30;

/// What the directory of a run held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seal {
    /// Every file but `run.json`, by name.
    pub files: Vec<SealedFile>,
    /// CRC-32 of `run.json` as eight hexadecimal digits, computed with zeros in this place.
    pub record_crc32: String,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SealedFile {
    /// Name in the directory.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// CRC-32 of its content as eight hexadecimal digits; of the spool, that of its payloads.
    pub crc32: String,
}

/// Name of the record in the directory of a run.
pub(crate) const RECORD: &str = "run.json";

/// The text before the checksum of `run.json`, and the checksum while it is computed.
const KEY: &str = "\"record_crc32\":";
const ZEROS: &str = "00000000";

impl Seal {
    /// Of all files in `dir`, whose spool was written to this extent.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn of(dir: &Path, spool: SpoolExtent) -> io::Result<Seal> {
        let held = SavedDirectory::open(dir)?;
        let mut files = Vec::new();
        for name in names(dir)? {
            let sealed =
                if name == spool::FILE { SealedFile::spool(spool) } else { SealedFile::of(&held, &name)? };
            files.push(sealed);
        }
        Ok(Seal { files, record_crc32: ZEROS.to_owned() })
    }

    /// The seal with one more file, or with another content of it. The other files keep the checksums that they have, so
    /// what was changed since the run was sealed stays told.
    pub(crate) fn with(mut self, name: &str, bytes: &[u8]) -> Seal {
        let sealed = SealedFile::of_bytes(name, bytes);
        match self.files.iter_mut().find(|file| file.name == name) {
            Some(file) => *file = sealed,
            None => self.files.push(sealed),
        }
        self.files.sort_by(|one, other| one.name.cmp(&other.name));
        self
    }

    /// The extent of the spool.
    fn spool(&self) -> Option<SpoolExtent> {
        let file = self.files.iter().find(|file| file.name == spool::FILE)?;
        let crc32 = u32::from_str_radix(&file.crc32, 16).ok()?;
        Some(SpoolExtent { bytes: file.bytes, crc32 })
    }

    /// Is this file one of the sealed ones?
    pub fn holds(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name)
    }

    /// Is this the text of `run.json` that was sealed?
    pub(crate) fn is_of(&self, record: &str) -> bool {
        has_checksum(record.as_bytes(), &self.record_crc32)
    }

    /// The seal of the run in this directory, if `run.json` is as it was sealed: of one that was changed, nobody knows what it named.
    pub fn saved_in(dir: &SavedDirectory) -> Option<Seal> {
        #[derive(Deserialize)]
        struct SealOnly {
            seal: Option<Seal>,
        }
        let text = dir.text(RECORD, RECORD_MAX_BYTES).ok()?;
        let seal = serde_json::from_str::<SealOnly>(&text).ok()?.seal?;
        seal.is_of(&text).then_some(seal)
    }

    /// Is the file in this directory as it was when it was sealed?
    pub fn fits_in(&self, dir: &SavedDirectory, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name && matches!(file.damage(dir), Ok(None)))
    }

    /// Is this the content that a file had when it was sealed?
    pub(crate) fn fits(&self, name: &str, bytes: &[u8]) -> bool {
        self.files.contains(&SealedFile::of_bytes(name, bytes))
    }

    /// What differs from what was sealed: in the text of `run.json`, in the spool, of which
    /// `read` was read, or in another file. `None` if everything is as it was.
    ///
    /// # Errors
    /// An obstacle keeps a file from being read.
    pub(crate) fn damage(
        &self,
        dir: &SavedDirectory,
        record: &str,
        read: SpoolExtent,
    ) -> Result<Option<String>, UnreadFile> {
        if let Some(changed) = changed_record(record.as_bytes(), &self.record_crc32) {
            return Ok(Some(changed));
        }
        for file in &self.files {
            let damage = match file.name == spool::FILE {
                true => self.spool().and_then(|sealed| spool_damage(sealed, read)),
                false => file.damage(dir)?,
            };
            if damage.is_some() {
                return Ok(damage);
            }
        }
        Ok(None)
    }
}

/// Why a run that came to its end is damaged: it has no seal, so nothing of it can be checked.
pub const NO_SEAL: &str = "run.json has no seal";

/// Has the text of `run.json` or `procedure.json` this checksum?
pub fn has_checksum(record: &[u8], record_crc32: &str) -> bool {
    let crc32 = std::str::from_utf8(record).ok().and_then(crc_of_record);
    crc32.is_some_and(|crc32| hex(crc32) == record_crc32)
}

/// Why a `run.json` is not the one that was sealed with this checksum; `None` if it is.
pub fn changed_record(record: &[u8], record_crc32: &str) -> Option<String> {
    (!has_checksum(record, record_crc32)).then(|| format!("{RECORD} was changed after it was saved"))
}

fn spool_damage(sealed: SpoolExtent, read: SpoolExtent) -> Option<String> {
    let differs = "the spool is not the one that was saved".to_owned();
    match read.bytes.cmp(&sealed.bytes) {
        std::cmp::Ordering::Less => {
            Some(format!("the spool is cut: {} of its {} bytes are left", read.bytes, sealed.bytes))
        }
        std::cmp::Ordering::Greater => Some(differs),
        std::cmp::Ordering::Equal => (read != sealed).then_some(differs),
    }
}

impl SealedFile {
    fn of(dir: &SavedDirectory, name: &str) -> io::Result<SealedFile> {
        let (bytes, crc32) = checksum(dir, name)?;
        Ok(SealedFile { name: name.to_owned(), bytes, crc32: hex(crc32) })
    }

    fn of_bytes(name: &str, bytes: &[u8]) -> SealedFile {
        SealedFile { name: name.to_owned(), bytes: bytes.len() as u64, crc32: hex(crc32fast::hash(bytes)) }
    }

    fn spool(extent: SpoolExtent) -> SealedFile {
        SealedFile { name: spool::FILE.to_owned(), bytes: extent.bytes, crc32: hex(extent.crc32) }
    }

    /// What differs from what was sealed.
    fn damage(&self, dir: &SavedDirectory) -> Result<Option<String>, UnreadFile> {
        // The length first: what is in the place of a file may have no end.
        let length = dir.file(&self.name).and_then(|file| file.metadata()).map(|meta| meta.len());
        let found = match length {
            Ok(bytes) if bytes != self.bytes => Ok(None),
            Ok(_) => SealedFile::of(dir, &self.name).map(Some),
            Err(e) => Err(e),
        };
        match found {
            Ok(found) if found.as_ref() == Some(self) => Ok(None),
            Ok(_) => Ok(Some(format!("{} was changed after it was saved", self.name))),
            Err(source) if ReadObstacle::of(&source).is_some() => {
                Err(UnreadFile { path: dir.at(&self.name), source })
            }
            Err(e) => Ok(Some(format!("{} cannot be read: {e}", self.name))),
        }
    }
}

/// The text of a record with its checksum in place.
pub(crate) fn sealed_text(text: &str) -> String {
    match (checksum_place(text), crc_of_record(text)) {
        (Some(at), Some(crc32)) => {
            format!("{}{}{}", &text[..at], hex(crc32), &text[at + ZEROS.len()..])
        }
        _ => text.to_owned(),
    }
}

/// The checksum of a record, as if its place held zeros; `None` where there is no place.
pub(crate) fn crc_of_record(text: &str) -> Option<u32> {
    let at = checksum_place(text)?;
    let mut hasher = crc32fast::Hasher::new();
    [&text[..at], ZEROS, &text[at + ZEROS.len()..]].iter().for_each(|part| hasher.update(part.as_bytes()));
    Some(hasher.finalize())
}

fn checksum_place(text: &str) -> Option<usize> {
    let value = text.rfind(KEY)? + KEY.len();
    let at = value + text[value..].find('"').filter(|spaces| *spaces < 2)? + 1;
    text.get(at..at + ZEROS.len()).map(|_| at)
}

/// The regular files of a directory by name, without `run.json` and without files that begin with
/// a dot, which are not finished.
fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if entry.file_type()?.is_file() && name != RECORD && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Length and CRC-32 of a regular file.
fn checksum(dir: &SavedDirectory, name: &str) -> io::Result<(u64, u32)> {
    let mut file = dir.file(name)?;
    let (mut hasher, mut bytes, mut buffer) = (crc32fast::Hasher::new(), 0, vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((bytes, hasher.finalize())),
            n => {
                hasher.update(&buffer[..n]);
                bytes += n as u64;
            }
        }
    }
}

fn hex(crc32: u32) -> String {
    format!("{crc32:08x}")
}
