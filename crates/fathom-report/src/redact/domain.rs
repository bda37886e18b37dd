//! Where a text has the name of a host with its domain: `db07.lab.example`.

/// The places where a domain follows a host: both together, and the domain.
pub(super) fn with_domain<'a>(text: &'a str, host: &str) -> Vec<(&'a str, &'a str)> {
    let found = text.match_indices(host).filter_map(|(at, _)| {
        let is_start = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let rest = text[at + host.len()..].strip_prefix('.').filter(|_| is_start)?;
        let end = rest.find(|c: char| !c.is_alphanumeric() && !"-.".contains(c)).unwrap_or(rest.len());
        let domain = rest[..end].trim_end_matches(['.', '-']);
        is_domain(domain).then(|| (&text[at..at + host.len() + 1 + domain.len()], domain))
    });
    found.collect()
}

/// Names that are separated by full stops; the last has letters alone.
pub(super) fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let last = text.rsplit('.').next().unwrap_or_default();
    text.split('.').all(is_label) && last.len() > 1 && last.chars().all(char::is_alphabetic)
}
