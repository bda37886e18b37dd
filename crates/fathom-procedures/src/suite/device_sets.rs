//! On which of the targets the cells of a group run.

use serde::Deserialize;

/// More targets have too many subsets: 2⁶ − 1 are 63.
pub const SUBSETS_OF_MAX: usize = 6;

/// The sets of targets that a group measures, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// All targets at the same time.
    #[default]
    Together,
    /// Each target alone.
    Each,
    /// Each target alone, then the first two, the first three, …, all of them (contract M-2, M-3).
    Growing,
    /// Each subset of the targets (contract M-6).
    Subsets,
    /// The first target, which is an array of the others; each of the others alone; all others together, as an application
    /// stripes over them (contract V-56).
    ArrayAndMembers,
}

impl Over {
    /// The sets for so many targets, each as places in the list of targets.
    ///
    /// # Errors
    /// One sentence: there are too many targets for their subsets.
    pub fn sets(self, targets: usize) -> Result<Vec<Vec<usize>>, String> {
        Ok(match self {
            Over::Together => vec![(0..targets).collect()],
            Over::Each => (0..targets).map(|one| vec![one]).collect(),
            Over::Growing => {
                let alone = (0..targets).map(|one| vec![one]);
                alone.chain((2..=targets).map(|many| (0..many).collect())).collect()
            }
            Over::Subsets if targets > SUBSETS_OF_MAX => {
                return Err(format!(
                    "{targets} targets have too many subsets: give at most {SUBSETS_OF_MAX}"
                ));
            }
            Over::Subsets => subsets(targets),
            Over::ArrayAndMembers if targets < 3 => {
                return Err("it takes an array and at least two members".to_owned());
            }
            Over::ArrayAndMembers => {
                (0..targets).map(|one| vec![one]).chain([(1..targets).collect()]).collect()
            }
        })
    }
}

/// All subsets but the empty one, the small ones first.
fn subsets(targets: usize) -> Vec<Vec<usize>> {
    let members = |mask: usize| (0..targets).filter(|one| mask >> one & 1 == 1).collect::<Vec<usize>>();
    let mut all: Vec<Vec<usize>> = (1..1_usize << targets).map(members).collect();
    all.sort_by_key(Vec::len);
    all
}

/// What a set is called in a cell and in a table: `1+3`. All targets together need no name.
pub fn set_name(set: &[usize]) -> String {
    set.iter().map(|one| (one + 1).to_string()).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_three() {
        for (over, names) in [
            (Over::Together, "1+2+3"),
            (Over::Each, "1 2 3"),
            (Over::Growing, "1 2 3 1+2 1+2+3"),
            (Over::ArrayAndMembers, "1 2 3 2+3"),
            (Over::Subsets, "1 2 3 1+2 1+3 2+3 1+2+3"),
        ] {
            let sets = over.sets(3).unwrap();
            assert_eq!(sets.iter().map(|set| set_name(set)).collect::<Vec<_>>().join(" "), names);
        }
        assert!(Over::Subsets.sets(SUBSETS_OF_MAX + 1).is_err());
        assert!(Over::ArrayAndMembers.sets(2).is_err());
        assert_eq!(Over::Growing.sets(1).unwrap(), [[0]]);
    }
}
