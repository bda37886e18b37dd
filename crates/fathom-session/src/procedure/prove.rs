//! Reads samples of a range that was written.

use super::driver::{Driver, Outcome};
use crate::coverage::{self, Covered};
use crate::exit::{Exit, Failure};
use crate::notice::Message;
use fathom_device::sampling::{WINDOW_BYTES, windows};
use fathom_guard::{Access, AdmittedKind, OpenFlags};
use fathom_procedures::content_fault;
use fathom_results::procedure::{ContentRange, ContentSamples, StepDone};
use fathom_stats::least_entropy_bits;
use fathom_text::carried::to_path;
use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SECTOR_BYTES: usize = 512;
/// What a drive that stores equal blocks once compares.
const BLOCK_BYTES: usize = 4096;
/// Any device accepts direct reads into memory that is aligned so.
const MEMORY_ALIGN: usize = 4096;

impl Driver<'_> {
    /// Reads the samples. A direct read is answered by the device and not by the page cache.
    pub(super) fn sample(&self, range: &ContentRange, random_windows: u32) -> Result<Outcome, Failure> {
        let path = to_path(&range.target);
        let cannot = |e: &dyn std::fmt::Display| {
            Failure::new(
                Exit::Failed,
                format!("cannot read {} to prove what was written: {e}", path.display()),
            )
        };
        let admitted = self.base.guard().admit(&path, Access::Read).map_err(|e| cannot(&e))?;
        let direct = matches!(admitted.kind(), AdmittedKind::Block(_));
        let file = admitted.open(OpenFlags { direct, ..OpenFlags::default() }).map_err(|e| cannot(&e))?;
        let file = File::from(file);
        if !direct {
            // What was not written yet stays, so it is written first.
            file.sync_all().and_then(|()| forget(&file)).map_err(|e| cannot(&e))?;
        }
        let mut sums = WindowSums::default();
        let places = places(range, random_windows, self.record.seed);
        for (offset, length) in &places {
            if let Some(cause) = self.terms.ender.cause() {
                return Ok(Outcome::Stopped(cause.exit()));
            }
            sums.window(&file, *offset, *length);
        }
        let read: u64 = places.iter().map(|(_, length)| length).sum();
        let samples = ContentSamples {
            range: range.clone(),
            random_windows,
            windows: places.len() as u64,
            is_whole: read == range.size_bytes,
            read_bytes: read,
            empty_sectors: sums.empty_sectors,
            equal_blocks: sums.equal_blocks,
            unreadable: sums.unreadable,
            passes_known: direct.then(|| {
                let end_bytes = range.offset_bytes + range.size_bytes;
                Covered::read(self.base.here().root(), &path).passes(range.offset_bytes, end_bytes)
            }),
            entropy_bits_min: if sums.entropy_bits_min.is_finite() { sums.entropy_bits_min } else { 0.0 },
        };
        if direct && content_fault(&samples).is_some() {
            self.disprove(&path);
        }
        Ok(Outcome::done(StepDone::Sampled(samples)))
    }

    /// What was noted as written is not there, so a repeat of the procedure must not count it.
    fn disprove(&self, path: &Path) {
        let here = self.base.here();
        if let Err(e) = coverage::disprove(here.root(), path) {
            let message = format!("what was noted as written to {} stays noted: {e}", path.display());
            here.tell(Message::warning(message));
        }
    }
}

/// Removes the file's pages from the page cache.
fn forget(file: &File) -> io::Result<()> {
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed).map_err(io::Error::from)
}

/// The windows of the range: offset and length.
fn places(range: &ContentRange, random_windows: u32, seed: u64) -> Vec<(u64, u64)> {
    let place = |at: u64| (range.offset_bytes + at, WINDOW_BYTES.min(range.size_bytes - at));
    windows(range.size_bytes, random_windows, seed).into_iter().map(place).collect()
}

/// What the windows held so far.
struct WindowSums {
    empty_sectors: u64,
    equal_blocks: u64,
    unreadable: u64,
    entropy_bits_min: f64,
    blocks: HashSet<u64>,
    memory: Vec<u8>,
}

impl Default for WindowSums {
    fn default() -> Self {
        WindowSums {
            empty_sectors: 0,
            equal_blocks: 0,
            unreadable: 0,
            entropy_bits_min: f64::INFINITY,
            blocks: HashSet::new(),
            memory: vec![0; WINDOW_BYTES as usize + MEMORY_ALIGN],
        }
    }
}

