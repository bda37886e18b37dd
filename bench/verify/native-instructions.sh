#!/bin/sh -e
# User instructions of a verified read on this processor, fathom and fio: native-instructions.sh FATHOM [BS] [FEW] [MANY]
# The difference between MANY and FEW reads, so that what happens once does not count. Each instruction takes some microseconds here.
fathom=$1 bs=${2:-4k} few=${3:-100} many=${4:-400}
here=$(dirname "$(readlink -f "$0")")
dir=$(mktemp -d /dev/shm/native-XXXXXX)
trap 'rm -rf "$dir"' EXIT
cc -O2 -o "$dir/steps" "$here/steps.c"
cd "$dir"
job() { printf '[w]\nfilename=%s/blocks\nsize=32m\nioengine=psync\nbs=%s\nverify=crc32c\n%s\n' "$dir" "$bs" "$1" > job.fio; }
job "rw=write
do_verify=0"
fio job.fio > /dev/null
count() {
    job "rw=read
number_ios=$1"
    shift
    "$@" job.fio 2>&1 > /dev/null | tail -1
}
each() { echo "$1: $(( ($3 - $2) / (many - few) )) instructions for each verified read of $bs"; }
each fathom "$(count "$few" ./steps worker "$fathom" run)" "$(count "$many" ./steps worker "$fathom" run)"
each fio "$(count "$few" ./steps all fio --thread)" "$(count "$many" ./steps all fio --thread)"
