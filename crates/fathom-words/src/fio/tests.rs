//! Each oddity, from the result that has it to its sentence.

use super::{log_against_result, oddity};
use fathom_figures::fio::{FioOddity, LogAgainstResult, LogCause, fio_json, fio_terse, fio_text};

/// The oddities of a job with this object of reads, and more keys.
fn told(read: &str, more: &str) -> Vec<String> {
    let text = format!(
        "{{\"fio version\": \"fio-3.33\", \"jobs\": [{{\"jobname\": \"a\", {more} \"read\": {{{read}}}}}]}}"
    );
    fio_json(&text).unwrap().remove(0).oddities.iter().map(oddity).collect()
}

#[test]
fn what_contradicts_itself_is_told() {
    let sound = "\"total_ios\": 1000, \"io_bytes\": 4096000, \"io_kbytes\": 4000, \"runtime\": 10000, \"iops\": 100.0, \"bw_bytes\": 409600";
    assert_eq!(told(sound, ""), Vec::<String>::new());
    let clat = |inner: &str| format!("{sound}, \"clat_ns\": {{\"N\": 1000, {inner}}}");
    let cases = [
        (sound.replace("100.0", "-5.0"), "", "job a: read iops is -5, and it cannot be below zero"),
        (
            sound.replace("100.0", "900.0"),
            "",
            "job a: read iops is 900 1/s, but total_ios ÷ runtime is 100 1/s",
        ),
        (
            clat("\"min\": 1, \"max\": 10000, \"mean\": 5000.0, \"percentile\": {\"99.000000\": 90000}"),
            "",
            "job a: read clat p99 is 90,000 ns, but max is 10,000 ns",
        ),
        (
            clat(
                "\"min\": 1, \"max\": 100000, \"mean\": 5000.0, \"percentile\": {\"50.000000\": 90000, \"99.000000\": 9}",
            ),
            "",
            "job a: read clat p50 is 90,000 ns, but p99 is 9 ns",
        ),
        (
            clat("\"min\": 1, \"max\": 10000, \"mean\": 50000.0"),
            "",
            "job a: read clat mean is 50,000 ns, but max is 10,000 ns",
        ),
        (
            format!("{sound}, \"iops\": 100.5"),
            "",
            "\"iops\" stands twice with different values; the last one is read",
        ),
        (
            sound.to_owned(),
            "\"error\": 5, \"total_err\": 3,",
            "job a ended with error 5 (EIO: input/output error)",
        ),
        (sound.to_owned(), "\"total_err\": 3,", "job a: 3 I/Os failed"),
        (
            sound.replace("\"total_ios\": 1000", "\"total_ios\": -5"),
            "",
            "job a: read total_ios is -5, and it cannot be below zero",
        ),
        (
            sound.replace("\"total_ios\": 1000", "\"total_ios\": 0"),
            "",
            "job a: read iops is 100 1/s, but total_ios ÷ runtime is 0 1/s",
        ),
        (
            sound.replace("100.0", "\"100\""),
            "",
            "job a: read iops is \"100\", which is not a number, and is left out",
        ),
        (
            sound.replace("\"runtime\": 10000", "\"runtime\": 0"),
            "",
            "job a: read iops is 100 1/s, but its run time is 0",
        ),
        (
            clat("\"min\": 1, \"max\": 10000, \"mean\": 5000.0").replace("\"N\": 1000", "\"N\": 5"),
            "",
            "job a: read clat N is 5 I/Os, but total_ios is 1,000 I/Os",
        ),
        (
            clat("\"min\": 1, \"max\": \"x\", \"mean\": 5000.0"),
            "",
            "job a: read clat max is \"x\", which is not a number, and is left out",
        ),
        ("\"total_ios\": 0".to_owned(), "", "job a has no I/O"),
        (
            clat("\"mean\": 5000.0")
                .replace("clat", "lat")
                .replace("5000.0", "30000000.0, \"max\": 40000000"),
            "\"job options\": {\"iodepth\": \"1\"},",
            "job a: read iops × mean lat is 3 in flight, but the depth of all jobs is 1 in flight",
        ),
    ];
    let held =
        told(&clat("\"mean\": 9900000.0, \"max\": 40000000").replace("clat", "lat"), "\"job options\": {},");
    assert_eq!(held, Vec::<String>::new(), "0.99 in flight of 1");
    for (read, more, expected) in cases {
        let told = told(&read, more);
        assert!(told.iter().any(|said| said == expected), "{expected}: {told:?}");
    }
}

#[test]
fn other_lines_before_and_behind_are_told() {
    let tree =
        "{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"a\", \"read\": {\"total_ios\": 1}}]}";
    let text = format!("fio: file is too large\n{{ a line with a brace\n{tree}\n\nRun status:\n  READ\n");
    let told: Vec<String> = fio_json(&text).unwrap().remove(0).oddities.iter().map(oddity).collect();
    assert_eq!(told[0], "2 other lines stand before the JSON; the first is \"fio: file is too large\"");
    assert_eq!(told[1], "2 other lines stand behind the JSON; the first is \"Run status:\"");
}

