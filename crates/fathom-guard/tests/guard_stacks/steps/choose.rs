//! What a step acts on.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::dice::Dice;
use crate::model::content::Kind;
use crate::model::{DeviceId, DirId, Entry, FileId, OURS, SpaceId};
use crate::world::World;

/// Ends of names that programs have taken for something else: for the end of the name, a separator,
/// an escape, a remark of the kernel, an option, a size.
const SUFFIXES: [&[u8]; 16] = [
    b"",
    b"",
    b"",
    b"",
    b" ",
    b"\n",
    b"\t",
    b" two words",
    b"two\nlines",
    b"\\",
    b"\\040",
    b" (deleted)",
    b":1048576",
    b"-part1",
    b"\xff",
    b"-a-name-that-is-longer-than-the-sixty-four-bytes-that-a-loop-device-keeps-of-it",
];

pub fn nothing<T>() -> io::Result<T> {
    Err(io::Error::other("nothing fits"))
}

pub fn or_nothing<T>(found: Option<T>) -> io::Result<T> {
    found.map_or_else(nothing, Ok)
}

/// Mostly our own namespace.
pub fn space(world: &World, dice: &mut Dice) -> SpaceId {
    match dice.one_in(3) {
        true => dice.pick(&world.space_ids()).unwrap_or(OURS),
        false => OURS,
    }
}

/// A visible file.
pub fn file(world: &World, space: SpaceId, dice: &mut Dice) -> io::Result<(PathBuf, FileId)> {
    let entries = world.model.entries(space).into_iter();
    let files = entries.filter_map(|(path, entry)| match entry {
        Entry::File(file) => Some((path, file)),
        Entry::Link(_) | Entry::Node(_) => None,
    });
    or_nothing(dice.pick(&files.collect::<Vec<_>>()))
}

/// A visible directory. The first of all is left out, since it lies below everything else.
pub fn dir(world: &World, space: SpaceId, dice: &mut Dice) -> io::Result<(PathBuf, DirId)> {
    let mut dirs = world.model.dir_paths(space);
    dirs.retain(|(path, _)| path != world.base());
    or_nothing(dice.pick(&dirs))
}

/// A visible directory of a file system of one of these kinds.
pub fn dir_on(world: &World, labels: &[&str], dice: &mut Dice) -> io::Result<PathBuf> {
    let mut dirs = world.model.dir_paths(OURS);
    dirs.retain(|(_, dir)| labels.contains(&world.model.system(world.model.dirs[dir.0].system).label));
    or_nothing(dice.pick(&dirs)).map(|(path, _)| path)
}

/// A path for a new file in a visible directory.
pub fn new_path(world: &mut World, dice: &mut Dice) -> io::Result<PathBuf> {
    let dir = dir(world, OURS, dice)?.0;
    Ok(new_path_in(world, &dir, dice))
}

pub fn new_path_in(world: &mut World, dir: &Path, dice: &mut Dice) -> PathBuf {
    let suffix = dice.pick(&SUFFIXES).expect("there are some");
    let name = [format!("file{:02}", world.number()).as_bytes(), suffix].concat();
    dir.join(OsStr::from_bytes(&name))
}

/// A mount point that is not there yet.
pub fn new_point(world: &mut World, dice: &mut Dice) -> PathBuf {
    let suffix = dice.pick(&["", "", " ", " of many words", "é"]).expect("there are some");
    world.fresh("mount", suffix)
}

/// An attached device that holds something of a kind.
pub fn device_with(world: &World, dice: &mut Dice, fits: fn(Kind) -> bool) -> io::Result<DeviceId> {
    let holds = |id: &DeviceId| world.model.content_on(*id).is_some_and(|content| fits(content.kind));
    let devices: Vec<DeviceId> = world.model.attached().map(|(id, _)| id).filter(holds).collect();
    or_nothing(dice.pick(&devices))
}

/// Where something is mounted.
pub fn point(world: &World, space: SpaceId, dice: &mut Dice) -> io::Result<PathBuf> {
    let mounts = world.model.mounts_in(space).map(|mount| mount.point.clone());
    let points: Vec<PathBuf> = mounts.filter(|point| point != world.base()).collect();
    or_nothing(dice.pick(&points))
}
