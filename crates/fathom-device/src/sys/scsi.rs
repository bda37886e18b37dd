//! The address of a SCSI device by `SG_GET_SCSI_ID` (scsi/sg.h).

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::str::FromStr;

use super::check;

/// `SG_GET_SCSI_ID` of scsi/sg.h.
const SG_GET_SCSI_ID: libc::Ioctl = 0x2276;

/// `struct sg_scsi_id`, 32 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct ScsiId {
    host: u32,
    channel: u32,
    target: u32,
    /// The low half of the number.
    unit: u32,
    kind: u32,
    depths: [u16; 2],
    unused: [u32; 2],
}

/// Host, channel, target and logical unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScsiAddress(pub [u32; 4]);

impl fmt::Display for ScsiAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [host, channel, target, unit] = self.0;
        write!(f, "{host}:{channel}:{target}:{unit}")
    }
}

impl FromStr for ScsiAddress {
    type Err = ();

    /// The node tells only the low half of a logical unit's number, so no other number is one here.
    fn from_str(text: &str) -> Result<Self, ()> {
        let numbers: Result<Vec<u32>, _> = text.split(':').map(str::parse).collect();
        numbers.ok().and_then(|numbers| numbers.try_into().ok()).map(ScsiAddress).ok_or(())
    }
}

/// The address of the device whose generic character device is open.
pub fn scsi_address(node: &File) -> io::Result<ScsiAddress> {
    let mut id = ScsiId::default();
    // SAFETY: the struct is the kernel's own layout and outlives the call; anything but such a node is an error code.
    check(unsafe { libc::ioctl(node.as_raw_fd(), SG_GET_SCSI_ID, &raw mut id) })?;
    Ok(ScsiAddress([id.host, id.channel, id.target, id.unit]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_the_kernels_and_what_is_no_node_refuses() {
        assert_eq!(size_of::<ScsiId>(), 32);
        assert!(scsi_address(&tempfile::tempfile().unwrap()).is_err());
    }

    #[test]
    fn an_address_has_four_numbers_of_32_bits() {
        assert_eq!("0:1:2:3".parse(), Ok(ScsiAddress([0, 1, 2, 3])));
        assert_eq!(ScsiAddress([7, 0, 12, 1]).to_string(), "7:0:12:1");
        for text in ["", "0:0:0", "0:0:0:0:0", "0:0:0:x", "0:0:0:4611404543450677248"] {
            assert_eq!(text.parse::<ScsiAddress>(), Err(()), "{text}");
        }
    }
}
