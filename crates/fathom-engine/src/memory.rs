//! A worker's I/O buffers: one region, one slice per slot.
//!
//! One anonymous mapping, touched by the thread that uses it so that its pages
//! lie on that thread's NUMA node, and registered with the ring as one piece.

use std::io;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Once;

/// A private mapping cut into equal slots.
#[derive(Debug)]
pub struct SlotMemory {
    map: NonNull<u8>,
    length: usize,
    /// Bytes before the first slot: the map is aligned to a page only.
    shift: usize,
    stride: usize,
    slots: usize,
    /// Bytes from a slot's buffer for reads to that for writes; 0 where it has
    /// one for both.
    to_write: usize,
    huge: bool,
    /// Stays mapped when dropped: the kernel may still use it.
    is_left: bool,
}

// SAFETY: the region is plain memory owned by this value; the owner of the
// value may use it from any one thread.
unsafe impl Send for SlotMemory {}

/// Where the buffer of each slot is, for engines that pass it to the kernel.
#[derive(Clone, Copy, Debug)]
pub struct SlotBuffers {
    /// Addresses of the first slot, for reads and for writes.
    first: [*mut u8; 2],
    stride: usize,
    count: usize,
}

impl SlotBuffers {
    /// Address of a slot's buffer for reads or for writes. It is not read or
    /// written here, so a wrong slot is a wrong address, which the kernel would
    /// refuse.
    #[inline(always)]
    pub fn of(&self, slot: u32, is_write: bool) -> *mut u8 {
        debug_assert!((slot as usize) < self.count);
        self.first[usize::from(is_write)].wrapping_add(slot as usize * self.stride)
    }
}

/// Where the slots lie.
#[derive(Clone, Copy, Debug)]
pub struct SlotLayout {
    /// Number of slots.
    pub slots: usize,
    /// Bytes that each must hold.
    pub slot_bytes: usize,
    /// Each starts at a multiple of this, a power of two; 0 packs them, the first
    /// on a page.
    pub align: usize,
    /// Back it by 2 MiB pages where the system has them.
    pub huge: bool,
    /// Writes have buffers of their own.
    pub splits_writes: bool,
}

const PAGE: usize = 4096;
/// Bytes that are filled between two checks for a request to stop: about 20 ms.
const FILL_PART: usize = 64 << 20;
/// The strictest alignment that O_DIRECT needs (`statx`: 512 on every device seen).
const SECTOR: usize = 512;
const HUGE_PAGE: usize = 2 << 20;
/// A region of this size or more is rounded up to huge pages. Less than a quarter of
/// one would mostly be waste.
const HUGE_FROM: usize = HUGE_PAGE / 4;

impl SlotMemory {
    /// Maps the slots; huge pages fall back to transparent ones, then plain.
    pub fn map(layout: SlotLayout) -> io::Result<SlotMemory> {
        SlotMemory::map_until(layout, || false)
    }

    /// The same; takes no more pages once `is_stopped` returns true.
    pub fn map_until(layout: SlotLayout, is_stopped: impl Fn() -> bool) -> io::Result<SlotMemory> {
        let align = layout.align.max(PAGE).next_power_of_two();
        // As in fio, small blocks are close together. If they were one page apart,
        // they would all use the same lines of the cache.
        let apart = if layout.align > SECTOR { align } else { SECTOR };
        let stride = layout.slot_bytes.max(1).next_multiple_of(apart);
        // An alignment above the page is met by starting later in the map.
        // Small regions keep to small pages: a thousand workers with a few
        // slots each must not take two mebibytes each.
        let to_write = if layout.splits_writes { stride * layout.slots.max(1) } else { 0 };
        let wanted = stride * layout.slots.max(1) + to_write + align;
        let unit = if layout.huge || wanted >= HUGE_FROM { HUGE_PAGE } else { PAGE };
        let length = wanted.next_multiple_of(unit);
        let (map, huge) = match map_anonymous(length, layout.huge) {
            Ok(map) => (map, layout.huge),
            Err(_) if layout.huge => (map_anonymous(length, false)?, false),
            Err(e) => return Err(e),
        };
        if unit == HUGE_PAGE {
            // SAFETY: the whole range was just mapped; the advice changes no
            // data.
            unsafe { libc::madvise(map.as_ptr().cast(), length, libc::MADV_HUGEPAGE) };
        }
        let shift = map.align_offset(align);
        let slots = layout.slots.max(1);
        let mut region = SlotMemory { map, length, shift, stride, slots, to_write, huge, is_left: false };
        // The page faults happen here, and not during the measurement.
        let parts = region.bytes_mut().chunks_mut(FILL_PART);
        parts.take_while(|_| !is_stopped()).for_each(|part| part.fill(0));
        Ok(region)
    }

