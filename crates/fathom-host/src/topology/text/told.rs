//! A disk as it is told: in parts, for the text makes one line of them and the
//! picture several.

use super::line::TreeLine;

/// A disk or a partition.
pub struct Told {
    /// Its name, size, and what it is part of.
    pub name: String,
    /// What is wrong with it.
    pub flags: Vec<String>,
    /// Who it is, where its function does not say so.
    pub facts: Vec<String>,
    /// Its partitions.
    pub below: Vec<Told>,
}

impl Told {
    /// All of it in one line.
    pub fn text(&self) -> String {
        let flags: String = self.flags.iter().map(|flag| format!("  ! {flag}")).collect();
        self.name.clone() + &flags + &spaced(&self.facts)
    }

    /// The line with those of its partitions.
    pub fn line(&self) -> TreeLine {
        TreeLine { text: self.text(), below: self.below.iter().map(Told::line).collect() }
    }
}

/// Each fact with two spaces before it.
pub fn spaced(facts: &[String]) -> String {
    facts.iter().map(|fact| format!("  {fact}")).collect()
}
