//! A host with many disks (a SAN shows thousands): the memory and the work of
//! the audit grow with their number, and not with its square.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use fathom_device::Root;
use fathom_device::tree::Tree;
use fathom_host::audit::{Audit, JobNeeds, Scene};

/// Counts what this thread allocates.
struct Counting;

thread_local! {
    static LIVE_BYTES: Cell<isize> = const { Cell::new(0) };
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count(bytes: isize, allocations: u64) {
    let _ = LIVE_BYTES.try_with(|live| live.set(live.get() + bytes));
    let _ = ALLOCATIONS.try_with(|counted| counted.set(counted.get() + allocations));
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator unchanged; counting
// allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed(), 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed(), 0);
        // SAFETY: the pointer came from `alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What an audit of a machine costs.
struct Cost {
    kept_bytes: isize,
    allocations: u64,
}

/// Each disk has a name in `/dev/disk/by-id`, as udev would give it.
fn machine(disks: usize) -> Root {
    let mut text = String::from("/proc/swaps = Filename\n/proc/self/mountinfo =\n");
    for at in 0..disks {
        let (name, number) = (format!("sd{at}"), format!("{}:{}", 8 + at / 256, at % 256));
        let dir = format!("/sys/devices/virtual/block/{name}");
        for link in ["/sys/block", "/sys/class/block"] {
            text += &format!("{link}/{name} -> {dir}\n");
        }
        text += &format!("/sys/dev/block/{number} -> {dir}\n/dev/disk/by-id/wwn-{at} -> ../../{name}\n");
        text += &format!("{dir}/size = 2048\n{dir}/dev = {number}\n{dir}/device/serial = S-{at}\n");
        text += &format!("{dir}/queue/rotational = 0\n");
    }
    let mut tree = Tree::default();
    tree.overlay(&text).unwrap();
    Root::held(&tree)
}

fn cost(disks: usize) -> Cost {
    let root = machine(disks);
    let before = (LIVE_BYTES.get(), ALLOCATIONS.get());
    let scene = Scene::new(&root, &[], JobNeeds::default(), None);
    assert_eq!(scene.disks.len(), disks);
    assert!(scene.safety().iter().all(|safety| safety.view.is_ok()), "{:?}", scene.safety()[0].view);
    let audit = Audit::take(&scene);
    let cost = Cost { kept_bytes: LIVE_BYTES.get() - before.0, allocations: ALLOCATIONS.get() - before.1 };
    drop(audit);
    cost
}

#[test]
fn four_times_the_disks_cost_no_more_than_six_times_as_much() {
    let (few, many) = (cost(50), cost(200));
    assert!(many.kept_bytes < 6 * few.kept_bytes, "{} and {} bytes", few.kept_bytes, many.kept_bytes);
    assert!(many.allocations < 6 * few.allocations, "{} and {}", few.allocations, many.allocations);
}
