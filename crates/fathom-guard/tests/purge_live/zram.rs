//! zram: discarding frees its memory, which it counts. It has no lasting name,
//! so its state is kept nowhere.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use fathom_device::Root;
use fathom_guard::Consent;
use fathom_guard::purge::{Ledger, Outcome, plan};

use crate::purge_live::ranges::{carry_out, wish, write};

const ZRAM: &str = "/sys/block/zram0";

/// The machine's one zram0, taken in turn with other tests.
struct Zram {
    _lock: fs::File,
}

impl Zram {
    fn of_mib(mib: u32) -> Self {
        let lock = fs::File::create(std::env::temp_dir().join("fathom-zram.lock")).unwrap();
        lock.lock().unwrap();
        assert!(Path::new(ZRAM).exists(), "this test needs /dev/zram0 (modprobe zram)");
        let zram = Self { _lock: lock };
        fs::write(format!("{ZRAM}/disksize"), format!("{mib}M")).expect("zram0 is not in use");
        zram
    }

    /// Bytes of data that it holds.
    fn held_bytes(&self) -> u64 {
        let stat = fs::read_to_string(format!("{ZRAM}/mm_stat")).unwrap();
        stat.split_whitespace().next().unwrap().parse().unwrap()
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let ends = Instant::now() + Duration::from_secs(5);
        while fs::write(format!("{ZRAM}/reset"), "1").is_err() && Instant::now() < ends {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn discard_frees_what_it_holds() {
    let zram = Zram::of_mib(64);
    let node = Path::new("/dev/zram0");
    write(node, 8 << 20);
    let held = zram.held_bytes();
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::at(dir.path());
    let plan = plan(&Root::live(), node, &wish("trim"), &Consent::default()).unwrap();
    let word = plan.consent().unwrap().remove(0);
    let record = carry_out(&plan, &word, &ledger).unwrap();
    assert_eq!(record.proof.outcome, Outcome::Empty, "{}", record.proof.statement);
    assert!(zram.held_bytes() < held, "{} of {held} bytes are still held", zram.held_bytes());
    assert_eq!(ledger.path(&record.after), None);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
