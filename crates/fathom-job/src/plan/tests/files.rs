//! Names of files, and what may be a target.

use super::*;

fn paths(text: &str) -> Vec<String> {
    planned(text).jobs.iter().flat_map(|job| &job.files).map(|file| file.path.clone()).collect()
}

#[test]
fn names_are_fios() {
    let job = |name: &str, options: &str| paths(&format!("[{name}]\nsize=1m\nbs=4k\n{options}"));
    assert_eq!(job("t", "numjobs=2"), ["t.0.0", "t.1.0"]);
    assert_eq!(job("t", "nrfiles=2\ndirectory=/data/"), ["/data/t.0.0", "/data/t.0.1"]);
    assert_eq!(job("t", "numjobs=3\ndirectory=/a:/b"), ["/a/t.0.0", "/b/t.1.0", "/a/t.2.0"]);
    assert_eq!(job("t", "numjobs=2\nfilename=x:y"), ["x", "y", "x", "y"]);
    assert_eq!(job("t", "nrfiles=1\nfilename=x:y"), ["x"]);
    assert_eq!(job("t", "nrfiles=9\nfilename=x:y"), ["x", "y"]);
    assert_eq!(job("t", "filename_format=$jobname-$filenum-$jobnum\nnrfiles=2"), ["t-0-0", "t-1-0"]);
    assert_eq!(job("/dev/fioa", ""), ["/dev/fioa"]);
    assert_eq!(job("t", "name=other"), ["t.0.0"]);
    assert_eq!(job("t", "name=other\nfilename_format=$jobname"), ["t"]);
    assert_eq!(job("/dev/fioa", "name=other"), ["/dev/fioa"]);
    assert_eq!(paths("[global]\nname=g\nsize=1m\n[a]\n[b]\n"), ["a.0.0", "b.0.0"]);
    assert_eq!(job("t", "ioengine=null\nfilename=x:y"), ["", ""]);
}

#[test]
fn the_files_of_a_tree_are_those_of_the_job() {
    let tree = |options: &str| paths(&format!("[t]\nopendir=/data\nrw=read\nbs=4k\n{options}\n"));
    assert_eq!(tree(""), ["/data/dense", "/data/mib"], "an empty file has no block");
    assert_eq!(tree("numjobs=2").len(), 4);
    assert_eq!(tree("size=3m"), ["/data/dense", "/data/empty", "/data/mib"], "each is a mebibyte long");
    assert_eq!(tree("nrfiles=1"), ["/data/dense"]);
    assert_eq!(tree("filename=/dev/fioa"), ["/dev/fioa", "/data/dense", "/data/mib"]);
    assert_eq!(codes(&one("opendir=/data rw=read bs=4k")), ["opendir-short"]);
    for (options, why) in [
        ("opendir=/a rw=read", "there is no regular file below /a"),
        ("opendir=/b rw=read", "cannot be listed: No such file or directory"),
        ("opendir=/data rw=read directory=/data", "exclude each other"),
    ] {
        let error = error_of(options);
        assert!(error.message.contains(why), "{options}: {error}");
    }
}

#[test]
fn a_target_has_the_kind_that_filetype_says() {
    let kind = |options: &str| one(&format!("size=1m bs=4k {options}")).jobs[0].files[0].kind;
    assert_eq!(kind("filetype=file filename=/data/mib"), TargetKind::File);
    assert_eq!(kind("filetype=file filename=/data/new"), TargetKind::Missing);
    assert_eq!(kind("filetype=block filename=/dev/fioa"), TargetKind::Block);
    for other in [
        "filetype=block filename=/data/mib",
        "filetype=file filename=/dev/fioa",
        "filetype=char filename=/dev/fioa",
    ] {
        assert_eq!(error_of(&format!("size=1m bs=4k {other}")).code, "filetype", "{other}");
    }
}

#[test]
fn a_colon_that_belongs_to_a_name_is_noticed() {
    // There is a file of the whole name, and not of its parts.
    let error = error_of("filename=/data/c:d size=1m bs=4k");
    assert_eq!(error.code, "colon-in-name");
    assert!(error.hints[0].starts_with("filename=/data/c\\:d is the one file"), "{error:?}");
    assert_eq!(paths("[t]\nfilename=/data/c\\:d\nsize=1m\n"), ["/data/c:d"]);
    let told = |options: &str| {
        let found = one(options).findings.into_iter().find(|found| found.code == "colon-in-name");
        found.map(|found| found.message)
    };
    let new = "job t: `:` separates names in filename; these files will be created: x, /data/y";
    assert_eq!(told("filename=x:/data/y size=1m bs=4k").as_deref(), Some(new));
    assert_eq!(told("filename=/data/mib:/data/dense bs=4k"), None);
    assert_eq!(told("filename=x size=1m bs=4k"), None);
}

