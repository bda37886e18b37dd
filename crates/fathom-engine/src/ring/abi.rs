//! The kernel's side of io_uring: numbers and layouts of linux/io_uring.h, which the crate `linux-raw-sys` makes of the header.

use linux_raw_sys::io_uring::{io_uring_op, io_uring_sqe_flags_bit};

pub use linux_raw_sys::io_uring::{
    IORING_ENTER_EXT_ARG as ENTER_EXT_ARG, IORING_ENTER_EXT_ARG_REG as ENTER_REGISTERED_WAIT,
    IORING_ENTER_GETEVENTS as ENTER_GETEVENTS, IORING_ENTER_REGISTERED_RING as ENTER_REGISTERED_RING,
    IORING_ENTER_SQ_WAKEUP as ENTER_SQ_WAKEUP, IORING_FEAT_EXT_ARG as FEAT_EXT_ARG,
    IORING_FEAT_SINGLE_MMAP as FEAT_SINGLE_MMAP, IORING_FSYNC_DATASYNC as FSYNC_DATASYNC,
    IORING_MEM_REGION_REG_WAIT_ARG as REGION_HAS_WAITS, IORING_MEM_REGION_TYPE_USER as REGION_OF_USER,
    IORING_OFF_CQ_RING as OFFSET_CQ_RING, IORING_OFF_SQ_RING as OFFSET_SQ_RING,
    IORING_OFF_SQES as OFFSET_ENTRIES, IORING_REG_WAIT_TS as WAIT_HAS_TIME,
    IORING_SETUP_CLAMP as SETUP_CLAMP, IORING_SETUP_COOP_TASKRUN as SETUP_COOP_TASKRUN,
    IORING_SETUP_CQE32 as SETUP_CQE32, IORING_SETUP_CQSIZE as SETUP_CQSIZE,
    IORING_SETUP_DEFER_TASKRUN as SETUP_DEFER_TASKRUN, IORING_SETUP_IOPOLL as SETUP_IOPOLL,
    IORING_SETUP_NO_SQARRAY as SETUP_NO_SQARRAY, IORING_SETUP_R_DISABLED as SETUP_DISABLED,
    IORING_SETUP_SINGLE_ISSUER as SETUP_SINGLE_ISSUER, IORING_SETUP_SQ_AFF as SETUP_SQ_AFF,
    IORING_SETUP_SQE128 as SETUP_SQE128, IORING_SETUP_SQPOLL as SETUP_SQPOLL,
    IORING_SETUP_SUBMIT_ALL as SETUP_SUBMIT_ALL, IORING_SETUP_TASKRUN_FLAG as SETUP_TASKRUN_FLAG,
    IORING_SQ_NEED_WAKEUP as SQ_NEED_WAKEUP, IORING_URING_CMD_FIXED as COMMAND_FIXED, io_uring_cqe as Cqe,
    io_uring_getevents_arg as WaitArgument, io_uring_mem_region_reg as RegionArgument,
    io_uring_params as Params, io_uring_reg_wait as RegisteredWait, io_uring_region_desc as RegionDesc,
    io_uring_register_op as Register, io_uring_rsrc_update as RingUpdate,
};

/// `struct io_uring_sqe`, 64 bytes, as the eight words of which I/O uses the
/// first five.
pub type Sqe = [u64; 8];

pub const OP_NOP: u8 = io_uring_op::IORING_OP_NOP as u8;
pub const OP_FSYNC: u8 = io_uring_op::IORING_OP_FSYNC as u8;
pub const OP_READ_FIXED: u8 = io_uring_op::IORING_OP_READ_FIXED as u8;
pub const OP_WRITE_FIXED: u8 = io_uring_op::IORING_OP_WRITE_FIXED as u8;
pub const OP_READ: u8 = io_uring_op::IORING_OP_READ as u8;
pub const OP_COMMAND: u8 = io_uring_op::IORING_OP_URING_CMD as u8;
pub const OP_WRITE: u8 = io_uring_op::IORING_OP_WRITE as u8;

pub const ENTRY_FIXED_FILE: u8 = 1 << io_uring_sqe_flags_bit::IOSQE_FIXED_FILE_BIT as u8;
pub const ENTRY_ASYNC: u8 = 1 << io_uring_sqe_flags_bit::IOSQE_ASYNC_BIT as u8;
