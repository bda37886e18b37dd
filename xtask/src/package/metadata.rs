//! What the package says about itself, from the metadata of Cargo and the history of git.

use crate::command::{capture, cargo, command};
use serde_json::Value;

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
