//! Images with file systems, swap areas and partitions, made once and then copied into every file
//! that needs one.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::dice::Dice;
use crate::kernel::loops::{Loop, Window};
use crate::kernel::mount::{Request, tmpfs, unmount};
use crate::kernel::{btrfs, hole};
use crate::model::content::{Content, Kind};
use crate::program::run;

const MIB: u64 = 1 << 20;

/// The file in every file system that must stay as it is.
pub const CANARY: &str = "canary";

/// What an image is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    Blank,
    Ext4Small,
    Ext4Large,
    Xfs,
    /// One of [`Images::BTRFS`] file systems, each with a UUID of its own.
    Btrfs(usize),
    /// One half of a file system on two devices.
    BtrfsHalf(usize),
    Swap,
    Table,
}

/// Bytes of an image where they are not zero.
pub struct Image {
    pub size_bytes: u64,
    pub contents: Vec<Content>,
    runs: Vec<(u64, Vec<u8>)>,
}

/// All images that a stack is made of.
pub struct Images {
    made: Vec<(Recipe, Image)>,
    pub canary: Vec<u8>,
}

/// The partitions of [`Recipe::Table`]: start and size in bytes, and what they hold.
pub const PARTITIONS: [(u64, u64, Recipe); 3] =
    [(MIB, 4 * MIB, Recipe::Ext4Small), (6 * MIB, MIB, Recipe::Swap), (8 * MIB, 4 * MIB, Recipe::Blank)];

impl Images {
    /// How many btrfs there are to choose from.
    pub const BTRFS: usize = 2;

    /// Makes all images with the usual programs, in the empty directory `dir`, on which it mounts a
    /// file system in memory.
    pub fn make(dir: &Path) -> io::Result<Self> {
        tmpfs(dir)?;
        let mut images = Self { made: Vec::new(), canary: Dice::new(1).bytes(64 * 1024) };
        let root = dir.join("root");
        fs::create_dir(&root)?;
        fs::write(root.join(CANARY), &images.canary)?;
        let root = root.to_str().expect("a plain name");
        let ext4 = "-q -F -m 0 -b 1024 -E lazy_itable_init=0,lazy_journal_init=0";
        let small = format!("mkfs.ext4 {ext4} -O ^has_journal -d {root}");
        let large = format!("mkfs.ext4 {ext4} -J size=1 -d {root}");
        let xfs = format!("mkfs.xfs -q -p {}", prototype(dir, root)?.display());
        images.add(Recipe::Ext4Small, dir, 4 * MIB, &small)?;
        images.add(Recipe::Ext4Large, dir, 24 * MIB, &large)?;
        images.add(Recipe::Xfs, dir, 300 * MIB, &xfs)?;
        for number in 0..Self::BTRFS {
            let btrfs = format!("mkfs.btrfs -q -M --rootdir {root}");
            images.add(Recipe::Btrfs(number), dir, 32 * MIB, &btrfs)?;
        }
        images.add(Recipe::Swap, dir, MIB, "mkswap -q")?;
        images.add(Recipe::Blank, dir, 2 * MIB, "true")?;
        images.add_halves(dir)?;
        images.add_table();
        unmount(dir, libc::MNT_DETACH)?;
        Ok(images)
    }

    pub fn get(&self, recipe: Recipe) -> &Image {
        let mut made = self.made.iter().filter(|(of, _)| *of == recipe);
        &made.next().expect("every recipe was made").1
    }

    fn add(&mut self, recipe: Recipe, dir: &Path, size_bytes: u64, command: &str) -> io::Result<()> {
        let path = dir.join("image");
        File::create(&path)?.set_len(size_bytes)?;
        run(command, &[&path])?;
        self.made.push((recipe, Image::read(&path, recipe)?));
        fs::remove_file(path)
    }

