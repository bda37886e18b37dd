//! The line of a job before the run: its name, pattern, block sizes, engine and depth.

use super::amount::bytes;

/// A range of block sizes, bytes.
pub(super) type BlockRange = (f64, f64);

/// What a header says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Header {
    pub name: String,
    pub group: u64,
    pub rw: Option<String>,
    /// Of reads, writes and trims.
    pub blocks: [Option<BlockRange>; 3],
    /// As fio has it: `512-64.0KiB`.
    pub blocks_text: String,
    pub engine: Option<String>,
    pub depth: Option<u64>,
}

/// Reads `a: (g=0): rw=read, bs=(R) 4096B-4096B, (W) …, ioengine=null, iodepth=8`.
pub(super) fn header(line: &str) -> Option<Header> {
    let at = line.rfind(": (g=")?;
    let rest = &line[at + ": (g=".len()..];
    let (group, options) = rest.split_once(')')?;
    let value = |key: &str| {
        let (_, text) = options.split_once(key)?;
        let text = text.split(',').next()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let blocks_text = options.split_once("bs=").map_or("", |(_, text)| text);
    let blocks_text = blocks_text.split_once(", ioengine").map_or(blocks_text, |(text, _)| text);
    Some(Header {
        name: line[..at].to_owned(),
        group: group.trim().parse().ok()?,
        rw: value("rw="),
        blocks: blocks(blocks_text),
        blocks_text: blocks_text.to_owned(),
        engine: value("ioengine="),
        depth: value("iodepth=").and_then(|text| text.parse().ok()),
    })
}

/// `512-512/512-512`, `4K-4K/4K-4K/4K-4K` of fio 2, and `(R) 512B-64.0KiB, (W) …, (T) …` of fio 3. A list without trims has the
/// sizes of writes for them.
fn blocks(text: &str) -> [Option<BlockRange>; 3] {
    let ranges: Vec<Option<BlockRange>> = if text.contains('(') {
        text.split(',').map(|one| range(one.split_once(')').map_or(one, |(_, range)| range))).collect()
    } else {
        text.split('/').map(range).collect()
    };
    let at = |place: usize| ranges.get(place).copied().flatten();
    [at(0), at(1), at(2)]
}

fn range(text: &str) -> Option<BlockRange> {
    let (least, most) = text.trim().split_once('-')?;
    // All versions count a block in powers of 1024, and write kB only with `kb_base=1000`.
    let base = if text.contains("kB") { 1000.0 } else { 1024.0 };
    Some((bytes(least, base)?.value, bytes(most, base)?.value))
}

impl Header {
    /// The one size of this direction (0 read, 1 write, 2 trim); `None` where there are several.
    pub fn one_block(&self, direction: usize) -> Option<f64> {
        let (least, most) = self.blocks[direction]?;
        // fio rounds to four digits: a size that is not a multiple of a sector was rounded.
        (least == most && least > 0.0 && least % 512.0 == 0.0).then_some(least)
    }

    /// Has a direction with I/O (0 read, 1 write, 2 trim) several sizes?
    pub fn has_several(&self, direction: usize) -> bool {
        self.blocks[direction].is_some_and(|(least, most)| least != most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_all_generations() {
        let of = |line: &str| header(line).unwrap();
        let old = of("/dev/fioa: (g=0): rw=rw, bs=512-512/512-512, ioengine=libaio, iodepth=32");
        assert_eq!((old.name.as_str(), old.rw.as_deref(), old.depth), ("/dev/fioa", Some("rw"), Some(32)));
        assert_eq!((old.one_block(0), old.one_block(1), old.one_block(2)), (Some(512.0), Some(512.0), None));
        let middle = of("a: (g=1): rw=randread, bs=4K-64K/4K-4K/4K-4K, ioengine=sync, iodepth=1");
        assert_eq!((middle.group, middle.has_several(0), middle.one_block(1)), (1, true, Some(4096.0)));
        let new = of(
            "odd: (g=0): x: (g=2): rw=randrw, bs=(R) 4096B-4096B, (W) 16.0KiB-16.0KiB, (T) 1024KiB-1024KiB, ioengine=io_uring, iodepth=8",
        );
        assert_eq!((new.name.as_str(), new.engine.as_deref()), ("odd: (g=0): x", Some("io_uring")));
        assert_eq!((new.one_block(1), new.one_block(2)), (Some(16_384.0), Some(1_048_576.0)));
        assert_eq!(header("a: (g=0): rw=read, bs=(R) 4096B-40").unwrap().depth, None);
    }
}
