/** Options and statistics of TCP sockets that the runtime does not offer, with libc. Linux numbers. */
import { dlopen, ptr } from 'bun:ffi';

const SYMBOLS = {
  setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
} as const;

const IPPROTO_IP = 0;
const IP_TTL = 2;
const IPPROTO_IPV6 = 41;
const IPV6_UNICAST_HOPS = 16;
const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/** `tcpi_rtt` of `struct tcp_info`: microseconds, 32 bits. */
const RTT_OFFSET = 68;
const TCP_INFO_BYTES = 104;

let library: ReturnType<typeof dlopen<typeof SYMBOLS>>['symbols'] | undefined;

function libc(): NonNullable<typeof library> {
  library ??= dlopen('libc.so.6', SYMBOLS).symbols;
  return library;
}

/** Time to live, or hop limit, of packets sent by the socket; accepted sockets inherit it. */
export function setHopLimit(fd: number, family: 'ipv4' | 'ipv6', hops: number): boolean {
  const value = new Int32Array([hops]);
  const [level, name] = family === 'ipv4' ? [IPPROTO_IP, IP_TTL] : [IPPROTO_IPV6, IPV6_UNICAST_HOPS];
  return libc().setsockopt(fd, level, name, ptr(value), 4) === 0;
}

/** The kernel's smoothed round-trip time, ms; undefined if there is no measurement yet. */
export function roundTripMs(fd: number): number | undefined {
  const info = new Uint8Array(TCP_INFO_BYTES);
  const length = new Uint32Array([info.length]);
  if (libc().getsockopt(fd, IPPROTO_TCP, TCP_INFO, ptr(info), ptr(length)) !== 0) return undefined;
  if ((length[0] as number) < RTT_OFFSET + 4) return undefined;
  const microseconds = new DataView(info.buffer).getUint32(RTT_OFFSET, true);
  return microseconds === 0 ? undefined : microseconds / 1000;
}
