//! Do devices add up: the figures of the seed's slides (contract M-2 to M-7).

use super::*;

/// M-3: slot, MB/s and IO/s of the duo in it, measured alone.
const SLOTS: [(u32, f64, f64); 8] = [
    (1, 842.0, 80_922.0),
    (3, 1_468.0, 99_166.0),
    (4, 1_421.0, 101_891.0),
    (5, 1_510.0, 102_666.0),
    (6, 1_516.0, 103_299.0),
    (7, 1_420.0, 97_606.0),
    (8, 1_427.0, 104_398.0),
    (9, 1_512.0, 106_387.0),
];

const ALL: [u32; 8] = [1, 3, 4, 5, 6, 7, 8, 9];

/// The figures of the fixture are of I/Os of 4 KiB.
fn ios(mbps: f64) -> f64 {
    mbps * 1e6 / 4096.0
}

/// The report of a group when each slot has its rate alone, sets of them the sum, and all of them this rate.
fn reported_of(group: &str, slots: &[u32], together: f64, alone: impl Fn(usize) -> f64) -> TestReport {
    let names: Vec<String> = slots.iter().map(|slot| format!("/dev/slot{slot}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let suite = guide("scaling", &names);
    let steps = ran(&suite, |cell| {
        let set: Vec<usize> = match cell.rsplit_once(" on ") {
            Some((_, set)) => set.split('+').map(|one| one.parse::<usize>().unwrap() - 1).collect(),
            None => vec![0],
        };
        Some(if set.len() == slots.len() { together } else { set.into_iter().map(&alone).sum() })
    });
    part(&reported(&suite, &steps), group).clone()
}

fn slot(number: u32) -> &'static (u32, f64, f64) {
    SLOTS.iter().find(|(slot, ..)| *slot == number).unwrap()
}

/// M-5: IO/s, per cent of the parts.
#[test]
fn operations_of_several_cards_are_a_share_of_their_parts() {
    let sums: [(&[u32], f64, f64); 4] = [
        (&[7, 8, 9], 291_405.0, 94.5),
        (&[4, 5, 6], 286_260.0, 93.0),
        (&ALL, 532_309.0, 66.8),
        (&[3, 5, 6, 7, 8, 9], 469_400.0, 76.5),
    ];
    for (slots, together, percent) in sums {
        let test = reported_of("growing-8k", slots, together, |at| slot(slots[at]).2);
        let last = numbers(table(&test, 0).rows.last().unwrap()).clone();
        assert_eq!((last[0], tenth(last[1])), (together, percent), "{slots:?}");
    }
}

/// M-6, M-7: MB/s, per cent of the parts, and which of the two models fits.
#[test]
fn bandwidth_of_several_cards_and_what_ties_it() {
    const SLOWEST: &str = "all wait for that one";
    const SHARED: &str = "something that they share is full";
    let sums: [(&[u32], f64, f64, &str); 10] = [
        (&[7, 8, 9], 4_057.0, 93.1, SLOWEST),
        (&[4, 5, 6], 4_118.0, 92.6, SLOWEST),
        (&[1, 3], 1_695.0, 73.4, SLOWEST),
        (&ALL, 6_433.0, 57.9, SLOWEST),
        (&[3, 5, 6, 7, 8, 9], 8_353.0, 94.4, SLOWEST),
        (&[5, 6, 8, 9], 5_441.0, 91.2, SLOWEST),
        (&[3, 4, 5, 6], 5_536.0, 93.6, SLOWEST),
        (&[1, 3, 4, 5, 6], 4_253.0, 62.9, SLOWEST),
        (&[4, 5, 6, 7, 8, 9], 6_500.0, 73.8, SHARED),
        (&[3, 4, 5, 6, 7, 8, 9], 6_535.0, 63.6, SHARED),
    ];
    for (slots, together, percent, why) in sums {
        let test = reported_of("striped-1m", slots, ios(together), |at| ios(slot(slots[at]).1));
        let last = numbers(table(&test, 0).rows.last().unwrap()).clone();
        assert_eq!(tenth(last[1]), percent, "{slots:?}");
        assert!(
            remarks_of(&test).iter().any(|said| said.contains(why)),
            "{slots:?}: {:?}",
            remarks_of(&test)
        );
    }
}

/// M-2: the rate over the number of cards beside the sum of what each reaches alone. M-3: each card alone, so the slow one shows.
#[test]
fn the_rate_over_the_number_of_cards_is_drawn_beside_the_ideal() {
    let test = reported_of("growing-1m", &[1, 3, 4], ios(2_000.0), |at| ios(slot([1, 3, 4][at]).1));
    let plot = test.parts.iter().find_map(|part| match part {
        ReportPart::Plot(plot) => Some(plot),
        _ => None,
    });
    let [together, ideal] = plot.unwrap().series.as_slice() else { panic!("{plot:?}") };
    let rounded = |points: &[(f64, f64)]| points.iter().map(|(x, y)| (*x, y.round())).collect::<Vec<_>>();
    assert_eq!(rounded(&together.points), [(1.0, 842.0), (2.0, 2_310.0), (3.0, 2_000.0)]);
    assert_eq!(rounded(&ideal.points), [(1.0, 842.0), (2.0, 2_310.0), (3.0, 3_731.0)]);
    assert!(ideal.is_guide);
    let alone: Vec<f64> = table(&test, 0).rows[..3].iter().map(|row| numbers(row)[0].round()).collect();
    assert_eq!(alone, [842.0, 1_468.0, 1_421.0], "slot 1 is the slow one");
    assert!(headline_of(&test).starts_with("3 targets together 2.00 GB/s, 53.6 %"), "{}", headline_of(&test));
}

/// M-3: the link of each slot, in MB/s, and which card it holds back.
#[test]
fn the_slow_slot_is_told_by_what_its_link_carries() {
    let links =
        [(1, 1_000), (3, 4_000), (4, 2_000), (5, 4_000), (6, 4_000), (7, 2_000), (8, 2_000), (9, 4_000)];
    let names: Vec<String> = ALL.iter().map(|slot| format!("/dev/slot{slot}")).collect();
    let suite = guide("scaling", &names.iter().map(String::as_str).collect::<Vec<_>>());
    let steps = ran(&suite, |cell| {
        let alone = cell.rsplit_once(" on ").map_or(Ok(1), |(_, set)| set.parse::<usize>());
        Some(alone.map_or(1.0, |at| ios(slot(ALL[at - 1]).1)))
    });
    let mut record = record("suite");
    record.shared.host = links
        .map(|(slot, mbps)| Fact {
            name: format!("target./dev/slot{slot}.link_mbps"),
            value: Some(mbps.to_string()),
            source: String::new(),
        })
        .to_vec();
    let tests = report::report(&suite, &record, &History::new(&steps)).tests;
    let test = part(&tests, "growing-1m");
    let table = table(test, 0);
    let at = table.columns.iter().position(|title| title == "% of the link").unwrap();
    let shares: Vec<TableCell> = table.rows[..8].iter().map(|row| row[at].clone()).collect();
    let shares: Vec<f64> = numbers(&shares).into_iter().map(f64::round).collect();
    assert_eq!(shares, [84.0, 37.0, 71.0, 38.0, 38.0, 71.0, 71.0, 38.0]);
    let mut held = remarks_of(test);
    held.retain(|remark| remark.contains("PCIe link"));
    assert!(matches!(held.as_slice(), [one] if one.starts_with("Target 1 reaches 84 %")), "{held:?}");
    // An emulated drive names a link that carries nothing: 1,468 MB/s are no share of 250.
    record.shared.host[1].value = Some("250".to_owned());
    let tests = report::report(&suite, &record, &History::new(&steps)).tests;
    let test = part(&tests, "growing-1m");
    assert_eq!(super::table(test, 0).rows[1][at], TableCell::from(""));
    assert_eq!(remarks_of(test).iter().filter(|said| said.contains("PCIe link")).count(), 1);
}

/// M-6: every combination, a map of them, and the best.
#[test]
fn every_combination_is_measured_and_the_best_is_told() {
    let test = reported_of("subsets-1m", &[1, 3, 4], ios(1_000.0), |at| ios(slot([1, 3, 4][at]).1));
    assert!(
        headline_of(&test).starts_with("most with targets 2+3: 2.89 GB/s, 100.0 %"),
        "{}",
        headline_of(&test)
    );
    let heat = test.parts.iter().find_map(|part| match part {
        ReportPart::Heat(columns) => Some(columns),
        _ => None,
    });
    let heat = heat.unwrap();
    assert_eq!(heat.z_names, ["1+2", "1+3", "2+3", "1+2+3"]);
    assert_eq!(heat.values[1].iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(heat.values[3][0].map(f64::round), Some(27.0));
}
