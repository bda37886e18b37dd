//! Lines become commands, and commands become words.

use super::joined;

fn commands(text: &str) -> Vec<String> {
    joined::commands("page", text).commands.into_iter().map(|command| command.text).collect()
}

/// How a page broke a command, and the command.
#[test]
fn a_break_anywhere_is_joined() {
    let whole =
        "--rw=read --numjobs=4 --iodepth_batch_complete=4 --description=\"a b\" --cpus_allowed=1-4 --name=x";
    let broken = [
        whole.to_owned(),
        whole.replace("read --", "read --\n"),
        whole.replace("read --", "read -\n-"),
        whole.replace("read --", "read \n  --"),
        whole.replace("read --", "read \\\n--"),
        whole.replace("a b", "a\nb"),
        whole.replace("numjobs", "num-\njobs"),
        whole.replace("iodepth_batch_complete", "iodepth_batch_com-\nplete"),
        whole.replace("numjobs", "num\njobs"),
        whole.replace("1-4", "1-\n4"),
        whole.replace("numjobs=4", "numjobs=\n4"),
        whole.replace("read --", "read –").replace('"', "”"),
        whole.replace("read --", "read —"),
        whole.replace("1-4", "1–4"),
    ];
    for text in broken {
        for prompt in ["", "$ ", "# ", "$ sudo ", "  /usr/local/bin/"] {
            assert_eq!(commands(&format!("{prompt}fio {text}\n")), [whole], "{prompt}{text}");
        }
    }
}

#[test]
fn what_is_no_part_of_a_command_is_left_out() {
    let text = "4.1.1 fio-job-01 - Random\n```\nfio --rw=read --size=1m\nBest Practices 18\n--name=x\n```\n4.1.2 fio-job-02\nfio --name=y --size=1m\n";
    let joined = joined::commands("page", text);
    let texts: Vec<&str> = joined.commands.iter().map(|command| command.text.as_str()).collect();
    assert_eq!(texts, ["--rw=read --size=1m --name=x", "--name=y --size=1m"]);
    let left: Vec<usize> = joined.left_out.iter().map(|place| place.line).collect();
    assert_eq!(left, [1, 4, 7]);
    assert_eq!(joined.commands[1].place.line, 8);
}

#[test]
fn a_hyphen_that_belongs_to_a_name_stays() {
    assert_eq!(commands("fio --hugepage-\nsize=2m --name=x"), ["--hugepage-size=2m --name=x"]);
}

#[test]
fn words_are_those_of_a_shell() {
    let table = [
        ("a b", vec!["a", "b"]),
        ("--d=\"a b\" 'c \"d'", vec!["--d=a b", "c \"d"]),
        ("a\\ b \"c\\\"d\" ''", vec!["a b", "c\"d", ""]),
        ("", vec![]),
    ];
    for (line, words) in table {
        assert_eq!(super::words(line).unwrap(), words, "{line}");
    }
    assert!(super::words("a \"b").is_none() && super::words("a 'b").is_none());
}

/// The state that is carried from line to line is that of the whole text.
#[test]
fn a_quote_is_open_where_the_words_do_not_end() {
    for text in ["a", "a \"b", "a \"b\" 'c", "\\\"a", "\"a\\\"", "'a\\' b", "\"'\" '\""] {
        for at in 0..=text.len() {
            let quote = super::quote_after(None, &text[..at]);
            // A backslash belongs to the character behind it.
            if !text[..at].ends_with('\\') {
                assert_eq!(
                    super::quote_after(quote, &text[at..]).is_some(),
                    super::words(text).is_none(),
                    "{text} at {at}"
                );
            }
        }
    }
}
