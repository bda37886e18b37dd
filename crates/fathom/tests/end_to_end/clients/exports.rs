//! Forms of other programs, each read back by a program of its kind: Prometheus' parser, gnuplot, a reader of JUnit's XML, a renderer
//! of Markdown. A log of HdrHistogram is read back in `fathom-report`.

use crate::support::{fathom, must};

/// A name with every sign that some form would have to escape.
const NAME: &str = "a, \"b\" <c>|d=e*_\\";

#[test]
fn the_figures_of_each_form_are_those_of_the_document() {
    let dir = tempfile::tempdir().unwrap();
    let job = format!(
        "[global]\nioengine=sim\nfilename=sim:consumer/64\nruntime=3s\ntime_based\n[{NAME}]\nrw=randread\niodepth=8\n[mix]\n\
         stonewall\nrw=randrw\n"
    );
    std::fs::write(dir.path().join("j.fio"), job).unwrap();
    must(fathom(dir.path()).args(["run", "j.fio", "--runs-dir", "r"]));
    let report = |form: &str, more: &[&str]| {
        let words = ["report", "--runs-dir", "r", "--output-format", form];
        let text = must(fathom(dir.path()).args(words).args(more));
        std::fs::write(dir.path().join(form), text).unwrap();
    };
    for form in ["document", "openmetrics", "gnuplot", "influx"] {
        report(form, &["--series"]);
    }
    for form in ["junit", "markdown"] {
        report(form, &[]);
    }
    let reader = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/end_to_end/clients/read_exports.py");
    let mut command = std::process::Command::new("/usr/bin/python3");
    must(command.arg(reader).arg(NAME).current_dir(dir.path()));
    for words in [&["gnuplot"][..], &["-e", "output=\"x.png\"; set term pngcairo", "gnuplot"]] {
        must(std::process::Command::new("gnuplot").args(words).current_dir(dir.path()));
    }
    for picture in ["fathom.svg", "x.png"] {
        assert!(std::fs::metadata(dir.path().join(picture)).unwrap().len() > 10_000, "{picture}");
    }
}

/// A figure that is worse fails, one that is better or the same passes, and one that is not known is skipped.
#[test]
fn a_comparison_is_a_test_for_each_figure() {
    let dir = tempfile::tempdir().unwrap();
    let values = ["old:up=100,101,102", "old:down=100,101,102", "old:open=50,150,100", "new:up=200,201,202"];
    let values = values.into_iter().chain(["new:down=50,51,52", "new:open=60,160,110"]);
    let words = values.flat_map(|of| ["--values", of]);
    let compared = |form| {
        let mut command = fathom(dir.path());
        must(command.arg("compare").args(words.clone()).args(["--output-format", form]))
    };
    let junit = compared("junit");
    assert!(junit.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""), "{junit}");
    let failed = junit.lines().find(|line| line.contains("<failure")).unwrap();
    assert!(failed.contains("type=\"worse\"") && failed.contains("down: worse −49.5 %"), "{failed}");
    let markdown = compared("markdown");
    let rows: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    let (heads, lines) = rows.split_first().unwrap();
    assert_eq!((*heads, lines.len()), ("| figure | A | B | B against A | verdict |", 4), "{markdown}");
    assert!(lines.iter().any(|line| line.contains("down") && line.ends_with("| worse |")), "{markdown}");
}
