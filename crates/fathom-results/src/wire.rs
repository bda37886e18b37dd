//! How values of other crates are encoded in a frame.
//!
//! Each type is a module with `encode` and `decode`, as the derives of `minicbor` name them. A
//! later version may add elements at the end of an array; a reader skips what it does not know.

use fathom_job::direction::{Direction, PerDirection};
use fathom_stats::Moments;
use minicbor::data::Type;
use minicbor::decode::{self, Decoder};
use minicbor::encode::{self, Encoder, Write};
use minicbor::{Decode, Encode};

type Encoded<W> = Result<(), encode::Error<<W as Write>::Error>>;

/// What a field holds by default is left out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A number of 128 bits: an integer while it fits into 64, else its 16 bytes, big-endian.
fn encode_wide<W: Write>(value: u128, to: &mut Encoder<W>) -> Encoded<W> {
    match u64::try_from(value) {
        Ok(narrow) => to.u64(narrow)?,
        Err(_) => to.bytes(&value.to_be_bytes())?,
    };
    Ok(())
}

fn decode_wide(from: &mut Decoder<'_>) -> Result<u128, decode::Error> {
    if from.datatype()? != Type::Bytes {
        return from.u64().map(u128::from);
    }
    let bytes = from.bytes()?.try_into().map_err(|_| decode::Error::message("not 16 bytes"))?;
    Ok(u128::from_be_bytes(bytes))
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

/// [`Moments`]: count, sum, sum of squares, minimum, maximum.
pub(crate) mod moments {
    use super::*;

    pub(crate) fn encode<C, W: Write>(value: &Moments, to: &mut Encoder<W>, _: &mut C) -> Encoded<W> {
        let (n, sum, sum_squares, min, max) = value.parts();
        to.array(5)?.u64(n)?;
        encode_wide(sum, to)?;
        encode_wide(sum_squares, to)?;
        to.u64(min)?.u64(max)?;
        Ok(())
    }

    pub(crate) fn decode<C>(from: &mut Decoder<'_>, _: &mut C) -> Result<Moments, decode::Error> {
        let len = from.array()?;
        let n = from.u64()?;
        let (sum, sum_squares) = (decode_wide(from)?, decode_wide(from)?);
        let moments = Moments::from_parts((n, sum, sum_squares, from.u64()?, from.u64()?));
        end_of_array(from, len, 5)?;
        Ok(moments)
    }
}

/// The buckets of a histogram: for each the distance from the one before and the count, all as
/// numbers of seven bits a byte, the lowest first, where the highest bit says that more follow.
pub(crate) mod steps {
    use super::*;

    pub(crate) fn encode<W: Write>(steps: &[(u16, u64)], to: &mut Encoder<W>) -> Encoded<W> {
        let mut bytes = Vec::with_capacity(steps.len() * 3);
        for (step, count) in steps {
            put(u64::from(*step), &mut bytes);
            put(*count, &mut bytes);
        }
        to.bytes(&bytes)?;
        Ok(())
    }

    pub(crate) fn decode(from: &mut Decoder<'_>) -> Result<Vec<(u16, u64)>, decode::Error> {
        let mut bytes = from.bytes()?;
        let mut steps = Vec::with_capacity(bytes.len() / 2);
        let bad = || decode::Error::message("a bucket of a histogram is cut or too large");
        while !bytes.is_empty() {
            let step = take(&mut bytes).and_then(|step| u16::try_from(step).ok()).ok_or_else(bad)?;
            steps.push((step, take(&mut bytes).ok_or_else(bad)?));
        }
        Ok(steps)
    }

    fn put(mut value: u64, bytes: &mut Vec<u8>) {
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    }

    #[inline]
    fn take(bytes: &mut &[u8]) -> Option<u64> {
        // Most numbers are this small.
        if let [first @ 0..0x80, rest @ ..] = *bytes {
            *bytes = rest;
            return Some(u64::from(*first));
        }
        take_long(bytes)
    }

    fn take_long(bytes: &mut &[u8]) -> Option<u64> {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let (first, rest) = bytes.split_first()?;
            *bytes = rest;
            let bits = u64::from(first & 0x7f);
            if shift > 63 || (shift == 63 && bits > 1) {
                return None;
            }
            value |= bits << shift;
            if *first < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }
}

/// Values of some directions: a map from the direction's number, its place in [`Direction::ALL`],
/// to the value.
pub(crate) mod by_direction {
    use super::*;

    pub(crate) fn encode<C, T, W>(
        value: &[(Direction, T)],
        to: &mut Encoder<W>,
        context: &mut C,
    ) -> Encoded<W>
    where
        T: Encode<C>,
        W: Write,
    {
        to.map(value.len() as u64)?;
        value.iter().try_for_each(|(direction, one)| one.encode(to.u8(*direction as u8)?, context))
    }

    pub(crate) fn decode<'b, C, T: Decode<'b, C>>(
        from: &mut Decoder<'b>,
        context: &mut C,
    ) -> Result<Vec<(Direction, T)>, decode::Error> {
        let mut all: Vec<(Direction, T)> = Vec::new();
        for _ in 0..from.map()?.unwrap_or(0) {
            match Direction::ALL.get(usize::from(from.u8()?)) {
                Some(direction) if all.iter().any(|(known, _)| known == direction) => {
                    return Err(decode::Error::message("a direction is repeated"));
                }
                Some(direction) => all.push((*direction, T::decode(from, context)?)),
                None => from.skip()?,
            }
        }
        Ok(all)
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
    fn wide_numbers_and_buckets_come_back() {
        for value in [0, 23, u128::from(u64::MAX), u128::from(u64::MAX) + 1, u128::MAX] {
            let mut to = Encoder::new(Vec::new());
            encode_wide(value, &mut to).unwrap();
            assert_eq!(decode_wide(&mut Decoder::new(to.writer())).unwrap(), value);
        }
        let all = vec![(0, 1), (127, 128), (4_353, u64::MAX)];
        let mut to = Encoder::new(Vec::new());
        steps::encode(&all, &mut to).unwrap();
        assert_eq!(steps::decode(&mut Decoder::new(to.writer())).unwrap(), all);
    }

    #[test]
    fn damaged_buckets_are_errors() {
        let too_long = [&[0x80; 10][..], &[1]].concat();
        for bytes in [&[5][..], &[0x80], &[1, 0x80], &too_long, &[0xff, 0xff, 0x7f, 1]] {
            let mut to = Encoder::new(Vec::new());
            to.bytes(bytes).unwrap();
            steps::decode(&mut Decoder::new(to.writer())).unwrap_err();
        }
    }
}
