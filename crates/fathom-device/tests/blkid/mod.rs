//! The guard's own list of formats knows at least what the installed blkid knows: for each format
//! there is an image that blkid names, and on which the list must find something too. The tests
//! also cover what blkid does not look for: the spare superblocks of a file system whose beginning
//! is gone.

mod arrays;
mod file_systems;
mod image;
mod old_file_systems;
mod partition_tables;
mod spares;
mod volumes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::process::Command;

use fathom_device::signature::Contents;
use image::Image;

/// The smallest size that ZFS accepts, and the same with an end that is a multiple of a sector
/// and of nothing larger.
const SIZES: [u64; 2] = [64 << 20, (64 << 20) + 77 * 512];

fn images(size_bytes: u64) -> Vec<Image> {
    let families = [
        arrays::images,
        volumes::images,
        file_systems::images,
        old_file_systems::images,
        partition_tables::images,
    ];
    families.into_iter().flat_map(|family| family(size_bytes)).collect()
}

/// What blkid says of each file, by path. It ends with the first that it does
/// not know.
fn blkid(paths: &[String]) -> BTreeMap<String, String> {
    let output = Command::new("blkid").args(["-p", "-o", "export"]).args(paths).output();
    let output = output.unwrap_or_else(|e| panic!("blkid is needed for this test: {e}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers = text.split("\n\n").filter_map(|block| {
        let path = block.lines().find_map(|line| line.strip_prefix("DEVNAME="))?;
        let kind = |line: &str| line.starts_with("TYPE=") || line.starts_with("PTTYPE=");
        Some((path.to_owned(), block.lines().filter(|line| kind(line)).collect::<Vec<_>>().join(" ")))
    });
    answers.collect()
}

fn written(images: &[Image], dir: &Path, size_bytes: u64) -> Vec<String> {
    let write = |(number, image): (usize, &Image)| {
        let path = dir.join(format!("{number}.img"));
        image.write(&File::create(&path).unwrap(), size_bytes);
        path.to_str().unwrap().to_owned()
    };
    images.iter().enumerate().map(write).collect()
}

#[test]
fn what_blkid_finds_is_found() {
    for size_bytes in SIZES {
        let dir = tempfile::tempdir().unwrap();
        let mut images = images(size_bytes);
        // The second size is for what is counted from the end.
        images.retain(|image| size_bytes == SIZES[0] || image.reaches(size_bytes / 2));
        let paths = written(&images, dir.path(), size_bytes);
        let answers = blkid(&paths);
        let mut missed = Vec::new();
        for (image, path) in images.iter().zip(&paths) {
            let says = answers.get(path).map(String::as_str).unwrap_or_default();
            assert!(says.split(' ').any(|word| word == image.says), "blkid says {says:?} of {image:?}");
            let contents = Contents::read(&File::open(path).unwrap(), size_bytes).unwrap();
            if contents.signatures.is_empty() {
                missed.push(image);
            }
        }
        assert!(missed.is_empty(), "{} of {} are not found: {missed:#?}", missed.len(), images.len());
    }
}

/// A format that a newer blkid knows needs an image here.
#[test]
fn every_format_that_blkid_lists_has_an_image() {
    let output = Command::new("blkid").arg("-k").output();
    let output = output.unwrap_or_else(|e| panic!("blkid is needed for this test: {e}"));
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let images = images(SIZES[0]);
    let have: BTreeSet<&str> = images.iter().filter_map(|image| image.says.strip_prefix("TYPE=")).collect();
    let missing: Vec<&str> = listed.split_whitespace().filter(|name| !have.contains(name)).collect();
    assert!(listed.split_whitespace().count() > 50, "{listed}");
    assert_eq!(missing, [] as [&str; 0]);
}
