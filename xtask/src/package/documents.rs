//! Puts the binary into the tree, and all that is read: manual pages, completions, documents and examples.

use std::fs;
use std::path::Path;

use super::Tree;
use crate::command::{capture, cargo, command};
use crate::workspace::{self, at, files_below, read_text};
use serde_json::Value;

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
const OVERRIDES: &str = include_str!("overrides.txt");

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
    tree.file(&format!("{DOC}/copyright"), copyright_text()?.as_bytes())?;
    tree.compressed(&format!("{DOC}/crates"), crates()?.as_bytes())?;
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
    fs::read(path).map_err(at(path))
}

// What the package says about itself, from the metadata of Cargo and the history of git.

/// The part of the package's version that counts packages of the same sources. It begins with zero, so that a package
/// that Debian itself makes (`-1`) is newer.
const REVISION: &str = "0upstream1";

/// Who is named where the packager names nobody with `DEBFULLNAME` and `DEBEMAIL`, the variables of Debian's own
/// programs. The domain is reserved and has no mail.
const MAINTAINER: &str = "fathom authors <fathom@fathom.invalid>";

/// The package.
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Its name.
    pub name: String,
    /// Version of the sources and of the package: `0.1.0-0upstream1`.
    pub version: String,
    /// Debian's name of this kind of machine: `amd64`.
    pub architecture: String,
    /// One line.
    pub description: String,
    /// Name and mail address.
    pub maintainer: String,
    /// The time of the commit, seconds since 1970 UTC.
    pub commit_unix_s: u64,
    /// The same as in a mail.
    pub commit_date: String,
}

impl Metadata {
    /// Reads it.
    pub fn read() -> Result<Metadata, String> {
        let text = capture(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
        let architecture = capture(&mut command("dpkg", &["--print-architecture"]))?;
        let git = |format: &str| capture(&mut command("git", &["log", "-1", "--date=rfc2822", format]));
        let commit = git("--format=%ct")?;
        let (name, mail) = (std::env::var("DEBFULLNAME"), std::env::var("DEBEMAIL"));
        let maintainer = name.and_then(|name| mail.map(|mail| format!("{name} <{mail}>")));
        let (name, version, description) = fathom_in(&text)?;
        Ok(Metadata {
            name,
            version: format!("{version}-{REVISION}"),
            architecture: architecture.trim().to_owned(),
            description,
            maintainer: maintainer.unwrap_or_else(|_| MAINTAINER.to_owned()),
            commit_unix_s: commit.trim().parse().map_err(|_| format!("git gave no time: {commit}"))?,
            commit_date: git("--format=%cd")?.trim().to_owned(),
        })
    }
}

/// Name, version and description of the crate `fathom` in Cargo's metadata.
fn fathom_in(text: &str) -> Result<(String, String, String), String> {
    let metadata: Value = serde_json::from_str(text).map_err(|e| format!("cargo metadata: {e}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let fathom = packages.into_iter().find(|package| package["name"] == "fathom");
    let fathom = fathom.ok_or("cargo metadata: there is no crate fathom")?;
    let text = |name: &str| fathom[name].as_str().map(str::to_owned).ok_or(format!("fathom has no {name}"));
    Ok((text("name")?, text("version")?, text("description")?))
}

// The control file: what dpkg must know.

/// The text below the first line of the description.
const DESCRIPTION: &str = include_str!("description.txt").trim_ascii_end();

/// The file. `libraries` are the packages of the shared libraries, as dpkg-shlibdeps found them.
pub fn control_text(metadata: &Metadata, libraries: &str, size_kib: u64) -> String {
    let Metadata { name, version, architecture, maintainer, description, .. } = metadata;
    let synopsis = description.split_once(": ").map_or(description.as_str(), |(_, text)| text);
    let long: String = DESCRIPTION.lines().map(|line| format!(" {line}\n")).collect();
    format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {maintainer}\n\
         Installed-Size: {size_kib}\nDepends: {libraries}\nSection: admin\nPriority: optional\n\
         Description: {synopsis}\n{long}"
    )
}

/// The packages of the shared libraries that the binary needs, with their versions.
pub fn libraries(binary: &Path, dir: &Path) -> Result<String, String> {
    // dpkg-shlibdeps looks for the control file of a source package.
    let debian = dir.join("debian");
    let make = || {
        std::fs::create_dir_all(&debian)?;
        std::fs::write(debian.join("control"), "Source: fathom\n\nPackage: fathom\nArchitecture: any\n")
    };
    make().map_err(at(&debian))?;
    let mut command = crate::command::command("dpkg-shlibdeps", &["-O"]);
    let said = capture(command.arg(binary).current_dir(dir))?;
    let found = said.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    found.map(str::to_owned).ok_or_else(|| format!("dpkg-shlibdeps found no library: {said}"))
}

// The copyright file, in the form that programs of Debian read (DEP-5), and the list of the crates in the binary.

/// The file, with a place for the text of the MIT licence.
const COPYRIGHT: &str = include_str!("copyright.txt");

/// The file, with the text of the MIT licence.
pub fn copyright_text() -> Result<String, String> {
    let path = workspace::root().join("LICENSE-MIT");
    let mit = read_text(&path)?;
    // The title and the line of the copyright are above already.
    let body = mit.split_once("Permission is hereby").map_or(mit.as_str(), |(_, body)| body);
    let body = format!("Permission is hereby{}", body.trim_end());
    let indented =
        body.lines().map(|line| if line.is_empty() { " .\n".to_owned() } else { format!(" {line}\n") });
    Ok(COPYRIGHT.replace("{MIT}", &indented.collect::<String>()))
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

    #[test]
    fn the_control_file_has_what_dpkg_must_know() {
        let metadata = Metadata::read().unwrap();
        let control = control_text(&metadata, "libc6 (>= 2.34)", 14_000);
        for line in control.lines().filter(|line| !line.starts_with(' ')) {
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
            assert!(!name.is_empty() && !value.is_empty(), "{line}");
        }
        let synopsis = control.lines().find_map(|line| line.strip_prefix("Description: ")).unwrap();
        assert!(
            synopsis.len() <= 80 && !synopsis.starts_with("fathom") && !synopsis.ends_with('.'),
            "{synopsis}"
        );
        assert!(control.ends_with("serial number.\n"), "{control}");
        assert!(DESCRIPTION.lines().all(|line| line.len() < 80), "{control}");
        assert!(metadata.version.starts_with(env!("CARGO_PKG_VERSION")), "{metadata:?}");
        assert!(metadata.maintainer.contains(" <") && metadata.maintainer.ends_with('>'), "{metadata:?}");
    }

    #[test]
    fn the_licences_are_there() {
        let text = copyright_text().unwrap();
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
