//! A table of values: one line for each, with the columns `name`, `figure` and `value`.

use super::typed::{grouped, number};
use crate::failure::{Exit, Failure};
use fathom_judge::compare::Subject;
use fathom_text::carried;
use fathom_text::shown::path as shown;
use std::path::Path;

/// The longest table that is read.
const BYTES_MAX: u64 = 64 << 20;

/// Columns that are needed; others are passed over.
const COLUMNS: [&str; 3] = ["name", "figure", "value"];

/// The subjects in the order in which the table names them.
pub(super) fn subjects(file: &Path, is_more_better: bool) -> Result<Vec<Subject>, Failure> {
    let cannot = |e: std::io::Error| Failure::new(Exit::Usage, format!("cannot read {}: {e}", shown(file)));
    let bytes = fathom_device::bounded::file(file, BYTES_MAX).map_err(cannot)?;
    let text = text(bytes);
    let values = values(&text).map_err(|(line, what)| {
        Failure::new(Exit::Usage, format!("{}, line {line}: {what}", shown(file)))
            .hint("the first line names the columns name, figure and value; each other line has one value")
    })?;
    let each = values.iter().map(|(name, figure, value)| (name.as_str(), figure.as_str(), *value));
    Ok(grouped(each, &carried::of_os(file), is_more_better))
}

/// Spreadsheets write UTF-8 or, for western European languages, Latin-1, in which each byte is a character.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| e.as_bytes().iter().map(|byte| char::from(*byte)).collect())
}

type Value = (String, String, f64);

/// The values, or the number of the line that is wrong, and what is wrong with it.
fn values(text: &str) -> Result<Vec<Value>, (usize, String)> {
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let (_, first) = lines.next().unwrap_or((0, ""));
    let separator = [',', ';', '\t'].into_iter().find(|c| first.contains(*c)).unwrap_or(',');
    let names = cells(first, separator);
    let places = COLUMNS.map(|column| names.iter().position(|name| name.trim().eq_ignore_ascii_case(column)));
    let [Some(name), figure, Some(value)] = places else {
        return Err((1, "it has no columns name and value".to_owned()));
    };
    let mut values = Vec::new();
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells = cells(line, separator);
        let cell = |place: usize| cells.get(place).map(|cell| cell.trim());
        let number = number(cell(value).unwrap_or("nothing")).map_err(|what| (at + 1, what))?;
        let Some(name) = cell(name).filter(|name| !name.is_empty()) else {
            return Err((at + 1, "the name is empty".to_owned()));
        };
        let figure = figure.and_then(cell).unwrap_or("value");
        values.push((name.to_owned(), figure.to_owned(), number));
    }
    Ok(values)
}

/// The cells of a line; quotes hold separators, and two quotes are one (RFC 4180).
fn cells(line: &str, separator: char) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.peek() == Some(&'"') => {
                cell.push('"');
                rest.next();
            }
            '"' => is_quoted = !is_quoted,
            c if c == separator && !is_quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_a_spreadsheet_is_read() {
        let text = "\u{feff}Name;Run;Figure;Value\r\n\"before; old\";1;TPM;338989\r\nafter;1;TPM;386324\r\n";
        let expected = [("before; old", 338_989.0), ("after", 386_324.0)]
            .map(|(name, value)| (name.to_owned(), "TPM".to_owned(), value));
        assert_eq!(values(text).unwrap(), expected);
        assert_eq!(values("name,value\na,1\n").unwrap()[0].1, "value");
    }

    #[test]
    fn latin_1_is_read_too() {
        assert_eq!(text(b"name,value\nl\xe4ngst,1\n".to_vec()), "name,value\nlängst,1\n");
        assert_eq!(text("längst".as_bytes().to_vec()), "längst");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line) in [
            ("", 1),
            ("a,b\n", 1),
            ("name,value\n\na,x\n", 3),
            ("name,value\na\n", 2),
            ("name,value\n,1\n", 2),
        ] {
            assert_eq!(values(text).unwrap_err().0, line, "{text:?}");
        }
    }
}
