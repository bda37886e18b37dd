//! `random_distribution`: what each value means, what is refused, and what plans say.

use crate::world::{job, listed, load};
use fathom_job::direction::PerDirection;
use fathom_job::distribution::{Distribution, Millionths, Zone, ZoneSize};
use fathom_job::job::Job;
use fathom_job::options::{PERCENTAGE_RANDOM, RANDOM_DISTRIBUTION};
use fathom_job::units::Bytes;

fn of(value: &str) -> Distribution {
    job(&format!("[a]\nrandom_distribution={value}")).get(&RANDOM_DISTRIBUTION)
}

/// Zones by their shares of the I/Os and of the region, in ten-thousandths of a percent.
fn zones(zones: &[(u32, u32)]) -> Vec<Zone> {
    zones
        .iter()
        .map(|(access, size)| Zone { access: Millionths(*access), size: ZoneSize::Part(Millionths(*size)) })
        .collect()
}

#[test]
fn names_with_numbers_and_centres() {
    let zipf = |theta, center| Distribution::Zipf { theta, center };
    let pareto = |h, center| Distribution::Pareto { h, center };
    let normal = |deviation, center| Distribution::Normal { deviation, center };
    let table = [
        ("random", Distribution::Uniform),
        ("zipf", zipf(1.1, None)),
        ("zipf:1.2", zipf(1.2, None)),
        ("zipf:0", zipf(0.0, None)),
        ("zipf:1.2:0.25", zipf(1.2, Some(0.25))),
        ("pareto", pareto(0.2, None)),
        ("pareto:0.35:1", pareto(0.35, Some(1.0))),
        ("normal", normal(None, 0.5)),
        ("normal:0", normal(None, 0.5)),
        ("normal:12.5", normal(Some(12.5), 0.5)),
        ("normal:10:0", normal(Some(10.0), 0.0)),
    ];
    for (text, distribution) in table {
        assert_eq!(of(text), distribution, "{text}");
    }
    assert_eq!(job("[a]\n").get(&RANDOM_DISTRIBUTION), Distribution::Uniform);
}

#[test]
fn zones_for_all_directions_and_for_each() {
    let all = |list: Vec<Zone>| {
        Distribution::Zoned(PerDirection { read: list.clone(), write: list.clone(), trim: list })
    };
    assert_eq!(
        of("zoned:60/10:30/20:10/70"),
        all(zones(&[(600_000, 100_000), (300_000, 200_000), (100_000, 700_000)]))
    );
    assert_eq!(of("zoned:33.3/12.5%:66.7/50"), all(zones(&[(333_000, 125_000), (667_000, 500_000)])));
    // Lengths that are left out share what the others leave.
    assert_eq!(
        of("zoned:50/10:30:20/"),
        all(zones(&[(500_000, 100_000), (300_000, 450_000), (200_000, 450_000)]))
    );
    let thirds = zones(&[(400_000, 333_333), (300_000, 333_333), (300_000, 333_334)]);
    assert_eq!(of("zoned:40:30:30"), all(thirds));
    let bytes = |access, bytes| Zone { access: Millionths(access), size: ZoneSize::Bytes(bytes) };
    assert_eq!(
        of("zoned_abs:95/20g:5/512"),
        all(vec![bytes(950_000, Bytes::gib(20)), bytes(50_000, Bytes(512))])
    );
    let each = Distribution::Zoned(PerDirection {
        read: zones(&[(1_000_000, 100_000)]),
        write: zones(&[(500_000, 500_000), (500_000, 500_000)]),
        trim: zones(&[(500_000, 500_000), (500_000, 500_000)]),
    });
    assert_eq!(of("zoned:100/10,50/50:50/50"), each);
}

#[test]
fn a_saved_value_is_read_as_the_same() {
    for value in [
        "random",
        "zipf",
        "zipf:0.9:0.1",
        "pareto:0.2",
        "normal",
        "normal:7.5:0.3",
        "zoned:33.3/10:66.7/90",
        "zoned:40:30:30",
        "zoned_abs:95/20g:5/512",
        "zoned:100/10,50/50:50/50,1/1:99/99",
    ] {
        let first = job(&format!("[a]\nrandom_distribution={value}"));
        let setting = first.setting(&RANDOM_DISTRIBUTION).expect("given");
        let mut again = Job::empty("a".to_owned(), first.span.clone());
        again
            .restore(
                "random_distribution",
                &setting.canonical(),
                String::new(),
                setting.origin,
                setting.span.clone(),
            )
            .expect(value);
        assert_eq!(again.get(&RANDOM_DISTRIBUTION), first.get(&RANDOM_DISTRIBUTION), "{value}");
    }
}

#[test]
fn what_is_wrong_is_shown_with_its_place_and_what_to_write() {
    let values = [
        "zipf:1",
        "zipf:-1",
        "zipf:x",
        "zipf:",
        "zipf:1.2:1.5",
        "zipf:1.2:-0.1",
        "zipf:1.2:0.5:3",
        "zipf:1.1,zipf:1.3",
        "pareto:0",
        "pareto:1",
        "pareto:-0.2",
        "normal:100",
        "normal:-3",
        "random:5",
        "gauss:10",
        "sequence",
        "sequence:1,x",
        "sequence:-1",
        "zoned",
        "zoned:",
        "zoned:60/10:30/20",
        "zoned:60/10:50/90",
        "zoned:60/50:40/60",
        "zoned:60/0:40/100",
        "zoned:60/10:x/90",
        "zoned:60/10:40/4g",
        "zoned:33.33333/10:66.66667/90",
        "zoned:/10:100/90",
        "zoned:100/100,100/100,100/100,100/100",
        "zoned:100/100,,100/100",
        "zoned_abs:60/10%:40/90%",
        "zoned_abs:95/256k:5",
        "zoned_abs:60/1.5g:40/1g",
    ];
    let text: String = values.iter().map(|value| format!("random_distribution={value}\n")).collect();
    let found = load(&format!("[a]\n{text}")).expect_err("each is wrong");
    assert_eq!(found.len(), values.len());
    insta::assert_snapshot!("distributions", listed(&found));
    let many = format!("[a]\nrandom_distribution=zoned:{}", ["0/0"; 257].join(":"));
    assert!(listed(&load(&many).expect_err("too many")).contains("more than 256 zones"));
}

#[test]
fn the_share_of_random_ios_can_differ_by_direction() {
    let percent = job("[a]\npercentage_random=30,0").get(&PERCENTAGE_RANDOM);
    assert_eq!((percent.read, percent.write, percent.trim), (30, 0, 0));
}
