//! The rules of a table, for what no job can bring about: failed writes, and workers that end early.

use super::table::ZoneLimits;
use super::zone::Zone;
use super::*;
use crate::desc::{Desc, Op};
use crate::hook::Hook;

const ZONE: u64 = 1 << 20;
const BLOCK: u64 = 64 << 10;

fn terms(recovers: bool) -> Terms {
    Terms {
        job: 0,
        range: 0..4,
        least_write: BLOCK,
        least_read: BLOCK,
        open_max: 0,
        own_open_max: 0,
        reads_beyond: false,
        writes_remainder: false,
        recovers,
        reset_threshold: 0.0,
        reset_every: 0,
        reset_left: 0,
        resets: 0,
    }
}

fn write(table: &mut ZoneTable, zone: u64, terms: &Terms) -> Placing {
    table.random_write(zone * ZONE, BLOCK, &mut terms.clone(), &ZoneTarget::Kept).unwrap()
}

fn end(table: &mut ZoneTable, offset: u64, result: i32, terms: &Terms) {
    let desc = Desc::new(Op::Write, offset, BLOCK as u32, 0);
    table.complete(&desc, result, terms, &ZoneTarget::Kept);
}

#[test]
fn a_zone_gives_one_write_at_a_time_and_reads_end_at_what_is_complete() {
    let (mut table, terms) = (ZoneTable::empty(ZONE, ZONE, 4 * ZONE), terms(false));
    assert_eq!(write(&mut table, 1, &terms), Placing::At(ZONE, BLOCK));
    assert_eq!(
        write(&mut table, 1, &terms),
        Placing::At(2 * ZONE, BLOCK),
        "the next zone, while that one is in use"
    );
    assert_eq!(table.random_read(ZONE, BLOCK, &terms), Placing::Nowhere, "nothing is complete");
    end(&mut table, ZONE, BLOCK as i32, &terms);
    assert_eq!(
        table.random_read(3 * ZONE, BLOCK, &terms),
        Placing::At(ZONE, BLOCK),
        "the zone that holds data"
    );
    assert_eq!(table.trim(1, false, &terms), Placing::Blocked, "it is being read");
    assert_eq!(write(&mut table, 1, &terms), Placing::At(ZONE + BLOCK, BLOCK));
}

#[test]
fn after_a_failed_write_a_zone_is_left_unless_the_job_recovers() {
    for (recovers, expected) in [(false, 2 * ZONE), (true, ZONE + BLOCK)] {
        let (mut table, terms) = (ZoneTable::empty(ZONE, ZONE, 4 * ZONE), terms(recovers));
        write(&mut table, 1, &terms);
        end(&mut table, ZONE, -libc::EIO, &terms);
        assert_eq!(write(&mut table, 1, &terms), Placing::At(expected, BLOCK), "recovers: {recovers}");
    }
    let (mut table, terms) = (ZoneTable::empty(ZONE, ZONE, 4 * ZONE), terms(false));
    for zone in 0..4 {
        write(&mut table, zone, &terms);
        end(&mut table, zone * ZONE, -libc::EIO, &terms);
    }
    assert_eq!(write(&mut table, 1, &terms), Placing::Nowhere);
    assert_eq!(table.trim(1, false, &terms), Placing::At(ZONE, ZONE), "a reset makes it good again");
}

#[test]
fn a_worker_that_ends_gives_back_what_it_did_not_issue() {
    let table = Arc::new(Mutex::new(ZoneTable::empty(ZONE, ZONE, 4 * ZONE)));
    let mut claims = Claims::new(4, true);
    claims.add_file(table.clone(), ZoneTarget::Kept, terms(false));
    for zone in 0..2 {
        let desc = Desc::new(Op::Write, zone * ZONE, BLOCK as u32, 0);
        assert_eq!(write(&mut locked(&table), zone, &terms(false)), Placing::At(zone * ZONE, BLOCK));
        claims.claim(desc);
    }
    claims.issue(3, &Desc::new(Op::Write, ZONE, BLOCK as u32, 0), &mut []);
    assert_eq!(claims.room(), 2);
    assert!(locked(&table).has_other_writers(false));
    drop(claims);
    let mut table = locked(&table);
    assert!(!table.has_other_writers(false));
    assert_eq!(table.open_count(), 1, "the one that was in flight");
    assert_eq!(write(&mut table, 0, &terms(false)), Placing::At(0, BLOCK), "as if it had not been placed");
    assert_eq!(
        write(&mut table, 1, &terms(false)),
        Placing::At(2 * ZONE, BLOCK),
        "nobody knows what became of it"
    );
}

