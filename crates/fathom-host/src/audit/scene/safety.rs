//! The guard's findings on each target. The audit uses the facts and the
//! inspection of the guard, so that the two cannot disagree.

use std::io;

use super::Scene;
use fathom_device::ask::Question;
use fathom_device::device::Node;
use fathom_device::root::Unknown;
use fathom_device::signature::Contents;
use fathom_guard::{Facts, Finding, SharedFacts, inspect};

/// A block device that is a target, with the guard's view of it.
#[derive(Debug)]
pub struct Safety {
    /// Its kernel name.
    pub name: String,
    /// The facts and the findings; unknown where the guard could not read them
    /// and would therefore refuse.
    pub view: Result<(Facts, Vec<Finding>), Unknown>,
}

impl Scene<'_> {
    /// One entry for each target that is a block device. Files and directories
    /// have none, because a write into a file system does not destroy it. There is none for a job that spares the content.
    pub fn safety(&self) -> &[Safety] {
        self.safety.get_or_init(|| self.look_at_safety())
    }

    fn look_at_safety(&self) -> Vec<Safety> {
        let graphs = self.targets.iter().filter(|target| target.mount.is_none());
        let nodes: Vec<&Node> = graphs.filter_map(|t| Some(t.graph.as_ref().ok()?.target())).collect();
        if nodes.is_empty() || self.job.spares_content {
            return Vec::new();
        }
        let surroundings = SharedFacts::read(self.root);
        let safety = |node: &&Node| {
            let facts = surroundings.clone().and_then(|surroundings| {
                Facts::about(self.root, surroundings, node.number, |node| self.look_into(node))
            });
            let view = facts.map(|facts| {
                let findings = inspect(&facts);
                (facts, findings)
            });
            Safety { name: node.name.clone(), view }
        };
        nodes.iter().map(safety).collect()
    }

    fn look_into(&self, node: &Node) -> io::Result<Contents> {
        self.contents_of(&node.name).map_err(io::Error::other)
    }

    /// The contents of the block device with this kernel name.
    pub fn contents_of(&self, node: &str) -> Result<Contents, Unknown> {
        let raw = self.ask(&Question::Contents { node: node.to_owned() })?;
        raw.text.parse().map_err(|_| Unknown::garbled(&raw.path, &raw.text))
    }
}
