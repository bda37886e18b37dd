#!/usr/bin/env python3
"""Generated job files under `--parse-only` and `--showcmd` of fio and of fathom through a link named `fio`.

    job-files.py --fathom BIN [--fio /usr/bin/fio] [--files 2000] [--seed 1] [--only N] [--values FILE]

Options and values are those of FILE (default: the record crates/fathom-job/tests/fixtures/fio-values.tsv) on which both tools agree;
single values are compared there, by the test `fio_values`. Here they stand together: in [global] and in sections, twice, with blanks,
comments, `stonewall`, clones, quotes and variables of the environment. Compared:

  accepted or refused by --parse-only
  names of the jobs of --showcmd
  values: the command line that fio prints with --showcmd is given to fathom, and must make the jobs that the file makes

What differs is printed, but for the kinds in LISTED, and the script ends with 1.
"""
import argparse, collections, concurrent.futures, os, random, re, shlex, subprocess, sys, tempfile

RECORD = os.path.join(os.path.dirname(__file__), '../../crates/fathom-job/tests/fixtures/fio-values.tsv')
ENVIRONMENT = dict(os.environ, SIZE='64k', NAME='n', EMPTY='')

# Kinds of difference: name, words of the file, words that fio prints, words that fathom prints.
LISTED = [
    ('refused with a reason', '', '', r'\[(engine-refused|refused-value|refused-flag)\]'),
    ('fio takes the blank behind = for a part of a word', r'\w = \S', r'valid values|failed parsing', r'^$'),
]


def run(*words, where):
    try:
        done = subprocess.run(words, cwd=where, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL, env=ENVIRONMENT, errors='replace')
    except subprocess.TimeoutExpired:
        return -1, '', 'not ended'
    return done.returncode, done.stdout, done.stderr


def agreed(path, tools, where):
    """Values of the record that both tools accept, and those that both refuse."""
    with open(path) as file:
        lines = [line.rstrip('\n').split('\t') for line in file if not line.startswith('#')]
    # One value of each option decides whether it belongs to an engine: then it is left out.
    def verdict(line):
        said, name, value = line
        ours = run(tools[1], '--parse-only', '--name=x', f'--{name}={value}', where=where)[0] == 0
        theirs = said == 'accepted'
        return (theirs, name, value) if ours == theirs and said != 'complained' else None
    rng = random.Random(1)
    lines = [line for line in lines if line[1] not in LEFT_OUT]
    lines = rng.sample(lines, min(len(lines), 1500))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        kept = [one for one in pool.map(verdict, lines) if one]
    good = collections.defaultdict(list)
    for is_good, name, value in kept:
        if is_good and not re.search(r'[\n#;"\'$\\]', value):
            good[name].append(value)
    # The record gives options of an engine with their engine: alone, fio does not know them.
    known = [name for name in good if run(tools[0], '--parse-only', '--name=x', f'--{name}={good[name][0]}', where=where)[0] == 0]
    return {name: good[name] for name in known}, [(name, value) for is_good, name, value in kept if not is_good and name in known]


# They end the program, read other files, or name a job.
LEFT_OUT = {'name', 'include', 'read_iolog', 'write_iolog', 'exec_prerun', 'exec_postrun', 'wait_for', 'ioengine', 'opendir', 'description', 'new_group'}


def line(rng, good, bad):
    if bad and rng.random() < 0.012:
        name, value = rng.choice(bad)
    else:
        name = rng.choice(sorted(good))
        value = rng.choice(good[name])
    how = rng.random()
    if how < 0.08:
        return f'{name} = {value}'
    if how < 0.12:
        return f'  {name}={value}'
    if how < 0.15:
        return f'{name}={value} '
    if how < 0.17:
        return f'{name}={value}\n; a comment\n# another'
    return f'{name}={value}'


COMMON = ['size=1m', 'size=${SIZE}', 'rw=randrw', 'rw=write', 'readwrite=randread', 'bs=4k', 'blocksize=8k', 'bs=4k,8k', 'iodepth=8', 'numjobs=2',
          'stonewall', 'time_based', 'runtime=10', 'time_based=1', 'direct=1', 'buffered=0', 'group_reporting', 'thread', 'threads=1', 'filename=f',
          'filename=a:b', 'directory=.', 'ioengine=libaio', 'ioengine=psync', 'ioengine=null', 'nrfiles=2', 'description=some words', 'new_group',
          'filename=${NAME}.dat', 'filename_format=$jobname.$filenum', 'io_limit=2m', 'bssplit=4k/50:8k/50', 'rate=10m', 'rate_iops=100,200',
          'loops=0x2', 'size=50%', 'size=$pagesize', 'bs_is_seq_rand=0', 'wait_for_previous', 'exitall', 'verify=crc32c', 'unlink=1']