impl WindowSums {
    fn window(&mut self, file: &File, offset: u64, length: u64) {
        let from = self.memory.as_ptr().align_offset(MEMORY_ALIGN).min(MEMORY_ALIGN);
        let mut memory = std::mem::take(&mut self.memory);
        let window = &mut memory[from..from + length as usize];
        match file.read_exact_at(window, offset) {
            Ok(()) => self.hold(window),
            Err(_) => self.unreadable += 1,
        }
        self.memory = memory;
    }

    fn hold(&mut self, window: &[u8]) {
        let is_empty =
            |sector: &&[u8]| [0x00, 0xff].iter().any(|empty| sector.iter().all(|byte| byte == empty));
        self.empty_sectors += window.chunks(SECTOR_BYTES).filter(is_empty).count() as u64;
        let blocks = window.chunks_exact(BLOCK_BYTES);
        self.equal_blocks += blocks.filter(|block| !self.blocks.insert(digest(block))).count() as u64;
        self.entropy_bits_min = self.entropy_bits_min.min(least_entropy_bits(window));
    }
}

fn digest(block: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    block.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::sampling::SplitMix;

    fn range(size_bytes: u64) -> ContentRange {
        ContentRange { target: String::new(), offset_bytes: 512, size_bytes }
    }

    #[test]
    fn both_ends_and_the_odd_end_are_always_read() {
        let size = (1 << 30) + 512;
        let places = places(&range(size), 300, 7);
        assert_eq!(
            (places[0], places[16 - 1]),
            ((512, WINDOW_BYTES), (512 + 15 * WINDOW_BYTES, WINDOW_BYTES))
        );
        assert_eq!(places.last(), Some(&(512 + (1 << 30), 512)));
        assert!((300..=332).contains(&places.len()), "{}", places.len());
        let whole = super::places(&range((4 << 20) + 512), 300, 7);
        assert_eq!(whole.iter().map(|(_, length)| length).sum::<u64>(), (4 << 20) + 512);
    }

    #[test]
    fn empty_equal_and_compressible_data_is_seen() {
        let mut random = SplitMix::from_seed(5);
        let mut data: Vec<u8> = (0..8192).flat_map(|_| random.next_bits().to_le_bytes()).collect();
        let mut sums = WindowSums::default();
        sums.hold(&data);
        assert_eq!((sums.empty_sectors, sums.equal_blocks), (0, 0));
        assert!(sums.entropy_bits_min > 7.95, "{}", sums.entropy_bits_min);
        data[512..1024].fill(0xff);
        data[4096..4608].fill(0);
        data.copy_within(16_384..20_480, 20_480);
        let mut sums = WindowSums::default();
        sums.hold(&data);
        assert_eq!((sums.empty_sectors, sums.equal_blocks), (2, 1));
        let mut sums = WindowSums::default();
        sums.hold(&b"all work and no play makes a dull text. ".repeat(1_000));
        assert!(sums.entropy_bits_min < 4.5, "{}", sums.entropy_bits_min);
    }

    /// A quarter of each can be left out, or more, though most have all values equally often.
    #[test]
    fn data_of_six_bits_a_byte_is_not_random() {
        let mut random = SplitMix::from_seed(7);
        let mut six = move || (random.next_bits() & 0x3f) as u8;
        let bits = |byte: &mut dyn FnMut(usize) -> u8| {
            let window: Vec<u8> = (0..WINDOW_BYTES as usize).map(byte).collect();
            let mut sums = WindowSums::default();
            sums.hold(&window);
            (sums.entropy_bits_min * 10.0).round() / 10.0
        };
        assert_eq!(bits(&mut |_| six()), 6.0, "small values");
        assert_eq!(bits(&mut |at| (at as u8 % 4) << 6 | six()), 6.0, "two bits count");
        let mut last = 0u8;
        let mut walk = |_| {
            last = last.wrapping_add(six());
            last
        };
        assert_eq!(bits(&mut walk), 6.0, "each near the one before");
        let counter = |at: usize| (at as u64 / 8 * 0x1_0001).to_le_bytes()[at % 8];
        assert!(bits(&mut { counter }) < 6.0, "numbers that count");
    }
}
