//! A command without the paths and names that were typed: its options stay, because they tell what was measured.

use super::kind::Kind;
use super::names::Names;
use super::names_found;
use super::options;
use fathom_results::has_fios_words;
use fathom_text::shell;

/// The words of a command that are left out.
const REST: &str = "...";

/// Options of a command whose value names a target.
const NAMING_TARGET: [&str; 3] = ["--write", "--destroy", "--overwrite"];

/// Options of a command whose value is text of the user's own.
const OWN_WORDS: [&str; 4] = ["--name", "--note", "--tag", "--description"];

/// Values of options that are words of fathom and of job files.
const FIXED: [&str; 30] = [
    "auto",
    "cpu",
    "details",
    "fsync",
    "high",
    "html",
    "io_uring",
    "json",
    "json+",
    "libaio",
    "linear",
    "low",
    "medium",
    "mmap",
    "never",
    "none",
    "normal",
    "null",
    "poisson",
    "psync",
    "randread",
    "randrw",
    "randwrite",
    "read",
    "rw",
    "severe",
    "summary",
    "sync",
    "terse",
    "write",
];

/// The options whose value names the run.
const NAME: &str = "--name";

/// The values of an option, in both ways to write them.
fn values<'a>(command: &'a [String], option: &'a str) -> impl Iterator<Item = &'a str> {
    let apart = command.windows(2).filter(move |it| it[0] == option).map(|it| it[1].as_str());
    let joined = command.iter().filter_map(move |word| word.strip_prefix(option)?.strip_prefix('='));
    apart.chain(joined)
}

/// The name that a user gave the run: in `fathom fio` the option names a job, whose name stays.
pub(super) fn name_of_run(command: &[String]) -> Option<&str> {
    values(command, NAME).last().filter(|_| !has_fios_words(command))
}

/// Learns the words of a command that name something.
pub(super) fn learn(command: &[String], names: &mut Names) {
    if let Some(name) = name_of_run(command) {
        names.of_label(Kind::Run, name);
    }
    ["--note", "--tag"]
        .iter()
        .flat_map(|it| values(command, it))
        .for_each(|it| names.of_label(Kind::Text, it));
    // The first word is the program.
    for (at, word) in command.iter().enumerate().skip(1) {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        let before = command[at - 1].as_str();
        match () {
            () if NAMING_TARGET.contains(&option) && !value.is_empty() => learn_target(value, names),
            () if NAMING_TARGET.contains(&before) => learn_target(word, names),
            // A sentence with a slash is no path, and its words are learned above.
            () if OWN_WORDS.contains(&before) => {}
            () if word.contains('/') && !word.starts_with('-') => learn_word(word, names),
            () => {}
        }
    }
}

/// Learns a word with a path. Of `OPTION=VALUE` it is the value that names something: of an option that is varied, values with
/// commas or bars between them.
fn learn_word(word: &str, names: &mut Names) {
    let Some((option, values)) = word.split_once('=').filter(|(option, _)| is_word(option)) else {
        return names.learn_path(word);
    };
    if options::is_private(option) {
        let paths = values.split(['|', ',']).filter(|value| value.starts_with('/'));
        paths.for_each(|value| options::learn_paths(option, value, names));
    }
}

/// Learns what may be written: a path with its size, or a serial number.
fn learn_target(text: &str, names: &mut Names) {
    let (name, _) = size_apart(text);
    match name.contains('/') {
        true => names.learn_path(name),
        false => drop(names.of(Kind::Serial, name)),
    }
}

/// `PATH:BYTES` in its parts; the size is empty where there is none.
fn size_apart(text: &str) -> (&str, &str) {
    let at = text.rfind(':').filter(|at| text[at + 1..].bytes().all(|byte| byte.is_ascii_digit()));
    text.split_at(at.unwrap_or(text.len()))
}