    /// `mkfs.btrfs` fills one device only, so the canary goes through a mount.
    fn add_halves(&mut self, dir: &Path) -> io::Result<()> {
        let paths = [dir.join("half-0"), dir.join("half-1")];
        for path in &paths {
            File::create(path)?.set_len(32 * MIB)?;
        }
        run("mkfs.btrfs -q -M -d single -m single", &[&paths[0], &paths[1]])?;
        let attach = |path| {
            let file = File::options().read(true).write(true).open(path)?;
            Loop::attach(&file, Window::default(), false)
        };
        let (first, second) = (attach(&paths[0])?, attach(&paths[1])?);
        let (point, source) = (dir.join("point"), first.node());
        fs::create_dir(&point)?;
        let options = format!("device={}", second.node().display());
        Request { source: Some(&source), kind: "btrfs", options: &options, ..Request::default() }
            .at(&point)?;
        let written = fs::write(point.join(CANARY), &self.canary);
        unmount(&point, 0)?;
        written?;
        for node in [first.node(), second.node()] {
            btrfs::forget(&node)?;
        }
        for (number, path) in paths.iter().enumerate() {
            let recipe = Recipe::BtrfsHalf(number);
            self.made.push((recipe, Image::read(path, recipe)?));
        }
        first.detach()?;
        second.detach()
    }

    fn add_table(&mut self) {
        let mut sector = vec![0; 512];
        let (mut runs, mut contents) = (Vec::new(), Vec::new());
        for (at, (start, size_bytes, recipe)) in PARTITIONS.into_iter().enumerate() {
            let sectors = |bytes: u64| u32::try_from(bytes / 512).expect("a small disk").to_le_bytes();
            let entry = &mut sector[446 + 16 * at..462 + 16 * at];
            entry[4] = 0x83;
            entry[8..12].copy_from_slice(&sectors(start));
            entry[12..16].copy_from_slice(&sectors(size_bytes));
            let image = self.get(recipe);
            runs.extend(image.runs.iter().map(|(from, bytes)| (start + from, bytes.clone())));
            contents.extend(image.contents.iter().map(|content| Content { start, ..*content }));
        }
        sector[510..].copy_from_slice(&[0x55, 0xaa]);
        runs.push((0, sector));
        let size_bytes = 16 * MIB;
        contents.push(Content { kind: Kind::Table, start: 0, size_bytes });
        self.made.push((Recipe::Table, Image { size_bytes, contents, runs }));
    }
}

impl Image {
    /// Reads what is not a hole.
    fn read(path: &Path, recipe: Recipe) -> io::Result<Self> {
        let file = File::open(path)?;
        let size_bytes = file.metadata()?.len();
        let mut runs = Vec::new();
        let mut end = 0;
        while let Some(start) = hole::data_from(&file, end)? {
            end = hole::end_of_data(&file, start)?;
            let mut bytes = vec![0; usize::try_from(end - start).expect("a small image")];
            file.read_exact_at(&mut bytes, start)?;
            runs.push((start, bytes));
        }
        let content = kind(recipe).map(|kind| Content { kind, start: 0, size_bytes });
        Ok(Self { size_bytes, contents: content.into_iter().collect(), runs })
    }

    /// Makes `file` this image. A swap area may have no holes.
    pub fn pour(&self, file: &File) -> io::Result<()> {
        file.set_len(self.size_bytes)?;
        if self.contents.iter().any(|content| content.kind == Kind::Swap && content.start == 0) {
            let zeros = vec![0; usize::try_from(self.size_bytes).expect("a small area")];
            file.write_all_at(&zeros, 0)?;
        }
        for (start, bytes) in &self.runs {
            file.write_all_at(bytes, *start)?;
        }
        file.sync_data()
    }
}

fn kind(recipe: Recipe) -> Option<Kind> {
    match recipe {
        Recipe::Blank => None,
        Recipe::Ext4Small | Recipe::Ext4Large => Some(Kind::Ext4),
        Recipe::Xfs => Some(Kind::Xfs),
        Recipe::Btrfs(number) => Some(Kind::Btrfs(number)),
        Recipe::BtrfsHalf(number) => Some(Kind::BtrfsHalf(number)),
        Recipe::Swap => Some(Kind::Swap),
        Recipe::Table => Some(Kind::Table),
    }
}

/// The prototype that tells mkfs.xfs which file to put in.
fn prototype(dir: &Path, root: &str) -> io::Result<PathBuf> {
    let path = dir.join("prototype");
    let text = format!("/\n0 0\nd--755 0 0\n{CANARY} ---644 0 0 {root}/{CANARY}\n$\n");
    fs::write(&path, text)?;
    Ok(path)
}
