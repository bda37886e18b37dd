//! Advice that people know from guides, and what is true of it today.
//!
//! Half of what older tuning guides say has no effect on current kernels, and
//! some of it does harm. To explain why is as useful as to change a setting, so
//! every such piece of advice has an entry: its usual wording, its source, what
//! is true of it today, and the checks that cover it.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::texts;

/// Whether a piece of advice is right today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AdviceStanding {
    /// It does damage: to figures, to the host or to data.
    Harmful,
    /// It does nothing on current kernels or drives.
    Obsolete,
    /// Its aim is right, but there is a better way today.
    Superseded,
    /// It was never right.
    Wrong,
    /// It is right for some goals or hosts, and not for others.
    Qualified,
    /// It is right.
    Valid,
}

impl AdviceStanding {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            AdviceStanding::Harmful => "harmful",
            AdviceStanding::Obsolete => "obsolete",
            AdviceStanding::Superseded => "superseded",
            AdviceStanding::Wrong => "wrong",
            AdviceStanding::Qualified => "it depends",
            AdviceStanding::Valid => "valid",
        }
    }

    /// The heading of the explanation of such advice.
    pub fn heading(self) -> &'static str {
        match self {
            AdviceStanding::Valid => "What is right about it, and how",
            AdviceStanding::Qualified => "When it is right, and when not",
            _ => "What to do instead, and why",
        }
    }
}

/// A piece of advice.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Advice {
    /// Stable name, `idle-poll`.
    #[serde(deserialize_with = "texts::one")]
    pub id: &'static str,
    /// The advice in its usual wording.
    #[serde(deserialize_with = "texts::one")]
    pub advice: &'static str,
    /// The contract IDs of its sources.
    #[serde(deserialize_with = "texts::several")]
    pub sources: &'static [&'static str],
    /// Whether it is right today.
    pub standing: AdviceStanding,
    /// What to do or say instead, why, and how much it matters.
    #[serde(deserialize_with = "texts::one")]
    pub instead: &'static str,
    /// Checks (and knobs of the same name) that cover it.
    #[serde(deserialize_with = "texts::several")]
    pub checks: &'static [&'static str],
    /// Words that people use to ask for it, in lower case.
    #[serde(deserialize_with = "texts::several")]
    pub words: &'static [&'static str],
}

static ADVICE: LazyLock<Vec<Advice>> = LazyLock::new(|| {
    let subjects = [
        include_str!("retired/processor.toml"),
        include_str!("retired/queues.toml"),
        include_str!("retired/files.toml"),
        include_str!("retired/links.toml"),
        include_str!("retired/method.toml"),
        include_str!("retired/explained.toml"),
    ];
    subjects.into_iter().flat_map(texts::rows).collect()
});

/// Every piece of advice, by subject.
pub fn all() -> impl Iterator<Item = &'static Advice> {
    ADVICE.iter()
}

/// The advice about a check.
pub fn about(check: &str) -> impl Iterator<Item = &'static Advice> {
    all().filter(move |advice| advice.checks.contains(&check))
}

/// The entry that best fits an id or the words that a user typed; `None` where
/// nothing fits.
pub fn find(asked: &str) -> Option<&'static Advice> {
    let asked = asked.trim().to_lowercase();
    let fitting = all().filter_map(|advice| Some((fit(advice, &asked)?, advice)));
    // Of equal entries, min_by_key keeps the first of the table.
    fitting.min_by_key(|(fit, _)| std::cmp::Reverse(*fit)).map(|(_, advice)| advice)
}

/// How well an entry fits: the kind of match, then the length of the match, so
/// that `pcie_aspm.policy` is better than `aspm`.
type Fit = (u8, usize);

fn fit(advice: &Advice, asked: &str) -> Option<Fit> {
    if asked == advice.id {
        return Some((u8::MAX, 0));
    }
    advice.words.iter().filter_map(|phrase| fit_of(phrase, asked)).max()
}

/// The kinds of match, the best first: the texts are equal; all words of the
/// phrase were typed; the phrase is part of the typed text; all typed words are
/// in the phrase. Short texts match as whole words only, because "cp" must not
/// be found in "tcp".
fn fit_of(phrase: &str, asked: &str) -> Option<Fit> {
    let every = |whole: &str, parts: &str| {
        let words: Vec<&str> = words(whole).collect();
        self::words(parts).all(|part| words.contains(&part))
    };
    let kind = match () {
        () if phrase == asked => 4,
        () if every(asked, phrase) => 3,
        () if phrase.len() > 3 && asked.contains(phrase) => 2,
        () if asked.len() > 3 && every(phrase, asked) => 1,
        () => return None,
    };
    Some((kind, phrase.len().min(asked.len())))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ",;?!\"'()".contains(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
