//! Format NVM: blocks, reach, the drive's own words.

use fathom_guard::purge::{Outcome, PurgeError, Reach, Wish};

use crate::purge_simulated::drive::SimDrive;
use crate::purge_simulated::machine::{Machine, wish};

const FORMAT: u8 = 0x80;

fn blocks(bytes: u32) -> Wish {
    Wish { method: Some("format-erase".to_owned()), block_bytes: Some(bytes) }
}

#[test]
fn a_format_names_its_namespace_and_changes_the_blocks() {
    let machine = Machine::with("nvme0n1", SimDrive::new());
    let record = machine.purge(&blocks(4096)).unwrap();
    // LBA format 1, secure erase 1, namespace 1: never 0xffffffff.
    assert_eq!(machine.drive.with_state(|s| s.admin.clone()), [(FORMAT, 1, 1 << 9 | 1)]);
    let shapes = (record.before.logical_block_bytes, record.after.logical_block_bytes);
    assert_eq!(shapes, (Some(512), Some(4096)));
    assert_eq!(record.proof.outcome, Outcome::Empty);
    assert_eq!(record.proof.held_before, record.proof.windows);
    assert_eq!(record.used_blocks, Some((8192, 0)));
    let record = machine.purge(&blocks(512)).unwrap();
    assert_eq!((record.after.logical_block_bytes, record.proof.held_before), (Some(512), 0));
}

#[test]
fn blocks_that_the_drive_does_not_have_are_refused_with_those_that_it_has() {
    let machine = Machine::with("nvme0n1", SimDrive::new());
    let Err(e) = machine.choose(&blocks(8192), &[]) else { panic!("offered") };
    assert!(e.to_string().contains("no blocks of 8192 bytes"), "{e}");
    assert_eq!(e.hints(), ["it has blocks of 512 bytes, 4096 bytes"]);
}

#[test]
fn the_drives_own_words_are_told() {
    for (status, words) in [
        (0x410a, "Invalid Format (status 0x10a)"),
        (0x4286, "Access Denied (status 0x286)"),
        (0x0084, "Format In Progress (status 0x84)"),
    ] {
        let drive = SimDrive::new().set(|s| s.refuses.push((FORMAT, status)));
        let machine = Machine::with("nvme0n1", drive);
        let e = machine.purge(&wish("format")).unwrap_err();
        assert!(e.to_string().contains(words), "{e}");
        assert!(matches!(e, PurgeError::Nvme { .. }));
        assert_eq!(e.hints().is_empty(), status != 0x84);
    }
}

#[test]
fn fna_decides_what_a_format_reaches() {
    let cases = [
        (0b000, "format", Reach::Target),
        (0b001, "format", Reach::AllNamespaces),
        (0b010, "format", Reach::Target),
        (0b010, "format-erase", Reach::AllNamespaces),
        (0b001, "format-erase", Reach::AllNamespaces),
        (0b100, "format-crypto", Reach::Target),
    ];
    for (fna, method, reach) in cases {
        let drive = SimDrive::new().set(|s| {
            s.controller[524] = fna;
            s.namespaces = vec![1, 2];
        });
        let choice =
            Machine::with("nvme0n1", drive).choose(&wish(method), &[]).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(choice.terms.reach, reach, "FNA {fna:b}, {method}");
        let affected = if reach == Reach::Target { 1 } else { 2 };
        assert_eq!(choice.affected.len(), affected);
    }
    let drive = SimDrive::new().set(|s| s.controller[524] = 0);
    assert!(Machine::with("nvme0n1", drive).refused("format-crypto").contains("no cryptographic erase"));
}

#[test]
fn the_ladder_takes_no_neighbour_along_unasked() {
    let drive = SimDrive::new().set(|s| s.namespaces = vec![1, 2]);
    let machine = Machine::with("nvme0n1", drive);
    let auto = Wish::default();
    // Sanitize would be stronger, and would empty namespace 2.
    assert_eq!(machine.chosen(&auto, &[]), ("format-erase".to_owned(), vec!["nvme0n1".to_owned()]));
    let choice = machine.choose(&auto, &["eui.1"]).unwrap_or_else(|e| panic!("{e}"));
    let sanitize = &choice.ladder[0];
    assert!(sanitize.is_offered && sanitize.why_not.as_ref().unwrap().contains("nvme0n2"), "{sanitize:?}");
    let both = vec!["nvme0n1".to_owned(), "nvme0n2".to_owned()];
    assert_eq!(machine.chosen(&auto, &["eui.1", "eui.2"]), ("sanitize-block".to_owned(), both));
}

/// Without the second namespace that the machine has.
fn alone(drive: SimDrive) -> Machine {
    let paths =
        ["/sys/devices/nvme0", "/sys/block", "/sys/class/block"].map(|dir| format!("-{dir}/nvme0n2\n"));
    Machine::changed("nvme0n1", drive, &(paths.concat() + "-/sys/dev/block/259:2\n"))
}

