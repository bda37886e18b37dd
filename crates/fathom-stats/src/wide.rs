//! 128-bit sums in serialised form.
//!
//! Sums of nanoseconds may exceed 64 bits, and sums of their squares usually do. Binary
//! formats take the number as it is. Text formats do not: JSON readers commonly lose digits, and
//! serde's own buffering of tagged enums refuses 128 bits altogether. There the value is a number
//! while it fits into 64 bits, and otherwise a string of decimal digits.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serializer};

pub(crate) fn serialize<S: Serializer>(value: &u128, to: S) -> Result<S::Ok, S::Error> {
    if !to.is_human_readable() {
        return to.serialize_u128(*value);
    }
    match u64::try_from(*value) {
        Ok(narrow) => to.serialize_u64(narrow),
        Err(_) => to.collect_str(value),
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
    if !from.is_human_readable() {
        return u128::deserialize(from);
    }
    from.deserialize_any(Wide)
}

struct Wide;

impl Visitor<'_> for Wide {
    type Value = u128;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a non-negative whole number, or a string of its digits")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u128, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u128, E> {
        text.parse().map_err(E::custom)
    }
}
