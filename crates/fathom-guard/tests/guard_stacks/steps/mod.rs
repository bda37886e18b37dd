//! What a random stack is built of: one entry for each kind of step.

mod choose;
mod devices;
mod files;
mod mounts;

use std::io;

use crate::dice::Dice;
use crate::world::World;

/// A kind of step.
pub struct Step {
    pub name: &'static str,
    /// How often it is drawn, relative to the others.
    pub weight: usize,
    /// Chooses what to act on and acts. An error means that nothing fits, or that the kernel refused.
    pub act: fn(&mut World, &mut Dice) -> io::Result<()>,
}

pub const STEPS: [Step; 28] = [
    Step { name: "image", weight: 8, act: files::image },
    Step { name: "file system", weight: 10, act: mounts::file_system },
    Step { name: "attach a file", weight: 16, act: devices::attach_file },
    Step { name: "attach a device", weight: 6, act: devices::attach_device },
    Step { name: "mount", weight: 8, act: mounts::mount },
    Step { name: "directory", weight: 2, act: files::directory },
    Step { name: "hard link", weight: 6, act: files::link },
    Step { name: "rename", weight: 4, act: files::rename },
    Step { name: "remove a name", weight: 5, act: files::remove },
    Step { name: "remove an open file", weight: 2, act: files::hold },
    Step { name: "put a copy in its place", weight: 3, act: files::replace },
    Step { name: "copy", weight: 3, act: files::copy },
    Step { name: "reflink", weight: 8, act: files::reflink },
    Step { name: "symbolic link", weight: 3, act: files::symlink },
    Step { name: "device node", weight: 2, act: files::node },
    Step { name: "bind a directory", weight: 4, act: mounts::bind_dir },
    Step { name: "bind a file", weight: 3, act: mounts::bind_file },
    Step { name: "cover a directory", weight: 2, act: mounts::cover },
    Step { name: "unmount", weight: 4, act: mounts::unmount },
    Step { name: "unmount lazily", weight: 5, act: mounts::unmount_lazily },
    Step { name: "overlay", weight: 6, act: mounts::overlay },
    Step { name: "copy up", weight: 6, act: files::touch },
    Step { name: "namespace", weight: 3, act: mounts::space },
    Step { name: "empty a namespace", weight: 2, act: mounts::empty_space },
    Step { name: "swap on a device", weight: 4, act: devices::swap_on_device },
    Step { name: "swap on a file", weight: 4, act: devices::swap_on_file },
    Step { name: "btrfs on two devices", weight: 3, act: devices::halves },
    Step { name: "give free", weight: 3, act: devices::give_free },
];

/// The step with which most stacks begin.
pub fn first() -> &'static Step {
    STEPS.iter().find(|step| step.name == "file system").expect("it is in the table")
}

/// One step by weight.
pub fn draw(dice: &mut Dice) -> usize {
    let all: usize = STEPS.iter().map(|step| step.weight).sum();
    let mut left = dice.below(all);
    let at = STEPS.iter().position(|step| {
        let is_it = left < step.weight;
        left = left.saturating_sub(step.weight);
        is_it
    });
    at.expect("less than the sum of all")
}
