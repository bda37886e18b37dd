#!/bin/sh
# The measurements and the patterns of dbench, which the benchmarks of storage classes of Kubernetes use: dbench.sh DIRECTORY
set -e
file=$1/fiotest
run() {
    name=$1 bs=$2 depth=$3 pattern=$4
    shift 4
    fio --randrepeat=0 --verify=0 --ioengine=libaio --direct=0 --name="$name" --filename="$file" --bs="$bs" --iodepth="$depth" \
        --size=4M --readwrite="$pattern" --time_based --ramp_time=50ms --runtime=150ms "$@"
}
value() { grep -Eoi "$1=[0-9GMKiBs/.k]+" | cut -d= -f2; }

r=$(run read_iops 4K 64 randread --gtod_reduce=1)
w=$(run write_iops 4K 64 randwrite --gtod_reduce=1)
echo "iops $(echo "$r" | grep -E 'read ?:' | grep -Eoi 'IOPS=[0-9k.]+' | cut -d= -f2)"
echo "iops $(echo "$w" | grep -E 'write:' | grep -Eoi 'IOPS=[0-9k.]+' | cut -d= -f2)"
echo "bandwidth $(echo "$r" | grep -E 'read ?:' | value BW)"
r=$(run read_latency 4K 4 randread)
echo "latency $(echo "$r" | grep ' lat.*avg' | grep -Eoi 'avg=[ 0-9.]+' | cut -d= -f2)"
echo "unit $(echo "$r" | grep ' lat.*avg' | grep -oP '(?<=lat )[^ ]*' | grep -Eoi '[a-z]+')"
w=$(run write_seq 1M 16 write --gtod_reduce=1 --thread --numjobs=4 --offset_increment=1M)
echo "bandwidth $(echo "$w" | grep -E 'WRITE:' | value '(aggrb|bw)')"
m=$(run rw_mix 4k 64 randrw --gtod_reduce=1 --rwmixread=75)
echo "iops $(echo "$m" | grep -E 'read ?:' | grep -Eoi 'IOPS=[0-9k.]+' | cut -d= -f2)"
echo "iops $(echo "$m" | grep -E 'write:' | grep -Eoi 'IOPS=[0-9k.]+' | cut -d= -f2)"
