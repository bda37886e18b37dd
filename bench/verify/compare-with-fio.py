#!/usr/bin/env python3
"""Compares verification at fathom's fio door with fio's own: generated jobs, both tools, same outcome and same counts.

    compare-with-fio.py --door PATH [--fio /usr/bin/fio] [--mode counts|from-fio|to-fio] [--jobs 400] [--seed 1] [--first N] [--only N]

PATH is a link named `fio` to fathom. The modes:

  counts    Each job is run by both tools. Exit code, error of the job, and the counts of reads, writes and trims must agree. Some
            jobs check what fio wrote before (rw=read or verify_only), with one bit flipped or none.
  from-fio  fio writes, one bit is flipped or none, and the door checks. fio checks the same file, too: both must agree.
  to-fio    The other way round.

Where sizes or directions are drawn, the two tools draw other numbers. Then the counts need not be equal, and are compared within
the limits of `tolerance`; such a job is reported as `alike, drawn`. What fio 3.33 does wrong, or what fathom does on purpose
otherwise, is a class of CLASSES, each with its reason. Everything else that differs is printed with its options, and the script
ends with 1.
"""
import argparse, collections, json, os, random, shutil, subprocess, sys, tempfile

METHODS = ['crc32c', 'md5', 'crc32', 'crc16', 'crc7', 'crc64', 'xxhash', 'sha1', 'sha256', 'sha512', 'pattern', 'null', 'meta']
SIZES = [512, 1024, 4096, 8192, 16384, 65536]


def kib(n):
    return str(n) if n % 1024 else f'{n // 1024}k'


def shape(rng, method):
    """Options that say what is where: they are the same for who writes and who checks."""
    low = rng.choice(SIZES)
    blocks = rng.randint(4, 40)
    o = {'verify': method, 'size': kib(min(low * blocks, 1 << 20))}
    if rng.random() < 0.2 and low < 65536:
        high = low * rng.choice([2, 4, 8])
        o['bsrange'] = f'{kib(low)}-{kib(min(high, 65536))}'
        o['size'] = kib(max(min(high, 65536) * rng.randint(3, 12), low * 4))
    else:
        o['bs'] = kib(low)
    if method == 'pattern' or rng.random() < 0.1:
        o['verify_pattern'] = rng.choice(['0xdeadbeef', '0x5a', '"abcd"'])
    if rng.random() < 0.1 and low >= 4096 and method not in ('pattern', 'null'):
        o['verify_interval'] = rng.choice(['1k', '2k', '4k'])
    if rng.random() < 0.06 and low >= 4096 and method in ('crc32c', 'md5', 'crc32') and 'verify_interval' not in o:
        o['verify_offset'] = rng.choice(['16', '64', '256'])
    if rng.random() < 0.12 and 'bsrange' not in o:
        o['nrfiles'] = rng.choice(['2', '3'])
        o['size'] = kib(low * blocks * int(o['nrfiles']) // 2 * 2)
    return o, low, blocks


def job(rng):
    """A job of the mode `counts`: its options and, where it checks what fio wrote before, those of the writer."""
    method = rng.choice(METHODS)
    o, low, blocks = shape(rng, method)
    o['rw'] = rng.choice(['write', 'randwrite', 'write', 'randwrite', 'rw', 'randrw', 'read', 'randread', 'write'])
    if 'read' in o['rw'] and o['rw'] not in ('rw', 'randrw'):
        writer = dict(o, rw='write', do_verify='0')
        return limits(rng, o, low, blocks, 0.05), writer
    if rng.random() < 0.12 and o['rw'] in ('write', 'randwrite') and 'bsrange' not in o:
        writer = dict(o, do_verify='0')
        return dict(o, verify_only='1'), writer
    if o['rw'].startswith('rand') and rng.random() < 0.12:
        o['norandommap'] = '1'
    if rng.random() < 0.3:
        o['verify_backlog'] = str(rng.randint(1, 12))
        if rng.random() < 0.4:
            o['verify_backlog_batch'] = str(rng.randint(1, 12))
    if rng.random() < 0.08:
        o['do_verify'] = '0'
    if rng.random() < 0.1:
        o['numjobs'] = '2'
    return limits(rng, o, low, blocks, 0.3), None


def limits(rng, o, low, blocks, share):
    if rng.random() < share:
        o['loops'] = str(rng.randint(2, 3))
    if rng.random() < share:
        o['number_ios'] = str(rng.randint(1, 3 * blocks))
    if rng.random() < share:
        o['io_size'] = kib(low * rng.randint(1, 4 * blocks))
    if rng.random() < 0.1:
        o['verify_fatal'] = '1'
    return o


def run(tool, directory, options):
    """Exit code, and by job the error and the figures of each direction."""
    command = [tool, '--name=j', '--ioengine=psync', '--output-format=json', '--output=out.json', '--filename_format=f.$jobnum.$filenum']
    command += [f'--{name}={value}' for name, value in options.items()]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=60)
    text = ''
    try:
        text = open(os.path.join(directory, 'out.json')).read()
        jobs = json.loads(text[text.index('{'):])['jobs']
    except (OSError, ValueError, KeyError):
        return {'exit': done.returncode, 'jobs': [], 'text': (done.stderr or text)[:300]}
    figures = lambda j: {d: (j[d]['total_ios'], j[d]['io_bytes']) for d in ('read', 'write', 'trim')}
    return {'exit': done.returncode, 'jobs': [(j['error'], figures(j)) for j in jobs], 'text': done.stderr[:300]}


