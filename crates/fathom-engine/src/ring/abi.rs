//! The kernel's side of io_uring: numbers and layouts of linux/io_uring.h.

/// `struct io_sqring_offsets`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct SubmissionOffsets {
    pub head: u32,
    pub tail: u32,
    pub ring_mask: u32,
    pub ring_entries: u32,
    pub flags: u32,
    pub dropped: u32,
    pub array: u32,
    pub reserved: u32,
    pub user_address: u64,
}

/// `struct io_cqring_offsets`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CompletionOffsets {
    pub head: u32,
    pub tail: u32,
    pub ring_mask: u32,
    pub ring_entries: u32,
    pub overflow: u32,
    pub entries: u32,
    pub flags: u32,
    pub reserved: u32,
    pub user_address: u64,
}

/// `struct io_uring_params`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Params {
    pub sq_entries: u32,
    pub cq_entries: u32,
    pub flags: u32,
    pub sq_thread_cpu: u32,
    pub sq_thread_idle: u32,
    pub features: u32,
    pub wq_fd: u32,
    pub reserved: [u32; 3],
    pub sq: SubmissionOffsets,
    pub cq: CompletionOffsets,
}

/// `struct io_uring_sqe`, 64 bytes, as the eight words of which I/O uses the
/// first five.
pub type Sqe = [u64; 8];

/// `struct io_uring_cqe`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Cqe {
    pub user_data: u64,
    pub result: i32,
    pub flags: u32,
}

/// `struct io_uring_getevents_arg`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitArgument {
    pub signal_mask: u64,
    pub signal_mask_bytes: u32,
    pub min_wait_us: u32,
    pub time: u64,
}

/// `struct io_uring_region_desc`: memory that both sides use (6.13).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RegionDesc {
    pub address: u64,
    pub bytes: u64,
    pub flags: u32,
    pub id: u32,
    pub offset: u64,
    pub reserved: [u64; 4],
}

/// `struct io_uring_mem_region_reg`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RegionArgument {
    pub region: u64,
    pub flags: u64,
    pub reserved: [u64; 2],
}

/// `struct io_uring_rsrc_update`, as ring registration reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RingUpdate {
    pub offset: u32,
    pub reserved: u32,
    pub data: u64,
}

pub const SETUP_IOPOLL: u32 = 1 << 0;
pub const SETUP_SQPOLL: u32 = 1 << 1;
pub const SETUP_SQ_AFF: u32 = 1 << 2;
pub const SETUP_CQSIZE: u32 = 1 << 3;
pub const SETUP_CLAMP: u32 = 1 << 4;
pub const SETUP_DISABLED: u32 = 1 << 6;
pub const SETUP_SUBMIT_ALL: u32 = 1 << 7;
pub const SETUP_COOP_TASKRUN: u32 = 1 << 8;
pub const SETUP_TASKRUN_FLAG: u32 = 1 << 9;
pub const SETUP_SINGLE_ISSUER: u32 = 1 << 12;
pub const SETUP_DEFER_TASKRUN: u32 = 1 << 13;
pub const SETUP_NO_SQARRAY: u32 = 1 << 16;

pub const FEAT_SINGLE_MMAP: u32 = 1 << 0;
pub const FEAT_EXT_ARG: u32 = 1 << 8;

pub const ENTER_GETEVENTS: u32 = 1 << 0;
pub const ENTER_SQ_WAKEUP: u32 = 1 << 1;
pub const ENTER_EXT_ARG: u32 = 1 << 3;
pub const ENTER_REGISTERED_RING: u32 = 1 << 4;
pub const ENTER_REGISTERED_WAIT: u32 = 1 << 6;

pub const SQ_NEED_WAKEUP: u32 = 1 << 0;

pub const REGISTER_BUFFERS: u32 = 0;
pub const REGISTER_FILES: u32 = 2;
pub const REGISTER_ENABLE_RINGS: u32 = 12;
pub const REGISTER_RING_FDS: u32 = 20;
pub const UNREGISTER_RING_FDS: u32 = 21;
pub const REGISTER_REGION: u32 = 34;

pub const REGION_OF_USER: u32 = 1 << 0;
pub const REGION_HAS_WAITS: u64 = 1 << 0;
pub const WAIT_HAS_TIME: u32 = 1 << 0;
/// Bytes of a `struct io_uring_reg_wait`.
pub const WAIT_BYTES: usize = 64;

pub const OFFSET_SQ_RING: i64 = 0;
pub const OFFSET_CQ_RING: i64 = 0x800_0000;
pub const OFFSET_ENTRIES: i64 = 0x1000_0000;

pub const OP_NOP: u8 = 0;
pub const OP_FSYNC: u8 = 3;
pub const OP_READ_FIXED: u8 = 4;
pub const OP_WRITE_FIXED: u8 = 5;
pub const OP_READ: u8 = 22;
pub const OP_WRITE: u8 = 23;

pub const ENTRY_FIXED_FILE: u8 = 1 << 0;
pub const ENTRY_ASYNC: u8 = 1 << 4;
pub const FSYNC_DATASYNC: u32 = 1 << 0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_have_the_sizes_of_the_kernel() {
        assert_eq!(size_of::<Params>(), 120);
        assert_eq!(size_of::<Sqe>(), 64);
        assert_eq!(size_of::<Cqe>(), 16);
        assert_eq!(size_of::<WaitArgument>(), 24);
        assert_eq!((size_of::<RegionDesc>(), size_of::<RegionArgument>()), (64, 32));
    }
}
