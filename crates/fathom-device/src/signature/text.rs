//! The text form of what is on a device. A capture keeps it instead of the bytes, which are
//! private.
//!
//! ```text
//! first-nonzero 510
//! partition_table 510 MBR
//! file_system 1080 ext4
//! ```
//! or `blank`.

use std::fmt;
use std::str::FromStr;

use super::{Class, Contents, Signature};

const BLANK: &str = "blank";
const FIRST: &str = "first-nonzero";

const CLASSES: [(&str, Class); 5] = [
    ("file_system", Class::FileSystem),
    ("swap", Class::Swap),
    ("member", Class::Member),
    ("encrypted", Class::Encrypted),
    ("partition_table", Class::PartitionTable),
];

/// The text does not describe a device's contents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} does not describe what is on a device")]
pub struct NotContents(String);

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first_nonzero_bytes {
            None => writeln!(f, "{BLANK}")?,
            Some(at) => writeln!(f, "{FIRST} {at}")?,
        }
        for signature in &self.signatures {
            let class = CLASSES.iter().find(|(_, class)| *class == signature.class);
            let word = class.map_or("member", |(word, _)| word);
            writeln!(f, "{word} {} {}", signature.offset_bytes, signature.name)?;
        }
        Ok(())
    }
}

impl FromStr for Contents {
    type Err = NotContents;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = |line: &str| NotContents(line.to_owned());
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let first_nonzero_bytes = match first.split_once(' ') {
            None if first == BLANK => None,
            Some((FIRST, at)) => Some(at.parse().map_err(|_| error(first))?),
            _ => return Err(error(first)),
        };
        let signatures = lines.map(|line| signature(line).ok_or_else(|| error(line)));
        Ok(Self { signatures: signatures.collect::<Result<_, _>>()?, first_nonzero_bytes })
    }
}

fn signature(line: &str) -> Option<Signature> {
    let (word, rest) = line.split_once(' ')?;
    let (offset, name) = rest.split_once(' ')?;
    let (_, class) = CLASSES.iter().find(|(known, _)| *known == word)?;
    Some(Signature { name: name.to_owned(), class: *class, offset_bytes: offset.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_comes_back_as_it_went() {
        let of = |(at, (_, class)): (usize, &(&str, Class))| Signature {
            name: format!("format {at}"),
            class: *class,
            offset_bytes: at as u64 * 512,
        };
        let signatures = CLASSES.iter().enumerate().map(of).collect();
        for contents in [Contents::default(), Contents { signatures, first_nonzero_bytes: Some(0) }] {
            assert_eq!(contents.to_string().trim().parse(), Ok(contents));
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "blank?", "first-nonzero", "first-nonzero x", "blank\nodd 0 X", "blank\nswap x Y"] {
            assert!(text.parse::<Contents>().is_err(), "{text:?}");
        }
    }
}
