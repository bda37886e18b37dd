//! Writes a job file: comments, a `[global]` section, and a section for each job.

use std::fmt::Write;

/// A section: its name and its options in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    /// Between the brackets.
    pub name: String,
    /// Name and value; an empty value is a flag alone.
    pub options: Vec<(String, String)>,
}

impl Section {
    pub fn named(name: impl Into<String>) -> Self {
        Section { name: name.into(), options: Vec::new() }
    }

    /// Adds an option.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        self.options.push((name.to_owned(), value.to_string()));
    }

    /// Adds a flag.
    pub fn flag(&mut self, name: &str) {
        self.set(name, "");
    }
}

/// Comment lines, with an empty line behind them.
pub(super) fn comments(lines: &[String]) -> String {
    let mut out = String::new();
    for line in lines.iter().flat_map(|line| line.lines()) {
        let _ = writeln!(out, "{}", format!("# {line}").trim_end());
    }
    out.push('\n');
    out
}

/// Sections, separated by empty lines.
pub(super) fn sections(sections: &[Section]) -> String {
    let texts = sections.iter().map(|section| {
        let mut out = format!("[{}]\n", section.name);
        for (name, value) in &section.options {
            let _ = match value.is_empty() {
                true => writeln!(out, "{name}"),
                false => writeln!(out, "{name}={value}"),
            };
        }
        out
    });
    texts.collect::<Vec<_>>().join("\n")
}
