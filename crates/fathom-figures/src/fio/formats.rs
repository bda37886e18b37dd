//! The forms in which results are read. A new form is a file beside this one, and a row of [`RESULT_FORMATS`].

use super::format::ResultFormat;
use super::{json, terse, text};

/// All forms. The first that fits is the form of a file: fio writes its text before other forms, if it is asked for several.
pub const RESULT_FORMATS: &[ResultFormat] = &[json::FORMAT, terse::FORMAT, text::FORMAT];

impl ResultFormat {
    /// Is it JSON, which other programs write, too?
    pub fn is_json(&self) -> bool {
        self.name == json::FORMAT.name
    }
}

/// The form that the text says.
pub fn result_format_of_text(head: &str) -> Option<&'static ResultFormat> {
    RESULT_FORMATS.iter().find(|format| (format.is_it)(head))
}

/// The form of a file that begins so: by its text, else by its name.
pub fn result_format(head: &str, file_name: &str) -> Option<&'static ResultFormat> {
    result_format_of_text(head).or_else(|| RESULT_FORMATS.iter().find(|format| format.has_name(file_name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_the_form_and_else_the_name() {
        let cases = [
            ("{ \"fio version\": 1", "x", Some("JSON")),
            ("a warning\n{\n", "x.terse", Some("JSON")),
            ("a warning\n3;fio-3.33;a;0;0;1", "x.json", Some("terse output")),
            ("words\n a: (groupid=0, jobs=1): err= 0: pid=1", "x.log", Some("text")),
            ("words", "x.json+", Some("JSON")),
            ("words", "x.terse", Some("terse output")),
            ("1, 2, 0, 4096", "x_bw.1.log", None),
        ];
        for (head, name, expected) in cases {
            assert_eq!(result_format(head, name).map(|format| format.name), expected, "{head}");
        }
    }
}
