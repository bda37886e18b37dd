//! Runs of bytes, by the files that have them.

use super::{DeviceId, FileId, Model, Over};

/// A run of bytes of a file.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub file: FileId,
    pub start: u64,
    pub end: u64,
}

impl Extent {
    pub fn overlaps(&self, other: &Extent) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }
}

/// Whether any run of the one shares a byte with any run of the other.
pub fn overlap(ours: &[Extent], theirs: &[Extent]) -> bool {
    ours.iter().any(|our| theirs.iter().any(|their| our.overlaps(their)))
}

/// Whether both have bytes in one file, the same or others.
pub fn share_file(ours: &[Extent], theirs: &[Extent]) -> bool {
    ours.iter().any(|our| theirs.iter().any(|their| our.file == their.file))
}

impl Model {
    /// What a reader of the whole device reads.
    pub fn device_extents(&self, device: DeviceId) -> Vec<Extent> {
        let (mut over, mut start) = (self.device(device).over, self.device(device).start);
        let size_bytes = self.device(device).size_bytes;
        loop {
            match over {
                Over::File(file) => return self.extents(file, start, start + size_bytes),
                Over::Device(below) => {
                    start += self.device(below).start;
                    over = self.device(below).over;
                }
            }
        }
    }

    /// What a reader of the whole file reads.
    pub fn file_extents(&self, file: FileId) -> Vec<Extent> {
        self.extents(file, 0, self.file(file).size_bytes)
    }

    /// What a writer of the whole file writes. The first write to an overlay's file goes to a copy.
    pub fn written_extents(&self, file: FileId) -> Vec<Extent> {
        let mut extents = self.file_extents(file);
        if self.is_only_below(file) {
            extents.truncate(1);
        }
        extents
    }

    fn extents(&self, file: FileId, start: u64, end: u64) -> Vec<Extent> {
        self.shows(file).into_iter().map(|file| Extent { file, start, end }).collect()
    }

    /// The file that the device is made of.
    pub fn backing(&self, device: DeviceId) -> FileId {
        self.device_extents(device)[0].file
    }

    /// The device and all that it is made of, the device first.
    pub fn chain(&self, device: DeviceId) -> Vec<DeviceId> {
        let mut chain = vec![device];
        while let Some(Over::Device(below)) = chain.last().map(|last| self.device(*last).over) {
            chain.push(below);
        }
        chain
    }
}
