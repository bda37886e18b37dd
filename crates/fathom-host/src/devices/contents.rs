//! What is on the devices, read from many at the same time: a device that does not answer delays the
//! list by one limit and no more ([`Question::Contents`]).

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::sync::PoisonError;

use fathom_device::ask::Question;
use fathom_device::device::{DevNumber, Graph, Node, Relation};
use fathom_device::loops::loop_devices;
use fathom_device::root::{Root, Unknown};
use fathom_device::side_by_side::side_by_side;
use fathom_device::signature::Contents;

/// Devices that are read at the same time. Each is asked by a process of its own, and each takes up
/// to 4 MiB of memory.
const AT_ONCE: usize = 16;

/// The contents of devices, by kernel name.
#[derive(Debug, Default)]
pub(super) struct ContentsByNode(HashMap<String, Result<Contents, Unknown>>);

impl ContentsByNode {
    /// Reads what the guard will ask for: these devices, all that is within them, and the disks
    /// around partitions.
    pub fn read(root: &Root, numbers: &[DevNumber]) -> Result<Self, Unknown> {
        let loops = loop_devices(root)?;
        let mut wanted: Vec<String> = Vec::new();
        for number in numbers {
            // A device that has vanished has no contents.
            let Ok(graph) = Graph::among(root, *number, &loops) else { continue };
            let is_asked = |node: &&Node| {
                node.size_bytes > 0
                    && (node.relation.is_within_target() || node.relation == Relation::WholeDisk)
            };
            wanted.extend(graph.nodes().iter().filter(is_asked).map(|node| node.name.clone()));
        }
        wanted.sort();
        wanted.dedup();
        Ok(Self(read_all(root, wanted)))
    }

    /// The contents of a device; an error for one that was not read.
    pub fn of(&self, node: &str) -> Result<Contents, Unknown> {
        let unread = || Unknown::new(format!("/dev/{node}"), "it was not read");
        self.0.get(node).cloned().unwrap_or_else(|| Err(unread()))
    }

    /// The same for the guard.
    pub fn look_into(&self, node: &Node) -> io::Result<Contents> {
        self.of(&node.name).map_err(|unknown| io::Error::other(unknown.reason))
    }
}

fn read_all(root: &Root, wanted: Vec<String>) -> HashMap<String, Result<Contents, Unknown>> {
    let threads = wanted.len().min(AT_ONCE);
    let waiting = Mutex::new(wanted);
    let found = Mutex::new(HashMap::new());
    let work = || {
        while let Some(node) = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            let contents = read(root, &node);
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(node, contents);
        }
    };
    side_by_side(threads, work);
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn read(root: &Root, node: &str) -> Result<Contents, Unknown> {
    let question = Question::Contents { node: node.to_owned() };
    let text = root.ask_text(&question)?;
    text.parse().map_err(|_| Unknown::garbled(&question.path(), &text))
}
