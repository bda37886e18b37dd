//! Words for the sentences that fathom prints.

/// `1 queue`, `2 queues`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
