//! The id of a run.

/// A new id of a run: 64 random bits as 13 digits and letters without i, l, o and u. Of a million
/// runs, two have the same one with a probability of 3 in 100 million.
pub fn new_id() -> std::io::Result<String> {
    random().map(of_number)
}

/// A random number of the kernel.
pub fn random() -> std::io::Result<u64> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// The id with this number.
pub fn of_number(number: u64) -> String {
    let digit = |place: u32| char::from(DIGITS[(number >> (5 * place) & 31) as usize]);
    (0..13).rev().map(digit).collect()
}

/// The digits of an id (Crockford's base 32): none looks like another.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Does this text have the form of an id?
pub fn is_id(text: &str) -> bool {
    text.len() == 13 && text.bytes().all(|b| DIGITS.contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_differ() {
        let ids: HashSet<String> = (0..10_000).map(|_| new_id().unwrap()).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(ids.iter().all(|id| is_id(id)));
        assert!(["0a1b2c", "0123456789abcl", "0123456789abl"].iter().all(|text| !is_id(text)));
    }
}
