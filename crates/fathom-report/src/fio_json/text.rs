//! JSON text in fio's layout: two spaces a level, a space on both sides of the
//! colon, six decimals. Old scripts match it line by line.

use fathom_text::carried::to_unicode;
use serde_json::Value;

/// The document as fio would print it, without a final newline.
pub fn to_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text
}

fn write(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (Some(key.as_str()), value));
            write_all(('{', '}'), entries, depth, out);
        }
        Value::Array(items) => write_all(('[', ']'), items.iter().map(|item| (None, item)), depth, out),
        Value::Number(n) if n.is_f64() => out.push_str(&format!("{:.6}", n.as_f64().unwrap_or(0.0))),
        Value::String(string) => text(string, out),
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// A string, with exactly the characters that were typed: JSON has its own escapes.
fn text(string: &str, out: &mut String) {
    out.push_str(&Value::from(to_unicode(string)).to_string());
}

fn write_all<'a>(
    (open, close): (char, char),
    entries: impl Iterator<Item = (Option<&'a str>, &'a Value)>,
    depth: usize,
    out: &mut String,
) {
    out.push(open);
    for (at, (key, value)) in entries.enumerate() {
        out.push_str(if at > 0 { ",\n" } else { "\n" });
        indent(depth + 1, out);
        if let Some(key) = key {
            text(key, out);
            out.push_str(" : ");
        }
        write(value, depth + 1, out);
    }
    out.push('\n');
    indent(depth, out);
    out.push(close);
}

fn indent(depth: usize, out: &mut String) {
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn layout_numbers_and_escapes() {
        let value = json!({ "a \"b\"": [1, 2.5], "c": { "d": "line\u{ef0a}break" } });
        let text = to_text(&value);
        let expected = "{\n  \"a \\\"b\\\"\" : [\n    1,\n    2.500000\n  ],\n  \"c\" : {\n    \"d\" : \"line\\nbreak\"\n  }\n}";
        assert_eq!(text, expected);
        let read = json!({ "a \"b\"": [1, 2.5], "c": { "d": "line\nbreak" } });
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), read);
    }
}
