//! What the job reads and writes: files and devices, by name.

use crate::option::{Kind, OptionDef};
use crate::table;
use crate::value::FileService;

const BASE: OptionDef = OptionDef::BASE;

/// The reason why every skewed choice, of files and of offsets, is refused.
const SKEW: &str = "not in this version: a skewed choice of files is not built yet; random_distribution skews the offsets in each file";

table! {
    FILENAME: Option<Vec<String>> = BASE.of("filename", Kind::List, "",
        "files or devices, separated by `:` (`\\:` is a colon in a name); repeated lines add to the \
            list");
    DIRECTORY: Option<Vec<String>> = BASE.of("directory", Kind::List, "",
        "directory put before file names; several, separated by `:`, are given to the clones in turn");
    FILENAME_FORMAT: String = OptionDef {
        name: "filename_format", default: "$jobname.$jobnum.$filenum",
        help: "pattern of generated file names: $jobname (the section), $jobnum, $filenum, $clientuid", ..BASE
    };
    NRFILES: u32 = OptionDef {
        name: "nrfiles", aliases: &["nr_files"], kind: Kind::Int { min: 1, max: 1 << 20 }, default: "1",
        help: "number of files of each clone, when no filename is given", ..BASE
    };
    OPENFILES: Option<u32> = BASE.of("openfiles", Kind::COUNT, "",
        "number of files kept open at the same time; unless given, all of them, or as many as the \
            system allows");
    FILE_SERVICE_TYPE: FileService = OptionDef {
        name: "file_service_type", default: "roundrobin", kind: Kind::FileService,
        refused_words: &[("zipf", SKEW), ("pareto", SKEW), ("normal", SKEW), ("gauss", SKEW)],
        help: "which file the next I/O goes to: in turn, at random, or each file to its end (sequential); \
            `:N` stays with a file for N I/Os, 1 if not given",
        ..BASE
    };
    ALLOW_FILE_CREATE: bool = OptionDef::ON.row("allow_file_create",
        "create files that do not exist; with 0 a missing file is an error");
}
