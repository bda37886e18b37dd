//! What an index holds, and its form in the file: CBOR with numbered fields.

use super::head::{RunHead, RunState, kept_text};
use super::saved_run::Listed;
use super::stamp::FileStamp;
use minicbor::bytes::ByteVec;
use minicbor::{Decode, Encode, decode};
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What an index knows, by the name of the directory.
pub(super) type Known = HashMap<OsString, (FileStamp, RunHead)>;

/// One run in the index.
#[derive(Encode, Decode)]
struct Entry {
    #[n(0)]
    directory: ByteVec,
    #[n(1)]
    size_bytes: u64,
    #[n(2)]
    mtime_s: i64,
    #[n(3)]
    mtime_ns: i64,
    #[n(4)]
    inode: u64,
    #[n(5)]
    id: String,
    #[n(6)]
    name: String,
    #[n(7)]
    started_unix_ns: u64,
    #[n(8)]
    target: Option<String>,
    #[n(9)]
    engine: Option<String>,
    /// Its place in [`RunState::ALL`].
    #[n(10)]
    state: u8,
    #[n(11)]
    headline: Option<String>,
}

/// The bytes of all runs that are not damaged.
pub(super) fn bytes(listed: &[Listed]) -> Vec<u8> {
    let entries: Vec<Entry> = listed.iter().filter_map(Entry::of).collect();
    let mut bytes = Vec::new();
    minicbor::encode(&entries, &mut bytes).expect("writing to memory cannot fail");
    bytes
}

/// The runs in these bytes.
pub(super) fn known(bytes: &[u8]) -> Result<Known, decode::Error> {
    minicbor::decode::<Vec<Entry>>(bytes)?.into_iter().map(Entry::known).collect()
}

impl Entry {
    fn of(listed: &Listed) -> Option<Entry> {
        let (head, stamp) = (listed.run.head.as_ref().ok()?, listed.stamp?);
        Some(Entry {
            directory: listed.run.directory.as_bytes().to_vec().into(),
            size_bytes: stamp.size_bytes,
            mtime_s: stamp.mtime_s,
            mtime_ns: stamp.mtime_ns,
            inode: stamp.inode,
            id: head.id.clone(),
            name: head.name.clone(),
            started_unix_ns: head.started_unix_ns,
            target: head.target.clone(),
            engine: head.engine.clone(),
            state: head.state as u8,
            headline: head.headline.clone(),
        })
    }

    fn known(self) -> Result<(OsString, (FileStamp, RunHead)), decode::Error> {
        let state = RunState::ALL.get(usize::from(self.state)).copied();
        let kept = |text: Option<String>| text.as_deref().map(kept_text);
        let (size_bytes, inode) = (self.size_bytes, self.inode);
        let stamp = FileStamp { size_bytes, mtime_s: self.mtime_s, mtime_ns: self.mtime_ns, inode };
        let head = RunHead {
            id: kept_text(&self.id),
            name: kept_text(&self.name),
            started_unix_ns: self.started_unix_ns,
            target: kept(self.target),
            engine: kept(self.engine),
            state: state.ok_or_else(|| decode::Error::message("a run is in a state that does not exist"))?,
            headline: kept(self.headline),
        };
        Ok((OsString::from_vec(self.directory.into()), (stamp, head)))
    }
}
