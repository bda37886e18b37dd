//! What is done before cells: `purge`, `fill`, `wait:10s`, ….

use fathom_job::parse::read_time;
use serde::Deserialize;

/// One preparation.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Before {
    /// `purge`: empties each target.
    Purge,
    /// `fill`, `fill:2`: writes each target in order, so many times.
    Fill(u32),
    /// `fill-random`, `fill-random:2`: writes as much as each target holds, so many times, at random in blocks of 4 KiB. The first pass
    /// writes each block once; the last of several writes some blocks twice and others not at all.
    FillRandom(u32),
    /// `format:512`: formats each target to logical blocks of this size, bytes.
    Format(u32),
    /// `drop-caches`: the kernel drops its clean caches.
    DropCaches,
    /// `wait:10s`: waits, ms.
    Wait(u64),
    /// `idle:60s`: waits until nothing is read or written on the disks below the targets, at most so long, seconds.
    Idle(u64),
    /// `built`: waits until the md arrays at or below the targets are built (contract I-20).
    Built,
}

/// More passes over a target are a mistake.
const PASSES_MAX: u32 = 16;

impl TryFrom<String> for Before {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (word, value) =
            text.split_once(':').map_or((text.as_str(), None), |(word, value)| (word, Some(value)));
        let wrong = || {
            format!(
                "{text:?} is no preparation; there are purge, fill, fill:PASSES, fill-random, fill-random:PASSES, format:BYTES, drop-caches, wait:TIME, \
                 idle:TIME and built"
            )
        };
        let time = |value: Option<&str>| {
            value.and_then(|value| read_time(value, true).ok()).map(|time| time.0 / 1_000_000)
        };
        let count = |value: Option<&str>| {
            value.and_then(|value| value.parse::<u32>().ok()).filter(|count| *count > 0)
        };
        let passes = |value: Option<&str>| count(value).filter(|passes| *passes <= PASSES_MAX);
        match (word, value) {
            ("purge", None) => Some(Before::Purge),
            ("fill", None) => Some(Before::Fill(1)),
            ("fill-random", None) => Some(Before::FillRandom(1)),
            ("fill", value) => passes(value).map(Before::Fill),
            ("fill-random", value) => passes(value).map(Before::FillRandom),
            ("format", value) => count(value).filter(|bytes| bytes.is_power_of_two()).map(Before::Format),
            ("drop-caches", None) => Some(Before::DropCaches),
            ("wait", value) => time(value).map(Before::Wait),
            ("idle", value) => time(value).map(|ms| Before::Idle(ms.div_ceil(1_000).max(1))),
            ("built", None) => Some(Before::Built),
            _ => None,
        }
        .ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_values() {
        for (text, before) in [
            ("purge", Some(Before::Purge)),
            ("fill", Some(Before::Fill(1))),
            ("fill:2", Some(Before::Fill(2))),
            ("fill-random", Some(Before::FillRandom(1))),
            ("fill-random:2", Some(Before::FillRandom(2))),
            ("fill-random:17", None),
            ("format:4096", Some(Before::Format(4096))),
            ("drop-caches", Some(Before::DropCaches)),
            ("wait:10s", Some(Before::Wait(10_000))),
            ("idle:60s", Some(Before::Idle(60))),
            ("built", Some(Before::Built)),
            ("purge:2", None),
            ("fill:0", None),
            ("fill:99", None),
            ("format:1000", None),
            ("wait", None),
            ("sleep:1s", None),
        ] {
            assert_eq!(Before::try_from(text.to_owned()).ok(), before, "{text}");
        }
    }
}