#[test]
fn a_drive_with_one_namespace_is_sanitized() {
    let machine = alone(SimDrive::new());
    assert_eq!(machine.chosen(&Wish::default(), &[]).0, "sanitize-block");
    let plain = SimDrive::new().set(|s| s.controller[328] = 0);
    assert_eq!(alone(plain).chosen(&Wish::default(), &[]).0, "format-erase");
    let bare = SimDrive::new().set(|s| {
        s.controller[328] = 0;
        s.controller[256] = 0;
    });
    assert_eq!(alone(bare).chosen(&Wish::default(), &[]).0, "trim");
    let other_blocks = Wish { method: None, block_bytes: Some(4096) };
    assert_eq!(alone(SimDrive::new()).chosen(&other_blocks, &[]).0, "format-erase");
}

/// A controller lists its own namespaces; the kernel shows those of the drive's other controllers
/// too.
#[test]
fn a_namespace_of_another_controller_is_emptied_along() {
    let machine = Machine::with("nvme0n1", SimDrive::new());
    assert_eq!(machine.chosen(&Wish::default(), &["eui.1"]).0, "format-erase");
    assert_eq!(machine.chosen(&wish("sanitize-block"), &[]).1, ["nvme0n1", "nvme0n2"]);
}

#[test]
fn a_namespace_that_cannot_be_examined_stops_what_would_empty_it() {
    let drive = SimDrive::new().set(|s| {
        s.namespaces = vec![1, 3];
        s.controller[524] = 1;
    });
    let machine = Machine::with("nvme0n1", drive);
    let Err(e) = machine.choose(&wish("format"), &[]) else { panic!("namespace 3 is not a block device") };
    assert!(e.is_refusal() && e.to_string().contains("namespace 3"), "{e}");
    assert_eq!(machine.chosen(&Wish::default(), &[]).0, "trim", "the ladder goes on below it");
}

#[test]
fn the_same_namespace_by_another_path_counts_as_affected() {
    let twin = "/sys/devices/nvme0/nvme0n2/nsid = 1\n";
    let machine = Machine::changed("nvme0n1", SimDrive::new(), twin);
    let (_, affected) = machine.chosen(&wish("format"), &[]);
    assert_eq!(affected, ["nvme0n1", "nvme0n2"]);
}

#[test]
fn a_partition_is_not_formatted() {
    let machine = Machine::with("nvme0n1p1", SimDrive::new());
    for method in ["format", "sanitize-block"] {
        assert!(machine.refused(method).contains("not a whole NVMe namespace"));
    }
    assert_eq!(machine.chosen(&Wish::default(), &[]).0, "trim");
}

#[test]
fn a_purge_that_did_nothing_is_caught_by_reading() {
    let drive = SimDrive::new().set(|s| s.lies = true);
    let record = Machine::with("nvme0n1", drive).purge(&wish("format")).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Survived);
    assert_eq!(record.proof.as_before, record.proof.windows);
}

#[test]
fn an_erased_key_leaves_something_and_nothing_old() {
    let drive = SimDrive::new().set(|s| s.scrambles = true);
    let record = Machine::with("nvme0n1", drive).purge(&wish("format-crypto")).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Changed);
    assert_eq!((record.proof.as_before, record.proof.other), (0, record.proof.windows));
}

/// A list has room for 1,024; the rest is on the next.
#[test]
fn every_one_of_3000_namespaces_is_known() {
    let drive = SimDrive::new().set(|s| s.namespaces = (1..=3000).collect());
    let facts = Machine::with("nvme0n1", drive).facts();
    assert_eq!(facts.nvme.unwrap().namespaces, (1..=3000).collect::<Vec<u32>>());
    let exactly = SimDrive::new().set(|s| s.namespaces = (1..=2048).collect());
    assert_eq!(Machine::with("nvme0n1", exactly).facts().nvme.unwrap().namespaces.len(), 2048);
}

#[test]
fn a_list_of_namespaces_that_never_ends_is_not_believed() {
    let repeats = SimDrive::new().set(|s| {
        s.namespaces = (1..=1024).collect();
        s.repeats_its_list = true;
    });
    let facts = Machine::with("nvme0n1", repeats).facts();
    assert!(facts.nvme.is_none() && facts.unknown[0].contains("ascending order"), "{:?}", facts.unknown);
    let endless = SimDrive::new().set(|s| s.namespaces = (1..=70_000).collect());
    let facts = Machine::with("nvme0n1", endless).facts();
    assert!(facts.nvme.is_none() && facts.unknown[0].contains("more than 65536"), "{:?}", facts.unknown);
}
