//! Jobs that issue the I/Os of a trace.

use super::*;

/// The plan of a job with this trace, and what it says.
fn replayed(trace: &str, options: &str) -> Plan {
    one(&format!("read_iolog=/t/{trace} {options}"))
}

#[test]
fn files_that_a_trace_names_and_that_are_not_there_are_named() {
    let plan = replayed("new", "");
    let note = plan.findings.iter().find(|finding| finding.code == "replay-makes-files").expect("a note");
    assert!(note.message.ends_with(": /data/new") && note.hints[0].contains("replay_redirect="), "{note}");
    for options in ["replay_redirect=/data/other", "replay_redirect=/dev/fioa"] {
        assert!(!codes(&replayed("new", options)).contains(&"replay-makes-files"), "{options}");
    }
}

#[test]
fn a_trace_that_does_not_fit_here_has_a_hint_that_works() {
    for (trace, options, code, hint) in [
        ("gone", "", "target-missing", "replay_redirect="),
        ("odd", "", "bad-trace", "TIME FILE ACTION"),
        ("priority", "", "bad-trace", "no priority"),
    ] {
        let error = error_of(&format!("read_iolog=/t/{trace} {options}"));
        assert_eq!(error.code, code, "{trace}: {error}");
        assert!(error.hints.iter().any(|line| line.contains(hint)), "{trace}: {error}");
    }
    for target in ["/dev/fioa", "/data/new"] {
        let options = format!("replay_redirect={target}");
        let far = try_plan(&format!("[t]\nread_iolog=/t/far\n{options}\n"));
        let findings = far.map_or_else(|errors| errors, |plan| plan.findings);
        let hints = findings.iter().flat_map(|finding| &finding.hints);
        let scale =
            hints.filter_map(|hint| hint.split(' ').next()).find(|hint| hint.starts_with("replay_scale="));
        let scale = scale.unwrap_or_else(|| panic!("{target}: {findings:?}"));
        let plan = replayed("far", &format!("{options} {scale}"));
        assert!(!codes(&plan).contains(&"no-space"), "{target} {scale}: {:?}", plan.findings);
    }
}

#[test]
fn the_target_of_the_command_line_takes_all_io_of_a_trace() {
    let plan = planned_on("sim:datacentre/64", "[t]\nread_iolog=/t/new\n");
    assert_eq!(plan.jobs[0].files[0].path, "sim:datacentre/64");
    assert_eq!(error_of("read_iolog=/t/new filename=/data/mib").code, "replay-excludes");
}

/// fio's text has no quotes.
#[test]
fn a_name_with_white_space_is_not_recorded() {
    let job = |name: &str| format!("[t]\nrw=read\nbs=4k\nsize=1m\nfilename={name}\nwrite_iolog=log\n");
    let error = try_plan(&job("/data/my file")).expect_err("a name with a blank").remove(0);
    assert!(error.code == "iolog-name" && error.message.contains("/data/my file"), "{error}");
    planned(&job("/data/mib"));
}
