//! Every path by which somebody could reach what a stack is made of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::model::path::Found;
use crate::model::standing::Target;
use crate::model::{Entry, OURS, SpaceId};
use crate::world::World;

/// A path, and what it leads to according to the oracle.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub path: PathBuf,
    pub target: Target,
    /// The path leads through a read-only mount.
    pub read_only: bool,
}

/// All of them, devices first.
pub fn candidates(world: &World) -> Vec<Candidate> {
    let devices = world.model.attached().map(|(id, device)| (device.node(), Target::Device(id), false));
    let mut all: Vec<_> = devices.chain(ours(world)).chain(others(world)).chain(held(world)).collect();
    let mut seen = HashSet::new();
    all.retain(|(path, ..)| seen.insert(path.clone()));
    all.into_iter().map(|(path, target, read_only)| Candidate { path, target, read_only }).collect()
}

type Row = (PathBuf, Target, bool);

fn ours(world: &World) -> Vec<Row> {
    let model = &world.model;
    let entries = model.entries(OURS).into_iter();
    let rows = entries.filter_map(|(path, entry)| {
        let target = match model.find(OURS, &path)? {
            Found::File(file) => Target::File(file),
            Found::Device(device) => Target::Device(device),
            Found::Dir(_) => return None,
        };
        Some((path.clone(), target, is_read_only(world, OURS, &path, &entry)))
    });
    rows.collect()
}

/// Whether the path leads through a read-only mount in the end. No link leads to another link.
fn is_read_only(world: &World, space: SpaceId, path: &Path, entry: &Entry) -> bool {
    let end = if let Entry::Link(target) = entry { target } else { path };
    world.model.top(space, end).is_some_and(|mount| mount.read_only)
}

/// Files of other namespaces, which a process there makes reachable.
fn others(world: &World) -> Vec<Row> {
    let mut rows = Vec::new();
    for space in world.space_ids().into_iter().filter(|space| *space != OURS) {
        for (path, entry) in world.model.entries(space) {
            let Entry::File(file) = entry else { continue };
            let read_only = is_read_only(world, space, &path, &entry);
            let reached = world.path_from_ours(space, &path);
            rows.extend(reached.map(|path| (path, Target::File(file), read_only)));
        }
    }
    rows
}

fn held(world: &World) -> Vec<Row> {
    let rows = world.held_paths().into_iter();
    rows.map(|(path, file)| (path, Target::File(file), false)).collect()
}
