//! The strings of a run's directory are made harmless when they are read.
//!
//! A run may come from anybody. Its strings reach terminals and pages, so from
//! here on they are carried text ([`fathom_text::carried`]): no character in them
//! controls a terminal or ends a line.

use crate::frame::Frame;
use fathom_text::carried::of_str;
use serde_json::Value;
use std::borrow::Cow;

/// The most characters of an event that are kept. No sentence of ours is as long.
const EVENT_MAX_CHARS: usize = 4096;

/// The one field that holds several lines: the content of a file of the host. Reports
/// split it into its lines.
const LINES: &str = "raw";

/// Does no string of a JSON document hold anything that [`document`] would change?
/// This is true for every record that fathom writes. Such a record is parsed
/// directly, which saves ten times its length of memory.
pub(crate) fn is_harmless(text: &str) -> bool {
    text.lines().all(|line| {
        // Most lines have no escape at all, and to search for one character is much quicker.
        let has_escape = line.contains('\\')
            && ["\\n", "\\r", "\\b", "\\f", "\\u"].iter().any(|escape| line.contains(escape));
        (!has_escape && matches!(of_str(line), Cow::Borrowed(_))) || is_lines(line)
    })
}

/// Does a line of a document hold [`LINES`] with a harmless value, and nothing
/// else?
fn is_lines(line: &str) -> bool {
    let value =
        line.trim_start().strip_prefix("\"raw\": ").map(|rest| rest.strip_suffix(',').unwrap_or(rest));
    let value = value.and_then(|value| serde_json::from_str::<String>(value).ok());
    value.is_some_and(|value| value.split('\n').all(|line| matches!(of_str(line), Cow::Borrowed(_))))
}

/// A document with all its strings harmless.
pub(crate) fn document(mut value: Value) -> Value {
    match &mut value {
        Value::String(text) => carry(text),
        Value::Array(items) => items.iter_mut().for_each(|item| *item = document(item.take())),
        Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| match field {
            Value::String(text) if name == LINES => {
                *text = text.split('\n').map(of_str).collect::<Vec<_>>().join("\n");
            }
            field => *field = document(field.take()),
        }),
        _ => {}
    }
    value
}

/// A frame with all its strings harmless.
pub(crate) fn frame(mut frame: Frame) -> Frame {
    match &mut frame {
        Frame::Event(event) => {
            if let Some((end, _)) = event.text.char_indices().nth(EVENT_MAX_CHARS) {
                event.text.truncate(end);
                event.text.shrink_to_fit();
            }
            carry(&mut event.text);
        }
        Frame::Ended(outcome) => {
            outcome.notes.iter_mut().flat_map(|(name, value)| [name, value]).for_each(carry);
            let failures = outcome.failure.iter_mut().chain(&mut outcome.first_error);
            failures.for_each(|failure| carry(&mut failure.message));
        }
        Frame::SampleTables(tables) => tables.strings().for_each(carry),
        Frame::Window(_) | Frame::Phase { .. } | Frame::Sample(_) => {}
    }
    frame
}

fn carry(text: &mut String) {
    if let Cow::Owned(carried) = of_str(text) {
        *text = carried;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Event, EventKind};

    #[test]
    fn strings_of_records_and_frames_are_carried() {
        let hostile = "a\n\u{1b}[2J\u{9b}\u{202e}";
        let carried = of_str(hostile).into_owned();
        let event = |text: &str| Event { at_ns: 1, job: None, kind: EventKind::Unlink, text: text.into() };
        assert_eq!(frame(Frame::Event(event(hostile))), Frame::Event(event(&carried)));
        let text = serde_json::json!({ "jobs": [{ "name": hostile, "n": 1.5 }] }).to_string();
        assert!(!is_harmless(&text));
        let read = document(serde_json::from_str(&text).unwrap());
        assert_eq!(read, serde_json::json!({ "jobs": [{ "name": carried, "n": 1.5 }] }));
        assert!(is_harmless(&serde_json::to_string_pretty(&read).unwrap()));
    }

    #[test]
    fn what_a_file_says_keeps_its_lines() {
        let of = |raw: &str| serde_json::json!({ "host": [{ "raw": raw, "says": "a" }] });
        let plain = of("one\ntwo\n");
        assert!(is_harmless(&serde_json::to_string_pretty(&plain).unwrap()));
        assert_eq!(document(plain.clone()), plain);
        assert!(!is_harmless(&serde_json::to_string_pretty(&of("one\n\u{1b}[2J")).unwrap()));
        assert_eq!(document(of("one\n\u{1b}[2J")), of("one\n\u{ef1b}[2J"));
        assert!(!is_harmless("{\"raw\": \"a\\nb\", \"name\": \"a\\nb\"}"), "another field on the line");
        assert!(!is_harmless("\"raw\": \"a\\nb\", \"name\": \"a\\nb\""), "another field on the line");
    }
}