    /// Address of a slot's buffer for reads or for writes.
    #[inline(always)]
    pub fn slot(&self, slot: u32, is_write: bool) -> *mut u8 {
        debug_assert!((slot as usize) < self.slots);
        let shift = self.shift + if is_write { self.to_write } else { 0 };
        // SAFETY: slot < slots, so the address lies inside the mapping, which
        // has room for the shift and for both kinds.
        unsafe { self.map.as_ptr().add(shift + slot as usize * self.stride) }
    }

    /// The addresses of all slots.
    pub fn slots(&self) -> SlotBuffers {
        let first = [self.slot(0, false), self.slot(0, true)];
        SlotBuffers { first, stride: self.stride, count: self.slots }
    }

    /// A slot's buffer for writes.
    #[inline]
    pub fn slot_mut(&mut self, slot: u32, len: usize) -> &mut [u8] {
        debug_assert!(len <= self.stride);
        // SAFETY: `&mut self` excludes other users; the slot holds `stride`
        // bytes, all initialised by `map`. The worker calls this only for
        // slots that no I/O is using.
        unsafe { std::slice::from_raw_parts_mut(self.slot(slot, true), len.min(self.stride)) }
    }

    /// The buffers of all slots, one after the other.
    pub fn slots_mut(&mut self) -> &mut [u8] {
        let (shift, length) = (self.shift, self.stride * self.slots + self.to_write);
        &mut self.bytes_mut()[shift..shift + length]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is ours, `length` bytes long, and zeroed by the
        // kernel before the first use.
        unsafe { std::slice::from_raw_parts_mut(self.map.as_ptr(), self.length) }
    }

    /// Start and length of all slots, for registration with a ring. The kernel
    /// registers 1 GiB in one piece at most, so the parts of the mapping that
    /// belong to no slot are left out.
    pub fn iovec(&self) -> libc::iovec {
        let length = self.stride * self.slots + self.to_write;
        libc::iovec { iov_base: self.slot(0, false).cast(), iov_len: length }
    }

    /// Have writes buffers of their own?
    pub fn splits_writes(&self) -> bool {
        self.to_write > 0
    }

    /// Bytes between two slots.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Keeps the mapping for the rest of the process: I/O into it was given up
    /// and may still happen.
    pub fn leave_mapped(&mut self) {
        self.is_left = true;
    }

    /// Is it on explicit huge pages?
    pub fn is_huge(&self) -> bool {
        self.huge
    }
}

impl Drop for SlotMemory {
    fn drop(&mut self) {
        if self.is_left {
            return;
        }
        // SAFETY: unmaps exactly what `map` mapped; engines, which may hold
        // pointers into it, are dropped before their worker's region.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.length) };
    }
}

fn map_anonymous(length: usize, huge: bool) -> io::Result<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | if huge { libc::MAP_HUGETLB } else { 0 };
    // SAFETY: a new anonymous mapping at an address of the kernel's choice.
    let map =
        unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if map == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(map.cast()).ok_or_else(|| io::Error::other("mmap returned no address"))
}

// The program's own pages are mapped before anything is measured.
//
// The kernel maps a page of code when it first runs, and a page of the stack when
// it is first used. Without `make_resident`, this would happen during a measurement, for
// code that seldom runs (the end of a ramp, a contended lock). If the program file
// is not cached, such a page is read from a disk while the loop waits.

/// `MADV_POPULATE_READ` of asm-generic/mman-common.h, since Linux 5.14.
const MADV_POPULATE_READ: libc::c_int = 22;

/// The most stack that a worker's calls use, bytes; measured below 16 KiB.
const STACK: usize = 20 << 10;

/// Makes the program and the calling thread's stack resident; the program only
/// once. A kernel before 5.14 maps the program while it runs, as usual.
pub fn make_resident() {
    static PROGRAM: Once = Once::new();
    PROGRAM.call_once(populate_program);
    touch_stack();
}

