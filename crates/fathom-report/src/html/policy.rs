//! What the page may load and run, for the browser: one style and one script, which it knows by their hashes.

use sha2::{Digest, Sha256};

/// The content security policy of a document with this style and this script; images are part of the document.
pub(super) fn of(style: &str, script: &str) -> String {
    format!("default-src 'none'; {}", inside(style, &[script]))
}

/// The policy of a document that also receives data from where it came.
pub(super) fn of_live(style: &str, scripts: &[&str]) -> String {
    format!("default-src 'none'; connect-src 'self'; {}", inside(style, scripts))
}

/// What is part of the document.
fn inside(style: &str, scripts: &[&str]) -> String {
    let hash = |text: &str| format!("'sha256-{}'", base64(&Sha256::digest(text)));
    let scripts: Vec<String> = scripts.iter().map(|script| hash(script)).collect();
    format!(
        "style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(style),
        scripts.join(" ")
    )
}

/// Base64 with padding (RFC 4648, 4).
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let four = |three: &[u8]| {
        let word =
            three.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        let letter = |at: usize| match at <= three.len() {
            true => char::from(LETTERS[(word >> (18 - 6 * at)) as usize & 63]),
            false => '=',
        };
        (0..4).map(letter).collect::<String>()
    };
    bytes.chunks(3).map(four).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_4648() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        cases.iter().for_each(|(plain, encoded)| assert_eq!(base64(plain.as_bytes()), *encoded));
    }

    #[test]
    fn the_hash_of_nothing_is_known() {
        assert!(of("", "").contains("style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';"));
    }
}
