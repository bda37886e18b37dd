//! The options of a command line, as those of a job for `fathom fio`.

use super::typed::{Typed, line};
use fathom_job::options;

/// The value of the option at a place, and how many words both take.
pub fn value<'t>(typed: &'t Typed<'_>, at: usize) -> (Option<&'t str>, usize) {
    match typed.words[at].split_once('=') {
        Some((_, value)) => (Some(value), 1),
        None => match typed.words.get(at + 1).filter(|next| !next.starts_with('-')) {
            Some(value) => (Some(value), 2),
            None => (None, 1),
        },
    }
}

/// A job with the options of fio that were typed, with dashes or without: `quick` chooses its own measurements.
pub fn own_job(typed: &Typed<'_>) -> String {
    let is_fios = |word: &&String| name_of(word).is_some_and(|name| options::find(name).is_some());
    let with_dashes = |word: &String| match options::is_assignment(word) {
        true => format!("--{word}"),
        false => word.clone(),
    };
    let words: Vec<String> = typed.words.iter().map(with_dashes).collect();
    let given: Vec<&String> = words.iter().filter(is_fios).collect();
    let has = |name: &str| given.iter().any(|word| name_of(word) == Some(name));
    let mut words = vec!["fio".to_owned()];
    if !has("name") {
        words.push("--name=job".to_owned());
    }
    for word in &given {
        words.push((*word).clone());
        let at = typed.words.iter().position(|typed| typed == *word).unwrap_or_default();
        words.extend(value(typed, at).0.filter(|_| !word.contains('=')).map(str::to_owned));
    }
    if !has("size") && !has("filename") {
        words.push("--size=1g".to_owned());
    }
    line(&words)
}

/// The name of an option with its two dashes.
pub fn name_of(word: &str) -> Option<&str> {
    word.strip_prefix("--")?.split('=').next()
}