def flip(rng, directory):
    """Flips one bit in a file of the directory, and says where."""
    files = sorted(name for name in os.listdir(directory) if name.startswith('f.'))
    name = rng.choice(files)
    at = rng.randrange(os.path.getsize(os.path.join(directory, name)))
    with open(os.path.join(directory, name), 'r+b') as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ (1 << rng.randrange(8))]))
    return f'{name}:{at}'


def block_max(o):
    text = o['bsrange'].split('-')[1] if 'bsrange' in o else o['bs']
    return int(text[:-1]) * 1024 if text.endswith('k') else int(text)


def tolerance(o):
    """Are the counts drawn: the sizes, the directions, or the places that are written twice?"""
    return 'bsrange' in o or o['rw'] in ('rw', 'randrw') or 'norandommap' in o


def near(direction, a, b, o):
    """Figures of one direction, where they are drawn: within four standard deviations of a fair coin, and a few blocks."""
    (ios_a, bytes_a), (ios_b, bytes_b) = a, b
    is_whole = 'bs' in o and not any(key in o for key in ('norandommap', 'loops', 'io_size', 'number_ios', 'do_verify'))
    if is_whole and direction == 'read':
        # Each block is either read by the mix, or written and read back.
        return a == b
    slack = 4 * (max(ios_a, ios_b) ** 0.5) + 4
    ratio = 1.5 if 'bsrange' in o else 0
    return abs(ios_a - ios_b) <= slack + ratio * min(ios_a, ios_b) and abs(bytes_a - bytes_b) <= 2 * slack * block_max(o)


def all_ios(figures):
    return sum(figures[d][0] for d in figures)


# What remains different, by the first that applies: name, does it apply to this job, reason.
CLASSES = [
    ('verify_only counts writes', lambda o, f, d: 'verify_only' in o and same_but_writes(f, d),
     'fio counts writes that it does not make'),
    ('reads once', lambda o, f, d: 'read' in o['rw'] and o['rw'] != 'randrw' and ('loops' in o or 'io_size' in o or 'number_ios' in o),
     'a job that only reads and verifies makes one pass in fio, whatever loops and io_size say'),
    ('interval', lambda o, f, d: 'verify_interval' in o and o['damage'] and f['exit'] == 0 and d['exit'] != 0,
     'fio loses the result of all intervals of a block but the last'),
    ('sha', lambda o, f, d: o['verify'] in ('sha256', 'sha512') and ('read' in o['rw'] or 'verify_only' in o), 'the digests of fio 3.33 are not those of the content'),
    ('false alarm', lambda o, f, d: f['exit'] != 0 and d['exit'] == 0 and (o['rw'] in ('rw', 'randrw')) and any(k in o for k in ('nrfiles', 'norandommap', 'verify_offset', 'bsrange')),
     'fio calls right blocks of mixed jobs wrong'),
    ('one pass without verification', lambda o, f, d: o.get('do_verify') == '0' and 'io_size' in o and 'loops' not in o,
     'with do_verify=0 fio makes one pass, however much io_size asks for'),
    ('nothing verified', lambda o, f, d: f['exit'] == 0 and d['exit'] != 0 and d['jobs'] and all(j[1]['write'][0] == 0 for j in d['jobs']) and 'verify_only' not in o and o['rw'] in ('rw', 'randrw'),
     'a mix that happened to write nothing checks nothing, which is an error of fathom'),
    ('refused', lambda o, f, d: d['exit'] != 0 and not d['jobs'] and refused(d), 'fathom refuses what checks nothing, or overwrites its own headers'),
]


