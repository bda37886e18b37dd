//! `fathom compare` on the command line.

use crate::support::{fathom, text};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

const BEFORE: [&str; 4] =
    ["--values", "before:TPM=338989,348164,336965", "--values", "before:NOPM=73685,75689,73206"];
const AFTER: [&str; 4] =
    ["--values", "after:TPM=386324,370919,366426", "--values", "after:NOPM=83941,80620,79726"];

fn compare(dir: &Path, options: &[&str]) -> Output {
    fathom(dir).arg("compare").args(options).output().unwrap()
}

#[test]
fn the_figures_of_hammerdb_give_what_the_contract_says() {
    let dir = tempfile::tempdir().unwrap();
    let output = compare(dir.path(), &[BEFORE, AFTER].concat());
    let expected = "\
result   B (after) is better than A (before) in both figures (TPM +9.7 %; NOPM +9.8 %).
A        before · 3 runs
B        after · 3 runs
next     fathom compare --values before:TPM=338989,348164,336965 --values \\
         before:NOPM=73685,75689,73206 --values after:TPM=386324,370919,366426 --values \\
         after:NOPM=83941,80620,79726 --html -o comparison.html
         makes a page with each figure and its interval

            A        B  B vs A    95 % interval
TPM   341,373  374,556  +9.7 %  +3.4 to +16.3 %  better
NOPM   74,193   81,429  +9.8 %  +3.6 to +16.1 %  better
";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    // From 20,820 TPM it is 18 times as many; one value each has no interval.
    let output = compare(dir.path(), &["--values", "old:TPM=20820", "--values", "new:TPM=374556"]);
    assert!(text(&output).contains("differs from A (old): TPM 18.0 × may be chance"), "{}", text(&output));
}

