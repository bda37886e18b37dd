//! What lies in the files and devices of which the target shows a part only: a
//! loop device can begin anywhere in its file, and end anywhere.
//!
//! A file system that fills the file, or a partition in it, lies in the window
//! as well, although nothing at the window's ends tells of it.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::facts::NodeContents;
use crate::device::{Graph, Node, Relation};
use crate::loops::LoopDevice;
use crate::root::Root;
use crate::same_file::FileView;
use crate::signature::{Contents, partitions};

/// The contents around each window that the target is made of.
pub(super) fn around(
    root: &Root,
    graph: &Graph,
    loops: &[LoopDevice],
    look_into: &impl Fn(&Node) -> io::Result<Contents>,
) -> Vec<NodeContents> {
    let made_of = [Relation::Target, Relation::WholeDisk, Relation::Slave];
    let is_made_of = |number| graph.node(number).is_some_and(|node| made_of.contains(&node.relation));
    let windows = loops.iter().filter(|device| is_made_of(device.number) && device.is_window(root));
    let looked = windows.flat_map(|device| match device.backing_device {
        Some(number) => graph.node(number).map(|below| on_device(below, look_into)).into_iter().collect(),
        None => in_file(root, device),
    });
    looked.collect()
}

fn on_device(below: &Node, look_into: &impl Fn(&Node) -> io::Result<Contents>) -> NodeContents {
    NodeContents { node: below.name.clone(), contents: look_into(below).map_err(|e| e.to_string()) }
}

/// Those of the file, and those of its partitions that reach into the window
/// without beginning with it: what begins with it, the window itself shows.
fn in_file(root: &Root, device: &LoopDevice) -> Vec<NodeContents> {
    let name = format!("{} behind {}", device.backing_file.display(), device.name);
    let Some(file) = FileView::behind(root, device).reader() else {
        let why = "the file, of which the loop device shows a part, cannot be reached".to_owned();
        return vec![NodeContents { node: name, contents: Err(why) }];
    };
    let parts = || -> io::Result<(u64, Vec<Range<u64>>)> {
        let size_bytes = file.metadata()?.len();
        Ok((size_bytes, partitions(&file, size_bytes)?))
    };
    let (size_bytes, parts) = match parts() {
        Ok(known) => known,
        Err(e) => return vec![NodeContents { node: name, contents: Err(e.to_string()) }],
    };
    let window = device.window(root, size_bytes);
    let reach_in =
        |part: &&Range<u64>| part.start < window.end && window.start < part.end && part.start != window.start;
    let of_part = |part: &Range<u64>| NodeContents {
        node: format!("the partition at byte {} of {name}", part.start),
        contents: read(&file, part.clone()),
    };
    let whole = NodeContents { node: name.clone(), contents: read(&file, 0..size_bytes) };
    std::iter::once(whole).chain(parts.iter().filter(reach_in).map(of_part)).collect()
}

fn read(file: &File, range: Range<u64>) -> Result<Contents, String> {
    Contents::read_range(file, range).map_err(|e| e.to_string())
}
