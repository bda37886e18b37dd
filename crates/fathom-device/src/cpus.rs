//! Sets of CPUs, in the three ways in which Linux writes them.
//!
//! * list: `0-3,8,10-11` (`*_list` files, `taskset -c`, cgroups);
//! * mask: groups of 32 bits in hexadecimal, the highest first, joined by
//!   commas: `00000080,00000000` is CPU 39 (M-19; `smp_affinity`);
//! * a plain hexadecimal number, as `taskset` takes it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Highest CPU number that is believed. The kernel's own limit is 8,192
/// (`CONFIG_NR_CPUS` of x86-64 with `MAXSMP`); a list that names more is
/// garbled, and must not fill the memory.
const CPU_MAX: u32 = 65_535;

/// A set of logical CPUs.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(into = "String", try_from = "String")]
pub struct CpuSet {
    cpus: BTreeSet<u32>,
}

/// The text is not a set of CPUs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a {form} of CPUs")]
pub struct CpuSetError {
    text: String,
    form: &'static str,
}

impl CpuSet {
    /// Reads a list, `0-3,8`; the empty text is the empty set.
    pub fn from_list(text: &str) -> Result<Self, CpuSetError> {
        let text = text.trim();
        let error = || CpuSetError { text: text.to_owned(), form: "list" };
        let mut cpus = BTreeSet::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let bound = |word: &str| word.trim().parse::<u32>().ok().filter(|cpu| *cpu <= CPU_MAX);
            let (first, last) = (bound(first).ok_or_else(error)?, bound(last).ok_or_else(error)?);
            if first > last {
                return Err(error());
            }
            cpus.extend(first..=last);
        }
        Ok(Self { cpus })
    }

    /// Reads a mask, with or without `0x` and with or without commas.
    pub fn from_mask(text: &str) -> Result<Self, CpuSetError> {
        let error = || CpuSetError { text: text.trim().to_owned(), form: "mask" };
        let trimmed = text.trim();
        let digits = trimmed.strip_prefix("0x").unwrap_or(trimmed);
        let grouped = digits.contains(',');
        let mut whole = String::new();
        for (at, group) in digits.split(',').enumerate() {
            if group.is_empty() || (grouped && group.len() > 8) {
                return Err(error());
            }
            let padding = if at == 0 { 0 } else { 8 - group.len() };
            whole.extend(std::iter::repeat_n('0', padding));
            whole.push_str(group);
        }
        if whole.len() > CPU_MAX as usize / 4 {
            return Err(error());
        }
        let mut cpus = BTreeSet::new();
        for (at, digit) in whole.chars().rev().enumerate() {
            let bits = digit.to_digit(16).ok_or_else(error)?;
            let base = u32::try_from(at * 4).map_err(|_| error())?;
            cpus.extend((0..4).filter(|bit| bits >> bit & 1 == 1).map(|bit| base + bit));
        }
        Ok(Self { cpus })
    }

    /// As a mask in groups of 32 bits, the form of `smp_affinity`, with no
    /// more groups than are needed.
    pub fn to_mask(&self) -> String {
        let groups = self.cpus.last().map_or(1, |last| last / 32 + 1);
        let group = |g: u32| {
            let bits = self.cpus.range(g * 32..(g + 1) * 32);
            bits.fold(0u32, |bits, cpu| bits | 1 << (cpu % 32))
        };
        let words: Vec<String> = (0..groups).rev().map(|g| format!("{:08x}", group(g))).collect();
        words.join(",")
    }

    /// Whether the CPU is in it.
    pub fn contains(&self, cpu: u32) -> bool {
        self.cpus.contains(&cpu)
    }

    /// Whether every CPU of this set is in `other`.
    pub fn is_within(&self, other: &Self) -> bool {
        self.cpus.is_subset(&other.cpus)
    }

    /// The CPUs that are in both sets.
    pub fn intersection(&self, other: &Self) -> Self {
        self.cpus.intersection(&other.cpus).copied().collect()
    }

    /// The CPUs that are in this set and not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        self.cpus.difference(&other.cpus).copied().collect()
    }

    /// The number of CPUs.
    pub fn len(&self) -> usize {
        self.cpus.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.cpus.is_empty()
    }

    /// The CPUs in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.cpus.iter().copied()
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        Self { cpus: cpus.into_iter().collect() }
    }
}

impl FromStr for CpuSet {
    type Err = CpuSetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_list(text)
    }
}

impl TryFrom<String> for CpuSet {
    type Error = CpuSetError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::from_list(&text)
    }
}

impl From<CpuSet> for String {
    fn from(set: CpuSet) -> Self {
        set.to_string()
    }
}

impl fmt::Display for CpuSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = cpus.next() {
            let mut last = first;
            while let Some(next) = cpus.next_if_eq(&(last + 1)) {
                last = next;
            }
            match last - first {
                0 => write!(f, "{separator}{first}")?,
                _ => write!(f, "{separator}{first}-{last}")?,
            }
            separator = ",";
        }
        Ok(())
    }
}

/// Drivers whose sensors are in the processor.
pub const PROCESSOR_CHIPS: [&str; 5] = ["coretemp", "k10temp", "zenpower", "cpu_thermal", "soc_thermal"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_written() {
        for text in ["", "0", "0-3", "0-3,8,10-11", "39"] {
            assert_eq!(CpuSet::from_list(text).unwrap().to_string(), text);
        }
        for text in ["3-1", "a", "1,,2", "-", "99999999"] {
            assert!(CpuSet::from_list(text).is_err(), "{text}");
        }
    }

    /// M-19: the mask of CPU 39.
    #[test]
    fn a_mask_is_groups_of_32_bits() {
        let set = CpuSet::from_mask("00000000,00000000,00000080,00000000").unwrap();
        assert_eq!(set.to_string(), "39");
        assert_eq!(set.to_mask(), "00000080,00000000");
        assert_eq!(CpuSet::from_mask("0xff").unwrap().to_string(), "0-7");
        assert_eq!(CpuSet::from_mask("f,0000000f").unwrap().to_string(), "0-3,32-35");
        // People leave out the zeros of lower groups too.
        assert_eq!(CpuSet::from_mask("1,2").unwrap().to_string(), "1,32");
        for text in ["", "g", "1,,2", "1,000000001"] {
            assert!(CpuSet::from_mask(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_empty_set_has_a_mask_too() {
        assert_eq!(CpuSet::default().to_mask(), "00000000");
    }
}
