//! What reading afterwards proves: samples of the device, compared with what
//! the same places held before.
//!
//! n random samples that are all empty bound the part that is not: with 95 %
//! confidence it is below 3/n (the rule of three: Hanley and Lippman-Hand,
//! JAMA 249, 1983).

use serde::{Deserialize, Serialize};

use super::samples::{Sampling, WINDOW_BYTES, WindowContent, WindowSamples};

/// What the samples say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything that was read is empty.
    Empty,
    /// Not everything is empty, but nothing is as it was. An erased key or a
    /// vendor's pattern leaves this.
    Changed,
    /// Something is as it was before.
    Survived,
    /// Some of it could not be read.
    Unreadable,
}

/// What reading the device before and after showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proof {
    /// What the samples say together.
    pub outcome: Outcome,
    /// The same in a sentence, without a full stop.
    pub statement: String,
    /// Which places were read.
    pub sampling: Sampling,
    /// Bytes in a window; the last may be shorter.
    pub window_bytes: u64,
    /// Windows that were read afterwards.
    pub windows: u64,
    /// Whether these are all windows of the device.
    pub is_whole: bool,
    /// Windows that hold only zeros.
    pub zero: u64,
    /// Windows that hold only ones.
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
    /// Compares the samples. If a place was not read before, what it held then counts as not known.
    pub fn of(before: &WindowSamples, after: &WindowSamples) -> Self {
        let count = |is: &dyn Fn(&(u64, WindowContent)) -> bool| {
            after.windows.iter().filter(|w| is(w)).count() as u64
        };
        let holds_data = |held: &WindowContent| matches!(held, WindowContent::Data(_));
        let is_old = |w: &(u64, WindowContent)| holds_data(&w.1) && before.at(w.0) == Some(w.1);
        let windows = after.windows.len() as u64;
        let is_whole = windows == after.size_bytes.div_ceil(WINDOW_BYTES);
        let mut proof = Self {
            outcome: Outcome::Empty,
            statement: String::new(),
            sampling: after.sampling,
            window_bytes: WINDOW_BYTES,
            windows,
            is_whole,
            zero: count(&|w| w.1 == WindowContent::Zero),
            ones: count(&|w| w.1 == WindowContent::Ones),
            as_before: count(&is_old),
            other: count(&|w| holds_data(&w.1) && !is_old(w)),
            unreadable: count(&|w| w.1 == WindowContent::Unreadable),
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

    /// Is the device known to hold nothing of what it held? Only then it was purged, whatever the drive answered.
    pub fn is_given(&self) -> bool {
        matches!(self.outcome, Outcome::Empty | Outcome::Changed)
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
            0 => "none of the places that were read held data before".to_owned(),
            n => format!("{n} of them held data before"),
        };
        match self.outcome {
            Outcome::Empty if self.is_whole => format!("every byte was read and is empty; {before}"),
            Outcome::Empty => format!(
                "{windows} windows at both ends and at random places are empty: with 95 % confidence less than \
                 {:.1} % of the device is not empty; {before}",
                self.not_empty_below.unwrap_or(1.0) * 100.0
            ),
            Outcome::Changed => format!(
                "{other} of {windows} windows hold something, none of them what they held before; {before}"
            ),
            Outcome::Survived => {
                format!(
                    "{as_before} of {windows} windows still hold what they held before: the purge did not \
                     empty the device"
                )
            }
            Outcome::Unreadable => {
                format!("{unreadable} of {windows} windows could not be read, so nothing is proven")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::ops::Range;

    use super::*;
    use crate::purge::drive::{BlockInterface, Emptying};

    struct Memory(Vec<u8>);

    impl BlockInterface for Memory {
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

    const SIZE: usize = 8 << 20;

    fn samples(bytes: Vec<u8>, windows: u32) -> WindowSamples {
        let size = bytes.len() as u64;
        WindowSamples::read(&Memory(bytes), size, Sampling { windows, seed: 1 })
    }

    fn pattern() -> Vec<u8> {
        let mut bytes = vec![0x77; SIZE];
        for (number, block) in bytes.chunks_exact_mut(4096).enumerate() {
            block[..4].copy_from_slice(&(number as u32).to_le_bytes());
        }
        bytes
    }

    #[test]
    fn empty_samples_bound_the_rest() {
        let proof = Proof::of(&samples(pattern(), 40), &samples(vec![0; SIZE], 40));
        assert_eq!(proof.outcome, Outcome::Empty);
        assert_eq!(proof.not_empty_below, Some(0.075));
        assert_eq!((proof.held_before, proof.zero), (proof.windows, proof.windows));
        assert!(!proof.is_whole && proof.statement.contains("7.5 %"), "{}", proof.statement);
    }

    #[test]
    fn a_small_device_is_read_whole() {
        let proof = Proof::of(&samples(vec![0; SIZE], 1000), &samples(vec![0; SIZE], 1000));
        assert!(proof.is_whole && proof.windows == 128);
        assert_eq!(proof.not_empty_below, Some(0.0));
        assert!(
            proof.statement.contains("none of the places that were read held data"),
            "{}",
            proof.statement
        );
        let odd = Proof::of(&samples(vec![0; 512], 10), &samples(vec![0xff; 512], 10));
        assert!(odd.is_whole && odd.ones == 1 && odd.outcome == Outcome::Empty);
    }

    #[test]
    fn what_survived_is_told_from_what_changed() {
        let survived = Proof::of(&samples(pattern(), 40), &samples(pattern(), 40));
        assert_eq!((survived.outcome, survived.as_before), (Outcome::Survived, survived.windows));
        let scrambled = pattern().iter().map(|b| b ^ 0x5a).collect();
        let changed = Proof::of(&samples(pattern(), 40), &samples(scrambled, 40));
        assert_eq!((changed.outcome, changed.other), (Outcome::Changed, changed.windows));
        let mut bad = vec![0; SIZE];
        bad[..3].copy_from_slice(b"bad");
        let unreadable = Proof::of(&samples(pattern(), 40), &samples(bad, 40));
        assert_eq!((unreadable.outcome, unreadable.unreadable), (Outcome::Unreadable, 1));
    }
}
