//! Steps that make, name and lose files.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use super::World;
use crate::image::Recipe;
use crate::kernel::{node, open_path};
use crate::model::content::Content;
use crate::model::path::Found;
use crate::model::{DirId, Entry, FileId, OURS};

impl World<'_> {
    /// Makes a file that holds an image.
    pub fn image(&mut self, path: &Path, recipe: Recipe) -> io::Result<FileId> {
        let (dir, name) = self.split_to_change(path)?;
        let images = self.images;
        let image = images.get(recipe);
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        if let Err(full) = image.pour(&file) {
            fs::remove_file(path)?;
            return Err(full);
        }
        self.tell(format!("make {path:?}, an image of {recipe:?}"));
        Ok(self.model.create(dir, &name, image.size_bytes, image.contents.clone()))
    }

    /// Gives a file a second name.
    pub fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.plain_at(from)?;
        let (dir, name) = self.split_to_change(to)?;
        fs::hard_link(from, to)?;
        self.model.name(dir, &name, Entry::File(file));
        self.tell(format!("ln {from:?} {to:?}"));
        Ok(())
    }

    /// Gives a file another name.
    pub fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        self.split_to_change(from)?;
        self.split_to_change(to)?;
        self.rename_below(from, to)
    }

    /// The same in a layer of an overlay, which goes on to show the old name.
    pub fn rename_below(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.plain_at(from)?;
        let (old_dir, old_name) = self.split(from)?;
        let (dir, name) = self.split(to)?;
        fs::rename(from, to)?;
        self.model.dirs[old_dir.0].names.remove(&old_name);
        self.model.name(dir, &name, Entry::File(file));
        self.tell(format!("mv {from:?} {to:?}"));
        Ok(())
    }

    /// Removes a name; the file stays while anything uses it.
    pub fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.plain_at(path)?;
        let (dir, name) = self.split_to_change(path)?;
        fs::remove_file(path)?;
        self.model.dirs[dir.0].names.remove(&name);
        self.tell(format!("rm {path:?}"));
        Ok(())
    }

    /// Opens a file and keeps it open, then removes its name.
    pub fn hold_and_remove(&mut self, path: &Path) -> io::Result<()> {
        let file = self.plain_at(path)?;
        let open = File::open(path)?;
        self.remove(path)?;
        self.tell("the file that was removed is still open".to_owned());
        self.held.push(open);
        self.model.held.push(file);
        Ok(())
    }

    /// Makes a symbolic link to anything.
    pub fn symlink(&mut self, target: &Path, link: &Path) -> io::Result<()> {
        let (dir, name) = self.split_to_change(link)?;
        self.not_of_overlay(dir)?;
        symlink(target, link)?;
        self.model.name(dir, &name, Entry::Link(target.to_path_buf()));
        self.tell(format!("ln -s {target:?} {link:?}"));
        Ok(())
    }

    /// Makes another node for a device.
    pub fn node(&mut self, device: &Path, path: &Path) -> io::Result<()> {
        let Found::Device(id) = self.found(OURS, device)? else {
            return Err(io::Error::other("not a device"));
        };
        let (dir, name) = self.split_to_change(path)?;
        self.not_of_overlay(dir)?;
        node::make_block(path, fs::metadata(device)?.rdev())?;
        self.model.name(dir, &name, Entry::Node(id));
        self.tell(format!("mknod {path:?}, the same as {device:?}"));
        Ok(())
    }

    /// Copies a file: the same bytes, but not the same data.
    pub fn copy(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let reflink = false;
        self.duplicate(from, to, reflink)
    }

    /// Lets a new file share the blocks of another until either is written.
    pub fn reflink(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let reflink = true;
        self.duplicate(from, to, reflink)
    }

    fn duplicate(&mut self, from: &Path, to: &Path, reflink: bool) -> io::Result<()> {
        let file = self.file_at(from)?;
        let (dir, name) = self.split_to_change(to)?;
        let original = File::open(from)?;
        let copy = OpenOptions::new().write(true).create_new(true).open(to)?;
        let copied = match reflink {
            true => node::reflink(&original, &copy),
            false => io::copy(&mut &original, &mut &copy).map(drop),
        };
        if let Err(failed) = copied {
            fs::remove_file(to)?;
            return Err(failed);
        }
        let contents = self.contents_of_copy(file);
        self.model.create(dir, &name, original.metadata()?.len(), contents);
        let how = if reflink { "cp --reflink" } else { "cp" };
        self.tell(format!("{how} {from:?} {to:?}"));
        Ok(())
    }

    /// What was mounted may be half written, so nobody mounts a copy of it; and the kernel mounts no
    /// two btrfs with one UUID.
    fn contents_of_copy(&self, file: FileId) -> Vec<Content> {
        let plain = self.model.plain(file);
        let homes = self.model.systems.iter().filter_map(|system| system.home);
        if homes.into_iter().any(|(home, _)| home == plain) {
            return Vec::new();
        }
        let contents = self.model.contents(file).iter();
        contents.filter(|content| !content.kind.is_unique()).copied().collect()
    }

    /// Opens a file for writing and closes it. An overlay copies the file up then.
    pub fn touch(&mut self, path: &Path) -> io::Result<()> {
        let file = self.file_at(path)?;
        OpenOptions::new().read(true).write(true).open(path)?;
        self.model.copy_up(file);
        self.tell(format!("open {path:?} for writing, and close it"));
        Ok(())
    }

    /// The paths by which the files that are held open can be reached, even if they have lost their names.
    pub fn held_paths(&self) -> Vec<(PathBuf, FileId)> {
        let paths = self.held.iter().map(open_path);
        paths.zip(self.model.held.iter().copied()).collect()
    }

    fn file_at(&self, path: &Path) -> io::Result<FileId> {
        match self.found(OURS, path)? {
            Found::File(file) => Ok(file),
            _ => Err(io::Error::other("not a file")),
        }
    }

    /// The entry itself must be a file: what a symbolic link leads to has another name.
    fn plain_at(&self, path: &Path) -> io::Result<FileId> {
        let (dir, name) = self.split(path)?;
        self.not_of_overlay(dir)?;
        match self.model.dirs[dir.0].names.get(&name) {
            Some(Entry::File(file)) => Ok(*file),
            _ => Err(io::Error::other("not a file")),
        }
    }

    fn not_of_overlay(&self, dir: DirId) -> io::Result<()> {
        match self.model.upper_of(dir) {
            Some(_) => Err(io::Error::other("names of overlays do not change")),
            None => Ok(()),
        }
    }
}
