//! What reading afterwards proves: samples of the device, compared with what
//! the same places held before.
//!
//! n random samples that are all empty bound the part that is not: with 95 %
//! confidence it is below 3/n (the rule of three: Hanley and Lippman-Hand,
//! JAMA 249, 1983).

use serde::{Deserialize, Serialize};

use super::drive::Blocks;

/// One sample.
pub const WINDOW_BYTES: u64 = 64 << 10;
/// Read whole at both ends, where tables and signatures lie.
const END_BYTES: u64 = 1 << 20;

/// How much is read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sampling {
    /// Random windows, beside both ends.
    pub windows: u32,
    /// By which they are chosen.
    pub seed: u64,
}

impl Default for Sampling {
    /// 300 windows (19 MiB): all empty, they bound the rest to 1 %.
    fn default() -> Self {
        Self { windows: 300, seed: 0x5eed }
    }
}

/// What a window held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// Nothing but zeroes.
    Zero,
    /// Nothing but ones.
    Ones,
    /// Something, by its fingerprint.
    Data(u64),
    /// It could not be read.
    Unreadable,
}

/// What was read at the sampled places at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Samples {
    size_bytes: u64,
    sampling: Sampling,
    windows: Vec<(u64, Held)>,
}

impl Samples {
    /// Reads the sampled places of a device of `size_bytes`.
    pub fn read(drive: &(impl Blocks + ?Sized), size_bytes: u64, sampling: Sampling) -> Self {
        let places = places(size_bytes, sampling);
        let windows = places.into_iter().map(|at| (at, look(drive, at, size_bytes))).collect();
        Self { size_bytes, sampling, windows }
    }

    /// What held data, at places chosen for `size_bytes`.
    fn at(&self, offset: u64) -> Option<Held> {
        self.windows.iter().find(|(at, _)| *at == offset).map(|(_, held)| *held)
    }
}

fn look(drive: &(impl Blocks + ?Sized), at: u64, size_bytes: u64) -> Held {
    let mut bytes = vec![0; WINDOW_BYTES.min(size_bytes - at) as usize];
    match drive.read_at(at, &mut bytes) {
        Err(_) => Held::Unreadable,
        Ok(()) if bytes.iter().all(|&b| b == 0) => Held::Zero,
        Ok(()) if bytes.iter().all(|&b| b == 0xff) => Held::Ones,
        Ok(()) => Held::Data(fingerprint(&bytes)),
    }
}

/// FNV-1a, 64 bits: tells two windows apart, and need not resist an attacker.
pub(super) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Offsets of the windows: both ends, and random ones, each once. A device
/// that has no more windows than are wanted is read whole.
fn places(size_bytes: u64, sampling: Sampling) -> Vec<u64> {
    let count = size_bytes.div_ceil(WINDOW_BYTES);
    let end = (END_BYTES / WINDOW_BYTES).min(count);
    let mut windows: Vec<u64> = (0..end).chain(count - end..count).collect();
    if count <= u64::from(sampling.windows) + 2 * end {
        windows = (0..count).collect();
    } else {
        let mut state = sampling.seed;
        windows.extend((0..sampling.windows).map(|_| random(&mut state) % count));
    }
    windows.sort_unstable();
    windows.dedup();
    windows.into_iter().map(|window| window * WINDOW_BYTES).collect()
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// What the samples say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything that was read is empty.
    Empty,
    /// Not everything is empty, and nothing is as it was: what an erased key
    /// or a vendor's pattern leaves behind.
    Changed,
    /// Something is as it was before.
    Survived,
    /// Some of it could not be read.
    Unreadable,
}

/// The proof of a purge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// What the samples say together.
    pub outcome: Outcome,
    /// The same as a sentence.
    pub statement: String,
    /// Where was read.
    pub sampling: Sampling,
    /// Bytes in a window; the last may be shorter.
    pub window_bytes: u64,
    /// Windows that were read.
    pub windows: u64,
    /// Whether they are all there are.
    pub is_whole: bool,
    /// Windows of zeroes.
    pub zero: u64,
    /// Windows of ones.
    pub ones: u64,
    /// Windows that hold what they held before.
    pub as_before: u64,
    /// Windows that hold something else.
    pub other: u64,
    /// Windows that could not be read.
    pub unreadable: u64,
    /// Windows that held data before the purge.
    pub held_before: u64,
    /// Upper bound of the part that is not empty, at 95 % confidence; only
    /// where everything that was read is empty.
    pub not_empty_below: Option<f64>,
}

impl Proof {
    /// Compares. A place that was not read before counts as not known before.
    pub fn of(before: &Samples, after: &Samples) -> Self {
        let count = |is: &dyn Fn(&(u64, Held)) -> bool| after.windows.iter().filter(|w| is(w)).count() as u64;
        let holds_data = |held: &Held| matches!(held, Held::Data(_));
        let is_old = |w: &(u64, Held)| holds_data(&w.1) && before.at(w.0) == Some(w.1);
        let windows = after.windows.len() as u64;
        let is_whole = windows == after.size_bytes.div_ceil(WINDOW_BYTES);
        let mut proof = Self {
            outcome: Outcome::Empty,
            statement: String::new(),
            sampling: after.sampling,
            window_bytes: WINDOW_BYTES,
            windows,
            is_whole,
            zero: count(&|w| w.1 == Held::Zero),
            ones: count(&|w| w.1 == Held::Ones),
            as_before: count(&is_old),
            other: count(&|w| holds_data(&w.1) && !is_old(w)),
            unreadable: count(&|w| w.1 == Held::Unreadable),
            held_before: before.windows.iter().filter(|w| holds_data(&w.1)).count() as u64,
            not_empty_below: None,
        };
        proof.outcome = proof.judge();
        if proof.outcome == Outcome::Empty {
            let bound = 3.0 / f64::from(after.sampling.windows.max(1));
            proof.not_empty_below = Some(if is_whole { 0.0 } else { bound.min(1.0) });
        }
        proof.statement = proof.say();
        proof
    }

