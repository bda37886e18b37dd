//! Memory that a ring shares with the kernel.

use std::io;
use std::os::fd::RawFd;
use std::ptr::NonNull;

#[derive(Debug)]
pub struct Map {
    start: NonNull<u8>,
    length: usize,
}

impl Map {
    pub fn new(fd: RawFd, length: usize, offset: i64) -> io::Result<Map> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, fd, offset) };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(map.cast()).ok_or_else(|| io::Error::other("mmap returned no address"))?;
        Ok(Map { start, length })
    }

    /// The address `offset` bytes into it, which the kernel said holds a `T`.
    ///
    /// # Panics
    /// When a `T` there would not lie inside the mapping.
    pub fn at<T>(&self, offset: u32) -> NonNull<T> {
        let offset = offset as usize;
        assert!(offset + size_of::<T>() <= self.length, "the kernel names a place outside its ring");
        // SAFETY: just checked to lie inside the mapping.
        unsafe { self.start.add(offset) }.cast()
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what was mapped; the ring that points into it
        // is gone.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}