#[test]
fn a_table_is_compared_like_typed_values() {
    let dir = tempfile::tempdir().unwrap();
    let rows = [("before", [338_989, 348_164, 336_965]), ("after", [386_324, 370_919, 366_426])];
    let lines = rows.iter().flat_map(|(name, values)| values.map(|value| format!("{name},TPM,{value}\n")));
    std::fs::write(dir.path().join("t.csv"), format!("name,figure,value\n{}", lines.collect::<String>()))
        .unwrap();
    let output = compare(dir.path(), &["--csv", "t.csv", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let against = &document["figures"][0]["against"][0];
    assert!((against["p_value"].as_f64().unwrap() - 0.015).abs() < 1e-3, "{against}");
    assert_eq!(against["verdict"]["is"], "better");
    std::fs::write(dir.path().join("bad.csv"), "name,figure,value\na,b,c\n").unwrap();
    let output = compare(dir.path(), &["--csv", "bad.csv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output).contains("bad.csv, line 2: c is not a number from 0 to 10^100"),
        "{}",
        text(&output)
    );
}

#[test]
fn worse_by_more_than_the_limit_is_exit_code_6() {
    let dir = tempfile::tempdir().unwrap();
    for (limit, code) in [("5", 6), ("20", 0)] {
        let output = compare(dir.path(), &[&AFTER[..2], &BEFORE[..2], &["--fail-if-worse", limit]].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    }
}

#[test]
fn no_clear_answer_is_exit_code_5_where_that_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let unclear = ["--values", "a:x=10,14,11", "--values", "b:x=12,10,15"];
    let same = ["--values", "a:x=100,100.1,99.9", "--values", "b:x=100,100.1,99.9"];
    for (values, options, code) in [
        (&unclear[..], &["--fail-if-unclear"][..], 5),
        (&unclear[..], &[][..], 0),
        (&unclear[..], &["--fail-if-worse", "5", "--fail-if-unclear"][..], 5),
        (&same[..], &["--fail-if-unclear"][..], 0),
        (&[BEFORE, AFTER].concat()[..], &["--fail-if-unclear"][..], 0),
        (&[AFTER, BEFORE].concat()[..], &["--fail-if-worse", "5", "--fail-if-unclear"][..], 6),
    ] {
        let output = compare(dir.path(), &[values, options].concat());
        assert_eq!(output.status.code(), Some(code), "{options:?}: {}", text(&output));
        assert_eq!(text(&output).contains("no clear answer: no figure of B"), code == 5, "{}", text(&output));
    }
}

/// Saves a run of the null engine with these options.
fn save(dir: &Path, name: &str, options: &str) {
    std::fs::write(dir.join("j.fio"), format!("[j]\nioengine=null\nrw=randread\nsize=16m\n{options}\n"))
        .unwrap();
    let args = ["run", "-q", "--no-calibrate", "j.fio", "--set", "time_based=1", "--set", "runtime=1s"];
    let output = fathom(dir).args(args).args(["--output-dir", name]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn what_differs_is_told_and_what_cannot_be_compared_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    save(dir.path(), "small", "bs=4k");
    save(dir.path(), "large", "bs=4k\niodepth=4");
    save(dir.path(), "other", "bs=8k");
    // Larger blocks give more bandwidth on every disk.
    let blocks = compare(dir.path(), &["small", "other"]);
    let said = text(&blocks);
    assert_eq!(blocks.status.code(), Some(2), "{said}");
    let check = compare(dir.path(), &["small", "other", "--fail-if-worse", "5"]);
    assert_eq!(check.status.code(), Some(7), "nothing could be checked: {}", text(&check));
    assert!(
        said.contains("IOPS, bandwidth, mean latency, p50 latency")
            && said.contains("block sizes differ: 4 KiB and 8 KiB")
            && said.contains("hint: to measure block sizes against each other"),
        "{said}"
    );
    save(dir.path(), "two", "bs=4k\n[k]\nioengine=null\nrw=randread\nsize=16m\nbs=4k");
    save(dir.path(), "other-two", "bs=4k\n[k]\nioengine=null\nrw=randread\nsize=16m\nbs=8k");
    let check = compare(dir.path(), &["two", "other-two", "--fail-if-worse", "1000"]);
    assert_eq!(check.status.code(), Some(7), "{}", text(&check));
    assert!(
        text(&check).contains("not checked as a whole: no figure of k can be compared"),
        "{}",
        text(&check)
    );
    let output = text(&compare(dir.path(), &["small", "large"]));
    assert!(output.contains("differs  iodepth of j: not set → 4\n"), "{output}");
    assert!(output.contains("the jobs keep 1 and 4 I/Os in"), "{output}");
    // The name of the output asks for a page, as it does with `fathom report`.
    let named = compare(dir.path(), &["small", "large", "-o", "by-name.html"]);
    assert!(named.status.success(), "{}", text(&named));
    let by_name = std::fs::read_to_string(dir.path().join("by-name.html")).unwrap();
    assert!(by_name.starts_with("<!DOCTYPE html>"), "{by_name}");
    let page = compare(dir.path(), &["small", "large", "--html"]);
    let page = String::from_utf8(page.stdout).unwrap();
    let (body, _) = page.split_once("<script>").unwrap();
    assert!(body.starts_with("<!DOCTYPE html>") && body.contains("<svg") && !body.contains("NaN"), "{body}");
}

#[test]
fn what_cannot_be_compared_at_all_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    save(dir.path(), "one", "bs=4k");
    for (options, said) in [
        (&["one"][..], "one alone cannot be compared: name at least two runs"),
        (&["one", "nosuch"][..], "nosuch is neither a directory nor the id or the name of a saved run"),
        (&["--values", "a:x"][..], "--values a:x: there is no ="),
        (&["--values", "a:x=1,y"][..], "--values a:x=1,y: y is not a number from 0 to 10^100"),
        (&["--values", "a:x=1", "--values", "b:y=1"][..], "these runs have no figure that can be compared"),
        (&["one", "one", "--tolerance", "x"][..], "give a percentage from 0 to 1000, such as 3 or 0.5"),
    ] {
        let output = compare(dir.path(), options);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", text(&output));
        assert!(text(&output).contains(said), "{options:?}: {}", text(&output));
    }
}

const ORACLE: &str = "[j]\nioengine=oracle\noracle_clock=virtual\nrw=randread\nbs=4k\niodepth=4\nsize=64m\nnorandommap=1\n\
    time_based=1\nruntime=2s\noracle_latency=lognormal:";

#[test]
fn job_files_are_measured_in_turn() {
    let dir = tempfile::tempdir().unwrap();
    for (name, latency) in [("old", "100us:0.3\n"), ("new", "90us:0.3\n")] {
        std::fs::write(dir.path().join(format!("{name}.fio")), format!("{ORACLE}{latency}")).unwrap();
    }
    let output = compare(dir.path(), &["--run", "old.fio", "new.fio", "--rounds", "4", "-q"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(
        said.contains("differs  oracle_latency of j: lognormal:100us:0.3 → lognormal:90us:0.3"),
        "{said}"
    );
    assert!(said.contains("B (compare, new) is better than A (compare, old) in all 5 figures"), "{said}");
    let rounds: Vec<String> = std::fs::read_dir(dir.path().join("fathom-runs/latest/rounds"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(rounds.len(), 8, "{rounds:?}");
    // The saved procedure says the same later, with the command that was typed then.
    let again = compare(dir.path(), &["fathom-runs/latest"]);
    let without_next = |output: &Output| {
        let all = String::from_utf8(output.stdout.clone()).unwrap();
        let next = all.find("\nnext").unwrap()..all.find("\n\n").unwrap();
        (all[next.clone()].to_owned(), [&all[..next.start], &all[next.end..]].concat())
    };
    let ((next, rest), (next_again, rest_again)) = (without_next(&output), without_next(&again));
    assert_eq!(rest, rest_again);
    assert!(next.contains("fathom compare ") && next.contains(" --html -o comparison.html"), "{next}");
    assert!(
        !next.contains("--run") && next_again.contains("fathom compare fathom-runs/latest"),
        "{next_again}"
    );
    let alone = compare(dir.path(), &["--run", "old.fio"]);
    assert_eq!(alone.status.code(), Some(2), "{}", text(&alone));
}

#[test]
fn what_would_decide_an_unclear_figure_is_the_next_command() {
    let dir = tempfile::tempdir().unwrap();
    for (name, latency) in [("old", "100us:0.9\n"), ("new", "101us:0.9\n")] {
        std::fs::write(dir.path().join(format!("{name}.fio")), format!("{ORACLE}{latency}")).unwrap();
    }
    let next = |args: &[&str]| {
        let output =
            compare(dir.path(), &[args, &["--json", "--tolerance", "0", "--tail-tolerance", "0"]].concat());
        let document: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
        document["next"]["command"].as_str().unwrap().to_owned()
    };
    let in_turn = next(&["--run", "old.fio", "new.fio", "--rounds", "2", "-q"]);
    let rounds =
        in_turn.strip_prefix("fathom compare --rounds ").and_then(|it| it.split(' ').next()).unwrap();
    assert!(rounds.parse::<u32>().unwrap() > 2 && in_turn.contains("--run old.fio new.fio"), "{in_turn}");
    assert!(!in_turn.contains("--json"), "{in_turn}");
    for name in ["old", "new"] {
        let file = format!("{name}.fio");
        let output = fathom(dir.path()).args(["run", "-q", &file, "--output-dir", name]).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    }
    assert_eq!(next(&["old", "new"]), "fathom run --repeat 5 old.fio --name old-2");
}

#[test]
fn a_redacted_comparison_has_no_name_that_a_person_chose() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("ledger-7");
    std::fs::create_dir(&home).unwrap();
    for (name, latency) in [("acmeold", "100us:0.3\n"), ("acmenew", "90us:0.3\n")] {
        std::fs::write(
            home.join(format!("{name}.fio")),
            format!("{ORACLE}{latency}write_lat_log=zebra-{name}\n"),
        )
        .unwrap();
    }
    let labels = ["--name", "quagga", "--note", "for okapi", "--tag", "tapir"];
    let measured = compare(
        &home,
        &[&["--run", "acmeold.fio", "acmenew.fio", "--rounds", "3", "-q"], &labels[..]].concat(),
    );
    assert!(measured.status.success(), "{}", text(&measured));
    let run = fathom(&home).args(["run", "-q", "acmeold.fio", "--output-dir", "gnu-run"]).output().unwrap();
    assert!(run.status.success(), "{}", text(&run));
    let bare = text(&compare(&home, &["fathom-runs/latest", "gnu-run", "--json"]));
    let names = ["ledger-7", "acmeold", "acmenew", "zebra", "quagga", "okapi", "tapir", "gnu-run"];
    assert!(names[1..5].iter().all(|name| bare.contains(name)), "they are in the whole one: {bare}");
    let typed = ["fathom-runs/latest", "gnu-run", "--details"];
    let forms = [&["--json"][..], &["--html"], &typed[2..]];
    let again =
        fathom(&home).args(["run", "-q", "acmeold.fio", "--output-dir", "gnu-runs"]).output().unwrap();
    assert!(again.status.success(), "{}", text(&again));
    for of in [&typed[..1], &typed[..2], &["gnu-run", "gnu-runs"]] {
        for form in forms {
            let output = compare(&home, &[of, form, &["--redact"]].concat());
            let open = text(&output);
            assert!(output.status.success() && open.contains("IOPS"), "{of:?} {form:?}: {open}");
            for name in names {
                assert!(!open.contains(name), "{of:?} {form:?}: {name} is in {open}");
            }
        }
    }
    // A run may be called like a word of other sentences.
    for name in ["FW7", "read"] {
        let output = fathom(&home)
            .args(["run", "-q", "acmeold.fio", "--name", name, "--output-dir", &format!("gnu-{name}")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output));
    }
    for form in forms {
        let open = text(&compare(&home, &[&["gnu-FW7", "gnu-read", "--redact"], form].concat()));
        assert!(open.contains("A (run-1)") || open.contains("run-1"), "{open}");
        assert!(!open.contains("FW7") && !open.contains("(read)"), "{form:?}: {open}");
    }
    // The report of the rounds has the same names.
    for form in ["--details", "--json"] {
        let output = fathom(&home).args(["report", "fathom-runs/latest", "--redact", form]).output().unwrap();
        let open = text(&output);
        assert!(output.status.success() && open.contains("0001-run-"), "{open}");
        assert!(names.iter().all(|name| !open.contains(name)), "{open}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_told_before_anything_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["old", "new"] {
        std::fs::write(dir.path().join(format!("{name}.fio")), format!("{ORACLE}100us:0.3\n")).unwrap();
    }
    let output = compare(dir.path(), &["--run", "old.fio", "new.fio", "-q", "-o", "old.fio"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(!dir.path().join("fathom-runs").exists());
    assert!(std::fs::read_to_string(dir.path().join("old.fio")).unwrap().starts_with(ORACLE));
}

#[test]
fn a_baseline_is_kept_and_later_runs_are_checked_against_it() {
    let dir = tempfile::tempdir().unwrap();
    let write =
        |latency: &str| std::fs::write(dir.path().join("j.fio"), format!("{ORACLE}{latency}\n")).unwrap();
    let run = || fathom(dir.path()).args(["run", "-q", "j.fio", "--repeat", "4"]).output().unwrap();
    let baseline = |args: &[&str]| {
        fathom(dir.path()).arg("baseline").args(args).args(["--baselines-dir", "kept"]).output().unwrap()
    };
    write("100us:0.3");
    assert!(run().status.success());
    let saved = baseline(&["save", "new"]);
    assert!(saved.status.success(), "{}", text(&saved));
    assert!(text(&saved).contains("\nof       j · 4 runs · 20"), "it says what it kept: {}", text(&saved));
    assert!(!text(&saved).contains("warning"), "{}", text(&saved));
    let again = baseline(&["save", "new"]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again));
    let same = baseline(&["check", "new"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same));
    assert!(text(&same).contains("B (j) is the same as A (baseline new) in all"), "{}", text(&same));
    // The runs can go; the baseline stays.
    std::fs::remove_dir_all(dir.path().join("fathom-runs")).unwrap();
    write("130us:0.3");
    assert!(run().status.success());
    let slower = baseline(&["check", "new"]);
    assert_eq!(slower.status.code(), Some(6), "{}", text(&slower));
    assert!(text(&slower).contains("worse: j IOPS"), "{}", text(&slower));
    let list = text(&baseline(&["list"]));
    assert!(list.contains("new  20"), "{list}");
    for (args, said) in [
        (&["check", "other"][..], "there is no baseline other"),
        (&["save", "../x"][..], "cannot be the name of a baseline"),
    ] {
        let output = baseline(args);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(said), "{}", text(&output));
    }
}

#[test]
fn a_baseline_of_one_run_says_what_no_check_can_decide() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), format!("{ORACLE}100us:0.3\n")).unwrap();
    let run = fathom(dir.path()).args(["run", "-q", "j.fio"]).output().unwrap();
    assert!(run.status.success(), "{}", text(&run));
    let saved =
        fathom(dir.path()).args(["baseline", "save", "new", "--baselines-dir", "kept"]).output().unwrap();
    let said = text(&saved);
    assert!(saved.status.success(), "{said}");
    assert!(said.contains("\nof       j · 1 run · 20"), "{said}");
    assert!(
        said.contains("warning: the baseline new has 1 run: no later check against it can decide"),
        "{said}"
    );
    assert!(said.contains("--repeat 5"), "{said}");
}

#[test]
fn figures_that_others_measured_are_a_baseline() {
    // Contract T-15.
    let dir = tempfile::tempdir().unwrap();
    let samsung = "read_mbps=531.59,write_mbps=134.72,read_iops=100293,write_iops=22313";
    std::fs::write(dir.path().join("j.fio"), format!("{ORACLE}100us:0.3\nbs=4k\n")).unwrap();
    assert!(fathom(dir.path()).args(["run", "-q", "j.fio"]).output().unwrap().status.success());
    let baseline = |args: &[&str]| {
        fathom(dir.path()).arg("baseline").args(args).args(["--baselines-dir", "kept"]).output().unwrap()
    };
    assert!(baseline(&["save", "samsung-840", "--figures", samsung]).status.success());
    // The oracle is no disk, so nothing is said of one, whether its figures are better or worse.
    let found = baseline(&["check", "samsung-840"]);
    assert_eq!(found.status.code(), Some(5), "{}", text(&found));
    let said = text(&found);
    assert!(
        said.contains("random read, j: ")
            && said.contains(" IOPS, baseline 100,293: not judged, because it is"),
        "{said}"
    );
    assert!(said.contains("\ntrust    low: no disk was measured"), "{said}");
    assert!(said.contains("sequential read: not measured, baseline 532 MB/s"), "{said}");
    assert!(text(&baseline(&["list"])).contains("samsung-840  read_mbps=531.59"), "{said}");
    let document: Value =
        serde_json::from_slice(&baseline(&["check", "samsung-840", "--json"]).stdout).unwrap();
    assert_eq!(document["datasheet"]["lines"][2]["claimed"], 100_293.0);
    assert!(baseline(&["save", "slow", "--figures", "read_iops=10"]).status.success());
    assert_eq!(baseline(&["check", "slow"]).status.code(), Some(5));
    // Of several rounds the means count, in every form.
    let repeat =
        fathom(dir.path()).args(["run", "-q", "j.fio", "--repeat", "3", "--name", "okapi"]).output().unwrap();
    assert!(repeat.status.success(), "{}", text(&repeat));
    let rounds = baseline(&["check", "samsung-840"]);
    assert_eq!(rounds.status.code(), Some(5), "{}", text(&rounds));
    assert!(text(&rounds).contains(" IOPS, baseline 100,293: not judged, "), "{}", text(&rounds));
    let document: Value =
        serde_json::from_slice(&baseline(&["check", "samsung-840", "--json"]).stdout).unwrap();
    let iops: Vec<f64> =
        (0..3).map(|at| document["steps"][at]["figures"][0]["iops"].as_f64().unwrap()).collect();
    let mean = document["datasheet"]["lines"][2]["measured"].as_f64().unwrap();
    assert!((mean - iops.iter().sum::<f64>() / 3.0).abs() < 1.0, "{mean}: {iops:?}");
    let page = text(&baseline(&["check", "samsung-840", "--html"]));
    assert!(page.contains("<b>Baseline:</b>") && page.contains("okapi"), "{page}");
    for form in ["--html", "--json"] {
        let open = text(&baseline(&["check", "samsung-840", "--redact", form]));
        assert!(open.contains("baseline") && !open.contains("okapi"), "{open}");
    }
    let wrong = baseline(&["save", "other", "--figures", "iops=3"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong));
    assert!(!dir.path().join("kept/other").exists());
}

#[test]
fn output_of_fio_is_compared_with_a_run_and_a_bundle() {
    let dir = tempfile::tempdir().unwrap();
    save(dir.path(), "ours", "bs=4k");
    let json =
        fathom(dir.path()).args(["report", "ours", "--output-format", "json", "-o", "theirs.json"]).output();
    assert!(json.unwrap().status.success());
    let bundle = fathom(dir.path()).args(["bundle", "ours", "-o", "ours.fathom.tar.gz"]).output().unwrap();
    assert!(bundle.status.success(), "{}", text(&bundle));
    let same = compare(dir.path(), &["ours", "ours.fathom.tar.gz"]);
    assert_eq!(same.status.code(), Some(2), "{}", text(&same));
    assert!(text(&same).contains("ours and ours.fathom.tar.gz are the same run"), "{}", text(&same));
    for (one, other) in [("ours", "theirs.json"), ("theirs.json", "ours.fathom.tar.gz")] {
        let output = compare(dir.path(), &[one, other, "--json"]);
        let document: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
        let figures = document["figures"].as_array().unwrap();
        let of = |metric: &str| figures.iter().find(|figure| figure["metric"] == metric).unwrap();
        let ratio = |metric: &str| of(metric)["against"][0]["ratio"].as_f64().unwrap();
        assert!((ratio("IOPS") - 1.0).abs() < 1e-6, "{other}: {document}");
        assert!((ratio("p99 latency") - 1.0).abs() < 0.02, "{other}: {document}");
    }
}

#[test]
fn what_a_raid_level_costs_is_a_comparison_of_several() {
    // Intel's guide: IOPS of 4 KiB writes, and CPU in per cent (contract I-54, I-56).
    let dir = tempfile::tempdir().unwrap();
    let iops = ["R0:W=585964", "R5:W=212889", "R1:W=147473", "R10:W=292694"];
    let cost = |values: &[&str], more: &[&str]| {
        let values: Vec<&str> = values.iter().flat_map(|value| ["--values", *value]).collect();
        text(&compare(dir.path(), &[values.as_slice(), more].concat()))
    };
    let said = cost(&iops, &[]);
    for change in ["−63.7 %", "−74.8 %", "−50.0 %"] {
        assert!(said.contains(change), "{change}: {said}");
    }
    let cpu = ["R0:CPU=2.71", "R5:CPU=6.43", "R1:CPU=11.91", "R10:CPU=12.06"];
    let said = cost(&cpu, &["--less-is-better"]);
    assert!(said.contains("2.37 ×") && said.contains("4.39 ×") && said.contains("4.45 ×"), "{said}");
}
