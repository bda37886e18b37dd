//! The contents of files and devices of which the target shows only a part: a loop device can begin
//! anywhere in its file, and end anywhere.
//!
//! A file system that fills the file, or a partition in it, is in the window as well, although
//! nothing at the window's ends shows it.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::facts::NodeContents;
use fathom_device::device::{Graph, Node};
use fathom_device::loops::LoopDevice;
use fathom_device::root::Root;
use fathom_device::same_file::FileView;
use fathom_device::signature::{Contents, partitions};

/// The contents around each window that the target is made of.
pub(super) fn around(
    root: &Root,
    graph: &Graph,
    loops: &[LoopDevice],
    look_into: &impl Fn(&Node) -> io::Result<Contents>,
) -> Vec<NodeContents> {
    let is_window = |device: &&LoopDevice| graph.is_made_of(device.number) && device.is_window(root);
    let looked = loops.iter().filter(is_window).flat_map(|device| match device.backing_device {
        Some(number) => {
            let below = graph.node(number);
            below.map(|below| NodeContents::of(&below.name, look_into(below))).into_iter().collect()
        }
        None => in_file(root, device),
    });
    looked.collect()
}

/// The contents of the file, and of those of its partitions that reach into the window but do not begin where
/// it begins: a partition that begins there is seen in the window itself.
fn in_file(root: &Root, device: &LoopDevice) -> Vec<NodeContents> {
    let name = format!("{} behind {}", device.backing_file.display(), device.name);
    let unreachable =
        "the file behind the loop device cannot be reached, and the device shows only a part of it";
    let file = FileView::behind(root, device).reader().ok_or_else(|| io::Error::other(unreachable));
    file.and_then(|file| around_window(root, device, &name, &file))
        .unwrap_or_else(|e| vec![NodeContents::of(name, Err(e))])
}

fn around_window(root: &Root, device: &LoopDevice, name: &str, file: &File) -> io::Result<Vec<NodeContents>> {
    let size_bytes = file.metadata()?.len();
    let window = device.window(root, size_bytes);
    let reaches_in =
        |part: &Range<u64>| part.start < window.end && window.start < part.end && part.start != window.start;
    let mut found = vec![NodeContents::of(name, Contents::read(file, size_bytes))];
    for part in partitions(file, size_bytes)?.into_iter().filter(reaches_in) {
        let node = format!("the partition at byte {} of {name}", part.start);
        found.push(NodeContents::of(node, Contents::read_range(file, part)));
    }
    Ok(found)
}
