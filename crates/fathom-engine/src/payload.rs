//! What written blocks contain.
//!
//! Buffers are filled once before the start; what happens before each write
//! depends on the job: nothing (`zero_buffers`, `buffer_pattern`), a stamp in
//! every 512 bytes (`scramble_buffers`, the default, so that no two blocks are
//! equal), or all new data (`refill_buffers`, compression, duplicates).

use crate::clock::Clock;
use crate::desc::Desc;
use crate::memory::SlotMemory;
use crate::source::permutation::split_mix;
use crate::source::seed::{Random, fresh_seed};
use fathom_job::direction::Direction;
use fathom_job::job::Job;
use fathom_job::options as opt;
use fathom_job::plan::PlannedJob;

#[derive(Debug)]
pub struct Payload {
    mode: Mode,
    clock: Clock,
    /// Ticks in which all new data was made since the measured time began.
    made: u64,
    random: Random,
    /// Makes the stamps of this run and clone differ from those of any other,
    /// whatever the seed. Otherwise a second run would write the data that is
    /// already there.
    salt: u64,
    sequence: u64,
}

#[derive(Clone, Debug)]
enum Mode {
    /// Leave the buffer as it was filled.
    Keep,
    /// Stamp every chunk of this number of bytes.
    Stamp(usize),
    /// New data each time.
    Refill(Content),
    /// A verifying job, whose hook makes the data.
    Proven,
}

/// How a block's data is made.
#[derive(Clone, Debug)]
struct Content {
    /// Percent of each chunk that is zeros (compressible).
    zero_percent: u32,
    /// Bytes of a chunk.
    chunk: usize,
    /// Percent of blocks that repeat unique data.
    dedupe_percent: u32,
    last_seed: u64,
    /// What they repeat, if that is not the last unique data.
    working_set: Option<WorkingSet>,
}

/// The first unique blocks of a worker, of which duplicates repeat any (`dedupe_mode=working_set`). As in fio, a duplicate
/// may come before its original.
#[derive(Clone, Debug)]
struct WorkingSet {
    own: BlockSet,
    /// With `dedupe_global`, the sets of all workers that have it, this one's too; a duplicate repeats a block of any of them.
    shared: Vec<BlockSet>,
    /// Unique blocks so far.
    unique: u64,
}

/// Blocks whose content follows from one seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BlockSet {
    /// From which the seed of each block follows.
    root: u64,
    /// Blocks in the set.
    blocks: u64,
}

impl BlockSet {
    fn of(plan: &PlannedJob, root: u64) -> BlockSet {
        let bytes: u64 = plan.files.iter().map(|file| file.size.0).fold(0, u64::saturating_add);
        let percent = u128::from(plan.job.get(&opt::DEDUPE_WORKING_SET_PERCENTAGE));
        let block = plan.block[Direction::Write].min().0.max(1);
        let blocks = (u128::from(bytes) * percent / 100) as u64 / block;
        BlockSet { root, blocks: blocks.max(1) }
    }

    fn seed(&self, block: u64) -> u64 {
        let mut state = self.root.wrapping_add(split_mix(&mut block.clone()));
        split_mix(&mut state)
    }
}

/// Is this a job whose duplicates may repeat data of other jobs?
fn shares_duplicates(plan: &PlannedJob) -> bool {
    plan.writes() && plan.job.get(&opt::DEDUPE_GLOBAL) && plan.job.get(&opt::DEDUPE_MODE) == "working_set"
}

impl WorkingSet {
    /// The set of a job that asks for one. `jobs` are all jobs of the run, and `root_of` is the seed of one's data.
    fn new(
        plan: &PlannedJob,
        jobs: &[PlannedJob],
        root_of: &dyn Fn(&PlannedJob) -> u64,
    ) -> Option<WorkingSet> {
        if plan.job.get(&opt::DEDUPE_MODE) != "working_set" {
            return None;
        }
        let all = if shares_duplicates(plan) { jobs } else { &[] };
        let shared =
            all.iter().filter(|job| shares_duplicates(job)).map(|job| BlockSet::of(job, root_of(job)));
        Some(WorkingSet { own: BlockSet::of(plan, root_of(plan)), shared: shared.collect(), unique: 0 })
    }

    /// The seed of the next block.
    fn next(&mut self, is_duplicate: bool, random: &mut Random) -> u64 {
        if is_duplicate {
            let set = match self.shared.len() {
                0 => self.own,
                count => self.shared[random.below(count as u64) as usize],
            };
            return set.seed(random.below(set.blocks));
        }
        self.unique += 1;
        self.own.seed(self.unique - 1)
    }
}

