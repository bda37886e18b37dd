//! Advice that people know from guides, and what became of it.
//!
//! Half of what older tuning guides say is dead on current kernels, and some
//! of it does harm. To say why not is worth as much as to change a setting,
//! so every such piece of advice has an entry: as people know it, where it
//! stands, what to say of it today, and the check that looks after it.

mod files;
mod links;
mod method;
mod processor;
mod queues;

use serde::Serialize;

/// What to think of a piece of advice today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It does damage: to figures, to the host or to data.
    Harmful,
    /// It does nothing on current kernels or drives.
    Obsolete,
    /// Its aim is right, and there is a better way today.
    Superseded,
    /// It was never right.
    Wrong,
    /// It is right for some goals or hosts, and not for others.
    Qualified,
    /// It is right.
    Valid,
}

impl Standing {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Harmful => "harmful",
            Standing::Obsolete => "obsolete",
            Standing::Superseded => "superseded",
            Standing::Wrong => "wrong",
            Standing::Qualified => "it depends",
            Standing::Valid => "valid",
        }
    }

    /// What an explanation says of advice that stands so.
    pub fn heading(self) -> &'static str {
        match self {
            Standing::Valid => "What is right about it, and how",
            Standing::Qualified => "When it is right, and when not",
            _ => "What to do instead, and why",
        }
    }
}

/// A piece of advice.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Advice {
    /// Stable name, `idle-poll`.
    pub id: &'static str,
    /// As people know it.
    pub advice: &'static str,
    /// Where it stands: contract IDs.
    pub sources: &'static [&'static str],
    /// What to think of it.
    pub standing: Standing,
    /// What to do or say instead, why, and how much it matters.
    pub instead: &'static str,
    /// Checks (and knobs of the same name) that look after it.
    pub checks: &'static [&'static str],
    /// Words by which people ask for it, in small letters.
    pub words: &'static [&'static str],
}

/// Every piece of advice, by subject.
pub fn all() -> impl Iterator<Item = &'static Advice> {
    [processor::ADVICE, queues::ADVICE, files::ADVICE, links::ADVICE, method::ADVICE].into_iter().flatten()
}

/// The advice about a check.
pub fn about(check: &str) -> impl Iterator<Item = &'static Advice> {
    all().filter(move |advice| advice.checks.contains(&check))
}

/// The entry that best fits an id or the words that somebody typed; `None`
/// where nothing fits.
pub fn find(asked: &str) -> Option<&'static Advice> {
    let asked = asked.trim().to_lowercase();
    let scored = all().map(|advice| (fit(advice, &asked), advice));
    let fitting = scored.filter(|(fit, _)| *fit > Fit::default());
    // Of equals the first of the table, which min_by_key keeps.
    fitting.min_by_key(|(fit, _)| std::cmp::Reverse(*fit)).map(|(_, advice)| advice)
}

/// How well an entry fits: the kind of match, then the length of what
/// matched, so that `pcie_aspm.policy` beats `aspm`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Fit {
    kind: u8,
    matched: usize,
}

fn fit(advice: &Advice, asked: &str) -> Fit {
    if asked == advice.id {
        return Fit { kind: u8::MAX, matched: 0 };
    }
    advice.words.iter().map(|phrase| fit_of(phrase, asked)).max().unwrap_or_default()
}

/// From the surest kind of match to the weakest: the same; all words of the
/// phrase were typed; the phrase is part of what was typed; all that was typed
/// is in the phrase. Short pieces match as whole words only, or "cp" would be
/// found in "tcp".
fn fit_of(phrase: &str, asked: &str) -> Fit {
    let every = |whole: &str, parts: &str| {
        let words: Vec<&str> = words(whole).collect();
        self::words(parts).all(|part| words.contains(&part))
    };
    let kind = match () {
        () if phrase == asked => 4,
        () if every(asked, phrase) => 3,
        () if phrase.len() > 3 && asked.contains(phrase) => 2,
        () if asked.len() > 3 && every(phrase, asked) => 1,
        () => return Fit::default(),
    };
    Fit { kind, matched: phrase.len().min(asked.len()) }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || ",;?!\"'()".contains(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
