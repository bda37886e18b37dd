//! What the text of a setting means.
//!
//! Kernel files are not symmetric: what is read is often not what is written (`[none] mq-deadline`
//! against `none`, `200000 (system)` against `system`), and two texts can be one value (`00000003`
//! and `3`). So nothing is compared or restored as text: a codec makes a *typed* value of the text,
//! in one canonical spelling, and makes the text to write from that.

use serde::{Deserialize, Serialize};

use fathom_device::cpus::CpuSet;

/// How a setting is read, compared and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Codec {
    /// One word.
    Word,
    /// A whole number.
    Number,
    /// A list of words, the one in force in brackets: scheduler, THP, ASPM.
    Selected,
    /// A set of CPUs as a list.
    CpuList,
    /// A set of CPUs as a mask in groups of 32 bits.
    CpuMask,
    /// md's speeds: `200000 (system)` follows the system's value, and is
    /// restored by the word `system`.
    SyncSpeed,
    /// `pm_qos_resume_latency_us`: `0` means no limit, `n/a` means no latency at all
    /// (Documentation/ABI/testing/sysfs-devices-power).
    ResumeLatency,
    /// A systemd unit: whether it is active. Whether it is enabled is never
    /// touched, so it is not part of the value.
    Active,
    /// One of a mount's options: which times of last access it keeps. A kernel
    /// shows no word at all for `strictatime`.
    Atime,
    /// One of a mount's options: whether deleting trims.
    Discard,
}

/// States of a unit in which its program runs, or is about to.
const ACTIVE: [&str; 4] = ["active", "activating", "reloading", "refreshing"];

impl Codec {
    /// The value of a text, canonically spelled; `None` if it has none.
    pub fn typed(self, raw: &str) -> Option<String> {
        let raw = raw.trim();
        match self {
            Codec::Word => word(raw),
            Codec::Number => raw.parse::<i64>().ok().map(|n| n.to_string()),
            Codec::Selected => selected(raw),
            Codec::CpuList => CpuSet::from_list(raw).ok().map(|set| set.to_string()),
            Codec::CpuMask => CpuSet::from_mask(raw).ok().map(|set| set.to_string()),
            Codec::SyncSpeed => sync_speed(raw),
            Codec::ResumeLatency if raw == "n/a" => Some(raw.to_owned()),
            Codec::ResumeLatency => raw.parse::<u32>().ok().map(|n| n.to_string()),
            Codec::Active => {
                let state = raw.split_whitespace().next()?;
                Some(if ACTIVE.contains(&state) { "active" } else { "inactive" }.to_owned())
            }
            Codec::Atime => atime(raw),
            Codec::Discard => discard(raw),
        }
    }

    /// Whether the text is a value in the canonical spelling: nothing else may
    /// be written, wherever it comes from.
    pub fn is_typed(self, text: &str) -> bool {
        let is_canonical = |codec: Codec| codec.typed(text).as_deref() == Some(text);
        match self {
            Codec::Selected => is_canonical(Codec::Word) && !text.contains(['[', ']']),
            Codec::CpuMask => is_canonical(Codec::CpuList),
            Codec::Active => matches!(text, "active" | "inactive"),
            Codec::Atime => matches!(text, "noatime" | "relatime" | "strictatime"),
            Codec::Discard => matches!(text, "nodiscard" | "discard" | "discard=sync" | "discard=async"),
            _ => is_canonical(self),
        }
    }

    /// The text to write for a typed value.
    pub fn text(self, typed: &str) -> String {
        match self {
            Codec::CpuMask => CpuSet::from_list(typed).unwrap_or_default().to_mask(),
            _ => typed.to_owned(),
        }
    }

    /// A typed value for people, where the value alone would mislead them.
    pub fn describe(self, typed: &str) -> String {
        match (self, typed) {
            (Codec::ResumeLatency, "0") => "no limit".to_owned(),
            (Codec::ResumeLatency, "n/a") => "0 us (n/a)".to_owned(),
            (Codec::ResumeLatency, _) => format!("{typed} us"),
            (Codec::SyncSpeed, "system") => "system's value".to_owned(),
            _ => typed.to_owned(),
        }
    }
}

