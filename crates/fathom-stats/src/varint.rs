//! Numbers in as many bytes as they need: seven bits a byte, the lowest first. The highest bit of a
//! byte says that more follow.

/// Appends a number.
pub fn put(mut value: u128, to: &mut Vec<u8>) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Takes a number from the front; `None` if it is cut, or larger than 64 bits.
#[inline]
pub fn take(bytes: &mut &[u8]) -> Option<u64> {
    // Most numbers are this small.
    if let [first @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(u64::from(*first));
    }
    take_wide(bytes)?.try_into().ok()
}

/// Takes a number from the front; `None` if it is cut, or larger than 128 bits.
pub fn take_wide(bytes: &mut &[u8]) -> Option<u128> {
    let (mut value, mut shift) = (0_u128, 0);
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u128::from(first & 0x7f);
        if shift > 126 || (shift == 126 && bits > 3) {
            return None;
        }
        value |= bits << shift;
        if *first < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_return() {
        for value in [0, 127, 128, 1 << 63, u128::from(u64::MAX), 1 << 64, u128::MAX] {
            let mut bytes = Vec::new();
            put(value, &mut bytes);
            assert_eq!(take(&mut bytes.as_slice()), u64::try_from(value).ok());
            let mut rest = bytes.as_slice();
            assert_eq!((take_wide(&mut rest), rest), (Some(value), &[][..]));
            assert_eq!(take_wide(&mut &bytes[..bytes.len() - 1]), None, "cut");
        }
        assert_eq!(take_wide(&mut [[0x80; 18].as_slice(), &[4]].concat().as_slice()), None, "129 bits");
        assert_eq!(take_wide(&mut [0x80; 40].as_slice()), None);
    }
}
