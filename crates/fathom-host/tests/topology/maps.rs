//! Whole maps, as text, as JSON and as a picture.

use fathom_host::topology::svg::svg;

use fathom_text::style::Style;

use crate::topology::fixture::{changed, map, text, tree};

const MACHINES: [&str; 8] =
    ["balanced", "downgraded", "laptop", "oversubscribed", "qemu", "thermal", "two-sockets", "vmd"];

#[test]
fn as_text() {
    for name in MACHINES {
        insta::assert_snapshot!(name, text(&map(&tree(name))));
    }
}

/// Members, namespaces and uses are beside each other, at every width.
#[test]
fn at_every_width() {
    let map = map(&tree("two-sockets"));
    for width in [60, 80, 100] {
        let style = Style { width, ..Style::PLAIN };
        let shown = fathom_host::topology::text::text(&map, style);
        for line in shown.lines().filter(|line| !line.trim_start().starts_with("/sys/")) {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        insta::assert_snapshot!(format!("at_{width}"), shown.to_string());
    }
    let style = Style { colour: true, width: 80, utf8: false, ..Style::PLAIN };
    let shown = fathom_host::topology::text::text(&map, style).to_string();
    assert!(shown.is_ascii(), "{shown}");
    insta::assert_snapshot!("in_colour_and_ascii", shown.replace('\x1b', "ESC"));
}

/// Two volumes on one disk are two branches; neither is on the other.
#[test]
fn what_is_parallel_is_not_drawn_as_a_chain() {
    let dm = |number: u32| {
        let dir = format!("/sys/devices/virtual/block/dm-{number}");
        let disk = "/sys/devices/pci0000:00/0000:00:1d.0/0000:3c:00.0/nvme/nvme0/nvme0n1";
        format!(
            "/sys/dev/block/253:{number} -> ../../devices/virtual/block/dm-{number}\n\
             /sys/class/block/dm-{number} -> ../../devices/virtual/block/dm-{number}\n\
             /sys/block/dm-{number} -> ../devices/virtual/block/dm-{number}\n\
             {dir}/dev = 253:{number}\n{dir}/size = 1000\n{dir}/dm/name = vg-{number}\n\
             {dir}/slaves/nvme0n1p2 -> {disk}/nvme0n1p2\n\
             {disk}/nvme0n1p2/holders/dm-{number} -> {dir}\n"
        )
    };
    let map = map(&changed("laptop", &(dm(1) + &dm(2))));
    let shown = text(&map);
    for line in ["├─ → dm-0", "├─ → dm-1", "└─ → dm-2"] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn as_json() {
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&map(&tree("thermal"))).unwrap());
}

#[test]
fn json_has_the_fields_of_its_schema() {
    for name in MACHINES {
        let json = serde_json::to_value(map(&tree(name))).unwrap();
        assert_eq!(json["schema"], "fathom.topology/1");
        let fields =
            ["complete", "host_bridges", "nodes", "block", "stacks", "mounts", "flags", "numa_nodes"];
        fields.iter().for_each(|field| assert!(!json[field].is_null(), "{name}: {field}"));
        check_facts(name, &json);
    }
}

/// Every fact has a path, and either a raw text or a reason.
fn check_facts(place: &str, json: &serde_json::Value) {
    match json {
        serde_json::Value::Object(fields) => {
            if fields.contains_key("value") && fields.contains_key("path") && fields.len() > 2 {
                let says = if fields["value"].is_null() { "reason" } else { "raw" };
                assert!(fields.contains_key(says), "{place}: {json}");
            }
            fields.iter().for_each(|(name, inner)| check_facts(&format!("{place}.{name}"), inner));
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| check_facts(place, item)),
        _ => {}
    }
}

#[test]
fn a_zoned_drive_shows_its_zones() {
    let queue = "/sys/devices/pci0000:00/0000:00:03.0/0000:01:00.0/nvme/nvme0/nvme0n1/queue";
    let files = [
        ("zoned", "host-managed"),
        ("chunk_sectors", "131072"),
        ("nr_zones", "16"),
        ("max_active_zones", "14"),
    ];
    let overlay: String = files.iter().map(|(file, text)| format!("{queue}/{file} = {text}\n")).collect();
    let text = text(&map(&changed("qemu", &overlay)));
    let zoned: Vec<&str> = text.lines().filter(|line| line.contains("zones")).collect();
    assert_eq!(zoned.len(), 1, "{text}");
    assert!(zoned[0].contains("nvme0n1"), "{text}");
    assert!(zoned[0].contains("host-managed, 16 zones of 64 MiB, at most 14 active"), "{text}");
}

#[test]
fn as_a_picture() {
    insta::assert_snapshot!("picture", svg(&map(&tree("two-sockets"))));
}

#[test]
fn a_picture_stands_alone_and_does_not_speak_by_colour_only() {
    for name in MACHINES {
        let map = map(&tree(name));
        let picture = svg(&map);
        for foreign in ["<script", "href", "@import", "url(http", "<foreignObject"] {
            assert!(!picture.contains(foreign), "{name}: {foreign}");
        }
        assert!(picture.contains("prefers-color-scheme:dark"));
        assert_eq!(picture.matches("<g>").count(), picture.matches("</g>").count());
        for flag in map.flags.iter().filter(|flag| flag.node.contains(':')) {
            assert!(picture.contains("class=\"w\"") && picture.contains("! "), "{name}: {}", flag.short);
        }
        assert!(!map.flags.is_empty() || !picture.contains("class=\"w\""), "{name}");
    }
}

/// Names come from devices and users, so they must be escaped in the picture.
#[test]
fn what_devices_say_is_escaped() {
    let mut tree = tree("thermal");
    let model = "/sys/devices/pci0000:00/0000:00:01.1/0000:01:00.0/nvme/nvme0/model";
    tree.overlay(&format!("{model} = <script>&\"\n")).unwrap();
    let picture = svg(&map(&tree));
    assert!(!picture.contains("<script>") && picture.contains("&lt;script&gt;&amp;&quot;"));
}

/// A mount point may hold what is printed before a flag in the text: in the picture it
/// stays part of its name.
#[test]
fn a_name_that_looks_like_a_flag_is_none() {
    let flagged = |point: &str| {
        let line = format!("21 1 259:0 / /{point} rw,noatime - ext4 /dev/nvme0n1 rw");
        let picture = svg(&map(&changed("downgraded", &format!("/proc/self/mountinfo = {line}\n"))));
        assert!(picture.contains("→ ext4 /d"), "{picture}");
        picture.matches("class=\"f\"").count()
    };
    assert_eq!(flagged(r"d\040\040!\040name"), flagged("data"));
}