/// A table of zones that are written up to so many blocks.
fn written(blocks: &[u64], limits: ZoneLimits) -> ZoneTable {
    let zone = |(index, blocks): (usize, &u64)| {
        let start = index as u64 * ZONE;
        Zone::sequential(start, ZONE, start + blocks * BLOCK)
    };
    ZoneTable::new(ZONE, blocks.iter().enumerate().map(zone).collect(), limits)
}

/// fio 3.33 empties what it finds open beyond its limit, also in a job that only reads. Here nothing is lost.
#[test]
fn zones_of_earlier_runs_keep_their_data_and_take_no_place_from_a_job() {
    let limits = ZoneLimits { open: 0, active: 5 };
    let mut table = written(&[1, 1, 0, 0, 1, 1, 0, 0], limits);
    let terms = Terms { range: 2..8, open_max: 2, ..terms(false) };
    assert_eq!(table.open_count(), 4);
    table.enter(&terms);
    assert_eq!(table.open_count(), 2, "the two in the region");
    assert_eq!(
        table.zones().iter().map(|zone| zone.pointer % ZONE / BLOCK).sum::<u64>(),
        4,
        "nothing is lost"
    );
    assert_eq!(write(&mut table, 2, &terms), Placing::At(4 * ZONE + BLOCK, BLOCK), "no other may be opened");
    let terms = Terms { range: 0..8, open_max: 3, ..terms };
    assert_eq!(write(&mut table, 2, &terms), Placing::At(2 * ZONE, BLOCK), "it is the fifth that is written");
    let terms = Terms { open_max: 5, ..terms };
    assert_eq!(
        write(&mut table, 3, &terms),
        Placing::At(5 * ZONE + BLOCK, BLOCK),
        "a sixth may not be active"
    );
    assert_eq!(write(&mut table, 0, &terms), Placing::At(BLOCK, BLOCK), "one that is written may be opened");
    end(&mut table, BLOCK, BLOCK as i32, &terms);
    assert_eq!(table.trim(1, false, &terms), Placing::At(ZONE, ZONE));
    assert_eq!(write(&mut table, 3, &terms), Placing::At(3 * ZONE, BLOCK), "one less is active");
}

#[test]
fn zones_that_cannot_be_reset_are_left_out() {
    let start = |index: u64| index * ZONE;
    let zones = vec![
        Zone::conventional(0, ZONE),
        Zone::sequential(start(1), ZONE, start(2)).broken(),
        Zone::sequential(start(2), ZONE, start(2)).broken(),
        Zone::sequential(start(3), ZONE, start(4)),
    ];
    let mut table = ZoneTable::new(ZONE, zones, ZoneLimits::default());
    let beyond = Terms { reads_beyond: true, ..terms(false) };
    for zone in 0..3 {
        assert_eq!(table.trim(zone, false, &beyond), Placing::ZoneOver);
        assert_eq!(table.trim(zone, true, &beyond), Placing::At(start(3), ZONE), "the one that can");
        let trim = Desc::trim(start(3), ZONE, 0);
        table.complete(&trim, 0, &beyond, &ZoneTarget::Kept);
        assert_eq!(table.trim(zone, true, &beyond), Placing::Nowhere);
        assert_eq!(write(&mut table, 3, &beyond), Placing::At(start(3), BLOCK));
        end(&mut table, start(3), BLOCK as i32, &beyond);
    }
    assert_eq!(table.random_read(start(1), BLOCK, &beyond), Placing::At(start(1), BLOCK), "read-only");
    assert!(table.is_read(2, start(2), &beyond), "offline");
    assert_eq!(write(&mut table, 1, &beyond), Placing::At(start(3) + BLOCK, BLOCK));
}
