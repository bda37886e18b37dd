//! A disk made of memory: /dev/zram0.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// /dev/zram0 with data on it, locked against other tests; reset when dropped.
pub struct Zram {
    _lock: File,
}

const ZRAM: &str = "/sys/block/zram0";

impl Zram {
    /// `mib` MiB that do not compress. There is one zram0, and other processes
    /// test with it too, so each locks it.
    pub fn filled(mib: usize) -> Zram {
        let lock = File::create(std::env::temp_dir().join("fathom-zram.lock")).unwrap();
        lock.lock().unwrap();
        assert!(Path::new(ZRAM).exists(), "these tests need /dev/zram0 (modprobe zram)");
        let zram = Zram { _lock: lock };
        std::fs::write(format!("{ZRAM}/disksize"), format!("{mib}M")).expect("zram0 is not in use");
        let disk = OpenOptions::new().write(true).open("/dev/zram0").unwrap();
        // Not compressible, so that a read has to copy it.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut block = vec![0u8; 1 << 20];
        for at in 0..mib {
            for word in block.chunks_exact_mut(8) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                word.copy_from_slice(&state.to_le_bytes());
            }
            disk.write_all_at(&block, (at as u64) << 20).unwrap();
        }
        disk.sync_all().unwrap();
        zram
    }

    /// Makes the kernel count its I/O, or not. It does not by default.
    pub fn count_io(&self, counts: bool) {
        std::fs::write(format!("{ZRAM}/queue/iostats"), if counts { "1" } else { "0" }).unwrap();
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = std::fs::write(format!("{ZRAM}/queue/iostats"), "0");
        // The kernel releases a ring's files a moment after its process ended.
        let ends = Instant::now() + Duration::from_secs(5);
        while std::fs::write(format!("{ZRAM}/reset"), "1").is_err() && Instant::now() < ends {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
