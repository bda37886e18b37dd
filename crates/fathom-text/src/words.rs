//! Words for the sentences that fathom prints.

use std::fmt::Display;

/// `1 queue`, `2 queues`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        assert_eq!(
            (counted(1_usize, "queue"), counted(0_u64, "queue")),
            ("1 queue".into(), "0 queues".into())
        );
    }
}
