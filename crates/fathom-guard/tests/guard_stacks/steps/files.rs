//! Steps on files.

use std::io;
use std::path::Path;

use super::choose;
use crate::dice::Dice;
use crate::image::{Images, Recipe};
use crate::model::path::Found;
use crate::model::{DirId, OURS};
use crate::world::World;

pub fn image(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (dir, id) = choose::dir(world, OURS, dice)?;
    let recipe = recipe(world, id, dice);
    let path = choose::new_path_in(world, &dir, dice);
    world.image(&path, recipe).map(drop)
}

fn recipe(world: &World, dir: DirId, dice: &mut Dice) -> Recipe {
    match dice.below(5) {
        0 => Recipe::Blank,
        1 => Recipe::Swap,
        2 | 3 => Recipe::Table,
        _ => file_system_recipe(world, dir, dice),
    }
}

/// A file system for which the directory has room: only a file system in memory has room for all.
pub fn file_system_recipe(world: &World, dir: DirId, dice: &mut Dice) -> Recipe {
    use Recipe::{Btrfs, Ext4Large, Ext4Small, Xfs};
    let system = world.model.dirs[dir.0].system;
    if world.model.system(system).label != "tmpfs" {
        return Ext4Small;
    }
    let number = dice.below(Images::BTRFS);
    let among = [Ext4Small, Ext4Large, Ext4Large, Btrfs(number), Btrfs(number), Xfs];
    dice.pick(&among).expect("there are some")
}

pub fn directory(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let path = choose::new_path(world, dice)?;
    world.directory(&path)
}

pub fn link(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (from, file) = choose::file(world, OURS, dice)?;
    let dirs = world.model.dir_paths(OURS).into_iter();
    let same_system = |dir: &DirId| world.model.dirs[dir.0].system == world.model.file(file).system;
    let dirs: Vec<_> = dirs.filter(|(path, dir)| same_system(dir) && path != world.base()).collect();
    let (dir, _) = choose::or_nothing(dice.pick(&dirs))?;
    let to = choose::new_path_in(world, &dir, dice);
    world.link(&from, &to)
}

pub fn rename(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (from, _) = choose::file(world, OURS, dice)?;
    let to = beside(world, &from, dice);
    world.rename(&from, &to)
}

fn beside(world: &mut World, path: &Path, dice: &mut Dice) -> std::path::PathBuf {
    let dir = path.parent().expect("a file in a directory").to_path_buf();
    choose::new_path_in(world, &dir, dice)
}

pub fn remove(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (path, _) = choose::file(world, OURS, dice)?;
    world.remove(&path)
}

pub fn hold(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (path, _) = choose::file(world, OURS, dice)?;
    world.hold_and_remove(&path)
}

/// The file gets another name, and a copy of it gets the old name.
pub fn replace(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (path, _) = choose::file(world, OURS, dice)?;
    let moved = beside(world, &path, dice);
    world.rename(&path, &moved)?;
    world.copy(&moved, &path)
}

pub fn copy(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (from, file) = choose::file(world, OURS, dice)?;
    // A copy has no holes, so copying the large ones takes too long.
    if world.model.file(file).size_bytes > 32 << 20 {
        return choose::nothing();
    }
    let to = choose::new_path(world, dice)?;
    world.copy(&from, &to)
}

/// Makes an image on a file system that can share blocks, and a copy of it.
pub fn reflink(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let dir = choose::dir_on(world, &["btrfs", "xfs"], dice)?;
    let from = choose::new_path_in(world, &dir, dice);
    world.image(&from, Recipe::Ext4Small)?;
    let to = beside(world, &from, dice);
    world.reflink(&from, &to)
}

pub fn symlink(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let target = match dice.one_in(3) {
        true => world.model.device(choose::device_with(world, dice, |_| true)?).node(),
        false => choose::file(world, OURS, dice)?.0,
    };
    let link = choose::new_path(world, dice)?;
    world.symlink(&target, &link)
}

pub fn node(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let device = choose::device_with(world, dice, |_| true)?;
    let node = world.model.device(device).node();
    let path = choose::new_path(world, dice)?;
    world.node(&node, &path)
}

pub fn touch(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let entries = world.model.entries(OURS).into_iter().map(|(path, _)| path);
    let below = entries.filter(|path| match world.model.find(OURS, path) {
        Some(Found::File(file)) => world.model.is_only_below(file),
        _ => false,
    });
    let path = choose::or_nothing(dice.pick(&below.collect::<Vec<_>>()))?;
    world.touch(&path)
}
