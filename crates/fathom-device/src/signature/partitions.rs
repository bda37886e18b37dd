//! The partitions that a table in a file or on a device lists: MBR with its logical partitions, and
//! GPT (UEFI specification, chapter 5).

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Sizes of a logical block in which GPT may count; the place of the table shows which.
const GPT_BLOCKS: [u64; 2] = [512, 4096];
/// The size in which MBR counts, which does not record it. (Disks with larger blocks have GPT.)
const MBR_BLOCK: u64 = 512;
/// More entries than this are a damaged table: GPT has 128 of them.
const ENTRIES_MAX: u32 = 1024;
/// Logical partitions that are followed: the kernel stops at 256.
const LOGICAL_MAX: usize = 256;
/// Types of an MBR entry that hold logical partitions.
const EXTENDED: [u8; 3] = [0x05, 0x0f, 0x85];
/// The entry of an MBR in front of a GPT: the whole disk.
const PROTECTIVE: u8 = 0xee;

/// The partitions of a device of `size_bytes`, in bytes, cut at its end. None
/// where there is no table.
pub fn partitions(file: &File, size_bytes: u64) -> io::Result<Vec<Range<u64>>> {
    let mut partitions = mbr(file, size_bytes)?;
    for block in GPT_BLOCKS {
        partitions.extend(gpt(file, block, block, size_bytes)?);
        // The spare table, in the last block.
        if let Some(at) = (size_bytes / block * block).checked_sub(block) {
            partitions.extend(gpt(file, block, at, size_bytes)?);
        }
    }
    partitions.retain(|range| range.start < range.end);
    partitions.sort_unstable_by_key(|range| (range.start, range.end));
    partitions.dedup();
    Ok(partitions)
}

fn gpt(file: &File, block: u64, at: u64, size_bytes: u64) -> io::Result<Vec<Range<u64>>> {
    let Some(header) = read(file, at, 92, size_bytes)? else { return Ok(Vec::new()) };
    if !header.starts_with(b"EFI PART") {
        return Ok(Vec::new());
    }
    let (first, count, len) = (u64_at(&header, 72), u32_at(&header, 80), u32_at(&header, 84));
    if count > ENTRIES_MAX || !(128..=4096).contains(&len) {
        return Ok(Vec::new());
    }
    let entries = read(file, first.saturating_mul(block), u64::from(count) * u64::from(len), size_bytes)?;
    let entries = entries.unwrap_or_default();
    let used = entries.chunks_exact(len as usize).filter(|entry| entry[..16] != [0; 16]);
    Ok(used
        .map(|entry| {
            let end = u64_at(entry, 40).saturating_add(1).saturating_mul(block);
            u64_at(entry, 32).saturating_mul(block)..end.min(size_bytes)
        })
        .collect())
}

fn mbr(file: &File, size_bytes: u64) -> io::Result<Vec<Range<u64>>> {
    let mut partitions = Vec::new();
    let mut extended = None;
    for (kind, start, len) in table(file, 0, size_bytes)? {
        match EXTENDED.contains(&kind) {
            true => extended = Some(start),
            false => partitions.push(bytes(start, len, size_bytes)),
        }
    }
    let Some(first) = extended else { return Ok(partitions) };
    // A chain of tables, each with a partition of its own and the next table.
    let mut at = first;
    for _ in 0..LOGICAL_MAX {
        let mut next = None;
        for (kind, start, len) in table(file, at * MBR_BLOCK, size_bytes)? {
            match EXTENDED.contains(&kind) {
                true => next = Some(first + start),
                false => partitions.push(bytes(at + start, len, size_bytes)),
            }
        }
        match next {
            Some(next) if next > at => at = next,
            _ => break,
        }
    }
    Ok(partitions)
}

/// Type, first block and blocks of the entries in use of one sector.
fn table(file: &File, at: u64, size_bytes: u64) -> io::Result<Vec<(u8, u64, u64)>> {
    let Some(sector) = read(file, at, 512, size_bytes)? else { return Ok(Vec::new()) };
    if sector[510..] != [0x55, 0xaa] {
        return Ok(Vec::new());
    }
    let entry = |n: usize| {
        let entry = &sector[446 + 16 * n..462 + 16 * n];
        (entry[4], u64::from(u32_at(entry, 8)), u64::from(u32_at(entry, 12)))
    };
    Ok((0..4).map(entry).filter(|(kind, _, len)| ![0, PROTECTIVE].contains(kind) && *len > 0).collect())
}

fn bytes(start: u64, len: u64, size_bytes: u64) -> Range<u64> {
    start * MBR_BLOCK..((start + len) * MBR_BLOCK).min(size_bytes)
}

/// `None` beyond the end.
fn read(file: &File, at: u64, len: u64, size_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    if at.checked_add(len).is_none_or(|end| end > size_bytes) {
        return Ok(None);
    }
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(&mut bytes, at)?;
    Ok(Some(bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|n| bytes[at + n]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|n| bytes[at + n]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    /// What this machine's sfdisk makes of a script, on a file of 64 MiB.
    fn made(script: &str) -> Vec<Range<u64>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(64 << 20).unwrap();
        let mut sfdisk = Command::new("sfdisk")
            .args(["-q", "--no-reread", "--no-tell-kernel"])
            .arg(file.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut sfdisk.stdin.take().unwrap(), script.as_bytes()).unwrap();
        assert!(sfdisk.wait().unwrap().success(), "{script}");
        partitions(file.as_file(), 64 << 20).unwrap()
    }

    #[test]
    fn tables_are_read_as_sfdisk_makes_them() {
        let mib = |range: &Range<u64>| (range.start >> 20, range.end >> 20);
        let list = |script: &str| made(script).iter().map(mib).collect::<Vec<_>>();
        assert_eq!(list("label: gpt\n2048,20480\n40960,20480\n"), [(1, 11), (20, 30)]);
        assert_eq!(list("label: dos\n2048,20480\n40960,20480\n"), [(1, 11), (20, 30)]);
        let logical = "label: dos\n2048,20480\n40960,81920,E\n43008,10240\n57344,20480\n";
        assert_eq!(list(logical), [(1, 11), (21, 26), (28, 38)]);
    }

    #[test]
    fn a_damaged_table_ends_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut bytes = vec![0xff; 1 << 20];
        bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
        bytes[512..520].copy_from_slice(b"EFI PART");
        std::fs::write(file.path(), bytes).unwrap();
        assert_eq!(partitions(file.as_file(), 1 << 20).unwrap(), []);
        assert_eq!(partitions(file.as_file(), 100).unwrap(), []);
    }
}
