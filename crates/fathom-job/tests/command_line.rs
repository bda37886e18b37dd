//! fio's command line, as fio reads it.

use crate::world::{World, listed};
use fathom_job::diagnostic::Diagnostic;
use fathom_job::fio_cli::{
    Eta, FioInvocation, FioRequest, OutputFormat, debug_lines, help, parse_arguments, showcmd,
};
use fathom_job::options::*;
use fathom_job::units::{Bytes, Nanos};

fn try_parse(line: &str) -> Result<FioInvocation, Vec<Diagnostic>> {
    let world = World::default()
        .file("c.fio", "[x]\nrw=read\n[y]\n")
        .file("pool.fio", "[x]\nioengine=rbd\npool=p\n")
        .file("w.fio", "[x]\nrw=randwrite\n")
        .file("-", "[stdin]\nbs=2k\n");
    let args: Vec<String> = line.split_whitespace().map(|word| word.replace('~', " ")).collect();
    parse_arguments(&args, &world)
}

fn parse(line: &str) -> FioInvocation {
    try_parse(line).unwrap_or_else(|found| panic!("{line}\n{}", listed(&found)))
}

fn codes(line: &str) -> Vec<String> {
    match try_parse(line) {
        Ok(_) => panic!("nothing wrong with {line}"),
        Err(found) => found.into_iter().map(|d| d.code).collect(),
    }
}

fn jobs(line: &str) -> Vec<(String, u64)> {
    parse(line).jobs.jobs.iter().map(|job| (job.name.clone(), job.get(&BS).read.0)).collect()
}

fn named(list: &[(&str, u64)]) -> Vec<(String, u64)> {
    list.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect()
}

#[test]
fn options_before_the_first_name_are_global() {
    assert_eq!(jobs("--bs=8k --name=a --name=b --bs=16k"), named(&[("a", 8192), ("b", 16384)]));
    assert_eq!(jobs("--name=a --bs=8k --name=global --bs=16k --name=b"), named(&[("a", 8192), ("b", 16384)]));
    assert_eq!(jobs("--bs=8k --name=a c.fio"), named(&[("a", 8192), ("x", 8192), ("y", 8192)]));
    assert_eq!(jobs("c.fio --bs=8k"), named(&[("x", 8192), ("y", 8192)]));
    assert_eq!(jobs("c.fio w.fio --bs=8k"), named(&[("x", 8192), ("y", 8192), ("x", 4096)]));
    assert_eq!(jobs("-"), named(&[("stdin", 2048)]));
    assert!(parse("c.fio w.fio").jobs.jobs[2].get(&STONEWALL));
}

#[test]
fn an_option_that_a_file_overrides_is_told() {
    let told = |line: &str| -> Vec<String> {
        let warnings = parse(line).jobs.warnings.into_iter().filter(|finding| finding.code == "overridden");
        warnings.map(|finding| finding.message).collect()
    };
    let all = "rw=write has no effect: w.fio:2 sets rw=randwrite";
    assert_eq!(told("--rw=write w.fio"), [all]);
    assert_eq!(told("w.fio --rw=write --bs=8k"), [all]);
    assert_eq!(told("--rw=write c.fio"), ["rw=write has no effect in 1 of 2 jobs: c.fio:2 sets rw=read"]);
    // Only the first file has the defaults of the command line.
    assert_eq!(
        told("--bs=8k c.fio w.fio"),
        ["bs=8k has no effect in 1 of 3 jobs: w.fio begins with defaults of its own"]
    );
    let none: Vec<String> = Vec::new();
    for line in
        ["--bs=8k c.fio", "--rw=randwrite w.fio", "--bs=8k --name=a --bs=4k", "c.fio --name=a --rw=write"]
    {
        assert_eq!(told(line), none, "{line}");
    }
}

#[test]
fn a_word_without_its_dashes_is_understood() {
    let found = try_parse("--name=a rw=write").expect_err("there is no such file");
    assert_eq!(found[0].hints, ["did you mean --rw=write?"]);
    assert!(try_parse("--name=a words=x").expect_err("nor this").iter().all(|found| found.hints.is_empty()));
}

#[test]
fn an_option_of_a_log_that_is_not_written_is_accepted() {
    let notes = parse("--name=a --experimental_verify=1").jobs.warnings;
    assert_eq!(notes.iter().map(|note| note.code.as_str()).collect::<Vec<_>>(), ["no-effect"]);
}

