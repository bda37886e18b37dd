//! Steps on mounts and namespaces.

use std::io;

use super::{choose, files};
use crate::dice::Dice;
use crate::kernel::loops::Window;
use crate::model::OURS;
use crate::world::World;

/// Makes a file system, attaches it and mounts it.
pub fn file_system(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let (dir, id) = choose::dir(world, OURS, dice)?;
    let recipe = files::file_system_recipe(world, id, dice);
    let path = choose::new_path_in(world, &dir, dice);
    world.image(&path, recipe)?;
    let device = world.attach(OURS, &path, Window::default(), dice.one_in(6))?;
    let point = choose::new_point(world, dice);
    world.mount(OURS, device, &point, dice.one_in(5)).map(drop)
}

pub fn mount(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let space = choose::space(world, dice);
    let device = choose::device_with(world, dice, |kind| kind.file_system().is_some())?;
    let point = choose::new_point(world, dice);
    world.mount(space, device, &point, dice.one_in(5)).map(drop)
}

pub fn bind_dir(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let space = choose::space(world, dice);
    let (from, _) = choose::dir(world, space, dice)?;
    let point = choose::new_point(world, dice);
    world.bind(space, &from, &point, dice.one_in(4))
}

pub fn bind_file(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let space = choose::space(world, dice);
    let (from, _) = choose::file(world, space, dice)?;
    let point = choose::new_point(world, dice);
    world.bind(space, &from, &point, dice.one_in(4))
}

pub fn cover(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let space = choose::space(world, dice);
    let (dir, _) = choose::dir(world, space, dice)?;
    world.cover(space, &dir)
}

pub fn unmount(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let space = choose::space(world, dice);
    let point = choose::point(world, space, dice)?;
    world.unmount(space, &point, false)
}

pub fn unmount_lazily(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let space = choose::space(world, dice);
    let point = choose::point(world, space, dice)?;
    world.unmount(space, &point, true)
}

/// The upper layer is a directory whose neighbour can be the work directory.
pub fn overlay(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let lower = match choose::file(world, OURS, dice) {
        Ok((path, _)) if !dice.one_in(4) => path.parent().expect("a file in a directory").to_path_buf(),
        _ => choose::dir(world, OURS, dice)?.0,
    };
    let mut uppers = world.model.dir_paths(OURS);
    uppers.retain(|(path, dir)| {
        let dir = &world.model.dirs[dir.0];
        !dir.sub.as_os_str().is_empty() && !dir.is_layer && *path != lower
    });
    let (upper, _) = choose::or_nothing(dice.pick(&uppers))?;
    let point = choose::new_point(world, dice);
    world.overlay(&lower, &upper, &point)
}

/// A process for each namespace takes time, so a stack has few.
pub fn space(world: &mut World, _: &mut Dice) -> io::Result<()> {
    if world.space_ids().len() > 2 {
        return choose::nothing();
    }
    world.space().map(drop)
}

/// Mounts something in a new namespace and ends its process.
pub fn empty_space(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    space(world, dice)?;
    let space = *world.space_ids().last().expect("it was just made");
    if let Ok(device) = choose::device_with(world, dice, |kind| kind.file_system().is_some()) {
        let point = choose::new_point(world, dice);
        let _ = world.mount(space, device, &point, dice.one_in(5));
    }
    world.empty_space(space)
}
