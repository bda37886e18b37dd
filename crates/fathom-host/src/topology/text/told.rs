//! A disk as it is shown, in parts: the text joins them into one line, and the picture
//! shows them on several lines.

use super::line::TreeLine;

/// A disk, a partition, or a use of one.
pub struct Told {
    /// Its name, size, and what it is part of, if that is one thing.
    pub name: String,
    /// What is wrong with it.
    pub flags: Vec<String>,
    /// Its serial and model, where its function does not show them.
    pub facts: Vec<String>,
    /// Its partitions, and its uses if there are several: they are beside each other.
    pub below: Vec<Told>,
}

impl Told {
    /// All parts in one line.
    pub fn text(&self) -> String {
        let flags: String = self.flags.iter().map(|flag| format!("  ! {flag}")).collect();
        self.name.clone() + &spaced(&self.facts) + &flags
    }

    /// Its line, with the lines of what is on it.
    pub fn line(&self) -> TreeLine {
        let text = self.name.clone() + &spaced(&self.facts);
        TreeLine { text, flags: self.flags.clone(), below: self.below.iter().map(Told::line).collect() }
    }
}

/// Each fact with two spaces before it.
pub fn spaced(facts: &[String]) -> String {
    facts.iter().map(|fact| format!("  {fact}")).collect()
}