fn word(raw: &str) -> Option<String> {
    let is_word = !raw.is_empty() && !raw.contains(char::is_whitespace) && !raw.contains('\u{fffd}');
    is_word.then(|| raw.to_owned())
}

/// A device without a queue of requests offers one word and no brackets.
fn selected(raw: &str) -> Option<String> {
    let mut bracketed = raw.split_whitespace().filter_map(|w| w.strip_prefix('[')?.strip_suffix(']'));
    match (bracketed.next(), bracketed.next()) {
        (Some(only), None) => word(only),
        (None, None) => word(raw).filter(|w| !w.contains(['[', ']'])),
        _ => None,
    }
}

pub(super) fn offered(raw: &str) -> Vec<&str> {
    raw.split_whitespace().map(|w| w.trim_matches(['[', ']'])).collect()
}

fn sync_speed(raw: &str) -> Option<String> {
    let (number, origin) = raw.split_once(' ').unwrap_or((raw, ""));
    if raw == "system" || origin == "(system)" {
        return Some("system".to_owned());
    }
    number.parse::<u64>().ok().map(|n| n.to_string())
}

fn atime(raw: &str) -> Option<String> {
    let kept = |word: &&str| matches!(*word, "noatime" | "relatime");
    options(raw).map(|words| words.into_iter().find(kept).unwrap_or("strictatime").to_owned())
}

fn discard(raw: &str) -> Option<String> {
    let says = |word: &&str| *word == "discard" || word.starts_with("discard=");
    options(raw).map(|words| words.into_iter().find(says).unwrap_or("nodiscard").to_owned())
}

/// The words of a mount's options, which begin with `rw` or `ro`.
fn options(raw: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = raw.split(',').collect();
    let is_list = words.first().is_some_and(|word| matches!(*word, "rw" | "ro"));
    is_list.then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(codec: Codec, raw: &str, typed: Option<&str>, text: &str) {
        assert_eq!(codec.typed(raw).as_deref(), typed, "{codec:?} {raw:?}");
        if let Some(typed) = typed {
            assert_eq!(codec.text(typed), text, "{codec:?} {raw:?}");
        }
    }

    #[test]
    fn texts_are_typed_and_written() {
        check(Codec::Selected, "mq-deadline [none]\n", Some("none"), "none");
        check(Codec::Selected, "none", Some("none"), "none");
        check(Codec::Selected, "a b", None, "");
        check(Codec::Selected, "[a] [b]", None, "");
        check(Codec::Number, " -1\n", Some("-1"), "-1");
        check(Codec::Number, "many", None, "");
        check(Codec::SyncSpeed, "200000 (system)", Some("system"), "system");
        check(Codec::SyncSpeed, "5000000 (local)", Some("5000000"), "5000000");
        check(Codec::SyncSpeed, "fast (local)", None, "");
        check(Codec::ResumeLatency, "n/a", Some("n/a"), "n/a");
        check(Codec::ResumeLatency, "0", Some("0"), "0");
        check(Codec::CpuMask, "00000000,00000003", Some("0-1"), "00000003");
        check(Codec::CpuMask, "3", Some("0-1"), "00000003");
        check(Codec::CpuList, "0,1,2", Some("0-2"), "0-2");
        check(Codec::Active, "active enabled", Some("active"), "active");
        check(Codec::Active, "failed disabled", Some("inactive"), "inactive");
        check(Codec::Word, "", None, "");
        check(Codec::Word, "two words", None, "");
    }

    #[test]
    fn one_word_of_a_mounts_options() {
        check(Codec::Atime, "rw,nosuid,relatime,rw,discard", Some("relatime"), "relatime");
        check(Codec::Atime, "rw,rw", Some("strictatime"), "strictatime");
        check(Codec::Atime, "garbage", None, "");
        check(Codec::Discard, "rw,relatime,rw,discard=async", Some("discard=async"), "discard=async");
        check(Codec::Discard, "ro,ro", Some("nodiscard"), "nodiscard");
    }

    /// The two values that mean the opposite of what they look like.
    #[test]
    fn resume_latency_is_told_by_its_meaning() {
        assert_eq!(Codec::ResumeLatency.describe("0"), "no limit");
        assert_eq!(Codec::ResumeLatency.describe("n/a"), "0 us (n/a)");
    }
}
