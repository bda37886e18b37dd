//! The same bytes below, above and through an overlay.

use std::io;
use std::path::PathBuf;

use super::{Case, attached, case, mounted};
use crate::image::Recipe;
use crate::kernel::loops::Window;
use crate::model::OURS;
use crate::world::World;

pub const CASES: &[Case] = &[
    case("attached through an overlay, which copies the file up", through, 3, 0),
    case("attached through an overlay that has the file above", through_upper, 3, 0),
    case("attached read-only through an overlay, from below", read_only, 3, 0),
    case("attached above, reached through an overlay", above, 3, 0),
    case("attached below, and a file of the same name through an overlay", below, 2, 0),
    case("an overlay of another one's files", twice, 3, 0),
    case("an overlay that was unmounted lazily", torn_off, 2, 1),
    case("a file of an overlay, bound over one of another name", bound, 3, 0),
    case("a file that was renamed below an overlay", renamed_below, 3, 0),
    case("an overlay on a file system of its own", on_ext4, 4, 0),
];

/// `a` below and `b` above.
fn overlay(world: &mut World) -> io::Result<PathBuf> {
    let point = world.fresh("mount", "");
    world.overlay(&world.path("a"), &world.path("b"), &point)?;
    Ok(point)
}

fn mount_at(world: &mut World, path: PathBuf, read_only: bool) -> io::Result<()> {
    let device = world.attach(OURS, &path, Window::default(), read_only)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, device, &point, read_only).map(drop)
}

fn through(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let point = overlay(world)?;
    mount_at(world, point.join("img"), false)
}

fn through_upper(world: &mut World) -> io::Result<()> {
    world.image(&world.path("b/img"), Recipe::Ext4Small)?;
    let point = overlay(world)?;
    mount_at(world, point.join("img"), false)
}

fn read_only(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let point = overlay(world)?;
    mount_at(world, point.join("img"), true)
}

fn above(world: &mut World) -> io::Result<()> {
    world.image(&world.path("b/img"), Recipe::Ext4Small)?;
    overlay(world)?;
    mount_at(world, world.path("b/img"), false)
}

/// A write through the overlay goes to a copy, so it harms nobody; the guard may refuse it.
fn below(world: &mut World) -> io::Result<()> {
    mounted(world, &world.path("a/img"))?;
    overlay(world).map(drop)
}

fn twice(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let first = overlay(world)?;
    for dir in ["c", "c/upper"] {
        world.directory(&world.path(dir))?;
    }
    let second = world.fresh("mount", "");
    world.overlay(&first, &world.path("c/upper"), &second)?;
    mount_at(world, second.join("img"), false)
}

fn torn_off(world: &mut World) -> io::Result<()> {
    world.image(&world.path("a/img"), Recipe::Ext4Small)?;
    let point = overlay(world)?;
    mount_at(world, point.join("img"), false)?;
    let lazy = true;
    world.unmount(OURS, &point, lazy)
}

/// The overlay itself is out of sight, and the name that is left is not the file's.
fn bound(world: &mut World) -> io::Result<()> {
    world.image(&world.path("b/img"), Recipe::Ext4Small)?;
    let point = overlay(world)?;
    let other = world.fresh("mount", "");
    world.bind(OURS, &point.join("img"), &other, false)?;
    let lazy = true;
    world.unmount(OURS, &point, lazy)?;
    mount_at(world, world.path("b/img"), false)
}

fn renamed_below(world: &mut World) -> io::Result<()> {
    through_upper(world)?;
    world.rename_below(&world.path("b/img"), &world.path("b/other"))
}

fn on_ext4(world: &mut World) -> io::Result<()> {
    let outer = world.path("a/outer");
    world.image(&outer, Recipe::Ext4Large)?;
    let device = attached(world, &outer)?;
    let point = world.fresh("mount", "");
    world.mount(OURS, device, &point, false)?;
    for dir in ["lower", "upper"] {
        world.directory(&point.join(dir))?;
    }
    world.image(&point.join("upper/img"), Recipe::Ext4Small)?;
    let merged = world.fresh("mount", "");
    world.overlay(&point.join("lower"), &point.join("upper"), &merged)?;
    mount_at(world, merged.join("img"), false)
}
