//! Random writes to a new drive: fresh, transition, steady (contract T-37), for three seeds; and their chart in
//! docs/images/phases.svg, which `UPDATE_CHART=1` draws again.

use std::fmt::Write;

use fathom_sim::{FlashDrive, FlashModel, SimulatedDrive, datacentre};

use crate::timing::closed_loop::random_rate;

const SCALE: u32 = 2048;
const SEEDS: [u64; 3] = [1, 2, 3];
/// Fills of the drive, and points in each.
const FILLS: usize = 8;
const POINTS: usize = 20;

/// What a part of a fill came to.
#[derive(Clone, Copy)]
struct Point {
    fills: f64,
    /// IOPS of the whole drive, which this one is a part of.
    iops: f64,
    /// Write amplification of this part.
    amplification: f64,
}

fn points(seed: u64) -> Vec<Point> {
    let mut drive = FlashDrive::new(&FlashModel { scale: SCALE, ..datacentre() }).expect("valid");
    let count = drive.capacity_bytes() / 4096 / POINTS as u64;
    let (mut now_ns, mut points) = (0, Vec::new());
    for part in 0..FILLS * POINTS {
        let before = drive.counters();
        let of_part = seed * 1_000_000 + part as u64;
        let (rate, end_ns) =
            random_rate(&mut drive, now_ns, 32, count, crate::timing::closed_loop::write, of_part);
        now_ns = end_ns;
        let written = drive.counters().since(&before);
        points.push(Point {
            fills: (part + 1) as f64 / POINTS as f64,
            iops: rate * f64::from(SCALE),
            amplification: written.write_amplification().expect("it wrote"),
        });
    }
    points
}

#[test]
fn a_new_drive_is_fresh_then_falls_then_is_steady() {
    let all = SEEDS.map(points);
    for points in &all {
        let mean = |from: f64, to: f64, of: fn(&Point) -> f64| {
            let within: Vec<f64> =
                points.iter().filter(|p| p.fills > from && p.fills <= to).map(of).collect();
            within.iter().sum::<f64>() / within.len() as f64
        };
        let rate = |from, to| mean(from, to, |point| point.iops);
        let amplification = |from, to| mean(from, to, |point| point.amplification);
        // Until every block is used once, nothing is collected.
        assert!(amplification(0.0, 0.9) < 1.01, "fresh: {}", amplification(0.0, 0.9));
        let (fresh, falling, steady) = (rate(0.0, 0.9), rate(1.1, 1.6), rate(7.0, 8.0));
        assert!(fresh > 1.3 * falling && falling > 1.3 * steady, "{fresh} {falling} {steady}");
        assert!((rate(6.0, 7.0) / steady - 1.0).abs() < 0.05, "{} {steady}", rate(6.0, 7.0));
        assert!((amplification(6.0, 7.0) / amplification(7.0, 8.0) - 1.0).abs() < 0.05);
    }
    let last = |points: &[Point]| points[7 * POINTS..].iter().map(|point| point.iops).sum::<f64>();
    assert!((last(&all[0]) / last(&all[2]) - 1.0).abs() < 0.02, "the seed does not decide");
    assert_ne!(last(&all[0]), last(&all[2]));
    keep(&chart(&all));
}

/// The chart in the documents is the one that these drives give.
fn keep(chart: &str) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/images/phases.svg");
    if std::env::var_os("UPDATE_CHART").is_some() {
        std::fs::write(path, chart).expect("the chart is written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == chart, "the chart has changed; UPDATE_CHART=1 draws it again");
}

const WIDTH: f64 = 720.0;
const PANEL: f64 = 180.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 34.0;
/// From the top of one panel to that of the next.
const STEP: f64 = PANEL + 46.0;
const COLOURS: [&str; 3] = ["#1f77b4", "#d95f02", "#2ca02c"];

fn chart(all: &[Vec<Point>; 3]) -> String {
    let height = TOP + STEP + PANEL + 40.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let most = all.iter().flatten().map(|point| point.iops).fold(0.0, f64::max);
    let rates =
        Panel { top: TOP, step: 250e3, highest: (most / 250e3).ceil() * 250e3, unit: "k", scale: 1e3 };
    rates.frame(&mut svg, "IOPS of 4 KiB random writes, iodepth 32, from new");
    let most = all.iter().flatten().map(|point| point.amplification).fold(0.0, f64::max);
    let copies = Panel { top: TOP + STEP, step: 1.0, highest: most.ceil(), unit: "", scale: 1.0 };
    copies.frame(&mut svg, "write amplification");
    for (points, colour) in all.iter().zip(COLOURS) {
        rates.line(&mut svg, points, colour, |point| point.iops);
        copies.line(&mut svg, points, colour, |point| point.amplification);
    }
    for (number, colour) in COLOURS.iter().enumerate() {
        let x = WIDTH - 200.0 + 66.0 * number as f64;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"20\" fill=\"{colour}\">seed {}</text>", SEEDS[number]);
    }
    let (middle, below) = ((LEFT + WIDTH) / 2.0, height - 8.0);
    let _ =
        writeln!(svg, "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">drive fills</text>\n</svg>");
    svg
}

struct Panel {
    top: f64,
    /// Between two lines of the grid.
    step: f64,
    highest: f64,
    unit: &'static str,
    scale: f64,
}

impl Panel {
    fn x(fills: f64) -> f64 {
        LEFT + fills / FILLS as f64 * (WIDTH - LEFT - 16.0)
    }

    fn y(&self, value: f64) -> f64 {
        self.top + PANEL * (1.0 - value / self.highest)
    }

    fn frame(&self, svg: &mut String, title: &str) {
        let _ =
            writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\" font-weight=\"bold\">{title}</text>", self.top - 12.0);
        for line in 0..=(self.highest / self.step) as u32 {
            let value = f64::from(line) * self.step;
            let (y, right) = (self.y(value), Self::x(FILLS as f64));
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{right:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{}{}</text>",
                LEFT - 6.0,
                y + 4.0,
                value / self.scale,
                self.unit
            );
        }
        for fills in 0..=FILLS {
            let (x, y) = (Self::x(fills as f64), self.top + PANEL + 15.0);
            let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{fills}</text>");
        }
    }

    fn line(&self, svg: &mut String, points: &[Point], colour: &str, of: fn(&Point) -> f64) {
        let place = |point: &Point| format!("{:.1},{:.1}", Self::x(point.fills), self.y(of(point)));
        let places: Vec<String> = points.iter().map(place).collect();
        let places = places.join(" ");
        let _ = writeln!(
            svg,
            "<polyline points=\"{places}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"
        );
    }
}
