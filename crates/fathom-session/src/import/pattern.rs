//! Patterns of file names: `*`, `?` and `[abc]`, as in a shell.

/// Does a word hold a character that a shell would expand?
pub(super) fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '['])
}

/// Does a name match a pattern as a whole? A name that begins with a dot is matched only by a pattern that does.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    fits(&pattern, &name)
}

/// The last `*` that was met takes one character more whenever the rest does not fit.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        match one(&pattern[at..], name[in_name]) {
            One::Star => {
                star = Some((at + 1, in_name));
                at += 1;
            }
            One::Fits(length) => (at, in_name) = (at + length, in_name + 1),
            One::Differs => match &mut star {
                Some((after, taken)) => {
                    *taken += 1;
                    (at, in_name) = (*after, *taken);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

/// What the first element of a pattern does with a character.
enum One {
    Star,
    /// It fits, and the element is so long.
    Fits(usize),
    Differs,
}

fn one(pattern: &[char], c: char) -> One {
    match pattern {
        [] => One::Differs,
        ['*', ..] => One::Star,
        ['?', ..] => One::Fits(1),
        ['[', rest @ ..] => match rest.iter().skip(1).position(|end| *end == ']') {
            Some(end) if is_in(&rest[..=end], c) => One::Fits(end + 3),
            Some(_) => One::Differs,
            None if c == '[' => One::Fits(1),
            None => One::Differs,
        },
        [own, ..] if *own == c => One::Fits(1),
        _ => One::Differs,
    }
}

/// `abc`, `a-c`, and `!` or `^` for all others.
fn is_in(set: &[char], c: char) -> bool {
    let (set, negated) = match set {
        ['!' | '^', rest @ ..] => (rest, true),
        _ => (set, false),
    };
    let mut is_member = set.contains(&c) && c != '-';
    for three in set.windows(3) {
        is_member |= three[1] == '-' && (three[0]..=three[2]).contains(&c);
    }
    is_member != negated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_shell_matches() {
        let fits = [
            ("*.log", "x_bw.1.log"),
            ("*_bw.*.log", "a_bw_bw.12.log"),
            ("x_bw.[12].log", "x_bw.2.log"),
            ("x_bw.[0-9].log", "x_bw.7.log"),
            ("x_bw.[!2].log", "x_bw.1.log"),
            ("?_bw.log", "ä_bw.log"),
            ("*", "x"),
            ("a[b", "a[b"),
        ];
        for (pattern, name) in fits {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        let differs = [
            ("*_bw.log", "x_bw.1.log"),
            ("*.log", ".hidden.log"),
            ("?.log", "ab.log"),
            ("x[12]", "x3"),
            ("x[!2]", "x2"),
            ("", "x"),
            ("*a*b*c", &"ab".repeat(200)),
        ];
        for (pattern, name) in differs {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
