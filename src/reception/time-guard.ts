/**
 * Filter before an encoder: drops damaged packets and impossible time stamps. ffmpeg trusts every time stamp: one wrong
 * bit in an audio time stamp makes it insert hours of silence, which takes gigabytes of memory.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import type { Pts90k } from '../../lib/arib/time.ts';
import { PTS_HZ, ptsDifference } from '../../lib/arib/ts/clock.ts';
import {
  hasTransportError,
  PACKET_SIZE,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { readPes } from '../../lib/arib/ts/pes.ts';

/**
 * Time stamps of a stream are at most 0.7 s apart (ISO/IEC 13818-1 2.7.4); larger steps must be confirmed by a second
 * time stamp.
 */
const MAX_STEP = PTS_HZ;
/** A longer loss of reception ends the stream, so a larger step means another clock. */
const MAX_GAP = 10 * PTS_HZ;

interface Watched {
  /** The last accepted time stamp. */
  last: Pts90k | undefined;
  /** The last doubtful time stamp, until the next one confirms it. */
  doubted: Pts90k | undefined;
  /** Inside a PES packet with a doubtful time stamp. */
  dropping: boolean;
}

export class TimeGuard {
  readonly #streams: ReadonlyMap<number, Watched>;

  /** Only the streams of these PIDs are checked. */
  constructor(pids: readonly number[]) {
    this.#streams = new Map(
      pids.map((pid) => [pid, { last: undefined, doubted: undefined, dropping: false }]),
    );
  }

  /** Called when this stream was filled up to a time stamp, from which it continues. */
  reached(pid: Pid, pts: Pts90k): void {
    const stream = this.#streams.get(pid);
    if (stream === undefined) return;
    stream.last = pts;
    stream.doubted = undefined;
  }

  /** Takes whole packets; returns those to be encoded (the same array if all are), or `jump` if the clock jumped. */
  feed(packets: Uint8Array): Uint8Array | 'jump' {
    const parts: Uint8Array[] = [];
    let copied = 0;
    for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
      const verdict = this.#judge(packets, offset);
      if (verdict === 'jump') return verdict;
      if (verdict === 'pass') continue;
      parts.push(packets.subarray(copied, offset));
      copied = offset + PACKET_SIZE;
    }
    if (copied === 0) return packets;
    parts.push(packets.subarray(copied));
    return joinBytes(parts);
  }

  #judge(packets: Uint8Array, offset: number): 'pass' | 'drop' | 'jump' {
    // The header may be damaged too, so its PID cannot be trusted.
    if (hasTransportError(packets, offset)) return 'drop';
    const stream = this.#streams.get(packetPid(packets, offset));
    // Scrambled packets have no readable time stamp, and decoders skip them.
    if (stream === undefined || scramblingControl(packets, offset) !== 0) return 'pass';
    if (startsUnit(packets, offset)) {
      const pes = readPes(packets.subarray(payloadStart(packets, offset), offset + PACKET_SIZE));
      const belief = believe(stream, pes?.pts, pes?.dts);
      if (belief === 'jump') return belief;
      stream.dropping = belief === 'doubt';
    }
    return stream.dropping ? 'drop' : 'pass';
  }
}

function believe(
  stream: Watched,
  pts: Pts90k | undefined,
  dts: Pts90k | undefined,
): 'belief' | 'doubt' | 'jump' {
  if (pts === undefined) return 'belief';
  if (dts !== undefined && !isNear(pts, dts)) return 'doubt';
  const { last, doubted } = stream;
  if (last !== undefined && !isNear(pts, last)) {
    stream.doubted = pts;
    if (doubted === undefined || !isNear(pts, doubted)) return 'doubt';
    const ahead = ptsDifference(pts, last);
    if (ahead < 0 || ahead > MAX_GAP) return 'jump';
  }
  stream.last = pts;
  stream.doubted = undefined;
  return 'belief';
}

function isNear(a: Pts90k, b: Pts90k): boolean {
  return Math.abs(ptsDifference(a, b)) <= MAX_STEP;
}