/// The program, what it was to do and its options, with stand-ins for what they name.
pub(super) fn without_names(words: &[String], names: &mut Names) -> Vec<String> {
    let is_plain = |word: &String| word.chars().all(|c| c.is_ascii_lowercase());
    let verb = words.get(1).filter(|word| is_plain(word)).cloned();
    let rest = words.iter().skip(1 + usize::from(verb.is_some()));
    let mut told: Vec<String> = std::iter::once("fathom".to_owned()).chain(verb).collect();
    let mut before = "";
    for word in rest {
        let word_told = match option(word) {
            Some((option, Some(text))) => format!("{option}={}", value(option, text, names)),
            Some((option, None)) => option.to_owned(),
            None => value(before, word, names),
        };
        told.push(word_told);
        before = word;
    }
    told.dedup_by(|word, before| word == REST && before == REST);
    told
}

/// A command that is written as for a shell, without what it names. One that cannot be read is left out.
pub(super) fn line_without_names(line: &str, names: &mut Names) -> String {
    let words = shell::words(line).unwrap_or_else(|| vec!["fathom".to_owned(), REST.to_owned()]);
    without_names(&words, names).iter().map(|word| shell::quoted_carried(word)).collect::<Vec<_>>().join(" ")
}

/// An option and the value that is written with it; `None` where the word is no option.
fn option(word: &str) -> Option<(&str, Option<&str>)> {
    let (option, value) = word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)));
    let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-').filter(|name| name.len() == 1));
    name.is_some_and(is_word).then_some((option, value))
}

/// May it be the name of an option?
fn is_word(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// A value as it may be told: numbers, words of fathom and names that have a stand-in.
pub(super) fn value(option: &str, text: &str, names: &mut Names) -> String {
    if let Some((name, text)) = text.split_once('=').filter(|(name, _)| option == "--set" && is_word(name)) {
        return format!("{name}={}", value(name, text, names));
    }
    let (name, size) = size_apart(text);
    let is_number = text.len() < 12
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || ".%,:".contains(c));
    match () {
        () if OWN_WORDS.contains(&option) => REST.to_owned(),
        () if names.knows(name) => names.at_its_place(name) + size,
        () if is_number
            || text.split(',').all(|word| FIXED.contains(&word))
            || names_found::is_public(name) =>
        {
            text.to_owned()
        }
        () => REST.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str) -> String {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let mut names = Names::default();
        learn(&words, &mut names);
        without_names(&words, &mut names).join(" ")
    }

    #[test]
    fn a_line_for_a_shell_is_read() {
        let mut names = Names::default();
        let line = r"fathom run --note 'by jkowalski, it'\''s new' --name $'a\nb' /home/a/x.fio --repeat 5";
        names.learn_path("/home/a/x.fio");
        assert_eq!(
            line_without_names(line, &mut names),
            "fathom run --note ... --name ... file-1 --repeat 5"
        );
        assert_eq!(line_without_names("fathom run 'a", &mut names), "fathom ...");
    }

    #[test]
    fn options_stay_and_names_go() {
        for (command, open) in [
            (
                "./fathom run /home/a/long.fio --target /dev/loop0 --repeat 5",
                "fathom run file-1 --target /dev/loop0 --repeat 5",
            ),
            ("fathom run acme.fio --name acme --note=secret -q", "fathom run ... --name ... --note=... -q"),
            (
                "fathom quick /dev/sda --write S676:480103981056",
                "fathom quick /dev/sda --write serial-1:480103981056",
            ),
            ("fathom quick /mnt/acme/x --write=/mnt/acme/x:5", "fathom quick file-1 --write=file-1:5"),
            (
                "fathom run --output-format html,json --seconds 2 a b",
                "fathom run --output-format html,json --seconds 2 ...",
            ),
            (
                "fathom run --set rw=randread --set filename=acme --fail-on low",
                "fathom run --set rw=randread --set filename=... --fail-on low",
            ),
            (
                "fathom run j --set directory=/srv/acme --set filename=/srv/acme/a:/srv/acme/b --set description=/srv/x/y",
                "fathom run ... --set directory=dir-1 --set filename=... --set description=...",
            ),
            ("fathom try directory=/srv/a/zebra,/srv/b/okapi -- j", "fathom try ..."),
            ("fathom", "fathom"),
            ("fathom run --name jkowalski --tag=jkowalski j.fio", "fathom run --name ... --tag=... ..."),
        ] {
            assert_eq!(told(command), open);
        }
    }
}
