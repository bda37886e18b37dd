//! A figure over two parameters, such as IOPS over block size and mix: as a heat map with its numbers, and as columns in
//! three dimensions, as SNIA's reports draw it.

mod columns;
mod heat;

pub(in crate::html) use columns::columns;
pub(in crate::html) use heat::heat;

/// The figure, one value for each pair of the two parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::html) struct Matrix {
    /// What is drawn: `IOPS by block size and mix`.
    pub(in crate::html) title: String,
    /// The unit of the values.
    pub(in crate::html) unit: &'static str,
    /// What the columns differ in.
    pub(in crate::html) x_title: String,
    /// What the rows differ in.
    pub(in crate::html) y_title: String,
    /// Labels of the columns, from left to right.
    pub(in crate::html) columns: Vec<String>,
    /// Labels of the rows, from the top.
    pub(in crate::html) rows: Vec<String>,
    /// The values of each row; `None` where nothing was measured.
    pub(in crate::html) values: Vec<Vec<Option<f64>>>,
}

impl Matrix {
    /// The largest value; 0 without one.
    fn max(&self) -> f64 {
        self.values.iter().flatten().flatten().copied().fold(0.0, f64::max)
    }

    /// Place and value of each that was measured: row by row.
    fn known(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.values.iter().enumerate().flat_map(|(row, values)| {
            values.iter().enumerate().filter_map(move |(column, value)| Some((row, column, (*value)?)))
        })
    }

    /// All values in words, for those who cannot see the drawing.
    fn description(&self) -> String {
        let each = self.known().map(|(row, column, value)| {
            let value = fathom_text::number::compact(value, 3);
            format!("{}, {}: {value} {}", self.columns[column], self.rows[row], self.unit)
        });
        each.collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Matrix {
        Matrix {
            title: "IOPS <by> block size".to_owned(),
            unit: "IOPS",
            x_title: "block size".to_owned(),
            y_title: "reads".to_owned(),
            columns: ["4 KiB", "8 KiB", "64 KiB"].map(str::to_owned).to_vec(),
            rows: ["100 %", "0 %"].map(str::to_owned).to_vec(),
            values: vec![
                vec![Some(350_728.0), Some(200_000.0), None],
                vec![Some(90_000.0), Some(0.0), Some(9000.0)],
            ],
        }
    }

    /// T-14: a field and a column for each value, with its number.
    #[test]
    fn every_value_has_a_field_and_a_column_with_its_number() {
        for svg in [heat(&matrix()), columns(&matrix())] {
            assert_eq!(svg.matches("<g class=\"cell\"").count(), 5, "{svg}");
            for number in ["350.7k", "200.0k", "90.00k", "9000", ">0<"] {
                assert!(svg.contains(number), "{number}: {svg}");
            }
            assert!(svg.contains("IOPS &lt;by&gt;") && !svg.contains("NaN") && !svg.contains("<by>"));
        }
    }

    #[test]
    fn the_higher_of_two_columns_reaches_higher() {
        let svg = columns(&matrix());
        let top = |number: &str| -> f64 {
            let cell = svg
                .split("<g class=\"cell\"")
                .find(|cell| cell.contains("data-height") && cell.contains(number))
                .expect("it is drawn");
            let y = cell.split("data-height=\"").nth(1).expect("it has a height");
            y.split('"').next().unwrap().parse().unwrap()
        };
        assert!((top("350.7k") / top("90.00k") - 350_728.0 / 90_000.0).abs() < 0.02);
        assert_eq!(top(">0<"), 0.0);
    }

    #[test]
    fn nothing_measured_draws_an_empty_frame() {
        let empty = Matrix { values: vec![vec![None; 3]; 2], ..matrix() };
        assert!(!heat(&empty).contains("NaN") && !columns(&empty).contains("NaN"));
    }
}
