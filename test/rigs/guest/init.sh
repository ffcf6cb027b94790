#!/bin/busybox sh
# First process of the guest: loads the modules, shows the host's files read-only under /host and runs the scenario there.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /host
cd /modules
for module in $(cat order); do
  insmod "$module.ko" || echo "RIG {\"step\":\"insmod\",\"error\":\"$module\"}"
done
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=524288 host /host || echo 'RIG {"step":"mount","error":"9p"}'
ip link set lo up
for folder in dev proc sys; do mount --bind "/$folder" "/host/$folder"; done
# What is written in the guest stays there.
mount -t tmpfs tmpfs /host/mnt
mount -t tmpfs tmpfs /host/run
chroot /host /usr/bin/timeout 600 $(cat /command)
echo "RIG {\"step\":\"end\",\"code\":$?}"
poweroff -f
