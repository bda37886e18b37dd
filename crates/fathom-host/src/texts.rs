//! Texts that are data: files in TOML beside the code, compiled in and read once.
//!
//! In a file a text may have as many lines as it needs; the reader gets it as one line. What was read stays
//! until the program ends, so that everything can name it without a copy.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// The entries of a file that is a list of tables of one name.
pub(crate) fn rows<T: Deserialize<'static>>(file: &'static str) -> Vec<T> {
    read::<BTreeMap<String, Vec<T>>>(file).into_values().flatten().collect()
}

/// What is in a file of texts. The tests read all of them, so each is sound.
pub(crate) fn read<T: Deserialize<'static>>(file: &'static str) -> T {
    toml::from_str(file).unwrap_or_else(|error| panic!("a file of texts: {error}\n{file}"))
}

/// A text, for `deserialize_with`.
pub(crate) fn one<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    Ok(kept(&String::deserialize(from)?))
}

/// A text that need not be there, for `deserialize_with` and `default`.
pub(crate) fn maybe<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'static str>, D::Error> {
    one(from).map(Some)
}

/// A list of texts, for `deserialize_with`.
pub(crate) fn several<'de, D: Deserializer<'de>>(from: D) -> Result<&'static [&'static str], D::Error> {
    let texts: Vec<&str> = Vec::<String>::deserialize(from)?.iter().map(|text| kept(text)).collect();
    Ok(texts.leak())
}

fn kept(text: &str) -> &'static str {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ").leak()
}
