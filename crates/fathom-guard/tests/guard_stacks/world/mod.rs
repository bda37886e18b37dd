//! A stack on the real machine, and the model of it.
//!
//! Every method does one thing that a person could do with a shell, records it in words, and then
//! does the same to the model. A method that fails has changed neither.

mod devices;
mod files;
mod mounts;
mod proof;
mod spaces;
pub mod undo;

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::image::Images;
use crate::kernel::loops::Loop;
use crate::kernel::mount;
use crate::kernel::namespace::Namespace;
use crate::model::path::Found;
use crate::model::{DeviceId, DirId, Model, OURS, Shows, SpaceId};
use undo::Undo;

use proof::Witness;

/// One stack.
pub struct World<'a> {
    pub model: Model,
    /// What was done, one sentence a step.
    pub story: Vec<String>,
    images: &'a Images,
    loops: HashMap<DeviceId, Loop>,
    /// The namespaces other than ours: number n is at n - 1.
    spaces: Vec<Namespace>,
    held: Vec<File>,
    /// The swap areas by number, open as long as they are active.
    swap_files: Vec<Option<File>>,
    witnesses: Vec<Witness>,
    /// How many file systems were found unharmed after everything was unmounted.
    pub checked_at_rest: usize,
    undo: Vec<Undo>,
    numbers: usize,
    base: tempfile::TempDir,
}

impl<'a> World<'a> {
    /// An empty file system in memory with the directories `a` and `b`.
    pub fn new(images: &'a Images) -> io::Result<Self> {
        let base = tempfile::Builder::new().prefix("stack").tempdir()?;
        mount::tmpfs(base.path())?;
        let mut world = Self {
            model: Model::default(),
            story: Vec::new(),
            images,
            loops: HashMap::new(),
            spaces: Vec::new(),
            held: Vec::new(),
            swap_files: Vec::new(),
            witnesses: Vec::new(),
            checked_at_rest: 0,
            undo: Vec::new(),
            numbers: 0,
            base,
        };
        let system = world.model.add_system("tmpfs", Default::default());
        let point = world.base().to_path_buf();
        world.model.add_mount(OURS, Shows::Dir(system, PathBuf::new()), &point, false);
        for name in ["a", "b"] {
            world.directory(&point.join(name))?;
        }
        world.story.clear();
        Ok(world)
    }

    /// The directory in which everything is.
    pub fn base(&self) -> &Path {
        self.base.path()
    }

    /// A path below the directory in which everything is.
    pub fn path(&self, inner: &str) -> PathBuf {
        self.base().join(inner)
    }

    /// A path that nobody uses yet, with `suffix` at its end.
    pub fn fresh(&mut self, prefix: &str, suffix: &str) -> PathBuf {
        self.numbers += 1;
        self.base().join(format!("{prefix}{:02}{suffix}", self.numbers))
    }

    /// A number that no other step gets.
    pub fn number(&mut self) -> usize {
        self.numbers += 1;
        self.numbers
    }

    fn tell(&mut self, what: String) {
        self.story.push(what);
    }

    /// Runs `act` in the namespace.
    fn at<T: Send>(&self, space: SpaceId, act: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        match space {
            OURS => act(),
            SpaceId(number) => self.spaces[number - 1].within(act),
        }
    }

    fn found(&self, space: SpaceId, path: &Path) -> io::Result<Found> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("{path:?} leads nowhere"));
        self.model.find(space, path).ok_or_else(missing)
    }

    /// The directory of a path in our namespace, and the last name of the path.
    fn split(&self, path: &Path) -> io::Result<(DirId, OsString)> {
        let name = path.file_name().ok_or_else(|| io::Error::other("a path without a name"))?;
        match self.found(OURS, path.parent().unwrap_or(path))? {
            Found::Dir(dir) => Ok((dir, name.to_owned())),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// The same, of a directory whose names may still change.
    fn split_to_change(&self, path: &Path) -> io::Result<(DirId, OsString)> {
        let (dir, name) = self.split(path)?;
        match self.model.dirs[dir.0].is_layer {
            true => Err(io::Error::other("an overlay is made of this directory")),
            false => Ok((dir, name)),
        }
    }

    /// Makes a directory.
    pub fn directory(&mut self, path: &Path) -> io::Result<()> {
        let (parent, name) = self.split_to_change(path)?;
        if self.model.upper_of(parent).is_some() {
            return Err(io::Error::other("directories of overlays are not modelled"));
        }
        fs::create_dir(path)?;
        let sub = self.model.dirs[parent.0].sub.join(name);
        let system = self.model.dirs[parent.0].system;
        self.model.add_dir(system, sub);
        self.tell(format!("mkdir {path:?}"));
        Ok(())
    }
}
