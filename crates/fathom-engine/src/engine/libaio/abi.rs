//! The kernel's side of libaio: linux/aio_abi.h and what fs/aio.c maps.

use std::io;
use std::sync::atomic::AtomicU32;

/// `struct iocb` of linux/aio_abi.h, little endian.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Iocb {
    pub data: u64,
    pub key: u32,
    pub rw_flags: i32,
    /// Opcode in the low 16 bits, then priority, then the file in the high 32.
    pub head: u64,
    pub buffer: u64,
    pub bytes: u64,
    pub offset: i64,
    pub reserved: u64,
    pub flags: u32,
    pub event_fd: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct IoEvent {
    pub data: u64,
    pub iocb: u64,
    pub result: i64,
    pub result2: i64,
}

/// `struct aio_ring` of fs/aio.c, which a context id is the address of.
#[repr(C)]
pub struct AioRing {
    pub id: u32,
    pub entries: u32,
    pub head: AtomicU32,
    pub tail: AtomicU32,
    pub magic: u32,
    pub compat: u32,
    pub incompat: u32,
    pub header_length: u32,
}

/// The value of `magic` when user space may reap completions by itself.
pub const RING_MAGIC: u32 = 0xa10a_10a1;
pub const PREAD: u16 = 0;
pub const PWRITE: u16 = 1;

/// Makes a context for `depth` I/Os; returns its id.
pub fn io_setup(depth: u32) -> io::Result<u64> {
    let mut context = 0u64;
    // SAFETY: the kernel writes one context id.
    let status = unsafe { libc::syscall(libc::SYS_io_setup, depth, &mut context) };
    if status == 0 { Ok(context) } else { Err(io::Error::last_os_error()) }
}

pub fn user_ring(context: u64) -> Option<*const AioRing> {
    let ring = context as *const AioRing;
    // SAFETY: on every kernel with AIO the context id is the address of the
    // mapped ring, whose header is longer than what is read here.
    let magic = unsafe { (*ring).magic };
    (magic == RING_MAGIC).then_some(ring)
}
