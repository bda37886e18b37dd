//! Devices on devices, parts of files, swap, and file systems on two devices.

use std::io;

use super::{Case, attached, case, mounted};
use crate::image::{PARTITIONS, Recipe};
use crate::kernel::loops::Window;
use crate::model::{DeviceId, OURS};
use crate::world::World;

pub const CASES: &[Case] = &[
    case("a loop device over a loop device", on_loop, 3, 0),
    case("a loop device over a loop device, both free", free, 0, 0),
    case("a partition, and a neighbour that is free", partition, 3, 1),
    case("a partition, and a loop device over the same bytes", same_bytes, 4, 0),
    case("a loop device over a partition of a loop device over a partition", deep, 6, 1),
    case("a file on a file system on a file on a file system", nested, 4, 0),
    case("one file mounted through two loop devices", second_mount, 3, 0),
    case("a read-only loop device beside the one that is mounted", beside, 3, 0),
    case("the other half of the mounted btrfs", halves, 4, 0),
    case("swap on a loop device, whose file has another name by now", swap, 2, 0),
    case("swap on a file with two names, one of them covered", swap_file, 3, 0),
];

fn on_loop(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let first = attached(world, &world.path("a/img"))?;
    let node = world.model.device(first).node();
    let second = attached(world, &node)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, second, &point, false).map(drop)
}

/// The upper one can be written, with the words that the guard prints.
fn free(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let first = attached(world, &world.path("a/img"))?;
    let node = world.model.device(first).node();
    attached(world, &node).map(drop)
}

/// The number of a partition of the device, counted from one.
fn part(disk: DeviceId, number: usize) -> DeviceId {
    DeviceId(disk.0 + number)
}

fn partition(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/disk"), Recipe::Table)?;
    let disk = attached(world, &world.path("a/disk"))?;
    let point = world.fresh("mount", "");
    world.mount(OURS, part(disk, 1), &point, false).map(drop)
}

fn same_bytes(world: &mut World) -> io::Result<()> {
    partition(world)?;
    let (offset_bytes, limit_bytes, _) = PARTITIONS[0];
    let window = Window { offset_bytes, limit_bytes };
    world.attach(OURS, &world.path("a/disk"), window, false).map(drop)
}

fn deep(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/disk"), Recipe::Table)?;
    let disk = attached(world, &world.path("a/disk"))?;
    let whole = world.model.device(disk).node();
    let again = attached(world, &whole)?;
    let partition = world.model.device(part(again, 1)).node();
    let top = attached(world, &partition)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, top, &point, false).map(drop)
}

fn nested(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/outer"), Recipe::Ext4Large)?;
    let outer = attached(world, &world.path("a/outer"))?;
    let point = world.fresh("mount", "");
    world.mount(OURS, outer, &point, false)?;
    mounted(world, &point.join("inner")).map(drop)
}

fn second_mount(world: &mut World) -> io::Result<()> {
    mounted(world, &world.path("a/img"))?;
    let second = attached(world, &world.path("a/img"))?;
    let point = world.fresh("mount", "");
    let read_only = true;
    world.mount(OURS, second, &point, read_only).map(drop)
}

fn beside(world: &mut World) -> io::Result<()> {
    mounted(world, &world.path("a/img"))?;
    let read_only = true;
    world.attach(OURS, &world.path("a/img"), Window::default(), read_only).map(drop)
}

fn halves(world: &mut World) -> io::Result<()> {
    for half in 0..2 {
        let path = world.path(&format!("a/half{half}"));
        world.image(&path, Recipe::BtrfsHalf(half))?;
        attached(world, &path)?;
    }
    let point = world.fresh("mount", "");
    world.mount(OURS, DeviceId(0), &point, false).map(drop)
}

fn swap(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/swap"), Recipe::Swap)?;
    let device = attached(world, &world.path("a/swap"))?;
    let node = world.model.device(device).node();
    world.swap_on(&node)?;
    world.rename(&world.path("a/swap"), &world.path("b/other"))
}

/// The path that the kernel reports for the swap area is covered, the other is not.
fn swap_file(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/outer"), Recipe::Ext4Large)?;
    let outer = attached(world, &world.path("a/outer"))?;
    let point = world.fresh("mount", "");
    world.mount(OURS, outer, &point, false)?;
    world.directory(&point.join("dir"))?;
    world.image(&point.join("dir/swap"), Recipe::Swap)?;
    world.link(&point.join("dir/swap"), &point.join("link"))?;
    world.swap_on(&point.join("dir/swap"))?;
    world.cover(OURS, &point.join("dir"))
}
