//! Lists of names: `/dev/sda:/dev/sdb`, with `\:` for a colon. The colon after `sim` belongs to the name.

use super::{BadValue, Piece};

/// Splits at `:`; `\:` is a colon within a name.
pub(super) fn names(piece: Piece) -> Result<Vec<String>, BadValue> {
    let mut names = vec![String::new()];
    let mut chars = piece.text.chars().peekable();
    while let Some(c) = chars.next() {
        let last = names.len() - 1;
        match c {
            '\\' if chars.peek() == Some(&':') => names[last].extend(chars.next()),
            // A simulated drive: `sim:datacentre/64`.
            ':' if names[last].trim() == "sim" => names[last].push(c),
            ':' => names.push(String::new()),
            c => names[last].push(c),
        }
    }
    if names.iter().any(|name| name.trim().is_empty()) {
        return Err(BadValue::new("empty-name", "an empty name in the list: fio would stop there")
            .at(piece)
            .hint("write `\\:` for a colon that belongs to a name"));
    }
    if names.iter().any(|name| name.trim_end().ends_with('\\')) {
        return Err(BadValue::new("bad-name", "a name cannot end in `\\`").at(piece));
    }
    Ok(names.into_iter().map(|name| name.trim().to_owned()).collect())
}

pub(super) fn join(names: &[String]) -> String {
    names.iter().map(|name| name.replace(':', "\\:")).collect::<Vec<_>>().join(":")
}
