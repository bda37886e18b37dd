//! `blk.integrity`: does every block carry a checksum of its own?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};

pub(super) const CHECK: Check = Check {
    id: "blk.integrity",
    title: "Data integrity (protection information)",
    reads: "/sys/block/D/integrity/format, read_verify, write_generate",
    why: "Drives formatted with protection information carry eight or more bytes of checksum with each block. The \
          kernel computes them before each write and checks them after each read. That is CPU time in proportion to \
          the bytes, so it shows in bandwidth first.",
    judged: "Without a format, or with both switched off: ok. Otherwise a remark for every goal: compare two hosts \
             only if the setting is the same on both.",
    remedy: "Leave the setting as it will be in production, and report it. By hand: echo 0 > \
             /sys/block/D/integrity/read_verify (and write_generate) until the next boot. Formatting the drive without \
             it deletes all data (see nvme.lbaf).",
    needs: Needs::Nothing,
    kernels: "2.6.27 and later, with CONFIG_BLK_DEV_INTEGRITY",
    sources: &["Documentation/block/data-integrity.rst", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let dir = disk.sys_dir.join("integrity");
    let format = scene.read(dir.join("format"))?;
    let seen = Observation::on(&disk.name).show(&format);
    // "none": no profile; "nop": metadata without a checksum to compute.
    if matches!(format.text.as_str(), "none" | "nop") {
        return Ok(seen.ok("no checksum is computed"));
    }
    if !is_code(&format.text) {
        return Err(format.garbled());
    }
    let (reads, verify) = scene.value::<u8>(dir.join("read_verify"))?;
    let (writes, generate) = scene.value::<u8>(dir.join("write_generate"))?;
    let seen = seen.show(&verify).show(&generate);
    Ok(match (writes, reads) {
        (0, 0) => {
            seen.ok(format!("the format is {}, but checksums are not computed and not checked", format.text))
        }
        (_, 0) => seen.info(format!("{} is computed for each write", format.text)),
        (0, _) => seen.info(format!("{} is checked after each read", format.text)),
        _ => seen.info(format!("{} is computed for each write and checked after each read", format.text)),
    })
}

/// `T10-DIF-TYPE1-CRC`, `T10-DIF-TYPE3-IP`, `EXT-DIF-TYPE1-CRC64`.
fn is_code(name: &str) -> bool {
    name.contains("DIF") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}
