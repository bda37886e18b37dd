//! How values of other crates are encoded in a frame.
//!
//! Each type is a module with `encode` and `decode`, as the derives of `minicbor` name them. A
//! later version may add elements at the end of an array; a reader skips what it does not know.

use fathom_job::direction::{Direction, PerDirection};
use fathom_stats::varint;
use minicbor::data::Type;
use minicbor::decode::{self, Decoder};
use minicbor::encode::{self, Encoder, Write};
use minicbor::{Decode, Encode};

type Encoded<W> = Result<(), encode::Error<<W as Write>::Error>>;

/// What a field holds by default is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Skips what a later version put at the end of an array of which `read` elements are known.
/// An array of an unknown length is not written, and not read.
pub(crate) fn end_of_array(from: &mut Decoder<'_>, len: Option<u64>, read: u64) -> Result<(), decode::Error> {
    let more = len.and_then(|len| len.checked_sub(read));
    let more = more.ok_or_else(|| decode::Error::message("an array is too short"))?;
    (0..more).try_for_each(|_| from.skip())
}

/// A value of an enumeration; `None` for one that only a later version knows.
pub(crate) fn known<'b, C, T: Decode<'b, C>>(
    from: &mut Decoder<'b>,
    context: &mut C,
) -> Result<Option<T>, decode::Error> {
    let place = from.position();
    match T::decode(from, context) {
        Err(e) if e.is_unknown_variant() => {
            from.set_position(place);
            from.skip().map(|()| None)
        }
        read => read.map(Some),
    }
}

/// Reads a map of numbered fields. `read` says whether it knows a number, and has taken the value.
pub(crate) fn fields<'b>(
    from: &mut Decoder<'b>,
    mut read: impl FnMut(u8, &mut Decoder<'b>) -> Result<bool, decode::Error>,
) -> Result<(), decode::Error> {
    let len = from.map()?.ok_or_else(|| decode::Error::message("a map of unknown length"))?;
    for _ in 0..len {
        let is_known = match from.u64()?.try_into() {
            Ok(number) => read(number, from)?,
            Err(_) => false,
        };
        if !is_known {
            from.skip()?;
        }
    }
    Ok(())
}

/// Counts by fio's classes, several sets of them: for each set a byte that has a one for each class that
/// is used, from the lowest, and the counts of these classes as varints.
pub(crate) mod classes {
    use super::*;

    pub(crate) fn pack<const N: usize>(sets: [&[u64; 7]; N]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for set in sets {
            let used = |(class, count): (u32, &u64)| u8::from(*count > 0) << class;
            bytes.push((0..).zip(set).map(used).sum());
            let counts = set.iter().filter(|count| **count > 0);
            counts.for_each(|count| varint::put((*count).into(), &mut bytes));
        }
        bytes
    }

    pub(crate) fn unpack<const N: usize>(mut bytes: &[u8]) -> Result<[[u64; 7]; N], decode::Error> {
        let invalid = || decode::Error::message("counts by class are cut, or of an unknown class");
        let mut sets = [[0; 7]; N];
        for set in &mut sets {
            let (used, rest) = bytes.split_first().filter(|(used, _)| **used < 0x80).ok_or_else(invalid)?;
            bytes = rest;
            for (class, count) in set.iter_mut().enumerate() {
                if used >> class & 1 > 0 {
                    *count = varint::take(&mut bytes).ok_or_else(invalid)?;
                }
            }
        }
        bytes.is_empty().then_some(sets).ok_or_else(invalid)
    }
}

/// A direction or none; a direction of a later version is none.
pub(crate) mod some_direction {
    use super::*;

    pub(crate) fn encode<C, W: Write>(
        value: &Option<Direction>,
        to: &mut Encoder<W>,
        _: &mut C,
    ) -> Encoded<W> {
        value.map(|direction| direction as u8).encode(to, &mut ())
    }

    pub(crate) fn decode<C>(from: &mut Decoder<'_>, _: &mut C) -> Result<Option<Direction>, decode::Error> {
        if from.datatype()? == Type::Null {
            return from.null().map(|()| None);
        }
        Ok(Direction::ALL.get(usize::from(from.u8()?)).copied())
    }

    pub(crate) fn nil() -> Option<Option<Direction>> {
        Some(None)
    }

    pub(crate) fn is_nil(value: &Option<Direction>) -> bool {
        value.is_none()
    }
}

/// A value for each direction, in the order of [`Direction::ALL`].
pub(crate) mod per_direction {
    use super::*;

    pub(crate) fn encode<C, T, W>(value: &PerDirection<T>, to: &mut Encoder<W>, context: &mut C) -> Encoded<W>
    where
        T: Encode<C>,
        W: Write,
    {
        to.array(3)?;
        value.iter().try_for_each(|(_, one)| one.encode(to, context))
    }

    pub(crate) fn decode<'b, C, T: Decode<'b, C>>(
        from: &mut Decoder<'b>,
        context: &mut C,
    ) -> Result<PerDirection<T>, decode::Error> {
        let len = from.array()?;
        let mut next = || T::decode(from, context);
        let (read, write, trim) = (next()?, next()?, next()?);
        end_of_array(from, len, 3)?;
        Ok(PerDirection { read, write, trim })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_class_return() {
        let (some, none) = ([0, 300, 0, 0, 0, 0, u64::MAX], [0; 7]);
        let bytes = classes::pack([&some, &none, &[1; 7]]);
        assert_eq!(bytes.len(), 1 + 2 + 10 + 1 + 8);
        assert_eq!(classes::unpack::<3>(&bytes).unwrap(), [some, none, [1; 7]]);
        for damaged in [&bytes[..bytes.len() - 1], &[&bytes[..], &[0]].concat(), &[0x80; 3]] {
            classes::unpack::<3>(damaged).unwrap_err();
        }
    }
}
