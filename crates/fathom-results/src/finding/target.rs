//! What was measured: the target, and who or what answered beside it.

use fathom_job::direction::Direction;
use serde::{Deserialize, Serialize};

evidence! {
    /// I/O of other programs on a disk.
    pub enum ForeignIo {
        /// The disk did more than fathom caused.
        Others {
            /// The disk, or the disks of one target.
            disk: String,
            /// What others did, a part for each direction.
            others: Vec<Moved>,
            /// What fathom did there, of the directions in which it moved anything.
            own: Vec<Moved>,
            /// The target is a file: its file system may have done it.
            has_file_system: bool,
            /// The job in whose measured window others moved the most, and how many bytes that were.
            busiest: Option<(String, u64)>,
        },
        /// More was read from the disk than the files of buffered jobs hold.
        MoreThanHeld {
            /// The disk.
            disk: String,
            /// All that was read from it, bytes.
            read_bytes: u64,
            /// Bytes that are more than the files hold.
            more_bytes: u64,
        },
    }

    /// What was done on a disk in one direction.
    pub struct Moved {
        /// The direction.
        pub direction: Direction,
        /// Bytes; absent where they say nothing.
        pub bytes: Option<u64>,
        /// I/Os; absent where they say nothing.
        pub ios: Option<u64>,
    }

    /// How it is known that memory answered.
    pub enum PageCache {
        /// The disk moved less for fathom than fathom did.
        FewerBytes {
            /// The disk.
            disk: String,
            /// The directions in which it did.
            directions: Vec<CachedBytes>,
        },
        /// The disk had far fewer requests than there were I/Os.
        FewerRequests {
            /// The disk.
            disk: String,
            /// The direction.
            direction: Direction,
            /// I/Os of fathom.
            ios: u64,
            /// Requests of the disk.
            requests: u64,
        },
        /// An I/O was over before its request could be.
        Sooner {
            /// The disk.
            disk: String,
            /// The direction.
            direction: Direction,
            /// Mean time of an I/O, ns.
            io_ns_mean: f64,
            /// Mean time of a request, ns.
            request_ns_mean: f64,
        },
        /// Nothing was counted, and the data fits in memory twice.
        Fits {
            /// The job with the most data.
            job: String,
            /// Bytes that it works on.
            region_bytes: u64,
            /// Bytes of memory of the machine.
            memory_bytes: u64,
        },
    }

    /// Bytes of one direction that fathom moved, and that the disk did.
    pub struct CachedBytes {
        /// The direction.
        pub direction: Direction,
        /// Bytes that fathom moved.
        pub own_bytes: u64,
        /// Bytes of them that reached the disk.
        pub reached_bytes: u64,
        /// Bytes that the disk moved in all.
        pub disk_bytes: u64,
    }

    /// A target that is made of memory.
    pub struct MemoryTarget {
        /// What of it is memory.
        pub is: MemoryKind,
        /// The jobs did nothing but trim.
        pub only_trims: bool,
        /// Bytes of memory of the machine.
        pub memory_bytes: u64,
    }

    /// What of a target is memory.
    pub enum MemoryKind {
        /// A RAM disk, by its kernel name: `zram0`.
        Disk(String),
        /// A loop device over a file in memory.
        Beneath {
            /// Kernel name of the loop device, where it is known.
            device: Option<String>,
            /// The memory: `tmpfs`, `zram3`.
            memory: String,
        },
        /// The file system: `tmpfs`.
        FileSystem(String),
    }

    /// What is known of the content of blocks that were read.
    pub enum KnownContent {
        /// A job before it wrote a part of them.
        PartlyWritten {
            /// The job.
            by: String,
            /// Bytes that it wrote.
            bytes: u64,
        },
        /// So many bytes were never written since the purge.
        NeverWritten(u64),
        /// Nothing.
        Nothing {
            /// The largest block that was read, bytes.
            block_bytes: u64,
            /// Mean latency of the reads, ns; absent where it was not kept.
            latency_ns_mean: Option<f64>,
        },
    }

    /// A loop device.
    pub struct LoopTarget {
        /// Its kernel name, where it is known.
        pub device: Option<String>,
        /// The file of which it is made, where it is known.
        pub file: Option<String>,
        /// The jobs did nothing but trim.
        pub only_trims: bool,
        /// It reads and writes the file without the page cache; absent where that is not known.
        pub is_direct: Option<bool>,
    }

    /// How it is known that a disk is virtual.
    pub enum VirtualDisk {
        /// By its kernel name.
        Name {
            /// The name.
            disk: String,
            /// What provides such disks.
            provider: DiskProvider,
        },
        /// By its model.
        Model(String),
        /// It is made of something else, by its kernel name where that is known.
        MadeOf(Option<String>),
    }

    /// What provides a virtual disk.
    #[derive(Copy, Eq)]
    pub enum DiskProvider {
        /// A hypervisor (virtio).
        Virtio,
        /// A hypervisor (Xen).
        Xen,
        /// Another process or host (nbd).
        Nbd,
        /// A Ceph cluster (rbd).
        Ceph,
        /// This host and its mirror (drbd).
        Drbd,
        /// A process of this host (ublk).
        Ublk,
        /// A driver without storage (null_blk).
        NullBlk,
    }
}
