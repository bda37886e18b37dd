//! The copyright file, in the form that programs of Debian read (DEP-5), and the list of the crates in the binary.

use crate::command::{capture, cargo};
use crate::workspace;

/// What is above the text of the MIT licence, and below it.
const HEAD: &str = "\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: fathom
Comment: The binary also contains crates of other authors. crates.gz in this directory names each of them with its
 version and licence.

Files: *
Copyright: 2026 the fathom authors
License: MIT or Apache-2.0

License: MIT
";

const APACHE: &str = "
License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in /usr/share/common-licenses/Apache-2.0.
";

/// The file, with the text of the MIT licence.
pub fn text() -> Result<String, String> {
    let path = workspace::root().join("LICENSE-MIT");
    let mit = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    // The title and the line of the copyright are above already.
    let body = mit.split_once("Permission is hereby").map_or(mit.as_str(), |(_, body)| body);
    let body = format!("Permission is hereby{}", body.trim_end());
    let indented =
        body.lines().map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") });
    Ok(format!("{HEAD}{}{APACHE}", indented.collect::<String>()))
}

/// The crates in the binary, one in a line: name, version, licence.
pub fn crates() -> Result<String, String> {
    let words =
        ["tree", "--package", "fathom", "--edges", "normal", "--prefix", "none", "--format", "{p} {l}"];
    let said = capture(&mut cargo(&words))?;
    let is_ours = |line: &&str| line.starts_with("fathom");
    let mut lines: Vec<String> = said
        .lines()
        .filter(|line| !line.is_empty() && !is_ours(line))
        .map(|line| line.trim_end_matches(" (*)").replace(" (proc-macro)", ""))
        .collect();
    lines.sort();
    lines.dedup();
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_licences_are_there() {
        let text = text().unwrap();
        for part in
            ["License: MIT or Apache-2.0\n", "\nLicense: MIT\n Permission", "AS IS", "common-licenses"]
        {
            assert!(text.contains(part), "{part} is missing: {text}");
        }
        let fields = text.lines().filter(|line| !line.is_empty() && !line.starts_with(' '));
        assert!(fields.clone().all(|line| line.contains(": ")), "{text}");
    }

    #[test]
    fn every_crate_has_a_licence() {
        let crates = crates().unwrap();
        assert!(crates.lines().count() > 20, "{crates}");
        for line in crates.lines() {
            assert!(line.split_whitespace().count() >= 3, "{line}");
        }
    }
}
