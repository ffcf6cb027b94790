/**
 * A delay line between two TUN devices that it creates: every packet is delivered to the other side after a
 * delay. `delay-line.ts DEVICE DEVICE MS`. Prints `ready` when both exist; ends when its standard input ends.
 */
import { dlopen, ptr } from 'bun:ffi';

const O_RDWR = 2;
const O_NONBLOCK = 0o4000;
/** `_IOW('T', 202, int)` of linux/if_tun.h; IFF_TUN | IFF_NO_PI at offset 16 of `struct ifreq`. */
const TUNSETIFF = 0x400454ca;
const TUN_WITHOUT_HEADER = 0x1001;
const POLLIN = 1;
const MAX_PACKET = 65_536;
const MAX_WAITING = 10_000;
/** Polling interval of the stop flag, ms. */
const TICK_MS = 20;

const { symbols: libc } = dlopen('libc.so.6', {
  open: { args: ['ptr', 'i32'], returns: 'i32' },
  ioctl: { args: ['i32', 'u64', 'ptr'], returns: 'i32' },
  read: { args: ['i32', 'ptr', 'u64'], returns: 'i64' },
  write: { args: ['i32', 'ptr', 'u64'], returns: 'i64' },
  poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
});

function openTun(name: string): number {
  const fd = libc.open(ptr(new TextEncoder().encode('/dev/net/tun\0')), O_RDWR | O_NONBLOCK);
  const request = new Uint8Array(40);
  request.set(new TextEncoder().encode(name).subarray(0, 15));
  new DataView(request.buffer).setUint16(16, TUN_WITHOUT_HEADER, true);
  if (fd < 0 || libc.ioctl(fd, TUNSETIFF, ptr(request)) < 0) throw new Error(`no TUN device ${name}`);
  return fd;
}

const [first = '', second = '', delay = '0'] = process.argv.slice(2);
const fds = [openTun(first), openTun(second)] as const;
const waiting: { dueAt: number; to: number; packet: Uint8Array }[] = [];
const buffer = new Uint8Array(MAX_PACKET);
const entries = new DataView(new ArrayBuffer(16));
let isRunning = true;
process.stdin.on('end', () => {
  isRunning = false;
});
process.stdin.resume();
console.log('ready');
while (isRunning) {
  const next = waiting[0];
  const wait = next === undefined ? TICK_MS : Math.min(TICK_MS, Math.max(0, next.dueAt - performance.now()));
  for (const [index, fd] of fds.entries()) {
    entries.setInt32(index * 8, fd, true);
    entries.setInt16(index * 8 + 4, POLLIN, true);
  }
  libc.poll(ptr(entries), 2, Math.ceil(wait));
  for (const [index, fd] of fds.entries()) {
    const length = Number(libc.read(fd, ptr(buffer), buffer.length));
    if (length <= 0 || waiting.length >= MAX_WAITING) continue;
    waiting.push({
      dueAt: performance.now() + Number(delay),
      to: fds[1 - index] as number,
      packet: buffer.slice(0, length),
    });
  }
  while (waiting[0] !== undefined && waiting[0].dueAt <= performance.now()) {
    const { to, packet } = waiting.shift() as (typeof waiting)[number];
    libc.write(to, ptr(packet), packet.length);
  }
  // Lets the end of standard input be handled.
  await Bun.sleep(0);
}
process.exit(0);
