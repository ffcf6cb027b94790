#!/bin/busybox sh
# First process of the guest: loads the modules and hands over to the systemd of a Debian that lies on the host. What is
# written in the guest stays there.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
cd /modules
for module in $(cat order); do
  insmod "$module.ko" || echo "RIG {\"step\":\"insmod\",\"error\":\"$module\"}"
done
mkdir -p /lower /top /new
mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 host /lower || echo 'RIG {"step":"mount","error":"9p"}'
mount -t tmpfs tmpfs /top
mkdir /top/upper /top/work
mount -t overlay -o "lowerdir=/lower$(cat /debian),upperdir=/top/upper,workdir=/top/work" overlay /new || echo 'RIG {"step":"mount","error":"overlay"}'
# For the programs under test and Bun.
mkdir -p /new/host
mount --bind /lower /new/host
cat > /new/etc/systemd/system/rig.service <<UNIT
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/usr/bin/timeout 900 $(cat /command)
ExecStopPost=/usr/bin/systemctl poweroff --force --force
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
UNIT
mkdir -p /new/etc/systemd/system/multi-user.target.wants
ln -sf ../rig.service /new/etc/systemd/system/multi-user.target.wants/rig.service
ln -sf /dev/null /new/etc/systemd/system/serial-getty@ttyS0.service
umount /proc /sys
mount --move /dev /new/dev
exec switch_root /new /sbin/init