#[inline(never)]
fn touch_stack() {
    let mut room = [0u8; STACK];
    std::hint::black_box(&mut room);
}

fn populate_program() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for range in maps.lines().filter_map(program_part) {
        // SAFETY: it maps pages of a file for reading, at addresses where the
        // kernel just said that this file is; nothing is changed.
        unsafe { libc::madvise(range.start as *mut _, range.len(), MADV_POPULATE_READ) };
    }
}

/// The addresses of a line of `/proc/PID/maps`, if it is code or constants of
/// the program or a library: private, not to be written, of a file.
fn program_part(line: &str) -> Option<Range<usize>> {
    let mut fields = line.split_ascii_whitespace();
    let (addresses, access) = (fields.next()?, fields.next()?);
    let path = fields.nth(3)?;
    if !matches!(access, "r-xp" | "r--p") || !path.starts_with('/') {
        return None;
    }
    let (start, end) = addresses.split_once('-')?;
    Some(usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alignment_above_the_page_holds_for_every_slot() {
        let layout =
            SlotLayout { slots: 3, slot_bytes: 4096, align: 1 << 20, huge: false, splits_writes: false };
        let mut region = SlotMemory::map(layout).unwrap();
        for slot in 0..3 {
            assert_eq!(region.slot(slot, true) as usize % (1 << 20), 0);
            region.slot_mut(slot, 4096).fill(1);
        }
    }

    #[test]
    fn what_is_registered_is_the_slots_and_no_more() {
        for (splits_writes, bytes) in [(false, 4 << 20), (true, 8 << 20)] {
            let layout =
                SlotLayout { slots: 4, slot_bytes: 1 << 20, align: 4096, huge: false, splits_writes };
            let region = SlotMemory::map(layout).unwrap();
            assert_eq!(region.iovec().iov_base, region.slot(0, false).cast());
            assert_eq!(region.iovec().iov_len, bytes);
        }
    }

    #[test]
    fn slots_are_apart_aligned_and_writable() {
        let mut region = SlotMemory::map(SlotLayout {
            slots: 5,
            slot_bytes: 5000,
            align: 4096,
            huge: false,
            splits_writes: false,
        })
        .unwrap();
        for slot in 0..5 {
            assert_eq!(region.slot(slot, true) as usize % 4096, 0);
            region.slot_mut(slot, 5000).fill(slot as u8 + 1);
        }
        for slot in 0..5 {
            assert!(region.slot_mut(slot, 5000).iter().all(|&b| b == slot as u8 + 1));
        }
    }

    #[test]
    fn writes_have_buffers_of_their_own_where_a_job_reads_too() {
        let layout = SlotLayout { slots: 3, slot_bytes: 512, align: 512, huge: false, splits_writes: true };
        let mut region = SlotMemory::map(layout).unwrap();
        let slots = region.slots();
        let mut all: Vec<_> = (0..3).flat_map(|slot| [slots.of(slot, false), slots.of(slot, true)]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6);
        assert_eq!(region.slots_mut().len(), 6 * 512);
        assert_eq!(region.slot_mut(2, 512).as_mut_ptr(), slots.of(2, true));
        let shared = SlotMemory::map(SlotLayout { splits_writes: false, ..layout }).unwrap();
        assert_eq!(shared.slot(1, false), shared.slot(1, true));
    }

    #[test]
    fn code_and_constants_of_files_are_part_of_the_program() {
        let code = "55e0a000-55e0b000 r-xp 00001000 fe:01 77 /usr/bin/fathom";
        assert_eq!(program_part(code), Some(0x55e0_a000..0x55e0_b000));
        assert!(program_part("7f00-7f10 r--p 00000000 fe:01 78 /lib/libc.so.6").is_some());
        for other in [
            "55e0a000-55e0b000 rw-p 00001000 fe:01 77 /usr/bin/fathom",
            "7f00-7f10 r--s 00000000 fe:01 79 /data/target",
            "7f00-7f10 r-xp 00000000 00:00 0 [vdso]",
            "7f00-7f10 r--p 00000000 00:00 0",
        ] {
            assert_eq!(program_part(other), None, "{other}");
        }
    }

    #[test]
    fn this_program_has_code() {
        make_resident();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let here = this_program_has_code as *const () as usize;
        assert!(maps.lines().filter_map(program_part).any(|part| part.contains(&here)));
    }
}
