//! The first screen of `quick` for simulated results: what it says, and that it fits.

mod scenes;

use fathom_report::terminal::{Style, summary};

const WIDTHS: [usize; 4] = [60, 80, 100, 200];

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[test]
fn the_first_screen_of_each_scene() {
    for (name, run) in scenes::all() {
        let at = |width| summary(&run, Style { width, ..Style::PLAIN }).as_str().to_owned();
        let pages = WIDTHS.map(|width| format!("{width} columns\n\n{}", at(width)));
        insta::assert_snapshot!(name, pages.join("\n"));
    }
}

/// `quick --datasheet`: each verdict, and a line for each job and direction.
#[test]
fn a_data_sheet_hides_no_job() {
    for scene in ["sata", "loop", "interrupted"] {
        for (name, run) in scenes::beside_a_sheet(scene) {
            let pages = WIDTHS.map(|width| {
                let page = summary(&run, Style { width, ..Style::PLAIN }).as_str().to_owned();
                let jobs = [
                    "seq-read",
                    "rand-read-lat",
                    "rand-read-iops",
                    "seq-write",
                    "rand-write",
                    "mixed-70-30 ",
                ];
                let all = jobs
                    .iter()
                    .filter(|job| run.jobs.iter().any(|it| it.planned.name.starts_with(job.trim_end())));
                for job in all {
                    assert!(page.contains(&format!("\n{job}")), "{job} of {name} at {width}:\n{page}");
                }
                assert!(
                    page.lines().count() <= 22 && page.contains("\nsheet    "),
                    "{name} at {width}:\n{page}"
                );
                format!("{width} columns\n\n{page}")
            });
            insta::assert_snapshot!(format!("sheet_{name}"), pages.join("\n"));
        }
    }
}

#[test]
fn the_colours_of_each_scene() {
    let pages = scenes::all().into_iter().map(|(name, run)| {
        let page = summary(&run, Style { width: 80, colour: true, ..Style::PLAIN });
        format!("{name}\n\n{}", page.replace('\x1b', "ESC"))
    });
    insta::assert_snapshot!("colours", pages.collect::<Vec<_>>().join("\n"));
}

/// The next command breaks only between words of the shell, so a long path has a line of its own.
fn is_one_word(line: &str) -> bool {
    line.trim_start().starts_with('\'') && line.trim_end_matches(" \\").ends_with('\'')
}

#[test]
fn a_red_headline_says_whose_it_is_and_what_ran() {
    let (_, run) = scenes::all().into_iter().find(|(name, _)| *name == "several").unwrap();
    let page = summary(&run, Style { width: 80, ..Style::PLAIN });
    for words in [
        "3 jobs of 2 s, in 2 stages",
        "60,000 of 80,000 I/Os of reads-of-the-raw-device-at-depth-eight failed",
        "memory: memory was measured, not a disk",
        "latency: completion, of esc\\x1b[31mape from the planned start",
        "p50",
        "p99.9",
    ] {
        let flat = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}:\n{}", page.as_str());
    }
}

#[test]
fn no_job_loses_its_last_line_before_another_has_two() {
    let page = |scene: &str, width| {
        let (_, run) = scenes::all().into_iter().find(|(name, _)| *name == scene).unwrap();
        summary(&run, Style { width, ..Style::PLAIN }).as_str().to_owned()
    };
    for width in WIDTHS {
        let busy = page("foreign", width);
        let all = [
            "seq-read-b",
            "rand-read-latency ",
            "rand-read-iops ",
            "seq-write-b",
            "rand-write-iops ",
            "mixed-70-30 r",
        ];
        for name in all {
            assert!(busy.contains(&format!("\n{name}")), "{name} at {width}:\n{busy}");
        }
        let several = page("several", width);
        for name in ["\nreads-of-", "\nesc\\x1b[31mape ", "\nmemory "] {
            assert!(several.contains(name), "{name} at {width}:\n{several}");
        }
        let clones = page("clones", width);
        for name in ["\nreaders ", "\nmixed read ", "\nmixed write ", "\nwriter "] {
            assert_eq!(clones.matches(name).count(), 1, "{name} at {width}:\n{clones}");
        }
        let group = page("group", width);
        for name in ["\npages read ", "\nwal write ", "\nwal sync ", "8k randread QD16 ×2", "4k write QD1"] {
            assert!(group.contains(name), "{name} at {width}:\n{group}");
        }
    }
}

/// A scene has a third of the widths. By hand, all of them: `FATHOM_WIDTHS_APART=1 cargo test -p fathom --test end_to_end it_fits`.
#[test]
fn it_fits_every_width_and_colour_changes_no_word() {
    let apart =
        std::env::var("FATHOM_WIDTHS_APART").map_or(3, |text| text.parse().expect("a number of columns"));
    for (at, (name, run)) in scenes::all().into_iter().enumerate() {
        // No column appears or goes beyond 120.
        let some = (60..=120).filter(|width| width % apart == at % apart || WIDTHS.contains(width));
        for width in some.chain((130..=200).step_by(10)) {
            let plain = summary(&run, Style { width, ..Style::PLAIN }).as_str().to_owned();
            let wide = plain.lines().find(|line| line.chars().count() > width && !is_one_word(line));
            assert_eq!(wide, None, "{name} at {width}");
            assert!(plain.lines().count() <= 22, "{name} at {width}:\n{plain}");
            // Colours and letters change no layout, so a few widths are enough.
            if !WIDTHS.contains(&width) {
                continue;
            }
            let coloured = summary(&run, Style { width, colour: true, ..Style::PLAIN });
            assert_eq!(without_colours(&coloured), plain, "{name} at {width}");
            let ascii = summary(&run, Style { width, utf8: false, ..Style::PLAIN });
            assert!(ascii.is_ascii() && ascii.lines().count() == plain.lines().count(), "{name} at {width}");
        }
    }
}

#[test]
fn what_is_not_a_disk_is_said_first_and_in_the_place_of_the_result() {
    for (name, words) in [
        ("tmpfs", "Memory was measured, not a disk"),
        ("loop", "A loop device was measured, not a disk"),
        ("foreign", "Other programs used the same disk meanwhile"),
    ] {
        let (_, run) = scenes::all().into_iter().find(|(known, _)| *known == name).unwrap();
        let answer = run.record.answer.as_ref().unwrap();
        assert!(fathom_report::words::instead(answer).unwrap().starts_with(words), "{answer:#?}");
        assert_eq!(answer.class, None);
        let page = summary(&run, Style::PLAIN);
        assert!(
            page.contains(words) && !page.contains(&fathom_report::words::headline(&answer.result)),
            "{}",
            page.as_str()
        );
    }
}
