//! What is kept of texts that may come from anybody.

use fathom_text::carried;
use fathom_text::words::beginning;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
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
