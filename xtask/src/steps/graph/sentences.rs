//! No code searches a sentence, compares the words of one, or cuts it: what it says is data (docs/adr/0022).
//!
//! A search is a call such as `.contains("two words")` or `.split("; ")`. Texts of other programs have no other form, so files
//! that read them are allowed, each with its reason, in `graph.toml`.

use super::absences::{is_at, is_test_module};
use super::drawn::DRAWN;
use super::source::shipped;
use crate::workspace::{read_text, root, rust_files};

/// Calls that search a text for another one, up to where that one begins.
const SEARCHES: [&str; 18] = [
    ".contains(",
    ".starts_with(",
    ".ends_with(",
    ".strip_prefix(",
    ".strip_suffix(",
    ".split(",
    ".splitn(",
    ".rsplit(",
    ".split_once(",
    ".rsplit_once(",
    ".find(",
    ".rfind(",
    ".matches(",
    ".match_indices(",
    ".rmatch_indices(",
    ".trim_start_matches(",
    ".trim_end_matches(",
    ".replace(",
];

/// One line for every place that searches a sentence.
pub fn violations() -> Result<Vec<String>, String> {
    let mut violations = Vec::new();
    for file in rust_files(&root().join("crates"))? {
        let name = file.strip_prefix(root()).unwrap_or(&file).to_string_lossy().into_owned();
        let is_product = name.contains("/src/") && !is_test_module(&file);
        if is_product && !DRAWN.reads_words.iter().any(|(allowed, _)| is_at(&name, allowed)) {
            let found = found(&read_text(&file)?);
            violations.extend(found.into_iter().map(|line| format!("{name}:{line}")));
        }
    }
    Ok(violations)
}

/// The lines of a source that search a sentence, each behind its number.
fn found(text: &str) -> Vec<String> {
    let lines = shipped(text);
    let next = |at: usize| lines.get(at + 1).map_or("", |line| line.code);
    let does = |at: usize| {
        SEARCHES.iter().any(|call| {
            let arguments = lines[at].code.split(call).skip(1);
            // The argument of a long call is in the line below.
            arguments.map(|it| if it.is_empty() { next(at) } else { it }).any(is_of_a_sentence)
        })
    };
    let all = lines.iter().enumerate().filter(|(at, _)| does(*at));
    all.map(|(_, line)| format!("{} searches a sentence: {}", line.number, line.code)).collect()
}

/// Is an argument a part of a sentence: two words with a blank between them, or the sign between two clauses?
fn is_of_a_sentence(argument: &str) -> bool {
    let Some((literal, _)) = argument.strip_prefix('"').and_then(|rest| rest.split_once('"')) else {
        return false;
    };
    let is_word = |word: &&str| word.chars().any(char::is_alphabetic);
    let words = literal.split_whitespace().filter(is_word).count();
    let is_between_words = words == 1 && literal.starts_with([' ', ',', ';', ':']) && literal.ends_with(' ');
    words > 1 || is_between_words || ["; ", ", ", ". ", ": "].contains(&literal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_searches_a_sentence() {
        assert_eq!(violations(), Ok(Vec::new()));
    }

    #[test]
    fn searches_are_found() {
        for line in [
            "if says.contains(\"is not there\") {",
            "let (seen, _) = text.split_once(\", so \")?;",
            "said.split(\"; \").map(str::to_owned)",
            "let is_doubt = detail.starts_with(\"may be\");",
            "let rest = text\n    .strip_prefix(\n        \"about an hour\",\n    );",
        ] {
            assert_eq!(found(line).len(), 1, "{line}");
        }
    }

    #[test]
    fn other_searches_are_not() {
        for line in [
            "path.starts_with(\"/dev/\")",
            "text.split(\",\")",
            "text.contains(&name)",
            "word.strip_suffix(\" ms\")",
            "// says.contains(\"is not there\")",
            "#[test]\nfn a() {\n    assert!(said.contains(\"two words\"));\n}",
        ] {
            assert_eq!(found(line), Vec::<String>::new(), "{line}");
        }
    }

    #[test]
    fn an_allowed_file_needs_it() {
        for (file, _) in &DRAWN.reads_words {
            let path = root().join(file);
            let files = if path.is_dir() { rust_files(&path).unwrap() } else { vec![path] };
            let needs = |file: &std::path::PathBuf| !found(&read_text(file).unwrap()).is_empty();
            assert!(files.iter().any(needs), "{file} is allowed and searches no sentence");
        }
    }
}
