//! Arithmetic in values: `(2*(16k+4k))`, and in keywords: `$ncpus*2`.
//!
//! Whole numbers with `+ - * / % ^` and parentheses, `/` cutting towards zero as fio's calculator
//! and `bc` do. Units are allowed inside.

use super::size::{self, Number};
use super::{BadValue, Piece, time};

/// What the numbers of an expression count.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    /// Bytes, with units by `kb_base`.
    Size(u64),
    /// Microseconds, with units of time.
    Time,
}

/// Parentheses may nest this deep: no one writes more, and hostile text
/// cannot exhaust the stack.
const DEPTH_MAX: u32 = 64;

/// The value of an expression that fills the whole piece.
pub(crate) fn whole(piece: Piece, unit: Unit) -> Result<i128, BadValue> {
    let mut calculator = Calculator { rest: piece, unit, depth: 0 };
    let n = calculator.sum()?;
    calculator.rest = calculator.rest.trim();
    if calculator.rest.text.is_empty() { Ok(n) } else { Err(calculator.unexpected()) }
}

struct Calculator<'a> {
    rest: Piece<'a>,
    unit: Unit,
    depth: u32,
}

impl Calculator<'_> {
    /// The next character, blanks skipped, if it is one of these.
    fn take(&mut self, wanted: &str) -> Option<char> {
        self.rest = self.rest.trim();
        let c = self.rest.text.chars().next().filter(|c| wanted.contains(*c))?;
        self.rest = self.rest.tail(c.len_utf8());
        Some(c)
    }

    fn sum(&mut self) -> Result<i128, BadValue> {
        let mut n = self.product()?;
        while let Some(op) = self.take("+-") {
            let m = self.product()?;
            n = self.fits(if op == '+' { n.checked_add(m) } else { n.checked_sub(m) })?;
        }
        Ok(n)
    }

    fn product(&mut self) -> Result<i128, BadValue> {
        let mut n = self.power()?;
        while let Some(op) = self.take("*/%") {
            let divisor = self.rest;
            let m = self.power()?;
            if m == 0 && op != '*' {
                return Err(divisor.bad("bad-arithmetic", "division by zero"));
            }
            n = self.fits(match op {
                '*' => n.checked_mul(m),
                '/' => n.checked_div(m),
                _ => n.checked_rem(m),
            })?;
        }
        Ok(n)
    }

    fn power(&mut self) -> Result<i128, BadValue> {
        let base = self.operand()?;
        if self.take("^").is_none() {
            return Ok(base);
        }
        let exponent = self.operand()?;
        self.fits(u32::try_from(exponent).ok().and_then(|e| base.checked_pow(e)))
    }

    fn operand(&mut self) -> Result<i128, BadValue> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.rest.bad("bad-arithmetic", "parentheses nest too deep"));
        }
        let n = match self.take("(-") {
            Some('-') => -self.operand()?,
            Some(_) => {
                let n = self.sum()?;
                self.take(")").ok_or_else(|| self.unexpected())?;
                n
            }
            None => self.number()?,
        };
        self.depth -= 1;
        Ok(n)
    }

    fn number(&mut self) -> Result<i128, BadValue> {
        if !self.rest.text.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.unexpected());
        }
        let Number { n, rest: after, is_hex } = size::digits(self.rest, "bad-arithmetic")?;
        size::no_unit_behind_hex(self.rest, n, after, is_hex)?;
        let suffix = after.head(after.leading(|c| c.is_ascii_alphabetic() || c == '.'));
        let mult = match self.unit {
            Unit::Size(kb) => size::multiplier(suffix.text, kb),
            Unit::Time if suffix.text.is_empty() => Some(1),
            Unit::Time => time::micros(suffix.text),
        };
        let mult = mult.ok_or_else(|| {
            suffix
                .bad("bad-arithmetic", format!("`{}` is not a unit here", suffix.text))
                .hint("whole numbers only, each with at most one unit")
        })?;
        self.rest = after.tail(suffix.text.len());
        Ok(i128::from(n) * i128::from(mult))
    }

    fn fits(&self, n: Option<i128>) -> Result<i128, BadValue> {
        n.ok_or_else(|| BadValue::new("bad-arithmetic", "the result is too large"))
    }

    fn unexpected(&self) -> BadValue {
        match self.rest.text.chars().next() {
            None => BadValue::new("bad-arithmetic", "the expression is not finished"),
            Some(c) => {
                BadValue::new("bad-arithmetic", format!("unexpected `{c}`")).at(self.rest.head(c.len_utf8()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calculates_with_precedence_and_units() {
        let table = [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("2^10", 1024),
            ("(1024*1k)", 1 << 20),
            ("7/2", 3),
            ("7%4", 3),
            ("-3+5", 2),
            ("(2 * ( 16k + 4k ))", 40960),
            ("1kib", 1000),
            ("0x10+1", 17),
        ];
        for (text, n) in table {
            assert_eq!(whole(Piece::whole(text), Unit::Size(1024)), Ok(n), "{text}");
        }
        assert_eq!(whole(Piece::whole("(2*60s)"), Unit::Time), Ok(120_000_000));
        assert_eq!(whole(Piece::whole("(3*1000)"), Unit::Time), Ok(3000));
    }

    #[test]
    fn refuses_what_has_no_value() {
        for text in
            ["", "(", "(1", "1)", "1+", "*2", "1//2", "1/0", "5%0", "2^200", "1.5*2", "1 2", "9^9^9", "0x"]
        {
            assert!(whole(Piece::whole(text), Unit::Size(1024)).is_err(), "{text}");
        }
        let deep = "(".repeat(10_000);
        assert!(whole(Piece::whole(&deep), Unit::Time).is_err());
        let minus = "-".repeat(10_000);
        assert!(whole(Piece::whole(&minus), Unit::Time).is_err());
    }
}
