//! `percentage_random`: the share of random I/Os, for each direction.

use super::*;

/// The share of a direction's I/Os that do not follow its last one.
fn jumps(made: &[Desc], op: Op) -> f64 {
    let offsets: Vec<u64> = made.iter().filter(|desc| desc.op() == op).map(|desc| desc.offset).collect();
    let jumps = offsets.windows(2).filter(|pair| pair[1] != pair[0] + 4096).count();
    jumps as f64 / (offsets.len() - 1) as f64
}

#[test]
fn each_direction_has_its_share_of_random_ios() {
    for distribution in ["random", "random\nnorandommap", "zipf:0.5", "pareto:0.4", "zoned:10/90:90/10"] {
        for (percent, read, write) in
            [("30", 0.3, 0.3), ("30,80", 0.3, 0.8), ("100,0", 1.0, 0.0), ("0", 0.0, 0.0)]
        {
            let options = format!(
                "rw=randrw\nbs=4k\nsize=16g\nrandom_distribution={distribution}\npercentage_random={percent}\n"
            );
            let made = drawn(&mut source(&job(&options), 1), 60_000);
            for (op, share) in [(Op::Read, read), (Op::Write, write)] {
                let jumps = jumps(&made, op);
                // Four standard deviations; a random I/O follows the last one by chance once in a million.
                let error = 4.0 * (share * (1.0 - share) / 30_000.0f64).sqrt() + 1e-3;
                assert!((jumps - share).abs() < error, "{options}{op:?}: {jumps}, not {share}");
            }
        }
    }
}

/// A run of I/Os (`rw=randread:N`) begins at a place of the distribution.
#[test]
fn runs_begin_where_the_distribution_says() {
    let options = "rw=randread:4\nbs=4k\nsize=400m\nrandom_distribution=zoned:100/10:0/90\n";
    let made = offsets(&drawn(&mut source(&job(options), 1), 4000));
    for run in made.chunks_exact(4) {
        assert!(run[0] < 40 << 20, "{run:?}");
        assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 4096), "{run:?}");
    }
}
