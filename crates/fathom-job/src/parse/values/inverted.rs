//! `4kib` under fio's rule: with `kb_base=1024` (the default) `k` is 1024 and `kib` is 1000, the
//! reverse of what the letters mean. fathom keeps the rule and warns of it.

use super::size;
use crate::option::Kind;

/// A size whose unit means the reverse of what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inverted {
    /// As written: `4kib`.
    pub text: String,
    /// Its first character within the value.
    pub start: usize,
    /// What it is, in bytes.
    pub bytes: u64,
    /// What its letters mean, in bytes.
    pub meant: u64,
    /// How to write that: `4k`.
    pub instead: String,
}

/// Such sizes in a value of this kind, read with `kb_base=1024`.
pub(crate) fn inverted(kind: &Kind, text: &str) -> Vec<Inverted> {
    if has_sizes(kind) {
        words(text).into_iter().filter_map(|(start, word)| one(start, word)).collect()
    } else {
        Vec::new()
    }
}

fn has_sizes(kind: &Kind) -> bool {
    match kind {
        Kind::Int { .. } | Kind::Size { .. } | Kind::Range { .. } | Kind::Splits | Kind::Rw => true,
        Kind::Distribution => true,
        Kind::PerDirection(each) => has_sizes(each),
        _ => false,
    }
}

/// Runs of letters and digits, with the character each starts at.
fn words(text: &str) -> Vec<(usize, &str)> {
    let starts = |part: &&str| part.as_ptr() as usize - text.as_ptr() as usize;
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(|part| (text[..starts(&part)].chars().count(), part))
        .collect()
}

fn one(start: usize, word: &str) -> Option<Inverted> {
    let digits = word.find(|c: char| !c.is_ascii_digit())?;
    let n: u64 = word[..digits].parse().ok()?;
    let suffix = &word[digits..];
    let letter = suffix.to_ascii_lowercase().strip_suffix("ib")?.to_owned();
    let bytes = n.checked_mul(size::multiplier(suffix, 1024)?)?;
    let meant = n.checked_mul(size::multiplier(&letter, 1024)?)?;
    Some(Inverted { text: word.to_owned(), start, bytes, meant, instead: format!("{n}{letter}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_ib_are_found_wherever_they_stand() {
        let found = |kind: &Kind, text: &str| -> Vec<(usize, u64, u64, String)> {
            inverted(kind, text).into_iter().map(|i| (i.start, i.bytes, i.meant, i.instead)).collect()
        };
        let bs = Kind::PerDirection(&Kind::BLOCK);
        assert_eq!(found(&bs, "4k,8KiB"), [(3, 8000, 8192, "8k".to_owned())]);
        assert_eq!(found(&Kind::Splits, "1mib/50:4k/50"), [(0, 1_000_000, 1 << 20, "1m".to_owned())]);
        assert_eq!(found(&Kind::Range { lone: true }, "4k-2gib")[0].0, 3);
        for (kind, text) in
            [(&Kind::BYTES, "4kb"), (&Kind::BYTES, "4096"), (&Kind::Text, "4kib"), (&Kind::BYTES, "0x4")]
        {
            assert!(inverted(kind, text).is_empty(), "{text}");
        }
    }
}
