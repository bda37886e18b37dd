//! Recorded machines under `tests/trees`, and changes to them.

use std::path::Path;

use fathom_device::Root;
use fathom_device::tree::Tree;
use fathom_host::topology::flags::{Flag, FlagId};
use fathom_host::topology::{MapError, MapRequest, Topology};
use fathom_text::style::Style;

/// A recorded machine.
pub fn tree(name: &str) -> Tree {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/trees/{name}.tree"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Tree::parse(&text).unwrap()
}

/// The same machine with changes.
pub fn changed(name: &str, overlay: &str) -> Tree {
    let mut tree = tree(name);
    tree.overlay(overlay).unwrap();
    tree
}

pub fn map_of(tree: &Tree, request: &MapRequest) -> Result<Topology, MapError> {
    Topology::read(&Root::held(tree), request)
}

/// The map of all disks.
pub fn map(tree: &Tree) -> Topology {
    map_of(tree, &MapRequest::default()).unwrap()
}

/// The map of these targets.
pub fn aimed(tree: &Tree, targets: &[&str]) -> Result<Topology, MapError> {
    let targets = targets.iter().map(|target| (*target).to_owned()).collect();
    map_of(tree, &MapRequest { targets, ..MapRequest::default() })
}

/// The map as text that is wide enough for every line.
pub fn text(map: &Topology) -> String {
    fathom_host::topology::text::text(map, Style { width: 200, ..Style::PLAIN }).to_string()
}

/// The nodes of the flags of this kind.
pub fn nodes_with(map: &Topology, id: FlagId) -> Vec<&str> {
    map.flags.iter().filter(|flag| flag.id == id).map(|flag| flag.node.as_str()).collect()
}

/// The one flag of this kind.
pub fn only(map: &Topology, id: FlagId) -> &Flag {
    let found: Vec<&Flag> = map.flags.iter().filter(|flag| flag.id == id).collect();
    assert_eq!(found.len(), 1, "{id}: {found:#?}");
    found[0]
}

/// The kinds of all flags, in their order.
pub fn kinds(map: &Topology) -> Vec<String> {
    map.flags.iter().map(|flag| flag.id.to_string()).collect()
}
