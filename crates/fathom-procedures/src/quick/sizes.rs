//! How large a scratch file may be: large enough to mean something, small
//! enough to harm nothing.

use fathom_job::units::Bytes;

/// Below this a device's own cache holds the whole file.
const SCRATCH_MIN: Bytes = Bytes::mib(64);
/// The size where nothing requires another one.
pub const SCRATCH_USUAL: Bytes = Bytes::gib(1);
/// Above this, writing it takes longer than measuring.
const SCRATCH_MAX: Bytes = Bytes::gib(2);
/// A scratch file takes at most a tenth of the free space, so 90 % of what was free stays free
/// while it exists. Only the smallest file may take more.
const FREE_PARTS: u64 = 10;
/// No scratch file takes more than half of the free space.
const FREE_PARTS_MIN: u64 = 2;
/// Writing the file must not take longer than this, seconds.
const FILL_SECONDS: f64 = 10.0;

/// The largest scratch file that a person may ask for.
pub fn scratch_size_max(free: Bytes) -> Bytes {
    Bytes(free.0 / FREE_PARTS_MIN)
}

/// Size of the scratch file: a whole number of MiB from 64 MiB to
/// 2 GiB, usually [`SCRATCH_USUAL`].
///
/// `free` is what may be used: the caller passes what the filesystem offers to ordinary users less
/// 5 % of its size, so that this much is left in any case. On a machine with little `memory` the
/// file is twice as large as the memory, within the limit, so that no cache holds it.
/// `write_rate_hint` is the target's speed in bytes per second, if anything is known of it.
///
/// # Errors
/// In words, when even the smallest file would take too much.
pub fn scratch_size(free: Bytes, memory: Bytes, write_rate_hint: Option<f64>) -> Result<Bytes, String> {
    if scratch_size_max(free) < SCRATCH_MIN {
        let needed = Bytes(SCRATCH_MIN.0 * FREE_PARTS_MIN);
        return Err(format!(
            "not enough free space: a scratch file of {SCRATCH_MIN} needs {needed}, and {free} is free"
        ));
    }
    let room = (free.0 / FREE_PARTS).max(SCRATCH_MIN.0);
    let beyond_memory = memory.0.saturating_mul(2);
    let wanted = match beyond_memory <= SCRATCH_MAX.0 {
        true => beyond_memory.max(SCRATCH_USUAL.0),
        false => SCRATCH_USUAL.0,
    };
    let in_time = write_rate_hint.map_or(u64::MAX, |rate| (rate * FILL_SECONDS) as u64);
    let size = wanted.min(in_time).clamp(SCRATCH_MIN.0, SCRATCH_MAX.0).min(room);
    Ok(Bytes(size >> 20 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: Bytes = Bytes::gib(16);

    #[test]
    fn usual_small_and_large() {
        let cases = [
            (Bytes::gib(500), MEMORY, None, Bytes::gib(1)),
            (Bytes::gib(5), MEMORY, None, Bytes::mib(512)),
            (Bytes::mib(640), MEMORY, None, Bytes::mib(64)),
            (Bytes::mib(451), MEMORY, None, Bytes::mib(64)),
            (Bytes::mib(128), MEMORY, None, Bytes::mib(64)),
            (Bytes::gib(500), Bytes::mib(900), None, Bytes::mib(1800)),
            (Bytes::gib(500), Bytes::mib(256), None, Bytes::gib(1)),
            (Bytes::gib(500), MEMORY, Some(20e6), Bytes::mib(190)),
            (Bytes::gib(500), MEMORY, Some(1e6), Bytes::mib(64)),
            (Bytes::gib(500), MEMORY, Some(3e9), Bytes::gib(1)),
        ];
        for (free, memory, rate, size) in cases {
            assert_eq!(scratch_size(free, memory, rate), Ok(size), "{free} free, {memory}, {rate:?}");
        }
    }

    #[test]
    fn too_little_room_is_refused_with_the_numbers() {
        let error = scratch_size(Bytes::mib(127), MEMORY, None).unwrap_err();
        assert_eq!(
            error,
            "not enough free space: a scratch file of 64 MiB needs 128 MiB, and 127 MiB is free"
        );
        assert!(scratch_size(Bytes(0), MEMORY, Some(1e9)).is_err());
    }

    #[test]
    fn a_tenth_of_what_is_free_and_for_the_smallest_up_to_half() {
        for mib in (128..50_000).step_by(97) {
            let free = Bytes::mib(mib);
            let size = scratch_size(free, MEMORY, None).unwrap();
            assert!(size.0 * 10 <= free.0 || size == SCRATCH_MIN && size.0 * 2 <= free.0, "{free}: {size}");
            assert!(size >= SCRATCH_MIN && size <= SCRATCH_MAX, "{free}: {size}");
        }
    }
}
