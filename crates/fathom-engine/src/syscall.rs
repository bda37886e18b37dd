//! Bare system calls.
//!
//! The C library's `syscall` moves seven registers and sets errno, which takes a
//! dozen instructions more than the call itself. With I/O that costs little more
//! than its system call, this difference is visible.

/// A system call of up to six words. Returns what the kernel returns: a negative errno
/// if the call failed.
///
/// # Safety
/// The kernel does to memory what the call says. The arguments must meet the
/// requirements of the C function of that name.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub unsafe fn system_call(number: libc::c_long, args: [u64; 6]) -> i64 {
    let result: i64;
    // SAFETY: the kernel's calling convention on x86-64: number and result in
    // rax, arguments as below, rcx and r11 lost, the stack untouched. The caller
    // guarantees that what it does to memory is allowed.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// A system call of up to six words. Returns what the kernel returns: a negative errno
/// if the call failed.
///
/// # Safety
/// The kernel does to memory what the call says. The arguments must meet the
/// requirements of the C function of that name.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub unsafe fn system_call(number: libc::c_long, args: [u64; 6]) -> i64 {
    let [a, b, c, d, e, f] = args;
    // SAFETY: the caller guarantees it.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if result < 0 { -i64::from(crate::engine::errno()) } else { result }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_errors_are_those_of_the_kernel() {
        // SAFETY: no pointers.
        let pid = unsafe { system_call(libc::SYS_getpid, [0; 6]) };
        assert_eq!(pid, i64::from(std::process::id()));
        // SAFETY: there is no such descriptor, so nothing is written.
        let bad = unsafe { system_call(libc::SYS_pread64, [u64::MAX, 0, 0, 0, 0, 0]) };
        assert_eq!(bad, -i64::from(libc::EBADF));
    }

    #[test]
    fn all_six_arguments_arrive() {
        use std::io::{Read, Seek, Write};
        let mut from = tempfile::tempfile().unwrap();
        let mut to = tempfile::tempfile().unwrap();
        from.write_all(b"0123456789").unwrap();
        use std::os::fd::AsRawFd;
        let (mut here, mut there) = (4u64, 2u64);
        let args = [
            from.as_raw_fd() as u64,
            (&raw mut here) as u64,
            to.as_raw_fd() as u64,
            (&raw mut there) as u64,
            3,
            0,
        ];
        // SAFETY: two open files, and two offsets that outlive the call.
        let moved = unsafe { system_call(libc::SYS_copy_file_range, args) };
        assert_eq!((moved, here, there), (3, 7, 5));
        let mut text = Vec::new();
        to.rewind().unwrap();
        to.read_to_end(&mut text).unwrap();
        assert_eq!(text, b"\0\x00456");
    }
}