/// The answer to an option of an engine that fathom does not have is that of a job file, and its value is no job file.
#[test]
fn an_option_of_another_engine_names_the_engine_and_what_to_write() {
    for (line, engines) in [
        ("--name=a --ioengine=rbd --pool=p", "ioengine=rbd"),
        ("--name=a --pool p --ioengine=rbd", "ioengine=rbd"),
        ("--name=a -pool=p", "ioengine=rbd, ioengine=rados and ioengine=dfs"),
    ] {
        let found = try_parse(line).expect_err("fathom has no such engine");
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert_eq!(found[0].message, format!("pool is an option of {engines}, which fathom does not have"));
        assert!(
            found[0].hints[0].contains("filename= the device that it prints, such as /dev/rbd0"),
            "{found:?}"
        );
    }
    let file = try_parse("pool.fio").expect_err("nor there");
    assert_eq!(
        file[0].message,
        try_parse("--name=a --ioengine=rbd --pool=p").expect_err("nor here")[0].message
    );
}

#[test]
fn whose_habits_a_run_has_holds_for_every_file() {
    let habits = |line: &str| -> Vec<&str> { parse(line).jobs.jobs.iter().map(|j| j.get(&COMPAT)).collect() };
    assert_eq!(habits("--compat=fio c.fio w.fio"), ["fio"; 3]);
    assert_eq!(habits("c.fio --compat fio --name=a --rw=read"), ["fio"; 3]);
    assert_eq!(habits("--name=a --compat=fio --name=b"), ["fio", "none"]);
    assert_eq!(codes("--compat=fi c.fio"), ["unknown-word"]);
}

#[test]
fn one_dash_two_dashes_and_beginnings() {
    for line in
        ["--name=a --bs=8k", "-name=a -bs=8k", "-name a -bs 8k", "--name a --bs 8k", "--nam=a --blocksize=8k"]
    {
        assert_eq!(jobs(line), named(&[("a", 8192)]), "{line}");
    }
    let flags =
        parse("--name=a --thread --direct=1 --norandommap=0 --time_b --runtime 10 --description=two~words");
    let job = &flags.jobs.jobs[0];
    assert!(job.get(&THREAD) && job.get(&DIRECT) && job.get(&TIME_BASED) && !job.get(&NORANDOMMAP));
    assert_eq!((job.get(&RUNTIME), job.get(&DESCRIPTION)), (Nanos::secs(10), Some("two words".to_owned())));
    assert_eq!(jobs("--name=a -- -"), named(&[("a", 4096), ("stdin", 2048)]));
}

#[test]
fn a_guide_s_command_line() {
    let line = "--readwrite=randrw --rwmixread=0 --blocksize=4k --ioengine=libaio --numjobs=4 --thread=0 --direct=1 \
                --iodepth=128 --iodepth_batch=4 --iodepth_batch_complete=4 --group_reporting=1 --ramp_time=5 --norandommap=1 \
                --description=fio~random~4k~write~peak~IOPS --time_based=1 --runtime=30 --randrepeat=0 \
                --name=/dev/vs_fio_test --cpus_allowed=1-4 --filename=/dev/vs_fio_test --output=fio.output.1";
    let all = parse(line);
    assert_eq!(all.output.as_deref(), Some("fio.output.1"));
    let job = &all.jobs.jobs[0];
    assert_eq!((job.get(&IODEPTH), job.get(&NUMJOBS), job.get(&BS).write), (128, 4, Bytes::kib(4)));
    assert_eq!(job.name, "/dev/vs_fio_test");
}

#[test]
fn flags() {
    let all = parse(
        "--output=o --output-format=json,normal,json --section=x --readonly --eta=never --eta-newline=500ms --eta-interval=250 \
         --write=SERIAL1 --destroy SERIAL2 --destroy=SERIAL3 --max-jobs=5 --showcmd c.fio",
    );
    assert_eq!(all.formats, [OutputFormat::Json, OutputFormat::Normal]);
    assert_eq!((all.output.as_deref(), all.eta), (Some("o"), Eta::Never));
    assert_eq!((all.eta_newline, all.eta_interval), (Some(Nanos::millis(500)), Some(Nanos::millis(250))));
    assert_eq!(
        (all.write, all.destroy),
        (vec!["SERIAL1".to_owned()], vec!["SERIAL2".to_owned(), "SERIAL3".to_owned()])
    );
    assert!(all.readonly && all.showcmd && !all.parse_only);
    assert_eq!(all.jobs.jobs.len(), 1);
    assert_eq!(all.jobs.warnings[0].code, "no-effect");
    assert_eq!(parse("--minimal --name=a").formats, [OutputFormat::Terse]);
    let letters = parse("-F json -o out -r -x y c.fio");
    assert_eq!((letters.formats, letters.output), (vec![OutputFormat::Json], Some("out".to_owned())));
    assert!(letters.readonly && letters.sections == ["y"]);
    assert_eq!(parse("--append-terse --name=a").formats, [OutputFormat::Normal, OutputFormat::Terse]);
    assert_eq!(parse("--output-format=json+ --name=a").formats, [OutputFormat::JsonPlus]);
    assert!(parse("--parse-only").jobs.jobs.is_empty());
}

