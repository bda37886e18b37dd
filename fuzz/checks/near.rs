//! The seeds of a fuzz target, and inputs near them: always the same ones.

use std::path::Path;

/// The files of directories of this repository, in the order of their names.
pub fn seeds(directories: &[&str]) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seeds = Vec::new();
    for directory in directories {
        let directory = root.join(directory);
        let entries = directory.read_dir().unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.retain(|path| path.is_file());
        paths.sort();
        assert!(!paths.is_empty(), "{}: no seeds", directory.display());
        seeds.extend(paths.iter().map(|path| std::fs::read(path).expect("readable")));
    }
    seeds
}

/// Gives `check` each seed, and `changed` inputs that are made of them.
pub fn check_near(seeds: &[Vec<u8>], changed: usize, check: impl Fn(&[u8])) {
    seeds.iter().for_each(|seed| check(seed));
    let mut dice = Dice(1);
    for _ in 0..changed {
        let mut bytes = seeds[dice.below(seeds.len())].clone();
        for _ in 0..=dice.below(4) {
            change(&mut bytes, &seeds[dice.below(seeds.len())], &mut dice);
        }
        check(&bytes);
    }
}

/// Changes a byte, takes a part away, or puts a part of another seed in.
fn change(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    let end = (at + dice.below(40)).min(bytes.len());
    match dice.below(3) {
        0 if at < bytes.len() => bytes[at] ^= 1 << dice.below(8),
        1 => drop(bytes.drain(at..end)),
        _ => {
            let from = dice.below(other.len() + 1);
            let part = &other[from..(from + dice.below(40)).min(other.len())];
            drop(bytes.splice(at..at, part.iter().copied()));
        }
    }
}

/// Numbers that look random (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
