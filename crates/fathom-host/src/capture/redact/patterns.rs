//! Addresses, by their form: UUIDs, MAC and IPv4 addresses.

/// Every one in the text.
pub(super) fn find(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_hexdigit() || matches!(c, '-' | ':' | '.');
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(['.', ':', '-']));
    words.filter(|word| is_uuid(word) || is_mac(word) || is_ipv4(word)).map(str::to_owned).collect()
}

/// What has the form of a secret and is none: all zeros or all ones, the
/// machine's own loopback.
pub(super) fn is_harmless(word: &str) -> bool {
    let digits = || word.chars().filter(|c| c.is_ascii_alphanumeric());
    digits().all(|c| c == '0') || digits().all(|c| c == 'f') || word.starts_with("127.") || word == "(none)"
}

fn groups(word: &str, by: char, lengths: &[usize]) -> bool {
    let parts: Vec<&str> = word.split(by).collect();
    let fits =
        |(part, len): (&&str, &usize)| part.len() == *len && part.bytes().all(|b| b.is_ascii_hexdigit());
    parts.len() == lengths.len() && parts.iter().zip(lengths).all(fits)
}

fn is_uuid(word: &str) -> bool {
    groups(word, '-', &[8, 4, 4, 4, 12])
}

fn is_mac(word: &str) -> bool {
    groups(word, ':', &[2; 6])
}

/// Four numbers below 256; versions such as 6.1.0.13 have the form too, and a
/// stand-in for one costs nothing that a check needs: they are kept only where
/// the first number is below 10, as no public address of a host is.
fn is_ipv4(word: &str) -> bool {
    let parts: Vec<Option<u8>> = word.split('.').map(|part| part.parse().ok()).collect();
    parts.len() == 4 && parts.iter().all(Option::is_some) && parts[0] >= Some(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let text = "root=UUID=0b1c2d3e-0000-4a5b-8c9d-001122334455 at 10.20.30.40 via 52:54:00:12:34:56, 6.12.0 0000:01:00.0";
        assert_eq!(find(text), ["0b1c2d3e-0000-4a5b-8c9d-001122334455", "10.20.30.40", "52:54:00:12:34:56"]);
        assert!(is_harmless("00000000-0000-0000-0000-000000000000"));
    }
}
