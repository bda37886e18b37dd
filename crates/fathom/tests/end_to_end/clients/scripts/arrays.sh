#!/bin/bash
# As the script of Intel's guide for VROC: one job file and one line of --minimal for each test, then one table. arrays.sh DEVICE
device=$1
folder=results
mkdir -p $folder

write_job() {
    {
        echo "[global]"
        for line in time_based ioengine=libaio direct=1 buffered=0 norandommap refill_buffers stonewall disable_slat=1 disable_lat=1 \
            disable_bw=1 randrepeat=0 thread unified_rw_reporting=0 group_reporting do_verify=0; do echo "$line"; done
        [[ $order == Random ]] && printf '%s\n' percentage_random=100 random_generator=tausworthe64
        printf '%s\n' runtime=150ms ramp_time=50ms "" "[$name]" size=100% "filename=$device"
        case $order-$share in
            Seq-100) echo rw=write ;;
            Seq-0) echo rw=read ;;
            Random-100) printf '%s\n' rw=randwrite rwmixwrite=100 ;;
            Random-0) printf '%s\n' rw=randread rwmixread=100 ;;
            *) printf '%s\n' rw=randrw "rwmixwrite=$share" ;;
        esac
        printf '%s\n' "bs=$block" offset=0 "iodepth=$depth" "iodepth_batch=$depth" "numjobs=$workers"
    } > FioConfig.ini
}

measure() {
    name="VROC-RAID_${block}_${order}_${share}%Writes_IODepth${depth}_Workers${workers}_${iteration}"
    write_job
    cp -a FioConfig.ini "$folder/$name.ini"
    fio --minimal --eta=never "--output=./$folder/$name.csv" ./FioConfig.ini &
    child=$!
    # The script waits for what `pidof fio` finds.
    for _ in {1..100}; do
        [[ " $(pidof fio) " == *" $child "* ]] && break
        sleep 0.01
    done
    [[ " $(pidof fio) " == *" $child "* ]] || exit 9
    wait $child || exit 8
    sed -i -e 's/;/,/g' -e 's/_/,/g' "$folder/$name.csv"
}

for iteration in 1 2; do
    order=Seq block=128k depth=128 workers=1
    for share in 100 0; do measure; done
    order=Random block=4k depth=16
    for share in 100 30 0; do
        for workers in 2 1; do measure; done
    done
done
echo "terse_version,fio_version,jobname,blocksize,SeqOrRandom,write_percent,iodepth,threads,iteration,groupid,error" > $folder/AllFioResults.csv
cat ./$folder/*IODepth*[0-9].csv >> $folder/AllFioResults.csv
sed -i -e 's/%Writes/,/g' -e 's/IODepth/,/g' -e 's/Workers/,/g' $folder/AllFioResults.csv
