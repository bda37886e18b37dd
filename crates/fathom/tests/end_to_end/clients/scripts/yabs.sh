#!/bin/bash
# The disk test of YABS: the columns 7, 8, 48 and 49 of --minimal. yabs.sh DIRECTORY
file=$1/test.fio
fio --name=setup --ioengine=libaio --rw=read --bs=64k --iodepth=64 --numjobs=2 --size=4M --runtime=1 --gtod_reduce=1 \
    --filename="$file" --direct=0 --minimal &> /dev/null
for bs in 4k 64k; do
    line=$(timeout 35 fio --name=rand_rw_$bs --ioengine=libaio --rw=randrw --rwmixread=50 --bs=$bs --iodepth=64 --numjobs=2 \
        --size=4M --runtime=1 --gtod_reduce=1 --direct=0 --filename="$file" --group_reporting --minimal 2> /dev/null |
        grep rand_rw_$bs)
    echo "$bs $(echo "$line" | awk -F';' '{ print NF, $7, $8, $48, $49 }')"
done
