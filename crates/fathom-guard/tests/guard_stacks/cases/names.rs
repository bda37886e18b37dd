//! The backing file has another name than the one by which it was attached.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

use super::{Case, attached, case, mounted};
use crate::image::Recipe;
use crate::model::OURS;
use crate::world::World;

pub const CASES: &[Case] = &[
    case("a hard link, after the first name was removed", hard_link, 2, 0),
    case("a second loop device over a hard link of a removed name", second_loop, 3, 0),
    case("a renamed file", renamed, 2, 0),
    case("a renamed file, and a copy under its old name", replaced, 2, 1),
    case("a removed file that is still open", removed, 2, 0),
    case("names that end in or hold what is easily misread", misread, 14, 0),
    case("a name that another file has with the kernel's remark", deleted, 2, 1),
    case("symbolic links and other nodes", links, 4, 0),
    case("a file bound over another", bound, 3, 0),
    case("a copy", copied, 2, 1),
    case("a copy that shares all blocks", reflinked, 3, 1),
];

fn hard_link(world: &mut World) -> io::Result<()> {
    let (first, second) = (world.path("a/img"), world.path("b/img"));
    mounted(world, &first)?;
    world.link(&first, &second)?;
    world.remove(&first)
}

fn second_loop(world: &mut World) -> io::Result<()> {
    let (first, second) = (world.path("a/img"), world.path("b/other"));
    mounted(world, &first)?;
    world.link(&first, &second)?;
    attached(world, &second)?;
    world.remove(&first)
}

fn renamed(world: &mut World) -> io::Result<()> {
    let (first, second) = (world.path("a/img"), world.path("b/img"));
    mounted(world, &first)?;
    world.rename(&first, &second)
}

/// The path that the kernel reports leads to a file that is free.
fn replaced(world: &mut World) -> io::Result<()> {
    let (first, second) = (world.path("a/img"), world.path("b/img"));
    mounted(world, &first)?;
    world.rename(&first, &second)?;
    world.copy(&second, &first)
}

fn removed(world: &mut World) -> io::Result<()> {
    let path = world.path("a/img");
    mounted(world, &path)?;
    world.hold_and_remove(&path)
}

fn misread(world: &mut World) -> io::Result<()> {
    for name in [&b"img "[..], b"img\n", b"two\nlines", b"img\\040", b"img\t", b"img\xff", b" img"] {
        let path = world.path("a").join(OsStr::from_bytes(name));
        mounted(world, &path)?;
    }
    Ok(())
}

/// For a removed file, the kernel reports the old path and " (deleted)".
fn deleted(world: &mut World) -> io::Result<()> {
    let (path, link) = (world.path("a/img"), world.path("b/img"));
    mounted(world, &path)?;
    world.link(&path, &link)?;
    world.remove(&path)?;
    world.image(&world.path("a/img (deleted)"), Recipe::Ext4Small).map(drop)
}

fn links(world: &mut World) -> io::Result<()> {
    let path = world.path("a/img");
    let device = mounted(world, &path)?;
    let node = world.model.device(device).node();
    world.symlink(&path, &world.path("b/link"))?;
    world.node(&node, &world.path("b/node"))
}

fn bound(world: &mut World) -> io::Result<()> {
    let path = world.path("a/img");
    mounted(world, &path)?;
    let point = world.fresh("mount", "");
    world.bind(OURS, &path, &point, false)
}

fn copied(world: &mut World) -> io::Result<()> {
    let path = world.path("a/img");
    world.image(&path, Recipe::Ext4Small)?;
    world.copy(&path, &world.path("b/copy"))?;
    let device = attached(world, &path)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, device, &point, false).map(drop)
}

fn reflinked(world: &mut World) -> io::Result<()> {
    let outer = world.path("a/outer");
    world.image(&outer, Recipe::Xfs)?;
    let device = attached(world, &outer)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, device, &point, false)?;
    world.image(&point.join("inner"), Recipe::Ext4Small)?;
    world.reflink(&point.join("inner"), &point.join("copy"))?;
    let inner = attached(world, &point.join("inner"))?;
    let point = world.fresh("mount", "");
    world.mount(OURS, inner, &point, false).map(drop)
}
