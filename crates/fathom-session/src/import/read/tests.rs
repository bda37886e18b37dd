//! Files that cannot be read, and the notes of those that can.

use super::*;
use fathom_figures::fio::FioLogKind;
use std::fs;
use std::time::Duration;

/// Notes, or the error with its hints, of one file.
fn imported(name: &str, bytes: &[u8], terms: &ImportTerms) -> Result<Imported, String> {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(name);
    fs::write(&path, bytes).unwrap();
    let without = |text: &str| text.replace(&format!("{}/", place.path().display()), "");
    let read = read(&[ImportSource { path, found: FoundBy::Name }], terms);
    let mut imported = read.map_err(|e| without(&format!("{} | {}", e.message, e.hints.join(" | "))))?;
    imported.notes.iter_mut().for_each(|note| *note = without(note));
    Ok(imported)
}

#[test]
fn each_bad_file_has_an_error_that_says_what_to_do() {
    let cases: [(&str, &[u8], &str); 14] = [
        ("x_bw.1.log", b"", "there is nothing to import: x_bw.1.log: it is empty"),
        ("x_bw.1.log", b"words\nwords\n", "no line of 2 can be read; line 1: it holds something that is not"),
        (
            "x_bw.1.log",
            b"\0\0\0\0",
            "line 1 is not of a log: it holds a NUL byte, which no log has | a line of a log is",
        ),
        (
            "x_bw.1.log",
            b"1, 2, 0, 4096\n3, 4, 0, 4096\n\0\0\0",
            "line 3 is not of a log: it holds a NUL byte, which no log has | the lines before it may be read: head -n 2 ",
        ),
        ("x_bw.1.log", b"\x1f\x8b\x08rest", "this is compressed | fathom import --kind bw <(zcat "),
        ("x_bw.1.log.fz", b"x\x9c", "fio --inflate-log="),
        ("x_clat_hist.1.log", b"1, 0, 4096, 0, 0\n", "another number of buckets than fio's histograms"),
        ("x.txt", b"a: (g=0): rw=read, bs=(R) 4096B-4096B\nfio-3.33\n", "a result of fio, but without a job"),
        ("x.log", b"fio version 2 iolog\n", "a log of I/Os for replaying"),
        ("x.log", b"1, 2, 0, 4096\n", "its name does not say what its values are | say it with --kind"),
        ("x_lat.1.log", b"1, 1, 0, 4096\n2, 1, 0, 4096\n", "all values are 1, so this is a log of IOPS"),
        ("x.json", b"{\n\"fio version\": \"fio-3\", \"jobs\": [\n", "line 3, column 0: not whole JSON"),
        ("x.json", b"nothing", "JSON, but not that of fio"),
        ("x.terse", b"3;fio-3.33;a;0;0;1\n", "line 1: terse version 3 has at least 87 fields"),
    ];
    for (name, bytes, sentence) in cases {
        let error = imported(name, bytes, &ImportTerms::default()).expect_err(name);
        assert!(error.contains(sentence) && error.contains(name), "{error}");
    }
}

#[test]
fn what_is_left_out_or_understood_is_told() {
    let cases: [(&str, &[u8], &str); 7] = [
        (
            "x_bw.1.log",
            b"500, 2, 0, 0\n500, 3, 0, 0\n1000, 2, 0, 0\n",
            "1 of 3 lines has the time of the line before it",
        ),
        (
            "x_bw.1.log",
            b"500, 2, 0, 0\n1000, 2, 0, 0\n1500, 0, 0, 0\n2000, 0, 0, 0\n",
            "the last 2 lines are 0, from 1 s on",
        ),
        (
            "x_iops.1.log",
            b"500, 2, 0, 0\n1000, 2, 0, 0\n900, 9, 0, 0\n",
            "in 1 line, time goes back, so it is left out",
        ),
        ("x_bw.1.log", b"1, 2, 0, 4096\n3, 4, 0, 40", "the last line (line 2) has no end and is left out"),
        ("x_bw.1.log", b"1, 2, 0, 4096\nx\ny\n", "2 of 3 lines are left out; the first is line 2"),
        ("x_bw.1.log", b"50, 2, 0, 4096\n20, 4, 0, 4096\n", "in 1 line, time goes back"),
        ("x_lat.1.log", b"1, 2, 0, 4096\n", "--latency-unit us"),
    ];
    for (name, bytes, sentence) in cases {
        let imported = imported(name, bytes, &ImportTerms::default()).expect(name);
        assert!(imported.notes.iter().any(|note| note.contains(sentence)), "{:?}", imported.notes);
    }
    let newer = imported("x_lat.1.log", b"1, 2, 0, 4096, 0\n", &ImportTerms::default()).unwrap();
    assert_eq!(newer.notes, Vec::<String>::new());
}

