//! The job itself, the files and devices that it reads and writes, and the life of its files.

use crate::option::{Kind, OptionDef, OptionStatus};
use crate::table;
use crate::value::FileService;

const BASE: OptionDef = OptionDef::BASE;
const FLAG: OptionDef = OptionDef::FLAG;
const OFF: OptionDef = OptionDef::OFF;
const ON: OptionDef = OptionDef::ON;

table! {
    // The job itself: its name, its clones, its place in the run.
    NAME: Option<String> = BASE.row("name",
        "name of the job in results and logs; its files keep the name of the section. On the command line it starts a new job");
    DESCRIPTION: Option<String> = BASE.row("description", "what the job is for; repeated in the result");
    NUMJOBS: u32 = BASE.of("numjobs", Kind::Int { min: 1, max: 4096 }, "1",
        "number of workers that run this job, each independently of the others");
    THREAD: bool = OptionDef {
        name: "thread", help: "run each clone as a thread",
        status: OptionStatus::Differently("workers are always threads, with and without this option"), ..FLAG
    };
    GROUP_REPORTING: bool = FLAG.row("group_reporting", "report the jobs of a group as one");
    STONEWALL: bool = OptionDef {
        name: "stonewall", aliases: &["wait_for_previous"],
        help: "start only when every job above has ended; begins a new reporting group", ..FLAG
    };
    WAIT_FOR: Option<String> = BASE.row("wait_for",
        "start when all clones of the named job have ended; it must be defined above this one");
    NEW_GROUP: bool = FLAG.row("new_group", "begin a new reporting group, without waiting");
    EXITALL: bool = FLAG.row("exitall", "when this job ends, also end the jobs that exit_what selects");
    EXIT_WHAT: &'static str = OptionDef {
        name: "exit_what",
        kind: Kind::Word(&[("group", "group"), ("stonewall", "stonewall"), ("all", "all")]),
        default: "group",
        help: "which jobs exitall ends: those of the group, all that run before the next stonewall, or all \
            jobs", ..BASE
    };
    EXITALL_ON_ERROR: bool = FLAG.row("exitall_on_error",
        "when this job ends with an error, end the others too");
    // What the job reads and writes: files and devices, by name.
    FILENAME: Option<Vec<String>> = BASE.of("filename", Kind::List, "",
        "files or devices, separated by `:` (`\\:` is a colon in a name); repeated lines add to the \
            list");
    DIRECTORY: Option<Vec<String>> = BASE.of("directory", Kind::List, "",
        "directory put before file names; several, separated by `:`, are given to the clones in turn");
    OPENDIR: Option<String> = OptionDef {
        name: "opendir", help: "use all regular files below this directory, besides those of filename",
        status: OptionStatus::Differently("the files are taken in the order of their names, and links are not followed; the tree is \
            listed once, when the run is planned"),
        ..BASE
    };
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
        status: OptionStatus::Differently("zipf, pareto and normal follow their distributions exactly, and the hottest \
            file is a whole one; compat=fio draws by fio's formulas"),
        help: "which file the next I/O goes to: in turn, at random, or each file to its end (sequential); \
            `:N` stays with a file for N I/Os, 1 if not given; zipf, pareto and normal take some files more often \
            than others, with the numbers of random_distribution",
        ..BASE
    };
    FILETYPE: &'static str = OptionDef {
        name: "filetype",
        kind: Kind::Word(&[("auto", "auto"), ("file", "file"), ("block", "block"), ("char", "char")]),
        default: "auto", help: "kind of the targets; one of another kind is an error",
        status: OptionStatus::Differently("the kind of a target is looked up, and compared with this one"),
        ..BASE
    };
    ALLOW_FILE_CREATE: bool = OptionDef::ON.row("allow_file_create",
        "create files that do not exist; with 0 a missing file is an error");
    // The life of files: how they are made, filled, opened and removed.
    FALLOCATE: &'static str = OptionDef {
        name: "fallocate", default: "native",
        kind: Kind::Word(&[("none", "none"), ("native", "native"), ("posix", "posix"), ("keep", "keep"), ("truncate", "truncate"), ("0", "none"), ("1", "posix")]),
        help: "how space is reserved when a file is laid out", ..BASE
    };
    FADVISE_HINT: &'static str = OptionDef {
        name: "fadvise_hint", default: "1",
        kind: Kind::Word(&[("0", "0"), ("1", "1"), ("random", "random"), ("sequential", "sequential"), ("noreuse", "noreuse")]),
        help: "posix_fadvise for the file: none (0), by the access pattern (1), or as named", ..BASE
    };
    FILE_APPEND: bool = OFF.row("file_append",
        "begin at the end that a file has before the run, in place of offset; size= is what is added");
    OVERWRITE: bool = OFF.row("overwrite",
        "write jobs: lay the file out in full first, so that writes replace existing data");
    FILL_DEVICE: bool = OptionDef {
        name: "fill_device", aliases: &["fill_fs"],
        help: "write until no space is left (ENOSPC, EDQUOT), which is then no error; without size= the files grow until then",
        status: OptionStatus::Differently("only jobs that write can fill files, and neither the root file system nor the \
            one that holds the results is filled"),
        ..OFF
    };
    CREATE_ON_OPEN: bool = OptionDef {
        name: "create_on_open",
        help: "create a file when it is opened, and lay nothing out; only jobs that write need no layout",
        status: OptionStatus::Differently("an empty file is made before the job starts, so that no figure has that time; \
            ioengine=filecreate measures it"),
        ..OFF
    };
    UNLINK: bool = OFF.row("unlink", "when the job has ended, remove the files that it created");
    CREATE_SERIALIZE: bool = OptionDef {
        name: "create_serialize", help: "lay files out one after another",
        status: OptionStatus::NoEffect("layout is always one file after another"), ..ON
    };
    CREATE_FSYNC: bool = OptionDef { name: "create_fsync", help: "fsync a file after laying it out", ..ON };
    CREATE_ONLY: bool = OFF.row("create_only", "lay the files out, then end without I/O");
    PRE_READ: bool = OFF.row("pre_read",
        "read the files into the page cache before the run; implies invalidate=0");
    INVALIDATE: bool = ON.row("invalidate",
        "drop the target's pages from the page cache before each pass over it");
}