/// Scripts hold such values, and what they measured was what fio made of them.
#[test]
fn values_that_fio_cuts_short_are_read_as_fio_reads_them() {
    let job = |line: &str| {
        let read = parse(&format!("--name=a {line}"));
        let codes: Vec<String> = read.jobs.warnings.iter().map(|finding| finding.code.clone()).collect();
        (read.jobs.jobs.into_iter().next().unwrap(), codes)
    };
    for (line, bytes) in [("--bs=4k/100", 4096), ("--bs=1.5k", 1), ("--bs=8kilo", 8192), ("--bs=2x", 2)] {
        let (job, codes) = job(line);
        assert_eq!((job.get(&BS).read, codes), (Bytes(bytes), vec!["truncated-value".to_owned()]), "{line}");
    }
    for (line, ns) in [("10sec", 10_000), ("10.5", 10_000_000_000), ("1h30m", 1_000)] {
        let (job, codes) = job(&format!("--runtime={line}"));
        assert_eq!((job.get(&RUNTIME), codes), (Nanos(ns), vec!["truncated-value".to_owned()]), "{line}");
    }
    let splits = job("--bssplit=4k/30:64k/40:8k/29").0.get(&BSSPLIT).unwrap().read;
    let shares: Vec<Option<u8>> = splits.iter().map(|split| split.percent).collect();
    assert_eq!(shares, [Some(30), Some(41), Some(29)]);
}

#[test]
fn requests_need_no_job() {
    let table = [
        ("--help", FioRequest::Help),
        ("-h", FioRequest::Help),
        ("--h", FioRequest::Help),
        ("-v", FioRequest::Version),
        ("-c bs", FioRequest::CommandHelp(None)),
        ("--version --help", FioRequest::Version),
        ("--cmdhelp", FioRequest::CommandHelp(None)),
        ("--cmdhelp=bs", FioRequest::CommandHelp(Some("bs".to_owned()))),
        ("--enghelp", FioRequest::EngineHelp(None)),
        ("--enghelp=psync,hipri", FioRequest::EngineHelp(Some("psync,hipri".to_owned()))),
    ];
    for (line, request) in table {
        assert_eq!(parse(line).request, request, "{line}");
    }
    let text = help();
    assert!(text.contains("--output-format=…") && !text.contains("--server"), "{text}");
}

#[test]
fn what_is_wrong_with_a_command_line() {
    let table = [
        ("", "no-jobs"),
        ("--bs=4k", "no-jobs"),
        ("--name=a --bs=k", "bad-size"),
        ("--name=a --bs=-4k", "out-of-range"),
        // fio takes it for nearly 2^64 bytes, and fails to lay them out.
        ("--name=a --size=200%", "out-of-range"),
        ("--name=a --iodpeth=4", "unknown-option"),
        ("--name=a --iodep=4", "ambiguous-option"),
        ("--name=a --bs", "missing-value"),
        ("--name=a --direct", "missing-value"),
        ("--name=a --readonly=1", "extra-value"),
        ("--name=a --lockmem=2", "refused-option"),
        ("--name=a --fixedbufs", "engine-option"),
        ("--name=a --server", "refused-flag"),
        ("--name=a --daemonize=x.pid", "refused-flag"),
        ("--client=host c.fio", "refused-flag"),
        ("--output-format=yaml c.fio", "bad-flag-value"),
        ("--terse-version=6 c.fio", "bad-flag-value"),
        ("--eta=sometimes c.fio", "bad-flag-value"),
        ("--eta-newline=1sec c.fio", "bad-flag-value"),
        ("--section=z c.fio", "unknown-section"),
        ("--readonly w.fio", "read-only"),
        ("nowhere.fio", "cannot-read"),
        ("--warnings-fatal --name=global --filename=/x --name=a --filename=/y", "filename-adds"),
    ];
    for (line, code) in table {
        assert_eq!(codes(line)[0], code, "{line}");
    }
}

