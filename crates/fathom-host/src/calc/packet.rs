//! What packet headers cost on a PCI Express link.

use super::generation::Generation;

/// The direction of the data, seen from the drive's host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkDirection {
    /// A read of the drive: the drive writes into the host's memory.
    DeviceToHost,
    /// A write to the drive: the host answers the drive's reads.
    HostToDevice,
}

/// Maximum payload sizes that a port may be set to (Device Control 7:5), in
/// bytes.
pub const PAYLOADS_BYTES: [u32; 6] = [128, 256, 512, 1024, 2048, 4096];

/// The payload of a port until somebody raises it.
pub const PAYLOAD_DEFAULT_BYTES: u32 = 128;

/// Bytes of overhead for each payload: framing 4, checksum 4, and the header,
/// which is four words for a write to a 64-bit address and three for an answer.
/// In a flit, framing and checksum belong to the flit and are in its own share.
fn overhead_bytes(generation: Generation, direction: LinkDirection) -> u32 {
    let header = match direction {
        LinkDirection::DeviceToHost => 16,
        LinkDirection::HostToDevice => 12,
    };
    match generation {
        Generation::Gen6 => header,
        _ => header + 8,
    }
}

/// The share of a link's bytes that is payload, with packets as long as
/// `payload_bytes`: 128 → 84.2 % of a read and 86.5 % of a write.
pub fn efficiency(generation: Generation, payload_bytes: u32, direction: LinkDirection) -> f64 {
    let payload = f64::from(payload_bytes);
    payload / (payload + f64::from(overhead_bytes(generation, direction)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_by_payload_size() {
        let tenths =
            |payload, direction| (efficiency(Generation::Gen4, payload, direction) * 1000.0).round() / 10.0;
        let table = [(128, 84.2, 86.5), (256, 91.4, 92.8), (512, 95.5, 96.2)];
        for (payload, read, write) in table {
            assert_eq!(tenths(payload, LinkDirection::DeviceToHost), read);
            assert_eq!(tenths(payload, LinkDirection::HostToDevice), write);
        }
        // Root complexes often answer a read in pieces of a cache line, whatever the payload size.
        assert_eq!(tenths(64, LinkDirection::HostToDevice), 76.2);
    }

    #[test]
    fn a_flit_pays_for_headers_only() {
        let (flit, plain) = (Generation::Gen6, Generation::Gen5);
        assert!(
            efficiency(flit, 256, LinkDirection::DeviceToHost)
                > efficiency(plain, 256, LinkDirection::DeviceToHost)
        );
    }
}
