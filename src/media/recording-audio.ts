/** The first audio stream of a recording as AAC frames with ADTS headers, as broadcast. ISO/IEC 13818-7 6.2. */
import type { Pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import {
  ContinuityCheck,
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { pesTimes } from '../../lib/arib/ts/pes.ts';
import { AdtsFrames } from './adts-frames.ts';
import { ProgramTables } from './program-tables.ts';
import type { RecordingBytes } from './recording-bytes.ts';
import { recordingFeed } from './recording-feed.ts';
import type { RecordingIndex } from './recording-index.ts';

/** stream_type of AAC in ADTS, ISO/IEC 13818-1 table 2-34. */
const ADTS = 0x0f;

/** Whether the recording has audio in this format. */
export function hasAdts(index: RecordingIndex): boolean {
  const tables = new ProgramTables(index.serviceId);
  tables.feedAll(index.tables);
  const [pid] = index.layout.audios;
  return pid !== undefined && tables.streamType(pid) === ADTS;
}

class AudioFrames {
  readonly #tables: ProgramTables;
  readonly #continuity = new ContinuityCheck();
  readonly #frames = new AdtsFrames();
  #pid: Pid | undefined;

  constructor({ serviceId, tables, layout }: RecordingIndex) {
    this.#pid = layout.audios[0];
    this.#tables = new ProgramTables(serviceId, ({ audios }) => {
      const [pid] = audios;
      if (pid === undefined || pid === this.#pid) return;
      this.#pid = pid;
      this.#continuity.reset();
      this.#frames.reset();
    });
    this.#tables.feedAll(tables);
  }

  feed(packets: Uint8Array): Uint8Array<ArrayBuffer> {
    const out: Uint8Array[] = [];
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      this.#tables.feed(packets, at);
      if (packetPid(packets, at) !== this.#pid || !hasPayload(packets, at)) continue;
      if (hasTransportError(packets, at) || scramblingControl(packets, at) !== 0) continue;
      const continuity = this.#continuity.next(packets, at);
      if (continuity === 'duplicate') continue;
      // An incomplete frame is dropped.
      if (continuity === 'gap') this.#frames.reset();
      const times = startsUnit(packets, at) ? pesTimes(packets, at) : undefined;
      const data = times?.dataAt ?? payloadStart(packets, at);
      out.push(...this.#frames.feed(packets.subarray(data, at + PACKET_SIZE)));
    }
    return joinBytes(out);
  }
}

/** The audio written so far, read on demand. @param onClosed called once, when reading has ended */
export function recordingAudio(
  bytes: RecordingBytes,
  index: RecordingIndex,
  onClosed: () => void,
): ReadableStream<Uint8Array> {
  const abort = new AbortController();
  const feed = recordingFeed({ bytes, index, from: 0, signal: abort.signal });
  const frames = new AudioFrames(index);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await feed.next();
            if (done === true) {
              onClosed();
              controller.close();
              return;
            }
            const found = value.kind === 'packets' ? frames.feed(value.bytes) : undefined;
            if (found === undefined || found.length === 0) continue;
            controller.enqueue(found);
            return;
          }
        } catch (error) {
          onClosed();
          throw error;
        }
      },
      cancel() {
        abort.abort();
        onClosed();
      },
    },
    { highWaterMark: 0 },
  );
}
