//! `fathom man`: the manual pages, made from the same definitions as `--help` and `fathom help`.

mod synopsis;

use super::help::{self, HelpArgs, NameParser};
use crate::failure::{Exit, Failure, print, say};
use crate::help::{examples, topic};
use crate::screen::Screen;
use clap::{Args, Command};
use clap_mangen::Man;
use fathom_text::shell::quoted_carried;
use std::fmt::Write;
use std::io;

/// What `--help` says after the arguments.
const HELP: &str = "\
The package has all pages: man fathom-quick. Without it, save a page and read it:
  fathom man quick > fathom-quick.1
  man ./fathom-quick.1";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ManArgs {
    /// A command, such as `tune plan`, or a topic of `fathom help`; without it, the page of fathom
    #[arg(value_name = "COMMAND_OR_TOPIC", value_parser = NameParser, hide_possible_values = true)]
    pub words: Vec<String>,
    /// List all pages: the name of each, and the words that print it
    #[arg(long, conflicts_with = "words")]
    pub list: bool,
}

/// Runs the command. `root` has all commands.
pub fn run(args: &ManArgs, root: Command) -> Result<Exit, Failure> {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let text = match (args.list, page(&root, &args.words)) {
        (true, _) => list(&root),
        (false, Some(page)) => page.map_err(|e| Failure::new(Exit::Failed, e))?,
        (false, None) => {
            let message = format!("there is no manual page for {}", args.words.join(" "));
            return Err(Failure::new(Exit::Usage, message).hint("fathom man --list"));
        }
    };
    match Screen::stdout().is_terminal && !args.list {
        true => readable(args, root),
        false => print(&text).map(|()| Exit::Ok),
    }
}

/// On a terminal, the same as plain text, because a page is written for the program man.
fn readable(args: &ManArgs, root: Command) -> Result<Exit, Failure> {
    let exit = help::run(&HelpArgs { words: args.words.clone() }, root)?;
    let words: Vec<String> = args.words.iter().map(|word| quoted_carried(word).to_string()).collect();
    say(&format!("note: this is the text; to read the manual page: {} | man -l -", line(&words)));
    Ok(exit)
}

/// The command line that prints a page.
fn line(words: &[String]) -> String {
    [&["fathom".to_owned(), "man".to_owned()], words].concat().join(" ")
}

/// The page of a command or a topic.
fn page(root: &Command, words: &[String]) -> Option<io::Result<String>> {
    let command = words.iter().try_fold(root, |command, word| {
        command.get_subcommands().find(|below| below.get_name() == word && !below.is_hide_set())
    });
    match (command, words) {
        (Some(command), _) => Some(of_command(command, words)),
        (None, [word]) => topic::find(word).map(|topic| Ok(of_topic(topic))),
        _ => None,
    }
}

/// One line for each page: `fathom-tune-plan.1 tune plan`.
fn list(root: &Command) -> String {
    let mut lines = String::from("fathom.1\n");
    list_below(root, &[], &mut lines);
    for topic in topic::TOPICS {
        let _ = writeln!(lines, "fathom-{}.7 {}", topic.name, topic.name);
    }
    lines
}

fn list_below(command: &Command, above: &[&str], lines: &mut String) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
    {
        let path: Vec<&str> = above.iter().copied().chain([below.get_name()]).collect();
        let _ = writeln!(lines, "fathom-{}.1 {}", path.join("-"), path.join(" "));
        list_below(below, &path, lines);
    }
}

