//! Files of a run's directory, which may come from anybody. Only regular files are
//! read, because a FIFO has no end and a device no beginning, and only up to a
//! limit.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Opens a regular file.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let no_file = || io::Error::other("it is not a regular file");
    // The name is checked first, because opening a FIFO without a writer would wait.
    if !std::fs::metadata(path)?.is_file() {
        return Err(no_file());
    }
    let file = File::open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

/// Does a regular file end with one of these?
pub(crate) fn ends_with(path: &Path, ends: &[&[u8]]) -> io::Result<bool> {
    let longest = ends.iter().map(|end| end.len()).max().unwrap_or(0) as u64;
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(longest)))?;
    let mut last = Vec::new();
    file.take(longest).read_to_end(&mut last)?;
    Ok(ends.iter().any(|end| last.ends_with(end)))
}

/// Reads a regular file.
pub(crate) fn bytes(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let too_long = || io::Error::other(format!("it is longer than {} MiB", max_bytes >> 20));
    if file.metadata()?.len() > max_bytes {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    let length = file.take(max_bytes + 1).read_to_end(&mut bytes)? as u64;
    if length > max_bytes { Err(too_long()) } else { Ok(bytes) }
}

/// Reads a regular file of text.
pub(crate) fn text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not a text in UTF-8");
    String::from_utf8(bytes(path, max_bytes)?).map_err(not_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.json");
        std::fs::write(&path, "text").unwrap();
        assert_eq!(text(&path, 1 << 20).unwrap(), "text");
        File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(text(&path, 1 << 20).unwrap_err().to_string(), "it is longer than 1 MiB");
        assert_eq!(
            text(Path::new("/dev/zero"), 1 << 20).unwrap_err().to_string(),
            "it is not a regular file"
        );
        assert!(std::process::Command::new("mkfifo").arg(dir.path().join("f")).status().unwrap().success());
        assert!(open(&dir.path().join("f")).is_err());
    }
}
