//! The program's own pages are mapped before anything is measured.
//!
//! The kernel maps a page of code when it first runs, and a page of the stack when
//! it is first used. Without this module that would happen during a measurement for
//! code that runs seldom (the end of a ramp, a contended lock). If the program file
//! is not cached, such a page is read from a disk while the loop waits.

use std::ops::Range;
use std::sync::Once;

/// `MADV_POPULATE_READ` of asm-generic/mman-common.h, since Linux 5.14.
const MADV_POPULATE_READ: libc::c_int = 22;

/// The most stack that a worker's calls use, bytes; measured below 16 KiB.
const STACK: usize = 20 << 10;

/// Makes the program and the calling thread's stack resident; the program only
/// once. A kernel before 5.14 maps the program while it runs, as usual.
pub fn make_resident() {
    static PROGRAM: Once = Once::new();
    PROGRAM.call_once(populate_program);
    touch_stack();
}

#[inline(never)]
fn touch_stack() {
    let mut room = [0u8; STACK];
    std::hint::black_box(&mut room);
}

fn populate_program() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for range in maps.lines().filter_map(program_part) {
        // SAFETY: it maps pages of a file for reading, at addresses where the
        // kernel just said that this file is; nothing is changed.
        unsafe { libc::madvise(range.start as *mut _, range.len(), MADV_POPULATE_READ) };
    }
}

/// The addresses of a line of `/proc/PID/maps`, if it is code or constants of
/// the program or a library: private, not to be written, of a file.
fn program_part(line: &str) -> Option<Range<usize>> {
    let mut fields = line.split_ascii_whitespace();
    let (addresses, access) = (fields.next()?, fields.next()?);
    let path = fields.nth(3)?;
    if !matches!(access, "r-xp" | "r--p") || !path.starts_with('/') {
        return None;
    }
    let (start, end) = addresses.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_constants_of_files_are_part_of_the_program() {
        let code = "55e0a000-55e0b000 r-xp 00001000 fe:01 77 /usr/bin/fathom";
        assert_eq!(program_part(code), Some(0x55e0_a000..0x55e0_b000));
        assert!(program_part("7f00-7f10 r--p 00000000 fe:01 78 /lib/libc.so.6").is_some());
        for other in [
            "55e0a000-55e0b000 rw-p 00001000 fe:01 77 /usr/bin/fathom",
            "7f00-7f10 r--s 00000000 fe:01 79 /data/target",
            "7f00-7f10 r-xp 00000000 00:00 0 [vdso]",
            "7f00-7f10 r--p 00000000 00:00 0",
        ] {
            assert_eq!(program_part(other), None, "{other}");
        }
    }

    #[test]
    fn this_program_has_code() {
        make_resident();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let here = this_program_has_code as *const () as usize;
        assert!(maps.lines().filter_map(program_part).any(|part| part.contains(&here)));
    }
}
