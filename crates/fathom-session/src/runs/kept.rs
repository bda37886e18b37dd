//! What is kept of texts that may come from anybody: words, tags, the names of devices.

use fathom_text::carried;
use fathom_text::words::beginning;
use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt::{self, Display};
use std::marker::PhantomData;

/// The most characters that are kept of a text. No path is longer (`PATH_MAX` of Linux), and no
/// sentence of ours.
const TEXT_MAX_CHARS: usize = 4096;

/// A text of a run, which may come from anybody: carried, and not longer than what is kept.
pub(super) fn kept_text(from: &str) -> String {
    let end = from.char_indices().nth(TEXT_MAX_CHARS).map_or(from.len(), |(end, _)| end);
    carried::of_str(&from[..end]).into_owned()
}

/// The same of what can be long as a text, such as an error that quotes what it found.
pub(super) fn kept_words(from: &impl Display) -> String {
    kept_text(&beginning(from, TEXT_MAX_CHARS))
}

/// A text of a record, of which no more is stored than what is kept.
#[derive(Debug, Default)]
pub(super) struct Kept(pub String);

impl<'de> Deserialize<'de> for Kept {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Kept;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Kept, E> {
                Ok(Kept(kept_text(text)))
            }
        }
        from.deserialize_str(Text)
    }
}

/// The most words that are kept of a run.
const TAGS_MAX: usize = 64;

/// The first words of a run that are none of them empty; they have no line breaks.
#[derive(Debug, Default)]
pub(super) struct Tags(pub Vec<String>);

impl<'de> Deserialize<'de> for Tags {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        each(from, |tags: &mut Vec<String>, Kept(tag)| {
            if !tag.is_empty() && tags.len() < TAGS_MAX {
                tags.push(tag);
            }
        })
        .map(Tags)
    }
}

/// Gives each element of a list in a document to `add`, and stores none of them.
pub(super) fn each<'de, D: Deserializer<'de>, T: Deserialize<'de>, S: Default>(
    from: D,
    add: impl Fn(&mut S, T),
) -> Result<S, D::Error> {
    from.deserialize_seq(Each { add, types: PhantomData })
}

struct Each<F, T, S> {
    add: F,
    types: PhantomData<(T, S)>,
}

impl<'de, F: Fn(&mut S, T), T: Deserialize<'de>, S: Default> Visitor<'de> for Each<F, T, S> {
    type Value = S;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<S, A::Error> {
        let mut sum = S::default();
        while let Some(element) = list.next_element()? {
            (self.add)(&mut sum, element);
        }
        Ok(sum)
    }
}

/// The most names that are kept of a run.
const NAMES_MAX: usize = 64;

/// The names in the facts about targets: `target.PATH.disks`. Disks become paths below `/dev`.
#[derive(Debug, Default)]
pub(super) struct Devices(pub Vec<String>);

/// One fact of a record's `host`.
#[derive(Deserialize)]
struct FactPart {
    name: Kept,
    value: Option<Kept>,
}

impl<'de> Deserialize<'de> for Devices {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        each(from, Devices::add).map(|mut devices: Devices| {
            devices.keep();
            devices
        })
    }
}

impl Devices {
    fn add(&mut self, FactPart { name, value }: FactPart) {
        let Some((path, fact)) = name.0.strip_prefix("target.").and_then(|rest| rest.rsplit_once('.')) else {
            return;
        };
        let Some(Kept(value)) = value.filter(|value| !value.0.trim().is_empty()) else { return };
        match fact {
            "disk" | "disks" => {
                let disks = value.split([',', ' ']).filter(|disk| !disk.is_empty());
                self.0.extend(disks.map(|disk| format!("/dev/{disk}")));
                self.0.push(path.to_owned());
            }
            "model" | "serial" => self.0.push(value.trim().to_owned()),
            _ => {}
        }
        if self.0.len() > 2 * NAMES_MAX {
            self.keep();
        }
    }

    /// Each once, and the first in the order of the alphabet.
    fn keep(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
        self.0.truncate(NAMES_MAX);
    }
}

/// The first element, if there is one.
pub(super) struct First<T>(pub Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(FirstOf(PhantomData)).map(First)
    }
}

struct FirstOf<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FirstOf<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Option<T>, A::Error> {
        let first = list.next_element()?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(first)
    }
}
