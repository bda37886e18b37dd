//! A simulated drive, as the list shows it.

use fathom_device::zones::DeviceZones;
use serde::Serialize;

/// A drive whose times are computed. It is not part of the machine, so nothing uses it, and writing to it risks nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulatedDevice {
    /// The name to type: `sim:smr,size=1t`.
    pub name: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Logical block in bytes: the smallest I/O.
    pub logical_block_bytes: u64,
    /// Its zones, if it has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<SimulatedZones>,
    /// What a plan says of the model.
    pub remarks: Vec<String>,
}

/// The zones of a simulated drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SimulatedZones {
    /// What the kernel says of a real device.
    #[serde(flatten)]
    pub device: DeviceZones,
    /// Bytes of a sequential zone that can be written.
    pub capacity_bytes: u64,
    /// Zones at the start that can be written anywhere.
    pub conventional: u32,
    /// Whether a read beyond the write pointer is answered.
    pub reads_unwritten: bool,
}