def same_but_writes(f, d):
    strip = lambda r: [(error, figures['read']) for error, figures in r['jobs']]
    return f['exit'] == d['exit'] and strip(f) == strip(d)


def refused(d):
    return '[verify' in d['text']


def verdict(o, fio, door):
    if fio == door or (fio['exit'], fio['jobs']) == (door['exit'], door['jobs']):
        return 'alike'
    errors = lambda r: (r['exit'], [error for error, _ in r['jobs']])
    # The first wrong block ends the job, and where it comes depends on the order of the reads: it is drawn, or with several files
    # fio goes by file, and fathom as the blocks were written.
    is_ordered = not (tolerance(o) or o['rw'].startswith('rand') or 'nrfiles' in o)
    if errors(fio) == errors(door) and fio['exit'] != 0 and fio['jobs'] and not is_ordered:
        return 'alike, drawn'
    if errors(fio) == errors(door) and fio['jobs'] and tolerance(o):
        pairs = zip(fio['jobs'], door['jobs'])
        if all(near(d, f[d], g[d], o) for (_, f), (_, g) in pairs for d in f):
            return 'alike, drawn'
    for name, applies, _ in CLASSES:
        if applies(o, fio, door):
            return name
    return 'DIFFERENT'


def counts_case(rng, tools, directory):
    o, writer = job(rng)
    damage = None
    if writer:
        run(tools[0], directory, writer)
        if rng.random() < 0.5:
            damage = flip(rng, directory)
        results = [run(tool, directory, o) for tool in tools]
    else:
        results = []
        for tool in tools:
            results.append(run(tool, directory, o))
            for name in os.listdir(directory):
                os.remove(os.path.join(directory, name))
    return o, damage, results


def exchange_case(rng, tools, directory, writer_of):
    """One tool writes, both read: results of fio and of the door."""
    method = rng.choice([m for m in METHODS if m not in ('null',)])
    shaped, _, _ = shape(rng, method)
    rw = rng.choice(['write', 'write', 'randwrite'])
    if 'bsrange' in shaped:
        # The reader draws other sizes than the writer: both find a header for each smallest block.
        shaped['verify_interval'] = shaped['bsrange'].split('-')[0]
    written = run(tools[writer_of], directory, dict(shaped, rw=rw, do_verify='0'))
    damage = flip(rng, directory) if rng.random() < 0.5 else None
    by = rng.choice([{'rw': 'read'}, {'rw': rw, 'verify_only': '1'}] if rw == 'write' and 'bsrange' not in shaped else [{'rw': 'read'}])
    o = dict(shaped, **by)
    if written['exit'] != 0:
        return o, damage, [written, written]
    return o, damage, [run(tool, directory, o) for tool in tools]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--door', required=True)
    parser.add_argument('--fio', default='/usr/bin/fio')
    parser.add_argument('--mode', choices=['counts', 'from-fio', 'to-fio'], default='counts')
    parser.add_argument('--jobs', type=int, default=400)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--first', type=int, default=0, help='number of the first job')
    parser.add_argument('--only', type=int, help='number of the only job')
    args = parser.parse_args()
    tools = [args.fio, args.door]
    seen, numbers = collections.Counter(), range(args.first, args.first + args.jobs) if args.only is None else [args.only]
    for number in numbers:
        rng = random.Random(f'{args.mode} {args.seed} {number}')
        directory = tempfile.mkdtemp(prefix='compare-verify-', dir='/dev/shm')
        try:
            if args.mode == 'counts':
                o, damage, (fio, door) = counts_case(rng, tools, directory)
            else:
                o, damage, (fio, door) = exchange_case(rng, tools, directory, int(args.mode == 'to-fio'))
        finally:
            shutil.rmtree(directory)
        how = verdict(dict(o, damage=damage), fio, door)
        seen[how] += 1
        if how == 'DIFFERENT' or args.only is not None:
            print(f'{number}: {how}: ' + ' '.join(f'{k}={v}' for k, v in o.items()) + (f' damage={damage}' if damage else ''))
            for name, result in (('fio', fio), ('door', door)):
                print(f"  {name:4} exit {result['exit']} {result['jobs']} {result['text'] if not result['jobs'] else ''}")
    print(', '.join(f'{n} {how}' for how, n in seen.most_common()))
    sys.exit(1 if seen['DIFFERENT'] else 0)


if __name__ == '__main__':
    main()
