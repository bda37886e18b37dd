//! Circles of modules: files of one crate that depend on each other, directly or through others.
//!
//! A file depends on a module that it names by `crate::`, `super::` or `self::`. If a parent names its
//! own children by their bare name, that does not count, because it must declare and re-export them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::drawn::{Circle, DRAWN};
use super::source::shipped;
use crate::workspace::{at, read_text, root, rust_files};

/// The modules that each module of a crate names.
type Names = BTreeMap<String, BTreeSet<String>>;

/// One line for every circle that is not known, and for every known one that is gone.
pub fn violations() -> Result<Vec<String>, String> {
    let crates = root().join("crates");
    let entries = std::fs::read_dir(&crates).map_err(at(&crates))?;
    let mut violations = Vec::new();
    let mut gone: Vec<&Circle> = DRAWN.circle.iter().collect();
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        for circle in circles(&names(&entry.path().join("src"))?) {
            let is_it = |known: &Circle| known.of == name && circle.contains(&known.module);
            let known = DRAWN.circle.iter().find(|known| is_it(known)).map_or(0, |known| known.modules);
            gone.retain(|known| !is_it(known));
            if known != circle.len() {
                let modules: Vec<&str> = circle.iter().map(String::as_str).collect();
                let (count, modules) = (circle.len(), modules.join(", "));
                violations.push(format!("{name}: {count} modules in a circle, {known} are known: {modules}"));
            }
        }
    }
    violations.extend(gone.into_iter().map(|Circle { of, module, .. }| {
        format!("{of}: the circle of {module} is gone; take it out of graph/graph.toml")
    }));
    Ok(violations)
}

fn names(source: &Path) -> Result<Names, String> {
    let mut texts = BTreeMap::new();
    for file in rust_files(source)? {
        let below = file.strip_prefix(source).unwrap_or(&file).with_extension("");
        let parts: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.iter().any(|part| part == "tests") {
            continue;
        }
        let is_head = matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main"));
        let module = parts[..parts.len() - usize::from(is_head)].join("::");
        let text = read_text(&file)?;
        texts.insert(module, text);
    }
    let known: BTreeSet<&str> = texts.keys().map(String::as_str).collect();
    let of = |(module, text): (&String, &String)| (module.clone(), named(module, text, &known));
    Ok(texts.iter().map(of).collect())
}

/// The known modules that the text of a module names.
fn named(module: &str, text: &str, known: &BTreeSet<&str>) -> BTreeSet<String> {
    let code: String = shipped(text).into_iter().flat_map(|line| [line.code, " "]).collect();
    let mut found = BTreeSet::new();
    for head in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(head) {
            let is_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || "_:$".contains(c));
            if !is_word {
                paths(&code[at..], String::new(), &mut |path| found.extend(resolved(module, path, known)));
            }
        }
    }
    found.remove(module);
    found
}

/// Every path that begins here, with groups in braces split up; returns what follows.
fn paths<'t>(text: &'t str, before: String, found: &mut dyn FnMut(&str)) -> &'t str {
    let end = text.find(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).unwrap_or(text.len());
    let (path, mut rest) = text.split_at(end);
    let path = before + path;
    if !(path.ends_with("::") && rest.starts_with('{')) {
        found(path.trim_end_matches("::"));
        return rest;
    }
    rest = rest[1..].trim_start();
    while !rest.is_empty() && !rest.starts_with('}') {
        let after = paths(rest, path.clone(), found);
        // An item may go on (`as name`, generics): up to the next comma or the end of the group.
        let after = after.trim_start_matches(|c: char| !",{}".contains(c));
        let after = after.strip_prefix(',').unwrap_or(after).trim_start();
        rest = if after.len() < rest.len() { after } else { "" };
    }
    rest.strip_prefix('}').unwrap_or(rest)
}

/// The longest known module at the beginning of a path that `module` writes.
fn resolved(module: &str, path: &str, known: &BTreeSet<&str>) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
    for part in path.split("::") {
        match part {
            "crate" => base.clear(),
            "super" => drop(base.pop()),
            "self" => {}
            part => base.push(part),
        }
    }
    let longest =
        (1..=base.len()).rev().map(|n| base[..n].join("::")).find(|name| known.contains(name.as_str()));
    longest.filter(|_| path.contains("::"))
}

/// The sets of modules that reach each other.
fn circles(names: &Names) -> Vec<BTreeSet<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        names.keys().map(|from| (from.as_str(), reached(names, from))).collect();
    let mut circles: Vec<BTreeSet<String>> = Vec::new();
    for (module, far) in reach.iter().filter(|(module, far)| far.contains(*module)) {
        if circles.iter().any(|circle| circle.contains(*module)) {
            continue;
        }
        let back = far.iter().filter(|other| reach[*other].contains(module));
        circles.push(back.map(|other| (*other).to_owned()).collect());
    }
    circles
}

fn reached<'n>(names: &'n Names, from: &str) -> BTreeSet<&'n str> {
    let (mut far, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(module) = waiting.pop() {
        for next in names.get(module).into_iter().flatten() {
            if far.insert(next.as_str()) {
                waiting.push(next);
            }
        }
    }
    far
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(modules: &[(&str, &str)]) -> Vec<Vec<String>> {
        let known: BTreeSet<&str> = modules.iter().map(|(name, _)| *name).collect();
        let names: Names =
            modules.iter().map(|(name, text)| ((*name).to_owned(), named(name, text, &known))).collect();
        circles(&names).into_iter().map(|circle| circle.into_iter().collect()).collect()
    }

    #[test]
    fn a_circle_is_found_however_it_is_written() {
        assert_eq!(found(&[("a", "use crate::b::B;"), ("b", "use super::a::{self, A};")]), [["a", "b"]]);
        assert_eq!(
            found(&[
                ("a", "fn f() { crate::b::g() }"),
                ("b", "use crate::{c::{D, E}, x};"),
                ("c", "use crate::a;")
            ]),
            [["a", "b", "c"]]
        );
        assert_eq!(
            found(&[("p::a", "use super::b::B;"), ("p::b", "use self::super::a::A;"), ("p", "")]),
            [["p::a", "p::b"]]
        );
    }

    #[test]
    fn what_is_no_circle_is_none() {
        let none: &[Vec<String>] = &[];
        assert_eq!(found(&[("a", "use crate::b::B;"), ("b", "")]), none);
        assert_eq!(found(&[("p", "mod a;\npub use a::A;"), ("p::a", "use super::P;")]), none);
        assert_eq!(found(&[("a", "use crate::b::B;"), ("b", "// use crate::a::A;")]), none);
        assert_eq!(
            found(&[("a", "use crate::b::B;"), ("b", "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}")]),
            none
        );
    }
}
