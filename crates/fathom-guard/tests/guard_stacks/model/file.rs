//! Which file has the bytes of a file.

use std::ffi::{OsStr, OsString};

use super::content::Content;
use super::{DeviceId, DirId, Entry, FileId, Model, Over, Shown, StoredFile, SystemId};

impl Model {
    pub fn file(&self, id: FileId) -> &StoredFile {
        &self.files[id.0]
    }

    /// Adds a plain file without a name.
    pub fn add_plain(&mut self, system: SystemId, size_bytes: u64, contents: Vec<Content>) -> FileId {
        self.files.push(StoredFile { system, size_bytes, contents, overlay: None });
        FileId(self.files.len() - 1)
    }

    /// Adds the file of an overlay without a name.
    pub fn add_shown(&mut self, system: SystemId, size_bytes: u64, shown: Shown) -> FileId {
        let contents = Vec::new();
        self.files.push(StoredFile { system, size_bytes, contents, overlay: Some(shown) });
        FileId(self.files.len() - 1)
    }

    /// Gives `file` a name. A new file of an overlay is in the upper layer.
    pub fn name(&mut self, dir: DirId, name: &OsStr, entry: Entry) {
        self.dirs[dir.0].names.insert(name.to_owned(), entry);
    }

    /// Whether the directory belongs to an overlay, and the upper layer of that.
    pub fn upper_of(&self, dir: DirId) -> Option<DirId> {
        self.system(self.dirs[dir.0].system).layers.first().copied()
    }

    /// Makes a file in `dir`, with all that an overlay makes of it.
    pub fn create(&mut self, dir: DirId, name: &OsStr, size_bytes: u64, contents: Vec<Content>) -> FileId {
        let system = self.dirs[dir.0].system;
        let file = match self.upper_of(dir) {
            None => self.add_plain(system, size_bytes, contents),
            Some(upper_dir) => {
                let upper = self.create(upper_dir, name, size_bytes, contents);
                let name = name.to_owned();
                let shown = Shown { lower: None, upper: Some(upper), upper_dir, name };
                self.add_shown(system, size_bytes, shown)
            }
        };
        self.name(dir, name, Entry::File(file));
        file
    }

    /// The file of an overlay was opened for writing: its bytes are copied up, unless they are
    /// already.
    pub fn copy_up(&mut self, file: FileId) {
        let Some((upper_dir, name, lower)) = self.only_below(file) else { return };
        let (size_bytes, contents) = (self.file(lower).size_bytes, self.contents(lower).to_vec());
        let copy = self.create(upper_dir, &name, size_bytes, contents);
        let shown = self.files[file.0].overlay.as_mut();
        shown.expect("a file of an overlay").upper = Some(copy);
    }

    fn only_below(&self, file: FileId) -> Option<(DirId, OsString, FileId)> {
        let shown = self.file(file).overlay.as_ref().filter(|shown| shown.upper.is_none())?;
        Some((shown.upper_dir, shown.name.clone(), shown.lower?))
    }

    /// Whether a write to the file would first copy it.
    pub fn is_only_below(&self, file: FileId) -> bool {
        self.only_below(file).is_some()
    }

    /// The file and those whose bytes a reader of it sees.
    pub fn shows(&self, file: FileId) -> Vec<FileId> {
        let mut seen = vec![file];
        while let Some(below) = seen.last().and_then(|last| self.beneath(*last)) {
            seen.push(below);
        }
        seen
    }

    fn beneath(&self, file: FileId) -> Option<FileId> {
        let shown = self.file(file).overlay.as_ref()?;
        shown.upper.or(shown.lower)
    }

    /// The plain file that has the bytes.
    pub fn plain(&self, file: FileId) -> FileId {
        *self.shows(file).last().expect("the file itself at least")
    }

    /// What the file holds.
    pub fn contents(&self, file: FileId) -> &[Content] {
        &self.file(self.plain(file)).contents
    }

    /// The plain file that a device shows, and the position of the device's first byte in it.
    pub fn origin(&self, device: DeviceId) -> (FileId, u64) {
        let (mut over, mut start) = (self.device(device).over, self.device(device).start);
        loop {
            match over {
                Over::File(file) => return (self.plain(file), start),
                Over::Device(below) => {
                    start += self.device(below).start;
                    over = self.device(below).over;
                }
            }
        }
    }

    /// What begins at the device's first byte and fits into it.
    pub fn content_on(&self, device: DeviceId) -> Option<Content> {
        let (file, start) = self.origin(device);
        let size_bytes = self.device(device).size_bytes;
        let fits = |content: &&Content| content.start == start && content.size_bytes <= size_bytes;
        self.file(file).contents.iter().find(fits).copied()
    }
}
