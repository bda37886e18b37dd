//! The backing file or the mount cannot be seen from where the guard looks.

use std::io;

use super::{Case, attached, case, mounted};
use crate::image::Recipe;
use crate::kernel::loops::Window;
use crate::model::{DeviceId, OURS};
use crate::world::World;

pub const CASES: &[Case] = &[
    case("the directory of the backing file is covered", covered, 2, 0),
    case("the directory is covered, and a copy lies in the cover", decoy, 2, 1),
    case("the directory of the backing file was unmounted lazily", torn_off, 2, 0),
    case("mounted, then unmounted lazily while a loop device uses a file of it", only_used, 2, 1),
    case("the same, and a second loop device over the first", only_used_below, 3, 0),
    case("two files of a file system in memory that was unmounted lazily", in_memory, 0, 2),
    case("the same, with one of them mounted, and a second loop device over it", in_memory_used, 2, 0),
    case("one file in memory out of sight, and a mounted one elsewhere without a name", doubt, 1, 0),
    case(
        "a file of btrfs that is mounted in another namespace only, and one without a name",
        subvolume,
        3,
        0,
    ),
    case("mounted in another namespace", mounted_elsewhere, 3, 0),
    case("attached in another namespace", attached_elsewhere, 3, 0),
    case("mounted in a namespace without a process", nobody_there, 2, 0),
    case("unmounted here, but another namespace has a copy of the mount", copy_left, 3, 0),
];

const LAZY: bool = true;

/// `a` is visible at another place, then covered.
fn covered(world: &mut World) -> io::Result<()> {
    mounted(world, &world.path("a/img"))?;
    let point = world.fresh("mount", "");
    world.bind(OURS, &world.path("a"), &point, false)?;
    world.cover(OURS, &world.path("a"))
}

fn decoy(world: &mut World) -> io::Result<()> {
    covered(world)?;
    world.image(&world.path("a/img"), Recipe::Ext4Small).map(drop)
}

/// Attached through a bind mount that is gone; the file is in `a` all the time.
fn torn_off(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let bound = world.fresh("mount", "");
    world.bind(OURS, &world.path("a"), &bound, false)?;
    let device = attached(world, &bound.join("img"))?;
    let point = world.fresh("mount", "");
    world.mount(OURS, device, &point, false)?;
    world.unmount(OURS, &bound, LAZY)
}

/// The outer file system is in no table of mounts, but the loop device over its file keeps it.
fn only_used(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/outer"), Recipe::Ext4Large)?;
    let outer = attached(world, &world.path("a/outer"))?;
    let point = world.fresh("mount", "");
    world.mount(OURS, outer, &point, false)?;
    world.image(&point.join("inner"), Recipe::Ext4Small)?;
    attached(world, &point.join("inner"))?;
    world.unmount(OURS, &point, LAZY)?;
    world.image(&world.path("b/free"), Recipe::Blank).map(drop)
}

/// The claim is on the lower loop device, and no table shows why.
fn only_used_below(world: &mut World) -> io::Result<()> {
    only_used(world)?;
    let outer = world.model.device(DeviceId(0)).node();
    attached(world, &outer).map(drop)
}

/// Only the numbers distinguish the two equal files.
fn in_memory(world: &mut World) -> io::Result<()> {
    world.cover(OURS, &world.path("a"))?;
    for path in [world.path("a/img"), world.path("a/copy")] {
        world.image(&path, Recipe::Blank)?;
        attached(world, &path)?;
    }
    world.unmount(OURS, &world.path("a"), LAZY)
}

fn in_memory_used(world: &mut World) -> io::Result<()> {
    world.cover(OURS, &world.path("a"))?;
    mounted(world, &world.path("a/img"))?;
    world.link(&world.path("a/img"), &world.path("a/link"))?;
    attached(world, &world.path("a/link"))?;
    world.image(&world.path("a/copy"), Recipe::Ext4Small)?;
    attached(world, &world.path("a/copy"))?;
    world.unmount(OURS, &world.path("a"), LAZY)
}

/// What is out of sight could be an overlay that shows the file without a name, so it is refused.
fn doubt(world: &mut World) -> io::Result<()> {
    mounted(world, &world.path("a/img"))?;
    world.remove(&world.path("a/img"))?;
    world.cover(OURS, &world.path("b"))?;
    world.image(&world.path("b/other"), Recipe::Ext4Small)?;
    attached(world, &world.path("b/other"))?;
    world.unmount(OURS, &world.path("b"), LAZY)
}

/// The path that the kernel reports leads nowhere, and the number of the file's subvolume is in no
/// table of mounts; but the subvolume is mounted in another namespace.
fn subvolume(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/outer"), Recipe::Btrfs(0))?;
    let outer = attached(world, &world.path("a/outer"))?;
    let point = world.fresh("mount", "");
    world.mount(OURS, outer, &point, false)?;
    world.space()?;
    world.image(&point.join("inner"), Recipe::Ext4Small)?;
    attached(world, &point.join("inner"))?;
    world.unmount(OURS, &point, LAZY)?;
    mounted(world, &world.path("b/img"))?;
    world.remove(&world.path("b/img"))
}

fn mounted_elsewhere(world: &mut World) -> io::Result<()> {
    let path = world.path("a/img");
    world.image(&path, Recipe::Ext4Small)?;
    let device = attached(world, &path)?;
    let space = world.space()?;
    let point = world.fresh("mount", "");
    world.mount(space, device, &point, false).map(drop)
}

/// In that namespace the file has a path that leads nowhere in ours.
fn attached_elsewhere(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let space = world.space()?;
    let bound = world.fresh("mount", "");
    world.bind(space, &world.path("a"), &bound, false)?;
    let device = world.attach(space, &bound.join("img"), Window::default(), false)?;
    let point = world.fresh("mount", "");
    world.mount(space, device, &point, false).map(drop)
}

fn nobody_there(world: &mut World) -> io::Result<()> {
    mounted_elsewhere(world)?;
    let space = *world.space_ids().last().expect("ours at least");
    world.empty_space(space)
}

fn copy_left(world: &mut World) -> io::Result<()> {
    let path = world.path("a/img");
    world.image(&path, Recipe::Ext4Small)?;
    let device = attached(world, &path)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, device, &point, false)?;
    world.space()?;
    world.unmount(OURS, &point, false)
}
