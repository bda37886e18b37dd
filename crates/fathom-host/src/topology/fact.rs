//! A fact of the map: the value, and the path where everybody can read it again.
//!
//! An unknown fact has a reason and never a default value, because a reader
//! would believe a width of 0 or a temperature of 0.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Serialize;

use fathom_device::root::{Root, Unknown, Why};

/// A value with the path and the text it came from, or the reason why there
/// is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reading<T> {
    /// The value; `null` is unknown.
    pub value: Option<T>,
    /// The path that it was read from, or would have been.
    #[serde(with = "fathom_device::saved_path")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub path: PathBuf,
    /// The text of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The kind of reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

impl<T> Reading<T> {
    /// A value, with its path and its text.
    pub fn known(value: T, path: impl Into<PathBuf>, raw: impl Into<String>) -> Self {
        Self { value: Some(value), path: path.into(), raw: Some(raw.into()), reason: None, why: None }
    }

    /// A fact without a value, with the reason.
    pub fn unknown(unknown: Unknown) -> Self {
        let Unknown { path, reason, why } = unknown;
        Self { value: None, path, raw: None, reason: Some(reason), why: Some(why) }
    }

    /// The value that `meaning` finds in the file's text. If it finds none, the
    /// fact is unknown, with the text as the reason.
    pub fn read(root: &Root, path: impl AsRef<Path>, meaning: impl Fn(&str) -> Option<T>) -> Self {
        let path = path.as_ref();
        match root.read_text(path) {
            Err(unknown) => Self::unknown(unknown),
            Ok(raw) => match meaning(&raw) {
                Some(value) => Self::known(value, path, raw),
                None => Self { raw: Some(raw.clone()), ..Self::unknown(Unknown::garbled(path, &raw)) },
            },
        }
    }

    /// The first known fact of several; if all are unknown, the first one.
    pub fn first(facts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut facts = facts.into_iter();
        let first = facts.next()?;
        match first.value {
            Some(_) => Some(first),
            None => Some(facts.find(|fact| fact.value.is_some()).unwrap_or(first)),
        }
    }

    /// Whether root could read it.
    pub fn is_denied(&self) -> bool {
        self.why == Some(Why::Denied)
    }

    /// The value, by reference.
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref()
    }
}

impl<T: FromStr> Reading<T> {
    /// The number (or other value) that a file holds.
    pub fn parsed(root: &Root, path: impl AsRef<Path>) -> Self {
        Self::read(root, path, |text| text.parse().ok())
    }
}

impl Reading<String> {
    /// The text of a file; an empty file is unknown.
    pub fn text(root: &Root, path: impl AsRef<Path>) -> Self {
        Self::read(root, path, |text| (!text.is_empty()).then(|| text.to_owned()))
    }

    /// The name that a link leads to: the driver.
    pub fn link(root: &Root, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let target = root.read_link(path).map(|link| link.to_string_lossy().into_owned());
        match (root.link_name(path), target) {
            (Ok(name), Ok(target)) => Self::known(name, path, target),
            (Err(unknown), _) | (_, Err(unknown)) => Self::unknown(unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::tree::Tree;

    #[test]
    fn a_fact_says_where_it_is_from_and_why_not() {
        let mut tree = Tree::default();
        tree.overlay("/a = 7\n/b = seven\n/c !EACCES\n/l -> ../x/nvme\n").unwrap();
        let root = Root::held(&tree);
        let number = |path: &str| Reading::<u32>::parsed(&root, path);
        assert_eq!((number("/a").value, number("/a").raw.as_deref()), (Some(7), Some("7")));
        assert_eq!((number("/b").value, number("/b").why), (None, Some(Why::Garbled)));
        assert!(number("/c").is_denied());
        assert_eq!(number("/d").why, Some(Why::Missing));
        assert_eq!(Reading::link(&root, "/l").value.as_deref(), Some("nvme"));
        let first = Reading::first(["/d", "/b", "/a"].map(number)).unwrap();
        assert_eq!(first.value, Some(7));
        let json = serde_json::to_string(&number("/d")).unwrap();
        assert!(json.starts_with(r#"{"value":null,"path":"/d","reason":"#), "{json}");
    }
}
