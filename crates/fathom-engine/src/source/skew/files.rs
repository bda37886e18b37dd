//! Draws files of which some come more often than others (`file_service_type=zipf` and the like).
//!
//! As in fio, each file has 1,024 ranks of the distribution, one after the other, and the files follow each other from
//! the hottest one on. In fio the hottest rank may be in the middle of a file; here it begins one.

use super::as_fio::{FioSkew, zeta};
use super::{Normal, Pareto};
use crate::source::seed::Random;
use fathom_job::distribution::Distribution;
use fathom_stats::normal_below;

/// Ranks of each file.
const RANKS: u64 = 1024;
/// What the weights of all files make together.
const TOTAL: f64 = (1u64 << 52) as f64;
/// Draws by fio's formulas before the exact weights decide. fio goes on until it meets a file that is open, which may
/// take as good as forever.
const TRIES: usize = 1000;

/// Chooses among the files that are open, each with its weight.
#[derive(Clone, Debug)]
pub struct SkewedFiles {
    weights: Vec<u64>,
    /// Sums of the weights of the open files, as a binary indexed tree (Fenwick, 1994): a draw, an opened file and a
    /// closed file take as many steps as the number of files has bits.
    sums: Vec<u64>,
    is_open: Vec<bool>,
    total: u64,
    /// fio's formulas (`compat=fio`).
    fio: Option<FioSkew>,
}

impl SkewedFiles {
    /// No file is open. `compat_fio` draws by fio's formulas.
    pub fn new(distribution: &Distribution, files: usize, seed: u64, compat_fio: bool) -> Self {
        let mut weights: Vec<u64> =
            shares(distribution, files).into_iter().map(|share| ((share * TOTAL) as u64).max(1)).collect();
        if let Some(hottest) = first_file(distribution, files, seed) {
            weights.rotate_right(hottest);
        }
        let fio = compat_fio.then(|| FioSkew::in_order(distribution, files as u64 * RANKS, seed));
        SkewedFiles { sums: vec![0; files + 1], is_open: vec![false; files], total: 0, weights, fio }
    }

    pub fn open(&mut self, file: usize) {
        if !std::mem::replace(&mut self.is_open[file], true) {
            self.add(file, self.weights[file]);
        }
    }

    pub fn close(&mut self, file: usize) {
        if std::mem::replace(&mut self.is_open[file], false) {
            self.add(file, self.weights[file].wrapping_neg());
        }
    }

    fn add(&mut self, file: usize, weight: u64) {
        self.total = self.total.wrapping_add(weight);
        let mut at = file + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum = sum.wrapping_add(weight);
            at += at & at.wrapping_neg();
        }
    }

    /// An open file; `None` if there is none.
    pub fn draw(&self, random: &mut Random) -> Option<usize> {
        if self.total == 0 {
            return None;
        }
        let by_fio = self.fio.as_ref().and_then(|fio| {
            let mut draws = (0..TRIES).map(|_| (fio.place(random) / RANKS) as usize);
            draws.find(|file| self.is_open[*file])
        });
        by_fio.or_else(|| Some(self.file_at(random.below(self.total))))
    }

    /// The open file that has this point of the sum of all weights.
    fn file_at(&self, mut point: u64) -> usize {
        let mut file = 0;
        let mut step = self.weights.len().next_power_of_two();
        while step > 0 {
            if let Some(sum) = self.sums.get(file + step).filter(|sum| **sum <= point) {
                point -= sum;
                file += step;
            }
            step /= 2;
        }
        file
    }
}

/// The share of each file, in the order of the ranks.
fn shares(distribution: &Distribution, files: usize) -> Vec<f64> {
    let count = files as u64;
    let differences = |upto: &dyn Fn(u64) -> f64| {
        let all = upto(count) - upto(0);
        (0..count).map(|file| (upto(file + 1) - upto(file)) / all).collect()
    };
    match distribution {
        Distribution::Zipf { theta, .. } => {
            let all = zeta(0, count * RANKS, *theta);
            (0..count).map(|file| zeta(file * RANKS, (file + 1) * RANKS, *theta) / all).collect()
        }
        Distribution::Pareto { h, .. } => {
            let pareto = Pareto::new(count, *h);
            differences(&|file| pareto.below(file as f64 / count as f64))
        }
        Distribution::Normal { deviation, center } => {
            let percent = deviation.unwrap_or(Distribution::DEVIATION);
            let normal = Normal::new(count, percent / 100.0, *center);
            differences(&|file| normal_below(normal.standard(file)))
        }
        Distribution::Uniform | Distribution::Zoned(_) | Distribution::Sequence(_) => {
            vec![1.0 / count as f64; files]
        }
    }
}

