//! What was measured: devices, files, simulated drives, with what a person recognises them by.

use crate::finding::JobsPart;
use serde::{Deserialize, Serialize};

saved! {
    /// What was measured.
    #[derive(Eq)]
    #[serde(tag = "measured")]
    pub enum Measured {
        /// No device: the engine has none.
        NoDevice {
            /// The engine, where all jobs have the same.
            engine: Option<String>,
        },
        /// Targets, each with what is known of it.
        Targets {
            /// The first of them.
            targets: Vec<MeasuredTarget>,
            /// How many more there are.
            #[serde(default, skip_serializing_if = "is_zero")]
            more: u64,
        },
        /// The targets of a suite that measures them one by one, in the order of their numbers.
        Numbered {
            /// Their paths.
            paths: Vec<String>,
        },
    }

    /// A target, and the jobs that use it.
    #[derive(Eq)]
    pub struct MeasuredTarget {
        /// What it is.
        #[serde(flatten)]
        pub kind: MeasuredKind,
        /// The jobs that use it; absent where all do.
        pub jobs: Option<JobsPart>,
    }

    /// What a target is.
    #[derive(Eq)]
    #[serde(tag = "target")]
    pub enum MeasuredKind {
        /// A simulated drive.
        Simulated {
            /// Its path.
            path: String,
            /// Its size, bytes.
            bytes: Option<u64>,
        },
        /// A block device.
        Device {
            /// The device.
            device: MeasuredDevice,
        },
        /// A file, or many files whose names are counted up.
        Files {
            /// The first of them.
            path: String,
            /// How many there are.
            files: u64,
            /// The bytes of each that the jobs use; absent of all free space.
            bytes: Option<u64>,
            /// It is a scratch file, which is removed.
            #[serde(default, skip_serializing_if = "std::ops::Not::not")]
            is_scratch: bool,
            /// Its file system.
            fs_type: Option<String>,
            /// The device below it.
            device: Option<MeasuredDevice>,
        },
    }

    /// A device, as far as it is known.
    #[derive(Eq)]
    pub struct MeasuredDevice {
        /// Its path.
        pub path: String,
        /// Its model.
        pub model: Option<String>,
        /// Its size, bytes.
        pub bytes: Option<u64>,
        /// How it is attached.
        pub kind: Option<AttachedKind>,
    }

    /// How a device is attached, or what it is where it has no model.
    #[derive(Copy, Eq)]
    pub enum AttachedKind {
        /// NVMe.
        Nvme,
        /// A disk on SATA, SAS or USB.
        Scsi {
            /// It rotates; absent where that is not known.
            rotates: Option<bool>,
        },
        /// A virtual disk.
        Virtual,
        /// eMMC or an SD card.
        Mmc,
        /// Persistent memory.
        Pmem,
        /// A loop device.
        Loop,
        /// Memory.
        Ram,
        /// A volume of the device mapper.
        DeviceMapper,
        /// An md array.
        Md,
        /// A remote disk.
        Remote,
        /// The null block device.
        NullBlk,
        /// A block device under the test of a standard, of which only the size is known.
        Device,
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Default for Measured {
    fn default() -> Self {
        Measured::NoDevice { engine: None }
    }
}
