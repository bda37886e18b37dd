//! Namespaces whose blocks have metadata: with protection information, and without.

use fathom_lab::{Drive, Scope, sh};

use super::bench::{ios, run, says};

/// The drive with format 1 of QEMU's drives (512 bytes and 8 of metadata), and this type of protection information.
fn formatted(protection: &str) -> (Drive, Scope) {
    let drive = Drive::by_serial("LAB-H");
    drive.blank();
    let mut scope = Scope::new();
    let format = |lbaf: &str, pi: &str| {
        ["nvme", "format", &drive.node, "--force", "--lbaf", lbaf, "--pi", pi].map(str::to_owned)
    };
    sh(&format("1", protection).each_ref().map(String::as_str));
    scope.later(&format("0", "0").each_ref().map(String::as_str));
    (drive, scope)
}

#[test]
fn the_drive_makes_and_checks_protection_information() {
    let (drive, scope) = formatted("1");
    let checked = |options: &str| format!("{options} iodepth=4 pi_chk=GUARD,REFTAG,APPTAG");
    let jobs = [
        checked("rw=write apptag=0x1234 verify=crc32c"),
        checked("rw=randread apptag=0x7734 apptag_mask=0xff"),
        // The information is in a buffer of its own.
        checked("rw=read pi_act=0"),
    ];
    assert_eq!(ios(&run(&drive, &jobs.each_ref().map(String::as_str))), [256; 4]);
    says(&run(&drive, &[&checked("rw=read apptag=0x7777")]), "application tag check error");
    scope.end();
}

#[test]
fn metadata_without_protection_has_a_buffer_of_its_own() {
    let (drive, scope) = formatted("0");
    assert_eq!(ios(&run(&drive, &["rw=randwrite iodepth=4 verify=crc32c md_per_io_size=128"])), [256, 256]);
    says(&run(&drive, &["rw=read md_per_io_size=32"]), "less than the 64 bytes of metadata");
    scope.end();
}
