//! The section SYNOPSIS of a manual page.

use super::escaped;
use clap::{Arg, Command};
use std::fmt::Write;

/// How the command is typed; each option with the name of its value.
pub(super) fn section(command: &Command, words: &[String], text: &mut String) {
    let name: Vec<&str> = ["fathom"].into_iter().chain(words.iter().map(String::as_str)).collect();
    let _ = writeln!(text, ".SH SYNOPSIS\n.B {}", escaped(&name.join(" ")));
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    for arg in shown().filter(|arg| !arg.is_positional()).chain(shown().filter(|arg| arg.is_positional())) {
        let typed = escaped(&typed(arg));
        let _ = match arg.is_required_set() {
            true => writeln!(text, "{typed}"),
            false => writeln!(text, "[{typed}]"),
        };
    }
    if command.has_subcommands() {
        text.push_str("COMMAND\n");
    }
}

/// An argument as it is typed: `--seconds TIME`, `-q|--quiet`, `TARGET`.
fn typed(arg: &Arg) -> String {
    let written = arg.to_string().replace(['<', '>'], "");
    let written = written.trim_start_matches('[');
    let written = if arg.is_positional() { written.replace(']', "") } else { written.to_owned() };
    match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(_)) => format!("-{short}|{written}"),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::section;
    use crate::cli;

    fn of(words: &[&str]) -> String {
        let mut root = cli::command().disable_help_subcommand(true);
        root.build();
        let command = words.iter().fold(&root, |above, word| above.find_subcommand(word).expect("a command"));
        let mut text = String::new();
        section(command, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), &mut text);
        text.replace('\\', "")
    }

    #[test]
    fn options_have_the_names_of_their_values() {
        let quick = of(&["quick"]);
        assert!(quick.starts_with(".SH SYNOPSIS\n.B fathom quick\n[--seconds TIME]\n"), "{quick}");
        assert!(quick.ends_with("[-q|--quiet]\n[--web[=PORT]]\n[-h|--help]\n[TARGET]\n"), "{quick}");
        let run = of(&["run"]);
        assert!(run.contains("\n[--plan[=FORM]]\n") && run.ends_with("\nFILES...\n"), "{run}");
        let stride = of(&["calc", "stride"]);
        assert!(stride.contains("\n--level LEVEL\n") && stride.contains("\n[--groups GROUPS]\n"), "{stride}");
        assert!(of(&["calc", "dma-delay"]).contains(".B fathom calc dma-delay\n"));
        assert!(of(&["tune"]).ends_with("\nCOMMAND\n"));
    }
}
