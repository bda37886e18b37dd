//! Steps on devices and swap areas.

use std::io;

use super::choose;
use crate::dice::Dice;
use crate::image::Recipe;
use crate::kernel::loops::Window;
use crate::model::content::{Content, Kind};
use crate::model::{DeviceId, FileId, OURS};
use crate::world::World;

pub fn attach_file(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let space = choose::space(world, dice);
    let (path, file) = choose::file(world, space, dice)?;
    let window = window(world, file, dice);
    world.attach(space, &path, window, dice.one_in(6)).map(drop)
}

/// The whole file, what one content fills, or the second half.
fn window(world: &World, file: FileId, dice: &mut Dice) -> Window {
    let whole = Window::default();
    match dice.below(10) {
        0..6 => whole,
        6..9 => {
            let contents: Vec<Content> = world.model.contents(file).to_vec();
            let part = dice.pick(&contents);
            part.map_or(whole, |part| Window { offset_bytes: part.start, limit_bytes: part.size_bytes })
        }
        _ => Window { offset_bytes: (world.model.file(file).size_bytes / 2) & !511, limit_bytes: 0 },
    }
}

pub fn attach_device(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let devices: Vec<_> = world.model.attached().map(|(_, device)| device.node()).collect();
    let path = choose::or_nothing(dice.pick(&devices))?;
    world.attach(OURS, &path, Window::default(), dice.one_in(6)).map(drop)
}

/// On a device that is there, or on a new one.
pub fn swap_on_device(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let device = match choose::device_with(world, dice, |kind| kind == Kind::Swap) {
        Ok(device) => device,
        Err(_) => {
            let path = choose::new_path(world, dice)?;
            world.image(&path, Recipe::Swap)?;
            world.attach(OURS, &path, Window::default(), false)?
        }
    };
    let path = world.model.device(device).node();
    world.swap_on(&path)
}

/// Only file systems on devices hold swap files, and on btrfs the kernel makes them difficult.
pub fn swap_on_file(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let dir = choose::dir_on(world, &["ext4", "xfs"], dice)?;
    let path = choose::new_path_in(world, &dir, dice);
    world.image(&path, Recipe::Swap)?;
    world.swap_on(&path)
}

/// Makes a btrfs on two loop devices and mounts it, once in a stack.
pub fn halves(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let is_half = |content: &Content| matches!(content.kind, Kind::BtrfsHalf(_));
    if world.model.files.iter().any(|file| file.contents.iter().any(is_half)) {
        return choose::nothing();
    }
    let mut devices = Vec::new();
    for half in 0..2 {
        let path = choose::new_path_in(world, &world.base().join("a"), dice);
        world.image(&path, Recipe::BtrfsHalf(half))?;
        devices.push(world.attach(OURS, &path, Window::default(), false)?);
    }
    let point = choose::new_point(world, dice);
    let device = dice.pick(&devices).expect("there are two");
    world.mount(OURS, device, &point, dice.one_in(5)).map(drop)
}

/// Swaps off, or detaches what nothing uses.
pub fn give_free(world: &mut World, dice: &mut Dice) -> io::Result<()> {
    let swaps = world.model.swaps.iter().enumerate();
    let active: Vec<usize> = swaps.filter(|(_, swap)| swap.active).map(|(at, _)| at).collect();
    if let Some(swap) = dice.pick(&active) {
        return world.swap_off(swap);
    }
    let loops = world.model.attached().filter(|(_, device)| !device.is_partition);
    let loops: Vec<DeviceId> = loops.map(|(id, _)| id).collect();
    world.detach(choose::or_nothing(dice.pick(&loops))?)
}
