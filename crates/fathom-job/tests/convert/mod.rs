//! Job files in other forms, and other forms as job files.

mod anything;
mod orion;
mod pasted;
mod programs;
mod systems;

use crate::world::{World, listed};
use fathom_job::convert::{ConvertSource, Converted, SourceText, form};
use fathom_job::diagnostic::Diagnostic;
use fathom_job::parse::Surroundings;

/// The text of a file of this repository.
fn repository(path: &str) -> String {
    let full = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&full).unwrap_or_else(|e| panic!("{full}: {e}"))
}

/// The job files of a guide, in their order: name and text.
fn examples(guide: &str) -> Vec<(String, String)> {
    let directory = format!("{}/../../examples/{guide}", env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> = std::fs::read_dir(&directory)
        .expect("the examples are there")
        .map(|entry| entry.expect("readable").file_name().into_string().expect("a plain name"))
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), repository(&format!("examples/{guide}/{name}")))).collect()
}

/// Converts texts, in `around`, with `--target`.
fn convert_in(
    around: &dyn Surroundings,
    direction: &str,
    texts: &[(&str, &str)],
    target: Option<&str>,
) -> Result<Converted, Vec<Diagnostic>> {
    let (way, name) = direction.split_once(' ').expect("--to FORM or --from FORM");
    let form = form(name).unwrap_or_else(|| panic!("no form {name}"));
    let conversion = if way == "--to" { form.to } else { form.from }.expect("this way");
    let texts =
        texts.iter().map(|(name, text)| SourceText { name: (*name).to_owned(), text: (*text).to_owned() });
    conversion(&ConvertSource { texts: texts.collect(), target: target.map(str::to_owned), around })
}

/// Converts one text that must be right.
fn convert(direction: &str, name: &str, text: &str) -> Converted {
    convert_in(&World::default(), direction, &[(name, text)], None)
        .unwrap_or_else(|e| panic!("{}", listed(&e)))
}

/// What is wrong with one text.
fn errors(direction: &str, text: &str) -> String {
    match convert_in(&World::default(), direction, &[("job.fio", text)], None) {
        Ok(converted) => panic!("nothing wrong, but:\n{}", converted.text),
        Err(found) => listed(&found),
    }
}

/// The lines of a text that say something.
fn said(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}
