/** Sends a stream's packets in datagrams, as HDHomeRun does: seven packets each, alone or after an RTP header. */
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import type { Log } from '../../lib/host/log.ts';
import type { HdhrSending, HdhrTarget } from './hdhomerun-tuner.ts';

const DATAGRAM_BYTES = 7 * 188;
/** Datagrams that are sent at once: 30 KB, far below a receiver's buffer. */
const BURST = 24;
/** With `BURST` a limit of 80 Mbit/s, three times a satellite channel. */
const PAUSE_MS = 3;
/** A client that ended without a word, on a machine that refuses no packets. */
const MAX_MS = 12 * 3_600_000;
const RTP_BYTES = 12;
/** Payload type of a transport stream, RFC 3551; its clock has 90 kHz. */
const RTP_TYPE = 33;

interface SenderNeeds {
  /** @throws Failure; the abort's reason */
  readonly open: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  readonly monotonic: () => number;
  readonly log: Log;
}

export function sendTo(
  { protocol, address, port }: HdhrTarget,
  { open, monotonic, log }: SenderNeeds,
): HdhrSending {
  const abort = new AbortController();
  const { signal } = abort;
  const limit = setTimeout(() => abort.abort(new Error('12 hours')), MAX_MS);
  limit.unref();
  let [rate, counted, since] = [0, 0, monotonic()];
  const count = (bytes: number): void => {
    counted += bytes;
    const elapsed = monotonic() - since;
    if (elapsed < 1_000) return;
    [rate, counted, since] = [(counted * 8_000) / elapsed, 0, monotonic()];
  };
  const work = async (): Promise<void> => {
    const stream = await open(signal);
    const reader = stream.getReader();
    const leave = (): void => void reader.cancel(signal.reason).catch(() => {});
    signal.addEventListener('abort', leave, { once: true });
    const form = protocol === 'rtp' ? rtpForm(monotonic) : (part: Uint8Array) => part;
    let rest = new Uint8Array(0);
    let socket: { send(data: Uint8Array): boolean; close(): void } | undefined;
    try {
      socket = await Bun.udpSocket({
        connect: { hostname: address, port },
        // The client has closed its port.
        socket: { error: () => abort.abort(new Error('refused')) },
      });
      for (;;) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) return;
        // Receivers ignore datagrams that are not full.
        const packets = joinBytes([rest, value]);
        const full = packets.length - (packets.length % DATAGRAM_BYTES);
        rest = packets.slice(full);
        for (let at = 0, sent = 1; at < full; at += DATAGRAM_BYTES, sent += 1) {
          // A full buffer of the system loses the datagram, as a network would.
          socket.send(form(packets.subarray(at, at + DATAGRAM_BYTES)));
          if (sent % BURST === 0) await Bun.sleep(PAUSE_MS);
          if (signal.aborted) return;
        }
        count(full);
      }
    } finally {
      signal.removeEventListener('abort', leave);
      leave();
      socket?.close();
    }
  };
  const ended = work()
    .catch((error) => {
      if (!signal.aborted) log.warn('HDHomeRun target ended', { error: String(error) });
    })
    .finally(() => clearTimeout(limit));
  return {
    get bitsPerSecond() {
      return rate;
    },
    ended,
    stop: () => abort.abort(new Error('stopped')),
  };
}

function rtpForm(monotonic: () => number): (part: Uint8Array) => Uint8Array {
  let sequence = 0;
  return (part) => {
    const datagram = new Uint8Array(RTP_BYTES + part.length);
    const view = new DataView(datagram.buffer);
    view.setUint8(0, 0x80);
    view.setUint8(1, RTP_TYPE);
    view.setUint16(2, sequence);
    view.setUint32(4, Math.round(monotonic() * 90) % 2 ** 32);
    sequence = (sequence + 1) & 0xffff;
    datagram.set(part, RTP_BYTES);
    return datagram;
  };
}
