//! Puts the binary into the tree, and all that is read: manual pages, completions, documents and examples.

use std::fs;
use std::path::{Path, PathBuf};

use super::copyright;
use super::metadata::Metadata;
use super::tree::Tree;
use crate::command::{capture, command};
use crate::workspace;

/// The completions of each shell, where Debian's shells look for them.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "usr/share/bash-completion/completions/fathom"),
    ("zsh", "usr/share/zsh/vendor-completions/_fathom"),
    ("fish", "usr/share/fish/vendor_completions.d/fathom.fish"),
];

/// The documents that a user reads, not those for the development.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "docs/commands.md",
    "docs/figures.md",
    "docs/safety.md",
    "docs/measurement.md",
    "docs/differences.md",
    "docs/guide-index.md",
];

/// The remarks of lintian that are errors of lintian, each with the reason.
const OVERRIDES: &str = "\
# Rust does not call the functions of the C library for which a compiler of C would take a checked variant.
fathom: hardening-no-fortify-functions [usr/bin/fathom]
# Rust stores texts one after the other without a byte between them. The end of one and the beginning of the next look
# like a word.
fathom: spelling-error-in-binary * [usr/bin/fathom]
";

const DOC: &str = "usr/share/doc/fathom";

/// Debian compresses documents from this length on.
const COMPRESSED_FROM_BYTES: usize = 4096;

/// Puts all of them.
pub fn put(tree: &Tree, binary: &Path, metadata: &Metadata) -> Result<(), String> {
    tree.program("usr/bin/fathom", binary)?;
    let binary_there = tree.root().join("usr/bin/fathom");
    // The names of the compilers are of no use to a user.
    capture(command("strip", &["--strip-unneeded", "--remove-section=.comment"]).arg(binary_there))?;
    tree.file("usr/share/lintian/overrides/fathom", OVERRIDES.as_bytes())?;
    manual(tree, binary)?;
    for (shell, path) in COMPLETIONS {
        tree.file(path, said(binary, &["completions", shell])?.as_bytes())?;
    }
    tree.file(&format!("{DOC}/copyright"), copyright::text()?.as_bytes())?;
    tree.compressed(&format!("{DOC}/crates"), copyright::crates()?.as_bytes())?;
    tree.compressed(&format!("{DOC}/changelog.Debian"), changelog(metadata).as_bytes())?;
    tree.compressed(&format!("{DOC}/changelog"), &read(&workspace::root().join("CHANGELOG.md"))?)?;
    for name in DOCUMENTS {
        let base = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
        document(tree, &format!("{DOC}/{base}"), &read(&workspace::root().join(name))?)?;
    }
    let examples = workspace::root().join("examples");
    for file in files_below(&examples)? {
        let below = file.strip_prefix(&examples).unwrap_or(&file).display();
        tree.file(&format!("{DOC}/examples/{below}"), &read(&file)?)?;
    }
    Ok(())
}

/// A page for each command and each topic. The binary knows which there are.
fn manual(tree: &Tree, binary: &Path) -> Result<(), String> {
    for line in said(binary, &["man", "--list"])?.lines() {
        let (file, words) = line.split_once(' ').unwrap_or((line, ""));
        let section = file.rsplit_once('.').map_or("1", |(_, section)| section);
        let words: Vec<&str> = ["man"].into_iter().chain(words.split_whitespace()).collect();
        tree.compressed(&format!("usr/share/man/man{section}/{file}"), said(binary, &words)?.as_bytes())?;
    }
    Ok(())
}

fn document(tree: &Tree, path: &str, bytes: &[u8]) -> Result<(), String> {
    if bytes.len() < COMPRESSED_FROM_BYTES { tree.file(path, bytes) } else { tree.compressed(path, bytes) }
}

/// The history of the package. That of fathom is in `changelog.gz`.
fn changelog(metadata: &Metadata) -> String {
    let Metadata { name, version, maintainer, commit_date, .. } = metadata;
    format!(
        "{name} ({version}) unstable; urgency=medium\n\n  * Package of the sources of this version; changelog.gz has \
         their changes.\n\n -- {maintainer}  {commit_date}\n"
    )
}

fn said(binary: &Path, words: &[&str]) -> Result<String, String> {
    capture(std::process::Command::new(binary).args(words))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Every file below a directory, sorted.
fn files_below(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(&directory).map_err(|e| format!("{}: {e}", directory.display()))? {
            let path = entry.map_err(|e| format!("{}: {e}", directory.display()))?.path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_there() {
        for name in DOCUMENTS {
            assert!(workspace::root().join(name).is_file(), "{name}");
        }
        assert!(files_below(&workspace::root().join("examples")).unwrap().len() > 20);
    }

    #[test]
    fn the_change_log_is_in_debians_form() {
        let metadata = Metadata::read().unwrap();
        let log = changelog(&metadata);
        let lines: Vec<&str> = log.lines().collect();
        assert!(lines[0].starts_with("fathom (") && lines[0].ends_with("; urgency=medium"), "{log}");
        assert!(lines[2].starts_with("  * ") && lines[4].starts_with(" -- ") && lines.len() == 5, "{log}");
        assert!(lines[4].contains(">  ") && metadata.commit_date.contains(", "), "{log}");
        assert!(lines.iter().all(|line| line.len() <= 100), "{log}");
    }
}