fn direction(kib: &str) -> String {
    let empty = ["1.000000%=7", "99.000000%=1192"].into_iter().chain(std::iter::repeat_n("0%=0", 18));
    let percentiles: Vec<&str> = empty.collect();
    format!(
        "{kib};400;100;10000;0;0;0;0;1;13505;344.26;5;{};2;13510;350;6;1;2;100%;3;4",
        percentiles.join(";")
    )
}

fn line(name: &str) -> String {
    format!(
        "3;fio-3.33;{name};0;0;{};{};1%;2%;3",
        direction("4000"),
        direction("0").replace(";400;100;", ";0;0;")
    )
}

#[test]
fn what_contradicts_itself_in_a_terse_line_is_told() {
    let told = |text: &str| -> Vec<String> { fio_terse(text).unwrap().oddities.iter().map(oddity).collect() };
    assert_eq!(told(&line("a")), Vec::<String>::new());
    for (from, to, expected) in [
        ("4000;400;100;", "4000;400;-5;", "job a: read iops is -5, and it cannot be below zero"),
        (
            "4000;400;100;",
            "4000;400;99999;",
            "job a: read bw ÷ iops is 4.1 B, and no device has blocks that small",
        ),
        ("100;10000;", "100;0;", "job a: read iops is 100 1/s, but its run time is 0"),
        ("100;10000;", "100;-7;", "job a: read runtime is -7, and it cannot be below zero"),
        ("4000;400;", "4000;900;", "job a: read bw is 921,600 B/s, but io_bytes ÷ runtime is 409,600 B/s"),
        (
            "99.000000%=1192",
            "99.000000%=119200",
            "job a: read clat p99 is 119,200,000 ns, but max is 13,505,000 ns",
        ),
    ] {
        let text = line("a").replacen(from, to, 1);
        assert!(told(&text).iter().any(|said| said == expected), "{expected}: {:?}", told(&text));
    }
    let around = format!("fio: a warning\n{}\nRun status:\n", line("a"));
    assert_eq!(
        told(&around),
        ["2 other lines stand beside the terse lines; the first is \"fio: a warning\""]
    );
}

/// The slips of the sample that two guides print (V-27, V-28, V-29, H-23).
#[test]
fn each_slip_of_the_sample_of_two_guides_is_told() {
    let vsl = include_str!("../../../fathom-figures/tests/fixtures/fio-text/vsl-guide.txt");
    let flash = include_str!("../../../fathom-figures/tests/fixtures/fio-text/flash-guide.txt");
    for (text, job, disk) in [(vsl, "/dev/fioa", "fioa"), (flash, "/dev/vs_fio_test", "vs_fio_test")] {
        let told: Vec<String> = fio_text(text).unwrap()[0].oddities.iter().map(oddity).collect();
        let expected = [
            format!("job {job}: write io is 7,359,535,514 B, but total issued × bs is 7,358,849,024 B"),
            format!("job {job}: rw=rw reads and writes, but there is only write I/O in the result"),
            format!(
                "job {job}: the shares of all depths are 115.4 % together: fio counted the depths of the ramp, and its I/Os only after it"
            ),
            format!(
                "8,637,747 write requests reached {disk}, and the jobs did 14,372,752 write I/Os: so requests were merged, or a cache \
                 answered some"
            ),
        ];
        // Before them, the lines of a page that are not fio's.
        assert!(told.ends_with(&expected), "{told:#?}");
    }
}

#[test]
fn what_cannot_be_true_of_a_text_is_told() {
    let text = include_str!("../../../fathom-figures/tests/fixtures/fio-text/flash-guide.txt");
    for (from, to, expected) in [
        ("99.99th=[ 1144]", "99.99th=[ 2860]", "write clat p99.99 is 2,860,000 ns, but max is 2,059,000 ns"),
        ("max=2059 ", "max=-2059 ", "write clat max is -2059000, and it cannot be below zero"),
        ("iops=479075", "iops=47907", "write iops is 47,907 1/s, but total_ios ÷ runtime is"),
        ("99.99th=[ 1144]", "99.99th=[16711680]", "write clat p99.99 is 16.71 s, where fio's histogram ends"),
        ("rw=rw", "rw=read", "rw=read does no write I/O, but the result has it"),
        ("bs=512-512/512-512", "bs=4K-4K/4K-4K", "write bs × iops is"),
    ] {
        let told: Vec<String> =
            fio_text(&text.replace(from, to)).unwrap()[0].oddities.iter().map(oddity).collect();
        assert!(told.iter().any(|one| one.contains(expected)), "{expected}: {told:#?}");
    }
    let cut = &text[..text.find("Run status").unwrap()];
    let told =
        oddity(fio_text(cut).unwrap()[0].oddities.iter().find(|it| **it == FioOddity::EndMissing).unwrap());
    assert!(told.starts_with("the text ends before the lines of its groups"), "{told}");
}

#[test]
fn a_log_that_contradicts_a_result_has_its_cause() {
    let mut of = LogAgainstResult {
        file: "x".to_owned(),
        direction: "read",
        figure: "I/Os".to_owned(),
        unit: "",
        in_log: 4003.0,
        in_result: 5000.0,
        cause: None,
    };
    let difference = "x: read, I/Os: 4003 in the log, 5000 in the result";
    assert_eq!(log_against_result(&of), difference);
    of.cause = Some(LogCause::LastWindow);
    assert!(log_against_result(&of).starts_with(&format!("{difference}; fio leaves the last window out")));
}
