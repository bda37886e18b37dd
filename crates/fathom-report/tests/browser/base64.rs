//! Base64, as the browser sends pictures.

/// The bytes of a text in base64 (RFC 4648, 4).
pub fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|letter| *letter != b'=').map(value).collect();
    let four = |letters: &[u8]| {
        let word = letters.iter().fold(0_u32, |word, value| word << 6 | u32::from(*value))
            << (6 * (4 - letters.len()));
        word.to_be_bytes()[1..letters.len()].to_vec()
    };
    letters.chunks(4).flat_map(four).collect()
}
