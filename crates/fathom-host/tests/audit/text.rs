//! The audit as a person reads it, on screens of several widths.

use std::path::Path;

use fathom_device::tree::Tree;
use fathom_device::{Goal, Root};
use fathom_host::audit::{Audit, AuditText, JobNeeds, Scene, TuneCommand};
use fathom_text::style::Style;

fn audit(name: &str) -> Audit {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/trees/{name}.tree"));
    let tree = Tree::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    Audit::take(&Scene::new(&Root::held(&tree), &[], JobNeeds::default(), None))
}

fn text(goal: Option<Goal>, all: bool, style: Style) -> String {
    let targets = ["/dev/nvme0n1", "/dev/sda"].map(Into::into).to_vec();
    let tune = Some(TuneCommand {
        targets,
        changes: Some(vec!["sys.aio".to_owned(), "blk.wbt".to_owned()]),
        ..TuneCommand::default()
    });
    audit("downgraded").to_text(&AuditText { goal, is_root: true, all, tune, style }).to_string()
}

#[test]
fn at_every_width() {
    for width in [60, 80, 100, 200] {
        let style = Style { width, ..Style::PLAIN };
        for all in [false, true] {
            let text = text(None, all, style);
            for line in text.lines().filter(|line| !line.starts_with("     fathom ")) {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
        insta::assert_snapshot!(format!("at_{width}"), text(None, false, style));
    }
}

#[test]
fn in_colour() {
    let style = Style { colour: true, width: 80, ..Style::PLAIN };
    insta::assert_snapshot!(text(Some(Goal::Latency), false, style).replace('\x1b', "ESC"));
}

#[test]
fn a_host_without_findings_says_so_first() {
    let view = AuditText { goal: None, is_root: true, all: false, tune: None, style: Style::PLAIN };
    let text = audit("server").to_text(&view).to_string();
    assert!(text.starts_with("Nothing needs to be changed for any goal.\n"), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
}

#[test]
fn without_utf_8_there_is_only_ascii() {
    assert!(text(None, true, Style { utf8: false, ..Style::PLAIN }).is_ascii());
}