#[test]
fn names_with_another_separator_are_noticed() {
    for (name, hint) in [
        ("/dev/fioa,/dev/fiob", "filename=/dev/fioa:/dev/fiob names each of them"),
        ("/data/new /data/newer", "filename=/data/new:/data/newer names each of them"),
    ] {
        let error = &try_plan_of_name(name).expect_err(name)[0];
        assert_eq!((error.code.as_str(), error.hints[0].as_str()), ("separator-in-name", hint), "{name}");
    }
    let semicolon = &try_plan_of_name("/dev/fioa;/dev/fiob").expect_err("one name")[0];
    assert!(
        semicolon.hints[0].ends_with("; a shell ends the command at a `;` without quotes"),
        "{semicolon:?}"
    );
    let note = &try_plan_of_name("a;b").expect("a new file").findings[0];
    assert_eq!(note.message, "job t: one file with `;` in its name will be created: a;b");
    assert_eq!(paths("[t]\nfilename=a,b\nsize=1m\n"), ["a,b"]);
    assert_eq!(paths("[t]\nfilename=my file\nsize=1m\n"), ["my file"]);
}

#[test]
fn names_of_windows_are_refused() {
    for name in ["D:\\f", "C\\:\\dir\\f", "\\\\.\\PhysicalDrive1", "x:\\\\.\\PhysicalDrive1"] {
        let error = error_of(&format!("filename={name} size=1m bs=4k"));
        assert_eq!(error.code, "windows-name", "{name}");
        assert!(error.hints[0].starts_with("fathom convert test.fio --from windows"), "{error:?}");
    }
    assert_eq!(error_of("directory=D\\:\\dir size=1m bs=4k").code, "windows-name");
}

#[test]
fn some_things_are_no_targets() {
    let cases = [
        ("filename=/data", "target-directory"),
        ("filename=/dev/tty", "target-char"),
        ("filename=/dev/nosuch", "target-missing"),
    ];
    for (options, code) in cases {
        assert_eq!(error_of(&format!("size=1m bs=4k {options}")).code, code, "{options}");
    }
    for (options, end) in [
        ("filename=/nonexist/q", "there is no directory /nonexist"),
        ("filename=/data/no/deeper/q", "there is no directory /data/no/deeper"),
        ("filename=none/q", "there is no directory none"),
        ("filename=/data/new allow_file_create=0", "allow_file_create=0 forbids creating it"),
    ] {
        let plan = one(&format!("size=1m bs=4k {options}"));
        let found = plan.findings.iter().find(|found| found.code == "target-missing").unwrap();
        assert!(found.message.ends_with(end), "{}", found.message);
    }
    let error = error_of("size=1m bs=4k directory=/nowhere");
    assert!(error.message.ends_with("there is no directory /nowhere"), "{}", error.message);
    // Ten files without their directory are one fault.
    assert_eq!(
        error_of("size=10m bs=4k directory=/nowhere nrfiles=10").hints,
        ["mkdir -p /nowhere creates it"]
    );
    for (path, instead) in [
        ("/dev/fctl", "/dev/fioa is the block device of /dev/fct0"),
        ("/dev/fct1", "/dev/fiob is its block device"),
        ("/dev/fct10", "/dev/fiok is its block device"),
        ("/dev/nvme0", "/dev/nvme0n1 is its first namespace"),
        ("/dev/nvme12", "/dev/nvme12n1 is its first namespace"),
        ("/dev/ng0n2", "/dev/nvme0n2 is the same namespace"),
        ("/dev/sg3", "lsscsi -g"),
        ("/dev/bsg/0:0:0:0", "lsscsi -g"),
        ("/dev/mapper/control", "fathom devices"),
        ("/dev/loop-control", "fathom devices"),
    ] {
        let error = error_of(&format!("size=1m bs=4k filename={}", path.replace(':', "\\:")));
        assert_eq!(error.code, "control-node", "{path}");
        assert!(
            error.message.starts_with(&format!("{path} is ")) && error.hints[0].contains(instead),
            "{error}"
        );
        assert!(error.span.is_some(), "{path}");
    }
    for path in ["/dev/fctab", "/dev/nvme0n9", "/dev/sgx", "/dev/ng0", "/dev/nosuch"] {
        assert_eq!(error_of(&format!("size=1m bs=4k filename={path}")).code, "target-missing", "{path}");
    }
    for options in ["filename=q", "filename=/q", "filename=/data//q"] {
        one(&format!("size=1m bs=4k {options}"));
    }
    assert_eq!(one("size=1m bs=4k filename=/dev/shm/new").jobs[0].files[0].kind, TargetKind::Missing);
}

/// A disk has no scale: the hint for it names none.
#[test]
fn the_hint_for_a_simulated_drive_is_of_its_kind() {
    for (model, told) in
        [("disk/4", "sim:disk,size=1t is a smaller disk"), ("consumer/x", "sim:PRESET/SCALE")]
    {
        let error = error_of(&format!("filename=sim:{model} bs=4k rw=read"));
        assert_eq!(error.code, "bad-model", "{model}");
        assert!(error.hints[0].starts_with(told), "{:?}", error.hints);
    }
    one("filename=sim:disk,size=1t bs=4k rw=read");
}