/// T-12: `*.log` raised an error in fio2gnuplot.
#[test]
fn among_files_that_were_found_those_of_others_are_passed_over() {
    let place = tempfile::tempdir().unwrap();
    let files = [
        ("x_bw.1.log", "1, 2, 0, 4096, 0\n"),
        ("iolog.log", "fio version 2 iolog\n"),
        ("install.log", "words\n"),
        ("package.json", "{}"),
    ];
    for (name, text) in files {
        fs::write(place.path().join(name), text).unwrap();
    }
    let by_pattern = crate::import::find(&[place.path().join("*.*")]).unwrap().sources;
    let imported = read(&by_pattern, &ImportTerms::default()).unwrap_or_else(|e| panic!("{}", e.message));
    assert_eq!(imported.logs.len(), 1);
    let named = |note: &String| {
        let files = note.strip_prefix("passed over, because they are no logs or results that are read: ")?;
        let names = files.split(", ").filter_map(|file| file.rsplit('/').next().map(str::to_owned));
        Some(names.collect::<Vec<_>>())
    };
    let passed_over: Vec<Vec<String>> = imported.notes.iter().filter_map(named).collect();
    assert_eq!(passed_over, [["install.log", "iolog.log", "package.json"]], "{:?}", imported.notes);
}

/// Results of any name in directories below the one that was named, and files of other programs.
#[test]
fn of_a_directory_every_file_that_holds_a_result_is_read() {
    let place = tempfile::tempdir().unwrap();
    let text = include_str!("../../../../fathom-figures/tests/fixtures/fio-text/flash-guide.txt");
    let json =
        "{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"a\", \"read\": {\"total_ios\": 900}}]}";
    let others =
        [("a.out", "words"), ("old/job.fio", "[a]\nrw=read\n"), ("old/image", "\0\0\0\0"), ("old/empty", "")];
    for (name, content) in [("old/2013/run1", text), ("old/r.txt", json)].into_iter().chain(others) {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let found = crate::import::find(&[place.path().to_owned()]).unwrap().sources;
    // A kind that is given is that of logs, and not of every file of a directory.
    let terms = ImportTerms { kind: Some(FioLogKind::Bandwidth), ..ImportTerms::default() };
    let imported = read(&found, &terms).unwrap_or_else(|e| panic!("{}", e.message));
    assert_eq!((imported.results.len(), imported.logs.len(), imported.unread.len()), (2, 0, 0));
    let notes: Vec<&String> = imported.notes.iter().filter(|note| note.starts_with("passed over")).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    let files = notes[0].split("that are read: ").nth(1).unwrap_or_default();
    assert_eq!(files.split(", ").count(), 4, "{files}");
    let none = read(&found[..1], &terms).unwrap_err();
    assert!(none.message.contains("there is nothing to import: passed over"), "{}", none.message);
}

#[test]
fn normal_output_hides_neither_json_nor_terse_lines() {
    let before = "a: (g=0): rw=read, bs=(R) 4096B-4096B\n".repeat(100) + "fio-3.33\nStarting 100 processes\n";
    let after = "\na: (groupid=0, jobs=1): err= 0: pid=1\n";
    let json = "{\n  \"fio version\" : \"fio-3.33\",\n  \"jobs\" : [\n{ \"jobname\" : \"NAME\", \"read\" : { \"total_ios\" : 1 } } ]\n}\n";
    let terse = format!("3;fio-3.33;a;0;0;4;4;1;1000{}{}\n", ";0".repeat(8), ";0%=0".repeat(20))
        + &";0".repeat(9 + 41);
    let terse = terse.replace('\n', "") + "\n";
    let named = json.replace("NAME", "x: (g=0): rw=read");
    for text in [format!("{before}{json}{after}"), format!("{before}{terse}{after}"), named] {
        let imported = imported("x.txt", text.as_bytes(), &ImportTerms::default()).expect(&text);
        assert_eq!(imported.results.len(), 1, "{text}");
    }
}

#[test]
fn runs_that_were_appended_to_one_file_are_results_of_their_own() {
    let tree = |ios: u64| {
        format!(
            "{{\"fio version\": \"fio-3.33\", \"jobs\": [{{\"jobname\": \"a\", \"read\": {{\"total_ios\": {ios}}}}}]}}\n"
        )
    };
    let of = |ios: &[u64]| {
        let text: String = ios.iter().map(|ios| tree(*ios)).collect();
        let read = imported("x.json", text.as_bytes(), &ImportTerms::default()).unwrap();
        (read.results.iter().map(|it| it.run).collect::<Vec<_>>(), read.notes)
    };
    let (runs, notes) = of(&[900, 800, 700]);
    assert_eq!(runs, [Some(1), Some(2), Some(3)]);
    assert_eq!(notes, ["x.json: it has 3 complete runs of fio, one behind the other: each is a result"]);
    let (runs, notes) = of(&[700, 800, 900]);
    assert_eq!(runs, [None]);
    assert_eq!(notes, ["x.json: 2 earlier states of the run (--status-interval) are left out"]);
}

/// The others are read, and what is told names the one that was not.
#[test]
fn one_file_that_cannot_be_read_does_not_stop_the_others() {
    let place = tempfile::tempdir().unwrap();
    let named = |(name, text): (&str, &str)| {
        let path = place.path().join(name);
        fs::write(&path, text).unwrap();
        ImportSource { path, found: FoundBy::Name }
    };
    let mut sources: Vec<ImportSource> = [
        ("cut.json", "{\"fio version\": \"x\", "),
        ("x_bw.1.log", "1, 2, 0, 4096\n"),
        ("y_bw.1.log", "words\n"),
    ]
    .map(named)
    .to_vec();
    sources.push(ImportSource { path: place.path().join("gone.json"), found: FoundBy::Name });
    let imported = read(&sources, &ImportTerms::default()).unwrap_or_else(|e| panic!("{}", e.message));
    let unread: Vec<&str> = imported.unread.iter().filter_map(|it| it.file.rsplit('/').next()).collect();
    assert_eq!((imported.logs.len(), unread), (1, vec!["cut.json", "y_bw.1.log", "gone.json"]));
    assert!(imported.unread[0].why.contains("not whole JSON"), "{:?}", imported.unread);
    let none = read(&sources[..1], &ImportTerms::default()).unwrap_err();
    assert!(none.message.contains("not whole JSON"), "{}", none.message);
}

/// A sparse file is not read behind its first hole, and a file that is one line is not read to its end.
#[test]
fn a_file_without_lines_is_not_read_to_its_end() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("s_bw.1.log");
    fs::write(&path, "1000, 2, 0, 0\n2000, 2, 0, 0\n").unwrap();
    File::options().write(true).open(&path).unwrap().set_len(1 << 36).unwrap();
    let mut sources = vec![ImportSource { path: path.clone(), found: FoundBy::Name }];
    let error = read(&sources, &ImportTerms::default()).unwrap_err();
    assert!(error.message.contains("line 3 is not of a log: it holds a NUL byte"), "{}", error.message);
    let long = place.path().join("l_bw.1.log");
    fs::write(&long, "7".repeat(2 * PIECE)).unwrap();
    sources[0].path = long;
    let error = read(&sources, &ImportTerms::default()).unwrap_err();
    assert!(error.message.contains("line 1 is not of a log: it is longer"), "{}", error.message);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_text() {
    let json =
        "{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"a\", \"read\": {\"total_ios\": 900}}]}";
    for (name, text) in [("x.json", json), ("x_bw.1.log", "1000, 2, 0, 0\n2000, 2, 0, 0\n")] {
        let read = imported(name, format!("\u{feff}{text}").as_bytes(), &ImportTerms::default()).expect(name);
        let (all, left_out) =
            (read.results.len() + read.logs.len(), read.logs.first().map(|it| it.log.left_out.lines));
        assert_eq!((all, left_out.unwrap_or(0)), (1, 0), "{:?}", read.notes);
    }
}

#[test]
fn a_file_of_proc_may_have_no_end() {
    for path in ["/proc/self/pagemap", "/proc/version"] {
        let source = ImportSource { path: path.into(), found: FoundBy::Name };
        let terms = ImportTerms { kind: Some(FioLogKind::Iops), ..ImportTerms::default() };
        let error = read(&[source], &terms).unwrap_err();
        assert!(error.message.contains("it has no length"), "{}", error.message);
    }
}

#[test]
fn a_window_without_lines_is_an_error() {
    let terms = ImportTerms { from: Duration::from_secs(9), ..ImportTerms::default() };
    let error = imported("x_bw.1.log", b"1, 2, 0, 4096\n", &terms).unwrap_err();
    assert!(error.starts_with("no line of the logs lies between"), "{error}");
}

#[test]
fn a_kind_that_is_given_counts_more_than_the_name() {
    let terms = ImportTerms { kind: Some(FioLogKind::Iops), ..ImportTerms::default() };
    let read = imported("x_lat.1.log", b"1, 1, 0, 4096\n2, 1, 0, 4096\n", &terms).unwrap();
    assert_eq!(read.kinds(), [FioLogKind::Iops]);
}
