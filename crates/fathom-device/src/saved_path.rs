//! A path in a saved file or a JSON document: as carried text ([`fathom_text::carried`]), so that a
//! name of any bytes can be saved and found again. A name of plain text is written as it is.

use std::path::{Path, PathBuf};

use fathom_text::carried::{of_os, to_path};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes one path.
pub fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&of_os(path))
}

/// Reads one path.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    String::deserialize(from).map(|text| to_path(&text))
}

/// Several paths.
pub mod list {
    use super::{Deserialize, Deserializer, PathBuf, Serialize, Serializer, of_os, to_path};

    /// Writes them.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        paths.iter().map(of_os).collect::<Vec<_>>().serialize(to)
    }

    /// Reads them.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<String>::deserialize(from)?.iter().map(|text| to_path(text)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Saved {
        #[serde(with = "super")]
        one: PathBuf,
        #[serde(with = "super::list")]
        many: Vec<PathBuf>,
    }

    #[test]
    fn paths_of_any_bytes_are_saved_and_found_again() {
        let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
        let saved = Saved { one: path(b"/a\xff\n"), many: vec![path(b"/plain"), path(b"/\xfe")] };
        let text = serde_json::to_string(&saved).unwrap();
        assert!(text.contains("\"/plain\""), "{text}");
        assert_eq!(serde_json::from_str::<Saved>(&text).unwrap(), saved);
    }
}