fn of_command(command: &Command, words: &[String]) -> io::Result<String> {
    let name = ["fathom"].into_iter().chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
    let has_own_page = words.is_empty();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    // Examples and topics have sections of their own here.
    let command = command.clone().before_help("").before_long_help("");
    let man =
        Man::new(command.clone()).title(name.to_uppercase()).section("1").source(SOURCE).manual("fathom");
    let mut out = Vec::new();
    man.render_title(&mut out)?;
    let mut text = String::from_utf8_lossy(&out).into_owned();
    let _ = write!(text, "{RAGGED}.SH NAME\n{} \\- {}\n", escaped(&name), escaped(&about));
    synopsis::section(&command, words, &mut text);
    let mut out = Vec::new();
    man.render_description_section(&mut out)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut out)?;
    }
    // The preamble of the page is there already.
    let sections = String::from_utf8_lossy(&out).replace(PREAMBLE, "");
    text.push_str(&sections);
    commands(&command, &name, &mut text);
    examples_of(&words.join(" "), &mut text);
    if has_own_page {
        text.push_str(".SH EXIT STATUS\n");
        body(topic::find("exit-codes").map_or("", |topic| topic.text), &mut text);
    }
    see_also(has_own_page, &mut text);
    Ok(text)
}

/// What every page begins with: the apostrophe, for roff of every kind.
const PREAMBLE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// Lines are not stretched, and no option is hyphenated.
const RAGGED: &str = ".nh\n.ad l\n";

const SOURCE: &str = concat!("fathom ", env!("CARGO_PKG_VERSION"));

/// The commands below, each with its page.
fn commands(command: &Command, name: &str, text: &mut String) {
    let below: Vec<&Command> = command.get_subcommands().filter(|below| !below.is_hide_set()).collect();
    if !below.is_empty() {
        text.push_str(".SH COMMANDS\n");
    }
    for below in below {
        let about = below.get_about().map(ToString::to_string).unwrap_or_default();
        let page = format!("{name}-{}", below.get_name());
        let _ = write!(text, ".TP\n.BR {} (1)\n{}\n", escaped(&page), escaped(&about));
    }
}

fn examples_of(path: &str, text: &mut String) {
    let examples = match path {
        "" => examples::of("quick").iter().chain(examples::of("run")).collect::<Vec<_>>(),
        path => examples::of(path).iter().collect(),
    };
    if !examples.is_empty() {
        text.push_str(".SH EXAMPLES\n");
    }
    for example in examples {
        let _ = write!(text, ".TP\n.B {}\n{}\n", escaped(example.line), escaped(example.does));
    }
}

fn see_also(is_first: bool, text: &mut String) {
    text.push_str(".SH SEE ALSO\n");
    let topics =
        topic::TOPICS.iter().map(|topic| format!(".BR fathom\\-{} (7)", topic.name.replace('-', "\\-")));
    let first = (!is_first).then(|| ".BR fathom (1)".to_owned());
    let pages: Vec<String> = first.into_iter().chain(topics).collect();
    text.push_str(&(pages.join(",\n") + "\n"));
}

/// A topic as a page of section 7.
fn of_topic(topic: &topic::Topic) -> String {
    let name = format!("fathom-{}", topic.name);
    let title = format!(".TH {} 7 \"\" \"{SOURCE}\" \"fathom\"\n", name.to_uppercase());
    let mut text = format!("{PREAMBLE}{title}{RAGGED}");
    let _ = write!(text, ".SH NAME\n{} \\- {}\n.SH DESCRIPTION\n", escaped(&name), escaped(topic.about));
    body(topic.text, &mut text);
    see_also(false, &mut text);
    text
}

/// The text of a topic: headings, paragraphs, and indented lines as they are.
fn body(topic: &str, text: &mut String) {
    for block in topic.trim_end().split("\n\n") {
        let lines: Vec<&str> = block.lines().collect();
        match lines.as_slice() {
            [one] if !one.starts_with(' ') && !one.ends_with(['.', ':', '?']) => {
                let _ = writeln!(text, ".SS {}", escaped(one));
            }
            lines => paragraph(lines, text),
        }
    }
}

/// Lines at the margin are filled by man; lines that are indented below them stay.
fn paragraph(lines: &[&str], text: &mut String) {
    text.push_str(".PP\n");
    let is_table = lines.iter().any(|line| line.starts_with(' '));
    if is_table {
        text.push_str(".nf\n");
    }
    for line in lines {
        let _ = writeln!(text, "{}", escaped(line));
    }
    if is_table {
        text.push_str(".fi\n");
    }
}

/// Text that means nothing to roff.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
    match text.starts_with('.') {
        true => format!("\\&{text}"),
        false => text,
    }
}