/// Bytes of a stamp: offset and sequence number.
const STAMP: usize = 16;

impl Payload {
    /// The data of a job of `jobs`; `root_of` is the seed of a job's data.
    pub fn new(
        plan: &PlannedJob,
        jobs: &[PlannedJob],
        root_of: &dyn Fn(&PlannedJob) -> u64,
        buffers: &mut SlotMemory,
        clock: Clock,
    ) -> Payload {
        let mut random = Random::new(root_of(plan));
        let job = &plan.job;
        let mode = mode(job, WorkingSet::new(plan, jobs, root_of));
        match (mode.clone(), job.get(&opt::BUFFER_PATTERN)) {
            _ if job.get(&opt::ZERO_BUFFERS) => buffers.slots_mut().fill(0),
            (_, Some(pattern)) if !pattern.is_empty() => repeat(&pattern, buffers),
            (Mode::Refill(mut content), _) => content.make(&mut random, buffers.slots_mut()),
            _ => random.fill(buffers.slots_mut()),
        }
        let salt = fresh_seed();
        Payload { mode, clock, made: 0, random, salt, sequence: 0 }
    }

    /// Of writes whose data nothing keeps: the buffers stay as they are.
    pub fn unseen(clock: Clock) -> Payload {
        Payload { mode: Mode::Keep, clock, made: 0, random: Random::new(0), salt: 0, sequence: 0 }
    }

    /// Of writes that can be verified: the hook of the job fills the buffers.
    pub fn proven(clock: Clock) -> Payload {
        Payload { mode: Mode::Proven, ..Payload::unseen(clock) }
    }

    #[inline(always)]
    pub fn prepare(&mut self, offset: u64, data: &mut [u8]) {
        match &mut self.mode {
            Mode::Keep | Mode::Proven => {}
            Mode::Stamp(chunk) => {
                self.sequence = self.sequence.wrapping_add(1);
                let stamp = Stamp { place: offset ^ self.salt, sequence: self.sequence };
                if data.len() <= *chunk { stamp.put(data) } else { stamp.put_each(data, *chunk) }
            }
            Mode::Refill(content) => {
                let begun = self.clock.now();
                content.make(&mut self.random, data);
                self.made += self.clock.now() - begun;
            }
        }
    }

    /// The measured time begins.
    pub fn begin_measured(&mut self) {
        self.made = 0;
    }

    /// How long making new data took in the measured time, ns.
    pub fn made_ns(&self) -> u64 {
        self.clock.nanos(self.made)
    }

    pub fn prepare_many(&mut self, descs: &[Desc], slots: &[u32], buffers: &mut SlotMemory) {
        match self.mode {
            Mode::Keep | Mode::Proven => {}
            // The chunk is the whole block, so it gets one stamp.
            Mode::Stamp(chunk) if chunk >= buffers.stride() => self.stamp_many(descs, slots, buffers),
            _ => {
                for (desc, &slot) in descs.iter().zip(slots).filter(|(desc, _)| desc.is_write()) {
                    self.prepare(desc.offset, buffers.slot_mut(slot, desc.len() as usize));
                }
            }
        }
    }

    fn stamp_many(&mut self, descs: &[Desc], slots: &[u32], buffers: &mut SlotMemory) {
        let (salt, mut sequence) = (self.salt, self.sequence);
        for (desc, &slot) in descs.iter().zip(slots) {
            if desc.is_write() {
                sequence = sequence.wrapping_add(1);
                let stamp = Stamp { place: desc.offset ^ salt, sequence };
                stamp.put(buffers.slot_mut(slot, desc.len() as usize));
            }
        }
        self.sequence = sequence;
    }

    /// Does a write of up to `block` bytes take longer the larger it is, before it is submitted?
    pub fn grows_with(&self, block: usize) -> bool {
        match self.mode {
            Mode::Keep => false,
            Mode::Stamp(chunk) => chunk < block,
            Mode::Refill(_) | Mode::Proven => true,
        }
    }

    /// Is all data generated again for each write?
    #[inline(always)]
    pub fn is_costly(&self) -> bool {
        matches!(self.mode, Mode::Refill(_) | Mode::Proven)
    }
}

/// The value that makes a chunk differ from every other.
#[derive(Clone, Copy)]
struct Stamp {
    place: u64,
    sequence: u64,
}

