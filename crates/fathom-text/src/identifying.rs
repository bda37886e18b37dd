//! Texts that identify somebody and that have a known form: UUIDs, MAC and IP
//! addresses, the homes of users, and mounted servers.

use core::net::Ipv6Addr;

/// The directory of the users' homes; the next name on the path is a user's name.
const HOMES: &str = "/home/";

/// All such texts in `text`.
pub fn find(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_hexdigit() || matches!(c, '-' | ':' | '.');
    let words = text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(['.', ':', '-']));
    let words = words.filter(|word| is_uuid(word) || is_mac(word) || is_ip(word));
    words.map(str::to_owned).chain(homes(text)).chain(servers(text)).collect()
}

/// Whether a word has the form of a secret but is none: all zeros, all ones, or
/// a loopback address.
pub fn is_harmless(word: &str) -> bool {
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

/// Versions such as 6.1.0.13 have this form too. They may be replaced, because
/// no check needs them.
fn is_ip(word: &str) -> bool {
    let parts: Vec<Option<u8>> = word.split('.').map(|part| part.parse().ok()).collect();
    let is_ipv4 = parts.len() == 4 && parts.iter().all(Option::is_some);
    is_ipv4 || (word.contains("::") || word.matches(':').count() == 7) && word.parse::<Ipv6Addr>().is_ok()
}

/// Every `/home/NAME`, up to the end of the name.
fn homes(text: &str) -> impl Iterator<Item = String> {
    text.match_indices(HOMES).filter_map(|(at, _)| {
        let name = text[at + HOMES.len()..].split(['/', ' ', '\n', '\\', ':']).next()?;
        (!name.is_empty()).then(|| format!("{HOMES}{name}"))
    })
}

/// The host of `host:/export` and `//host/share`.
fn servers(text: &str) -> impl Iterator<Item = String> {
    let host = |word: &str| {
        let name = word.split_once(":/").map(|(host, _)| host);
        let name = name.or_else(|| word.strip_prefix("//")?.split('/').next())?;
        let is_name = name.contains(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
        is_name.then(|| name.to_owned())
    };
    text.split([' ', '\n', '=', ',']).filter_map(host).collect::<Vec<_>>().into_iter()
}

/// The length of the beginning of a word that must stay, because readers need it.
pub fn kept(word: &str) -> usize {
    if word.starts_with(HOMES) { HOMES.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let text = "root=UUID=0b1c2d3e-0000-4a5b-8c9d-001122334455 at 10.20.30.40 via 52:54:00:12:34:56, 6.12.0 0000:01:00.0";
        assert_eq!(find(text), ["0b1c2d3e-0000-4a5b-8c9d-001122334455", "10.20.30.40", "52:54:00:12:34:56"]);
        let text = "5.9.1.2 8.8.4.4 fe80::1 2001:db8:0:0:0:0:0:17 0:0:0:0 12:34:56 259:0 0000:01:00.0";
        assert_eq!(find(text), ["5.9.1.2", "8.8.4.4", "fe80::1", "2001:db8:0:0:0:0:0:17"]);
        let text =
            "43 27 0:39 / /home/alice/x rw - nfs4 files.corp.example:/export rw\n/ - cifs //nas/share rw";
        assert_eq!(find(text), ["/home/alice", "files.corp.example", "nas"]);
        assert!(is_harmless("00000000-0000-0000-0000-000000000000"));
    }
}