    fn judge(&self) -> Outcome {
        match self {
            _ if self.as_before > 0 => Outcome::Survived,
            _ if self.unreadable > 0 || self.windows == 0 => Outcome::Unreadable,
            _ if self.other > 0 => Outcome::Changed,
            _ => Outcome::Empty,
        }
    }

    fn say(&self) -> String {
        let Self { windows, as_before, other, unreadable, held_before, .. } = self;
        let before = match held_before {
            0 => "none of the places read held data before".to_owned(),
            n => format!("{n} of them held data before"),
        };
        match self.outcome {
            Outcome::Empty if self.is_whole => format!("every byte was read and is empty; {before}"),
            Outcome::Empty => format!(
                "{windows} windows at both ends and at random places are empty: with 95 % confidence less than \
                 {:.1} % of the device is not; {before}",
                self.not_empty_below.unwrap_or(1.0) * 100.0
            ),
            Outcome::Changed => format!(
                "{other} of {windows} windows hold something, none of them what they held before; {before}"
            ),
            Outcome::Survived => {
                format!(
                    "{as_before} of {windows} windows still hold what they held before: the purge did not empty it"
                )
            }
            Outcome::Unreadable => {
                format!("{unreadable} of {windows} windows could not be read: nothing is proven")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::ops::Range;

    use super::*;
    use crate::purge::drive::Emptying;

    struct Memory(Vec<u8>);

    impl Blocks for Memory {
        fn size_bytes(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
        fn empty(&self, _: Range<u64>, _: Emptying) -> io::Result<()> {
            unreachable!("a proof only reads")
        }
        fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
            let from = offset as usize..offset as usize + into.len();
            let bytes = self.0.get(from).filter(|bytes| !bytes.starts_with(b"bad"));
            into.copy_from_slice(bytes.ok_or(io::ErrorKind::InvalidData)?);
            Ok(())
        }
    }

    const SIZE: usize = 32 << 20;

    fn samples(bytes: Vec<u8>, windows: u32) -> Samples {
        let size = bytes.len() as u64;
        Samples::read(&Memory(bytes), size, Sampling { windows, seed: 1 })
    }

    fn pattern() -> Vec<u8> {
        (0..SIZE / 8).flat_map(|n| (n as u64 + 1).to_le_bytes()).collect()
    }

    #[test]
    fn empty_samples_bound_the_rest() {
        let proof = Proof::of(&samples(pattern(), 100), &samples(vec![0; SIZE], 100));
        assert_eq!(proof.outcome, Outcome::Empty);
        assert_eq!(proof.not_empty_below, Some(0.03));
        assert_eq!((proof.held_before, proof.zero), (proof.windows, proof.windows));
        assert!(!proof.is_whole && proof.statement.contains("3.0 %"), "{}", proof.statement);
    }

    #[test]
    fn a_small_device_is_read_whole() {
        let proof = Proof::of(&samples(vec![0; SIZE], 1000), &samples(vec![0; SIZE], 1000));
        assert!(proof.is_whole && proof.windows == 512);
        assert_eq!(proof.not_empty_below, Some(0.0));
        assert!(proof.statement.contains("none of the places read held data"), "{}", proof.statement);
        let odd = Proof::of(&samples(vec![0; 512], 10), &samples(vec![0xff; 512], 10));
        assert!(odd.is_whole && odd.ones == 1 && odd.outcome == Outcome::Empty);
    }

    #[test]
    fn what_survived_is_told_from_what_changed() {
        let survived = Proof::of(&samples(pattern(), 100), &samples(pattern(), 100));
        assert_eq!((survived.outcome, survived.as_before), (Outcome::Survived, survived.windows));
        let scrambled = pattern().iter().map(|b| b ^ 0x5a).collect();
        let changed = Proof::of(&samples(pattern(), 100), &samples(scrambled, 100));
        assert_eq!((changed.outcome, changed.other), (Outcome::Changed, changed.windows));
        let mut bad = vec![0; SIZE];
        bad[..3].copy_from_slice(b"bad");
        let unreadable = Proof::of(&samples(pattern(), 100), &samples(bad, 100));
        assert_eq!((unreadable.outcome, unreadable.unreadable), (Outcome::Unreadable, 1));
    }

    #[test]
    fn the_seed_chooses_the_places_and_the_ends_are_always_among_them() {
        let of = |seed| places(1 << 40, Sampling { windows: 50, seed });
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let places = of(1);
        assert!((0..16).all(|n| places.contains(&(n * WINDOW_BYTES))));
        assert_eq!(*places.last().unwrap(), (1 << 40) - WINDOW_BYTES);
    }
}