impl Stamp {
    /// Writes the stamp into the first bytes of a chunk, if it is long enough.
    #[inline(always)]
    fn put(self, chunk: &mut [u8]) {
        if let Some(stamp) = chunk.first_chunk_mut::<STAMP>() {
            stamp[..STAMP / 2].copy_from_slice(&self.place.to_ne_bytes());
            stamp[STAMP / 2..].copy_from_slice(&self.sequence.to_ne_bytes());
        }
    }

    fn put_each(self, data: &mut [u8], chunk: usize) {
        data.chunks_mut(chunk).for_each(|chunk| self.put(chunk));
    }
}

fn mode(job: &Job, working_set: Option<WorkingSet>) -> Mode {
    let compress = job.get(&opt::BUFFER_COMPRESS_PERCENTAGE).unwrap_or(0);
    let dedupe = job.get(&opt::DEDUPE_PERCENTAGE).unwrap_or(0);
    let has_pattern = job.get(&opt::BUFFER_PATTERN).is_some_and(|p| !p.is_empty());
    let is_plain = compress == 0 && dedupe == 0;
    match () {
        () if job.get(&opt::ZERO_BUFFERS) || has_pattern => Mode::Keep,
        () if is_plain && !job.get(&opt::REFILL_BUFFERS) && job.get(&opt::SCRAMBLE_BUFFERS) => {
            Mode::Stamp((job.get(&opt::SCRAMBLE_CHUNK).0 as usize).max(STAMP))
        }
        () if is_plain && !job.get(&opt::REFILL_BUFFERS) => Mode::Keep,
        () => Mode::Refill(Content {
            zero_percent: compress.min(100),
            chunk: (job.get(&opt::BUFFER_COMPRESS_CHUNK).0 as usize).max(1),
            dedupe_percent: dedupe.min(100),
            last_seed: 1,
            working_set,
        }),
    }
}

impl Content {
    /// A call of its own, so that jobs whose writes only get a stamp keep their values in registers.
    #[inline(never)]
    fn make(&mut self, random: &mut Random, data: &mut [u8]) {
        let is_duplicate = self.dedupe_percent > 0 && random.percent(self.dedupe_percent);
        match &mut self.working_set {
            Some(set) => self.last_seed = set.next(is_duplicate, random),
            None if !is_duplicate => self.last_seed = random.bits(),
            None => {}
        }
        let mut block = Random::new(self.last_seed);
        if self.zero_percent == 0 {
            return block.fill(data);
        }
        for chunk in data.chunks_mut(self.chunk) {
            let unique = chunk.len() - chunk.len() * self.zero_percent as usize / 100;
            block.fill(&mut chunk[..unique]);
            chunk[unique..].fill(0);
        }
    }
}

