//! The nearest known word to a misspelt one, for hints.

/// Edit distance with transpositions (Damerau–Levenshtein, optimal string alignment): to insert,
/// delete or replace a character, or to swap two neighbours, each counts one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// The candidate nearest to `word`, if it is near enough to be meant: at most
/// one edit in three characters, and no more than three.
pub fn nearest_of<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64; // no option is longer; keeps hostile input cheap
    if word.len() > LONGEST {
        return None;
    }
    let allowed = (word.chars().count() / 3).clamp(1, 3);
    let word = word.to_lowercase();
    let likely = |c: &&str| length_differs(&word, c) <= allowed && letters_missing(&word, c) <= allowed;
    let near = candidates.into_iter().filter(likely);
    near.map(|c| (distance(&word, c), c)).filter(|(d, _)| *d <= allowed).min().map(|(_, c)| c)
}

/// Each edit changes the length by one at most.
fn length_differs(a: &str, b: &str) -> usize {
    a.chars().count().abs_diff(b.chars().count())
}

/// Each edit adds at most one kind of letter, so this is a lower bound that is far cheaper than the
/// distance.
fn letters_missing(a: &str, b: &str) -> usize {
    let kinds = |text: &str| text.chars().fold(0u64, |set, c| set | 1 << (c as u32 % 64));
    (kinds(a) & !kinds(b)).count_ones() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_edits_and_swaps() {
        for (a, b, d) in [
            ("", "abc", 3),
            ("iodepth", "iodepht", 1),
            ("bs", "bs", 0),
            ("rate", "rtea", 2),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), d, "{a} {b}");
        }
    }

    #[test]
    fn far_words_have_no_neighbour() {
        assert_eq!(nearest_of("iodpeth", ["iodepth", "io_size"]), Some("iodepth"));
        assert_eq!(nearest_of("elephant", ["iodepth", "io_size"]), None);
        assert_eq!(nearest_of(&"x".repeat(5000), ["iodepth"]), None);
    }
}
