//! `fathom topology` and `fathom calc`, tested through their command lines.

use std::path::PathBuf;
use std::process::Output;

use crate::support::{fathom, text, workspace};

fn tree(name: &str) -> PathBuf {
    workspace().join(format!("crates/fathom-host/tests/trees/{name}.tree"))
}

fn run(words: &[&str]) -> Output {
    let dir = tempfile::tempdir().unwrap();
    let output = fathom(dir.path()).args(words).output().unwrap();
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(left, 0, "{words:?} left something behind");
    output
}

/// Standard output of a command that must succeed.
fn said(words: &[&str]) -> String {
    let output = run(words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn topology(name: &str, words: &[&str]) -> String {
    let tree = tree(name);
    said(&[&["topology", "--root", tree.to_str().unwrap()], words].concat())
}

#[test]
fn a_recorded_machine_in_three_forms() {
    let shown = topology("two-sockets", &["/dev/md0"]);
    for word in ["node0", "ratio 1.50 (2.00)", "! width halved: reseat", "md0 spans nodes 0,1"] {
        assert!(shown.contains(word), "{word}\n{shown}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&topology("two-sockets", &["--format", "json"])).unwrap();
    assert_eq!(json["schema"], "fathom.topology/1");
    assert_eq!(json["flags"][0]["id"], "downgraded-width");
    let picture = topology("two-sockets", &["--format", "svg"]);
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
}

#[test]
fn a_directory_is_a_machine_too() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("sys/class/block")).unwrap();
    let shown = said(&["topology", "--root", dir.path().to_str().unwrap()]);
    assert!(shown.contains("have no problem that can be seen here"), "{shown}");
}

#[test]
fn a_datasheet_by_drive() {
    let need =
        |mbps: &str| ["--need".to_owned(), format!("nvme0n1={mbps}"), format!("--need=nvme1n1={mbps}")];
    let words = need("1000");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert!(!topology("two-sockets", &words).contains("oversubscribed"));
}

/// On the machine that the test runs on, whatever it is, as the user who runs it.
#[test]
fn this_machine() {
    let json: serde_json::Value = serde_json::from_str(&said(&["topology", "--format=json"])).unwrap();
    assert!(json["boot_id"]["value"].is_string() && json["captured_at_s"].is_u64());
    let known = std::fs::read_dir("/sys/bus/pci/devices").map(|dir| dir.count()).unwrap_or(0);
    assert!(json["nodes"].as_array().unwrap().len() <= known);
    said(&["topology"]);
}

#[test]
fn what_cannot_be_mapped_is_an_error_with_a_hint() {
    let laptop = tree("laptop");
    let laptop = laptop.to_str().unwrap();
    let table: [&[&str]; 6] = [
        &["topology", "--root", laptop, "/dev/sdz"],
        &["topology", "--root", "/nonexistent"],
        &["topology", "--root", "/dev/null"],
        &["topology", "--root", laptop, "--need", "sdz=1"],
        &["topology", "--need", "nvme0n1"],
        &["topology", "--format", "png"],
    ];
    for words in table {
        let output = run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output));
        assert!(output.stdout.is_empty(), "{words:?}");
    }
    let output = run(&["topology", "--root", laptop, "/dev/sdz"]);
    assert!(text(&output).contains("hint: name a device"), "{}", text(&output));
}

/// V-62…V-66, M-11, M-21, I-24, M-13, M-6, V-55: the results of the guides, or the
/// right ones where a guide is wrong.
#[test]
fn the_guides_sums() {
    let table: [(&[&str], &[&str]); 13] = [
        (
            &["stride", "--level", "10", "--devices", "10", "--chunk", "256"],
            &[
                "64 blocks",
                "320 blocks (1280 KiB)",
                "mkfs.ext4 -b 4096 -E stride=64,stripe_width=320 /dev/md0",
                "su=256k,sw=5",
            ],
        ),
        (
            &["stride", "--level", "50", "--devices", "10", "--groups", "2", "--chunk", "64"],
            &["data devices  8", "stripe_width=128"],
        ),
        (
            &[
                "raid",
                "--level",
                "5",
                "--devices",
                "4",
                "--read-iops",
                "702905",
                "--write-iops",
                "146491",
                "--measured",
                "212889",
                "--cpu",
                "6.43",
            ],
            &["2 reads and 2 writes", "242,", "88 % of that", "33,109 IOPS for each per cent"],
        ),
        (&["pcie", "5x4"], &["Gen2 x4", "2000 MB/s raw"]),
        (&["pcie", "0x1011"], &["Gen1 x1", "250 MB/s raw"]),
        (&["pcie", "gen1x4", "--rate", "842"], &["the link is the limit"]),
        (&["affinity", "4,00000000", "0-3"], &["list 34  mask 4,00000000", "list 0-3  mask f"]),
        (&["affinity", "--mask", "10", "--irq", "177"], &["list 4", "echo 10 > /proc/irq/177/smp_affinity"]),
        (&["fill", "16TB"], &["size=14897G"]),
        (&["fill", "16TB", "--file", "15892G"], &["does not fit: 990.8 GiB too large"]),
        (&["op", "812GB", "640001MB"], &["over-provisioning 26.9 %"]),
        (&["additivity", "842", "1468", "--together", "1695"], &["73.4 %", "all wait for the slowest"]),
        (&["dma-delay", "31"], &["9.6875 µs"]),
    ];
    for (words, expected) in table {
        let shown = said(&[&["calc"], words].concat());
        for word in expected {
            assert!(shown.contains(word), "{words:?}: {word}\n{shown}");
        }
    }
}

#[test]
fn sums_that_cannot_be_are_refused() {
    let table: [&[&str]; 8] = [
        &["stride", "--level", "7", "--devices", "4", "--chunk", "64"],
        &["stride", "--level", "50", "--devices", "10", "--chunk", "64"],
        &["stride", "--level", "5", "--devices", "2", "--chunk", "64"],
        &["pcie", "gen9x4"],
        &["pcie", "0xffff0"],
        &["affinity", "x-"],
        &["fill", "1"],
        &["slips", "V-1"],
    ];
    for words in table {
        let output = run(&[&["calc"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output));
    }
}

#[test]
fn slips_are_listed_and_found() {
    let all = said(&["calc", "slips"]);
    for id in ["V-55", "V-63", "V-65", "V-76", "M-4", "M-10", "H-23", "I-16", "I-24", "I-40", "I-47", "T-35"]
    {
        assert!(all.contains(&format!("{id}  ")), "{id}");
    }
    let one = said(&["calc", "slips", "i-24"]);
    assert!(one.contains("15892G") && one.contains("14897G") && !one.contains("V-63"));
    let json: serde_json::Value = serde_json::from_str(&said(&["calc", "slips", "--json"])).unwrap();
    assert!(json["slips"].as_array().unwrap().len() >= 50);
}