def text(rng, good, bad):
    lines, names = [], ['a', 'b', 'c d', 'job-1', 'x.y', 'Ü']
    if rng.random() < 0.7:
        lines += ['[global]'] + [rng.choice(COMMON) if rng.random() < 0.6 else line(rng, good, bad) for _ in range(rng.randint(1, 6))]
    for n in range(rng.randint(1, 4)):
        lines += ['', f'[{names[n]}]'] + [rng.choice(COMMON) if rng.random() < 0.6 else line(rng, good, bad) for _ in range(rng.randint(0, 6))]
    ends = '\r\n' if rng.random() < 0.03 else '\n'
    return ends.join(lines) + (ends if rng.random() < 0.95 else '')


def names(command):
    return [word.split('=', 1)[1] for word in command if word.startswith('--name=')]


def words_of(shown):
    """The arguments of the command line that --showcmd prints. fio puts no quotes around values with blanks, and keeps the blanks behind `=`."""
    words = re.split(r'(?:^|\s)--(?=[a-z])', shown.strip())[1:]
    return ['--' + re.sub(r'^([\w-]+)="(.*)"$', r'\1=\2', re.sub(r'^([\w-]+)= +', r'\1=', word.rstrip())) for word in words]


def one(number, args, tools, good, bad, where):
    rng = random.Random(f'{args.seed} {number}')
    job = text(rng, good, bad)
    path = os.path.join(where, f'{number}.fio')
    with open(path, 'w', newline='') as file:
        file.write(job)
    theirs, ours = (run(tool, '--parse-only', path, where=where) for tool in tools)
    if (theirs[0] == 0) != (ours[0] == 0):
        kind = next((name for name, has, fios, own in LISTED if re.search(has, job) and re.search(fios, theirs[1] + theirs[2]) and re.search(own, ours[2])), None)
        return number, kind or 'DIFFERENT', job, f'fio {theirs[0]}: {(theirs[1] + theirs[2])[:300]}\n    fathom {ours[0]}: {ours[2][:300]}'
    if theirs[0] != 0:
        return number, 'both refuse', job, ''
    shown = [run(tool, '--showcmd', path, where=where) for tool in tools]
    fios, own = words_of(shown[0][1]), shlex.split(shown[1][1])[1:]
    if names(fios) != names(own):
        return number, 'DIFFERENT', job, f'jobs {names(own)}, in fio {names(fios)}'
    again = run(tools[1], '--showcmd', *fios, where=where)
    if again[1] != shown[1][1]:
        a, b = set(shlex.split(again[1])), set(own)
        return number, 'DIFFERENT', job, f'of the file only: {sorted(b - a)}\n    of the command line of fio only: {sorted(a - b)} {again[2][:300]}\n    {shown[0][1][:600]}'
    return number, 'alike', job, ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--fathom', required=True)
    parser.add_argument('--fio', default='/usr/bin/fio')
    parser.add_argument('--files', type=int, default=2000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', type=int)
    parser.add_argument('--values', default=RECORD)
    args = parser.parse_args()
    tally = collections.Counter()
    with tempfile.TemporaryDirectory(dir='/dev/shm') as where:
        link = os.path.join(where, 'fio')
        os.symlink(os.path.abspath(args.fathom), link)
        tools = [args.fio, link]
        good, bad = agreed(args.values, tools, where)
        print(f'{sum(map(len, good.values()))} values of {len(good)} options, {len(bad)} that both refuse', flush=True)
        numbers = range(args.files) if args.only is None else [args.only]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for number, how, job, why in pool.map(lambda number: one(number, args, tools, good, bad, where), numbers):
                tally[how] += 1
                if how == 'DIFFERENT' or args.only is not None:
                    print(f'file {number}: {how}\n    {why}\n      ' + job.replace('\n', '\n      '), flush=True)
    print(', '.join(f'{n} {how}' for how, n in tally.most_common()))
    sys.exit(1 if tally['DIFFERENT'] else 0)


if __name__ == '__main__':
    main()
