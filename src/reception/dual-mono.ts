/**
 * Filter before an encoder: converts dual-mono audio as broadcast to two-channel audio that ffmpeg can decode (the
 * reason is in `lib/arib/aac/dual-mono.ts`). Other packets and other audio pass unchanged.
 */
import { DualMonoConfigurer, isBareDualMono } from '../../lib/arib/aac/dual-mono.ts';
import type { Pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import {
  continuityCounter,
  hasPayload,
  PACKET_SIZE,
  packetPid,
  payloadStart,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { PesAssembler, packetizePes, readPes } from '../../lib/arib/ts/pes.ts';

/** stream_id 110x xxxx, ISO/IEC 13818-1 table 2-22. */
const AUDIO_STREAM_ID = 0xc0;
/** Broadcast PES packets of audio hold a few frames of at most 8 KB each, far below this limit. */
const MAX_PES_BYTES = 256 * 1024;

interface AudioStream {
  pid: Pid;
  /** Collects a PES packet, which is rewritten once it is complete; undefined while audio passes unchanged. */
  assembler: PesAssembler | undefined;
  readonly configurer: DualMonoConfigurer;
  /** Continuity counter of the last packet written; undefined until the first rewrite. Later packets are renumbered. */
  counter: number | undefined;
}

export class DualMonoPackets {
  readonly #streams: ReadonlyMap<number, AudioStream>;

  /** Only the streams of these PIDs are examined. */
  constructor(pids: readonly number[]) {
    this.#streams = new Map(
      pids.map((pid) => [
        pid,
        {
          pid: pid as Pid,
          assembler: undefined,
          configurer: new DualMonoConfigurer(),
          counter: undefined,
        },
      ]),
    );
  }

  /** Takes whole packets; returns the same array if nothing in it changes. */
  feed(packets: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    let copied = 0;
    for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
      const stream = this.#streams.get(packetPid(packets, offset));
      if (stream === undefined) continue;
      const instead = this.#packet(stream, packets, offset);
      if (instead === undefined) continue;
      parts.push(packets.subarray(copied, offset), instead);
      copied = offset + PACKET_SIZE;
    }
    if (copied === 0) return packets;
    parts.push(packets.subarray(copied));
    return joinBytes(parts);
  }

  /** The replacement of this packet; undefined if it is kept. */
  #packet(stream: AudioStream, packets: Uint8Array, offset: number): Uint8Array | undefined {
    if (startsUnit(packets, offset)) this.#unit(stream, packets, offset);
    if (stream.assembler === undefined) return this.#renumbered(stream, packets, offset);
    const whole = stream.assembler.feed(packets, offset).map(({ streamId, data }) => {
      const header = new Uint8Array(data.buffer, 0, data.byteOffset);
      const isAudio = (streamId & 0xe0) === AUDIO_STREAM_ID;
      const pes = joinBytes([header, isAudio ? stream.configurer.feed(data) : data]);
      const last = stream.counter ?? 0;
      const written = packetizePes(pes, stream.pid, last + 1);
      stream.counter = (last + written.length / PACKET_SIZE) & 0x0f;
      return written;
    });
    return joinBytes(whole);
  }

  /** Called at the start of a PES packet: whether its audio is dual mono decides how the next packets are handled. */
  #unit(stream: AudioStream, packets: Uint8Array, offset: number): void {
    const pes = readPes(packets.subarray(payloadStart(packets, offset), offset + PACKET_SIZE));
    if (pes === undefined || (pes.streamId & 0xe0) !== AUDIO_STREAM_ID) return;
    // Not aligned: the frame that starts inside it is found later, and the previous decision stays in force.
    if (pes.data[0] !== 0xff) return;
    if (isBareDualMono(pes.data, 0)) {
      stream.assembler ??= new PesAssembler(MAX_PES_BYTES);
      stream.counter ??= (continuityCounter(packets, offset) + 15) & 0x0f;
    } else {
      stream.assembler = undefined;
      stream.configurer.reset();
    }
  }

  #renumbered(stream: AudioStream, packets: Uint8Array, offset: number): Uint8Array | undefined {
    if (stream.counter === undefined) return undefined;
    if (hasPayload(packets, offset)) stream.counter = (stream.counter + 1) & 0x0f;
    const packet = packets.slice(offset, offset + PACKET_SIZE);
    packet[3] = ((packet[3] as number) & 0xf0) | stream.counter;
    return packet;
  }
}
