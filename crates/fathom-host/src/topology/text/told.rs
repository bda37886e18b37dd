//! A disk as it is shown, in parts: the text joins them into one line, and the picture
//! shows them on several lines.

use super::line::TreeLine;

/// A disk or a partition.
pub struct Told {
    /// Its name, size, and what it is part of.
    pub name: String,
    /// What is wrong with it.
    pub flags: Vec<String>,
    /// Its serial and model, where its function does not show them.
    pub facts: Vec<String>,
    /// Its partitions.
    pub below: Vec<Told>,
}

impl Told {
    /// All parts in one line.
    pub fn text(&self) -> String {
        let flags: String = self.flags.iter().map(|flag| format!("  ! {flag}")).collect();
        self.name.clone() + &flags + &spaced(&self.facts)
    }

    /// Its line, with the lines of its partitions.
    pub fn line(&self) -> TreeLine {
        TreeLine { text: self.text(), below: self.below.iter().map(Told::line).collect() }
    }
}

/// Each fact with two spaces before it.
pub fn spaced(facts: &[String]) -> String {
    facts.iter().map(|fact| format!("  {fact}")).collect()
}