/// Repeats a pattern through each slot; every slot begins with it.
fn repeat(pattern: &[u8], buffers: &mut SlotMemory) {
    let stride = buffers.stride();
    for slot in buffers.slots_mut().chunks_mut(stride) {
        for (at, byte) in slot.iter_mut().enumerate() {
            *byte = pattern[at % pattern.len()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(zero_percent: u32, dedupe_percent: u32) -> Content {
        Content { zero_percent, chunk: 4096, dedupe_percent, last_seed: 1, working_set: None }
    }

    #[test]
    fn compressible_data_has_its_share_of_zeros_in_every_chunk() {
        let mut data = vec![0xffu8; 65536];
        content(25, 0).make(&mut Random::new(3), &mut data);
        for chunk in data.chunks(4096) {
            assert!(chunk[3072..].iter().all(|&b| b == 0));
            assert!(chunk[..3072].iter().filter(|&&b| b == 0).count() < 60);
        }
    }

    #[test]
    fn duplicates_come_as_often_as_asked() {
        let (mut content, mut random) = (content(0, 40), Random::new(11));
        let mut blocks = std::collections::HashSet::new();
        let mut data = vec![0u8; 512];
        for _ in 0..10_000 {
            content.make(&mut random, &mut data);
            blocks.insert(data.clone());
        }
        // 6,000 expected, standard deviation 49.
        assert!((5_750..6_250).contains(&blocks.len()), "{} unique blocks", blocks.len());
    }

    #[test]
    fn a_million_blocks_repeat_those_of_the_working_set_alike() {
        let (plan, _) = job_with_buffers(
            "dedupe_percentage=60\ndedupe_mode=working_set\ndedupe_working_set_percentage=10",
        );
        let set = WorkingSet::new(&plan, &[], &|_| 9).expect("a working set");
        assert_eq!(set.own.blocks, 25, "a tenth of 1 MiB in blocks of 4 KiB");
        let mut content = Content { working_set: Some(set), ..content(0, 60) };
        let (mut random, mut counts) = (Random::new(11), std::collections::HashMap::new());
        let mut data = [0u8; 8];
        for _ in 0..1_000_000 {
            content.make(&mut random, &mut data);
            *counts.entry(data).or_insert(0u64) += 1;
        }
        let unique = content.working_set.expect("it is kept").unique;
        // 400,000 expected, standard deviation 490.
        assert!((398_000..402_000).contains(&unique), "{unique}");
        assert_eq!(counts.len() as u64, unique, "duplicates repeat unique blocks");
        let repeats: Vec<u64> = counts.values().map(|count| count - 1).filter(|count| *count > 0).collect();
        assert_eq!(repeats.len(), 25);
        let p = crate::fixture::fit_p_value(&repeats, &[1.0 / 25.0; 25]);
        assert!(p > 0.001, "{repeats:?}: p = {p}");
    }

    /// Each job of three that share repeats blocks of each of them alike, and a fourth one that does not share is apart.
    #[test]
    fn duplicates_of_jobs_that_share_repeat_data_of_each_other() {
        let shared = "dedupe_percentage=50\ndedupe_working_set_percentage=10\ndedupe_mode=working_set\ndedupe_global=1";
        let job = |name: &str, options: &str| {
            format!("[{name}]\nioengine=psync\nfilename={name}\nrw=write\nbs=4k\nsize=1m\n{options}\n")
        };
        let own = shared.replace("dedupe_global=1", "");
        let text = [job("a", shared), job("b", shared), job("c", shared), job("d", &own)].concat();
        let jobs = crate::fixture::planned(&text).jobs;
        let blocks_of = |at: usize| {
            let set = WorkingSet::new(&jobs[at], &jobs, &|job| 1 + u64::from(job.id)).expect("a working set");
            let mut content = Content { working_set: Some(set), ..content(0, 50) };
            let (mut random, mut data) = (Random::new(11 + at as u64), [0u8; 8]);
            let mut counts = std::collections::HashMap::new();
            for _ in 0..100_000 {
                content.make(&mut random, &mut data);
                *counts.entry(data).or_insert(0u64) += 1;
            }
            counts
        };
        let [a, b, c, d] = [0, 1, 2, 3].map(blocks_of);
        // Seldom enough for chance, a block of a job's own comes once; a shared one comes 667 times on average.
        let often =
            |counts: &std::collections::HashMap<[u8; 8], u64>| -> std::collections::BTreeSet<[u8; 8]> {
                counts.iter().filter(|(_, count)| **count > 100).map(|(block, _)| *block).collect()
            };
        assert_eq!(often(&a).len(), 75, "25 blocks of each of three jobs");
        assert!(often(&a) == often(&b) && often(&b) == often(&c));
        assert!(often(&d).is_disjoint(&often(&a)) && often(&d).len() == 25);
        let repeats: Vec<u64> = often(&b).iter().map(|block| b[block]).collect();
        assert!(repeats.iter().all(|count| (500..850).contains(count)), "{repeats:?}");
    }

    #[test]
    fn stamps_make_every_sector_differ() {
        let mut payload = Payload { mode: Mode::Stamp(512), ..Payload::unseen(Clock::virtual_time()) };
        let (mut a, mut b) = (vec![5u8; 4096], vec![5u8; 4096]);
        payload.prepare(0, &mut a);
        payload.prepare(4096, &mut b);
        assert!(a.chunks(512).zip(b.chunks(512)).all(|(x, y)| x != y));
    }

    #[test]
    fn the_time_of_new_data_is_counted_and_that_of_a_stamp_is_not() {
        let made = |options: &str| {
            let (plan, mut buffers) = job_with_buffers(options);
            let mut payload = Payload::new(&plan, &[], &|_| 9, &mut buffers, Clock::calibrate(false));
            (0..100).for_each(|n| payload.prepare(n * 4096, buffers.slot_mut(1, 4096)));
            let made = payload.made_ns();
            payload.begin_measured();
            (made > 0, payload.made_ns())
        };
        for options in ["refill_buffers", "buffer_compress_percentage=25", "dedupe_percentage=40"] {
            assert_eq!(made(options), (true, 0), "{options}");
        }
        for options in ["", "zero_buffers", "scramble_buffers=0"] {
            assert_eq!(made(options), (false, 0), "{options}");
        }
    }

    fn job_with_buffers(options: &str) -> (PlannedJob, SlotMemory) {
        let text = format!("[j]\nioengine=psync\nfilename=f\nrw=write\nbs=4k\nsize=1m\n{options}");
        let plan = crate::fixture::planned(&text).jobs.remove(0);
        let layout = crate::memory::SlotLayout {
            slots: 2,
            slot_bytes: 4096,
            align: 4096,
            huge: false,
            splits_writes: false,
        };
        (plan, SlotMemory::map(layout).unwrap())
    }

    /// The buffers of a job, and two writes into one of them.
    fn written(options: &str) -> (Vec<u8>, Vec<u8>, Vec<u8>) {
        let (plan, mut buffers) = job_with_buffers(options);
        let mut payload = Payload::new(&plan, &[], &|_| 9, &mut buffers, Clock::calibrate(false));
        let before = buffers.slot_mut(1, 4096).to_vec();
        let mut write = |offset| {
            payload.prepare(offset, buffers.slot_mut(1, 4096));
            buffers.slot_mut(1, 4096).to_vec()
        };
        (before, write(0), write(4096))
    }

    #[test]
    fn each_option_gives_its_data() {
        let is_zero = |data: &[u8]| data.iter().all(|&b| b == 0);
        let (before, first, second) = written("");
        assert!(!is_zero(&before) && before != first && first != second, "stamped each time");
        assert_eq!(first[16..512], second[16..512], "and only stamped");
        let (before, first, second) = written("scramble_chunk=2k\n");
        let changed = |at: usize| before[at..at + 16] != second[at..at + 16];
        assert!(changed(0) && changed(2048) && !changed(512), "every 2 KiB, and nowhere else");
        assert_eq!(first[16..2048], second[16..2048]);
        let (before, first, second) = written("refill_buffers\n");
        assert!(before != first && first[16..512] != second[16..512]);
        let (before, first, second) = written("zero_buffers\n");
        assert!(is_zero(&before) && is_zero(&first) && is_zero(&second));
        let (_, first, second) = written("buffer_pattern=0xdeadbeef\n");
        assert!(first == second && first.chunks(4).all(|c| c == [0xde, 0xad, 0xbe, 0xef]));
        let (before, first, _) = written("scramble_buffers=0\n");
        assert!(before == first && !is_zero(&first));
    }

    /// What was really written by 400 writes of 4 KiB: the share of each block that does not repeat within it, of
    /// the blocks that differ, and of all data that repeats nothing before it. Data is compared by words of 8 bytes.
    fn measured(options: &str) -> [f64; 3] {
        use std::collections::HashSet;
        const WRITES: usize = 400;
        let (plan, mut buffers) = job_with_buffers(options);
        let mut payload = Payload::new(&plan, &[], &|_| 9, &mut buffers, Clock::calibrate(false));
        let (mut blocks, mut all, mut within) = (HashSet::new(), HashSet::new(), 0);
        for write in 0..WRITES {
            let data = buffers.slot_mut(write as u32 % 2, 4096);
            payload.prepare(write as u64 * 4096, data);
            let words = data.as_chunks::<8>().0;
            within += words.iter().collect::<HashSet<_>>().len();
            all.extend(words.iter().copied());
            blocks.insert(data.to_vec());
        }
        let words = (WRITES * 512) as f64;
        [within as f64 / words, blocks.len() as f64 / WRITES as f64, all.len() as f64 / words]
    }

    /// The plan's shares of stored data are those of the data that is written.
    #[test]
    fn the_shares_of_the_plan_are_those_of_the_data() {
        let table = [
            "",
            "scramble_chunk=4k",
            "scramble_buffers=0",
            "refill_buffers",
            "zero_buffers",
            "buffer_pattern=0xdeadbeef",
            "buffer_compress_percentage=25",
            "dedupe_percentage=40",
            "dedupe_percentage=40\ndedupe_mode=working_set",
            "buffer_compress_percentage=50\ndedupe_percentage=50",
        ];
        for options in table {
            let (plan, _) = job_with_buffers(options);
            let planned = fathom_job::plan::stored_share(&plan.job, fathom_job::units::Bytes::kib(4));
            let planned = [planned.compressed, planned.unique, planned.anywhere];
            let measured_shares = measured(options);
            // The share of duplicates has a standard deviation of 0.024; the other shares are exact but for the two
            // buffers and the word that zeros are.
            let agrees = measured_shares
                .iter()
                .zip(planned)
                .all(|(measured, planned)| (measured - planned).abs() < 0.08);
            let is_exact = options.contains("dedupe")
                || measured_shares
                    .iter()
                    .zip(planned)
                    .all(|(measured, planned)| (measured - planned).abs() < 0.006);
            assert!(agrees && is_exact, "{options}: planned {planned:?}, measured {measured_shares:?}");
        }
    }
}