#[test]
fn no_arguments_are_answered_with_the_usage() {
    let found = try_parse("").expect_err("nothing to do");
    assert_eq!(found.len(), 1);
    assert!(found[0].to_string().contains("usage: fathom fio"), "{}", found[0]);
}

#[test]
fn places_on_the_command_line() {
    let found = try_parse("--name=a --bs 4k,1.5k --iodpeth=4 -direct=yes").expect_err("wrong");
    insta::assert_snapshot!("command_line", listed(&found));
}

/// V-20: a file and a command line mean the same.
#[test]
fn jobs_as_a_command_line_are_the_same_jobs() {
    let first = parse(
        "--kb_base=1000 --bs=4k --name=a --bs=,8k --description=it's~two --name=b --rwmixwrite=30 --cpumask=3 c.fio",
    );
    let line = showcmd(&first.jobs);
    insta::assert_snapshot!("showcmd", line);
    assert!(line.contains(r"'--description=it'\''s two'"), "{line}");
    let again =
        parse(&line.replace(r"'--description=it'\''s two'", "--description=it's~two")["fio ".len()..]);
    let values = |all: &FioInvocation| -> Vec<Vec<(&'static str, String)>> {
        all.jobs.jobs.iter().map(|job| job.settings().map(|(n, s)| (n, s.canonical())).collect()).collect()
    };
    assert_eq!(values(&first), values(&again));
}

/// fio says so too, and runs the job once. `fathom run` refuses it when it plans.
#[test]
fn time_based_without_a_runtime_is_left_out_under_the_name_fio() {
    let read = |words: &str| {
        let args = format!("--name=x --ioengine=null --size=1m --time_based {words}");
        parse_arguments(&args.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), &World::default())
    };
    let is_based = |words: &str| {
        let jobs = read(words).unwrap().jobs;
        let codes: Vec<_> = jobs.warnings.into_iter().map(|found| found.code).collect();
        (jobs.jobs[0].get(&fathom_job::options::TIME_BASED), codes.contains(&"left-out".into()))
    };
    assert_eq!(is_based(""), (false, true));
    assert_eq!(is_based("--runtime=0"), (false, true));
    // fio reads the 0 before the point.
    assert_eq!(is_based("--runtime=0.4s"), (false, true));
    assert_eq!(is_based("--runtime=4"), (true, false));
}

/// Without them a job has the same figures. A job file of `fathom run` is corrected; a script that calls fio goes on.
#[test]
fn refused_options_that_change_no_figure_are_left_out_under_the_name_fio() {
    let read = |option: &str| {
        let args = ["--name=x", "--ioengine=null", "--size=1m", option].map(str::to_owned);
        parse_arguments(&args, &World::default())
    };
    for option in ["--comm=bench", "--unique_filename=0", "--cgroup_nodelete=1", "--allow_mounted_write=1"] {
        let codes: Vec<_> = read(option).unwrap().jobs.warnings.into_iter().map(|found| found.code).collect();
        assert_eq!(codes, ["left-out"], "{option}");
    }
    for option in ["--cgroup=fast", "--uid=1000", "--exec_prerun=date", "--ioscheduler=none"] {
        assert_eq!(read(option).unwrap_err()[0].code, "refused-option", "{option}");
    }
    let text = "[x]\nioengine=null\nsize=1m\ncomm=bench\n";
    let own = fathom_job::parse::load_text("x.fio", text, &Default::default(), &World::default());
    assert_eq!(own.unwrap_err()[0].code, "refused-option");
}

/// The lines that `t/steadystate_tests.py` of fio looks for.
#[test]
fn debug_says_what_each_option_was_taken_for() {
    let limits = [
        ("iops:10", "set steady state IOPS threshold to 10.000000"),
        ("iops:.1%", "set steady state threshold to 0.100000%"),
        ("bw:12", "set steady state BW threshold to 12"),
    ];
    for (given, line) in limits {
        let invocation =
            parse(&format!("--parse-only --debug=io,parse --ss_dur=10s --ss={given} --ss_ramp=5"));
        assert!(invocation.debug_parse);
        let lines = debug_lines(&invocation.jobs, 7);
        assert!(lines.contains(&format!("parse    7 {line}\n")), "{lines}");
        assert!(lines.contains("parse    7 handle_option=steadystate_duration, ptr=10s\n"), "{lines}");
    }
    assert!(!parse("--debug=io --name=a").debug_parse);
}