/// The file that has the first ranks, so that the hottest one is where the centre is; without a centre it differs from
/// clone to clone. `None` where the order of the ranks is that of the files.
fn first_file(distribution: &Distribution, files: usize, seed: u64) -> Option<usize> {
    let (center, hottest) = match distribution {
        Distribution::Zipf { center, .. } => (center, 0),
        Distribution::Pareto { h, center } => (center, Pareto::new(files as u64, *h).hottest() as usize),
        _ => return None,
    };
    let at = |center: &f64| ((center * files as f64) as usize).min(files - 1);
    let wanted = center.as_ref().map_or_else(|| Random::new(seed).below(files as u64) as usize, at);
    Some((wanted + files - hottest) % files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zipf(theta: f64, center: Option<f64>) -> Distribution {
        Distribution::Zipf { theta, center }
    }

    fn opened(distribution: &Distribution, files: usize, compat_fio: bool) -> SkewedFiles {
        let mut skewed = SkewedFiles::new(distribution, files, 7, compat_fio);
        (0..files).for_each(|file| skewed.open(file));
        skewed
    }

    fn counts(skewed: &SkewedFiles, files: usize, draws: u32) -> Vec<u64> {
        let (mut random, mut counts) = (Random::new(3), vec![0; files]);
        (0..draws).for_each(|_| counts[skewed.draw(&mut random).expect("an open file")] += 1);
        counts
    }

    fn fits(counts: &[u64], weights: &[f64]) {
        let sum: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
        let p = crate::fixture::fit_p_value(counts, &weights);
        assert!(p > 0.001, "{counts:?} against {weights:?}: p = {p}");
    }

    #[test]
    fn a_million_draws_have_the_shares_of_zipf() {
        let term = |rank: u64| (rank as f64).powf(-1.2);
        let mut weights: Vec<f64> =
            (0..10u64).map(|file| (file * 1024 + 1..=(file + 1) * 1024).map(term).sum()).collect();
        fits(&counts(&opened(&zipf(1.2, Some(0.0)), 10, false), 10, 1_000_000), &weights);
        weights.rotate_right(5);
        fits(&counts(&opened(&zipf(1.2, Some(0.5)), 10, false), 10, 1_000_000), &weights);
    }

    #[test]
    fn a_million_draws_have_the_shares_of_pareto() {
        let power = (0.8f64).ln() / (0.2f64).ln();
        let below = |file: usize| (file as f64 / 10.0).powf(power);
        let weights: Vec<f64> = (0..10).map(|file| below(file + 1) - below(file)).collect();
        assert!(
            (weights[..2].iter().sum::<f64>() - 0.8).abs() < 1e-12,
            "a fifth of the files has four fifths"
        );
        let pareto = Distribution::Pareto { h: 0.2, center: Some(0.0) };
        fits(&counts(&opened(&pareto, 10, false), 10, 1_000_000), &weights);
        // With h above one half the last ranks are hot, and the centre is where they are.
        let pareto = Distribution::Pareto { h: 0.8, center: Some(1.0) };
        let drawn = counts(&opened(&pareto, 10, false), 10, 1_000_000);
        assert!(drawn[9] > drawn[8] && drawn[8] > drawn[7], "{drawn:?}");
    }

    #[test]
    fn a_million_draws_have_the_shares_of_a_normal_distribution() {
        // Of the standard normal distribution, cut at −2 and 2, by half deviations (published tables).
        let weights = [0.04406, 0.09185, 0.14988, 0.19146, 0.19146, 0.14988, 0.09185, 0.04406];
        let normal = Distribution::Normal { deviation: Some(25.0), center: 0.5 };
        fits(&counts(&opened(&normal, 8, false), 8, 1_000_000), &weights);
    }

    /// The shares that fio 3.33 had in 40,960 reads of eight files.
    #[test]
    fn by_fios_formulas_the_files_have_fios_shares() {
        let normal = |deviation| Distribution::Normal { deviation, center: 0.5 };
        let table = [
            (zipf(1.2, Some(0.5)), [0.0077, 0.0056, 0.0051, 0.0044, 0.9187, 0.0311, 0.0167, 0.0108]),
            (normal(None), [0.0, 0.0010, 0.0651, 0.4330, 0.4333, 0.0667, 0.0008, 0.0]),
            (normal(Some(20.0)), [0.0, 0.0057, 0.1068, 0.3857, 0.3902, 0.1065, 0.0051, 0.0]),
            (normal(Some(90.0)), [0.0049, 0.0620, 0.1909, 0.2408, 0.2470, 0.1878, 0.0620, 0.0044]),
        ];
        for (distribution, shares) in table {
            let drawn = counts(&opened(&distribution, 8, true), 8, 40_960);
            for (count, share) in drawn.iter().zip(shares) {
                // Both are samples: four standard deviations of their difference.
                let off = (*count as f64 / 40_960.0 - share).abs();
                let allowed = 4.0 * (2.0 * share * (1.0 - share) / 40_960.0).sqrt() + 0.0003;
                assert!(off < allowed, "{distribution}: {drawn:?} against {shares:?}");
            }
        }
    }

    #[test]
    fn closed_files_are_not_drawn_and_the_others_keep_their_proportions() {
        let mut skewed = opened(&zipf(0.5, Some(0.0)), 5, false);
        let weights = [0, 2, 4].map(|file| skewed.weights[file] as f64);
        [1, 3, 1].iter().for_each(|file| skewed.close(*file));
        let drawn = counts(&skewed, 5, 100_000);
        assert_eq!((drawn[1], drawn[3]), (0, 0));
        fits(&[drawn[0], drawn[2], drawn[4]], &weights);
        [0, 2, 4].iter().for_each(|file| skewed.close(*file));
        assert_eq!(skewed.draw(&mut Random::new(1)), None);
        skewed.open(3);
        assert_eq!(counts(&skewed, 5, 10)[3], 10);
    }
}
