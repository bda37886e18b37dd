//! How much is rewritten, how much is spare, and what an array costs.

use super::*;

/// V-52: the drive is emptied and filled before each share, and only the hot share is rewritten. T-2: one hot block.
#[test]
fn only_the_hot_share_is_rewritten() {
    let suite = guide("hot-cold", &["/dev/a"]);
    let steps = ran(&suite, |cell| Some(if cell.ends_with("hot=5") { 4_000.0 } else { 1_000.0 }));
    assert_eq!(told(&steps)[..6], ["purge", "fill 1", "hot hot=100", "purge", "fill 1", "hot hot=50"]);
    let cell = |name: &str| suite.steps.cells.iter().find(|cell| cell.name == name).unwrap();
    assert!(cell("hot hot=20").text.contains("random_distribution=zoned:100/20\n"));
    assert!(
        cell("hot-block zones=90/8k:10/100m").text.contains("random_distribution=zoned_abs:90/8k:10/100m\n")
    );
    let hot = &reported(&suite, &steps)[0];
    assert_eq!(numbers(table(hot, 0).rows.last().unwrap())[..2], [4_000.0, 4.0], "beside the first");
    let less = vec![("size".to_owned(), "60%".to_owned())];
    let terms = SuiteTerms { variables: less, ..terms(&["/dev/a"]) };
    let filled =
        Suite::new("hot-cold", built_in("hot-cold").unwrap().text, Vec::new(), terms, false).unwrap();
    let fill = filled.steps.cells.iter().find(|cell| cell.name == "fill 1").unwrap();
    assert!(fill.text.contains("size=60%\n"), "only as far as the application fills it: {}", fill.text);
}

/// V-53: 100, 90 and 80 per cent, each on an empty drive that is filled so far and no further.
#[test]
fn spare_area_is_what_is_never_written() {
    let suite = guide("overprovision", &["/dev/a"]);
    // 7 % of spare area and 34 % are what the guide's three formats of a drive have.
    let steps = ran(&suite, |cell| match cell.rsplit('=').next()? {
        "80%" => Some(180_000.0),
        "90%" => Some(150_000.0),
        _ => Some(100_000.0),
    });
    let fills = |size: &str| {
        [
            "purge".to_owned(),
            format!("fill 1 size={size}"),
            format!("fill 1 at random size={size}"),
            format!("fill 1 at random with repeats size={size}"),
            format!("writes size={size}"),
        ]
    };
    assert_eq!(told(&steps), [fills("100%"), fills("90%"), fills("80%")].concat());
    for cell in &suite.steps.cells {
        let size = cell.name.rsplit('=').next().unwrap();
        assert!(cell.text.contains(&format!("size={size}\n")), "{}: {}", cell.name, cell.text);
    }
    let test = &reported(&suite, &steps)[0];
    let ratios: Vec<f64> = table(test, 0).rows.iter().map(|row| numbers(row)[1]).collect();
    assert_eq!(ratios, [1.0, 1.5, 1.8]);
    assert!(
        remarks_of(test)[1].contains("size=80%: IOPS is 1.80 times that of the first cell"),
        "{:?}",
        remarks_of(test)
    );
}

/// V-56: overhead is 1 − IOPS of the array ÷ the sum of its members; striping by the application is beside it.
#[test]
fn the_overhead_of_an_array_is_what_its_members_reach_more() {
    let suite = guide("raid-overhead", &["/dev/md0", "/dev/a", "/dev/b"]);
    let steps = ran(&suite, |cell| {
        Some(match cell.rsplit(' ').next()? {
            "1" => 941_000.0,
            "2" | "3" => 500_000.0,
            _ => 980_000.0,
        })
    });
    let tests = reported(&suite, &steps);
    let random = part(&tests, "random-4k");
    assert_eq!(headline_of(random), "the array reaches 94.1 % of the sum of its members.");
    assert!(
        remarks_of(random)[0].ends_with("of its 2 members: an overhead of 5.9 %."),
        "{:?}",
        remarks_of(random)
    );
    assert!(
        remarks_of(random)[1].contains("striped by the application, reach 98.0 %"),
        "{:?}",
        remarks_of(random)
    );
    let shares: Vec<f64> = table(random, 0).rows.iter().map(|row| tenth(numbers(row)[1])).collect();
    assert_eq!(shares, [94.1, 100.0, 100.0, 98.0]);
    let striped = suite.steps.cells.iter().find(|cell| cell.name.ends_with("randread on 2+3")).unwrap();
    assert_eq!(striped.options, [("filename".to_owned(), "/dev/a:/dev/b".to_owned())]);
    // A rate of latency has no parts, and nothing is lost by two members only.
    assert!(!headline_of(part(&tests, "latency")).contains("array"));
    assert!(
        Suite::new("r", built_in("raid-overhead").unwrap().text, Vec::new(), terms(&["/dev/a"]), false)
            .is_err()
    );
}
