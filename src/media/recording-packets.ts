/**
 * The original packets of a recording for one viewer, from an entry on, with its PAT and PMT first. After the first
 * gap, time stamps are shifted, so that the whole stream has one origin and no jumps.
 */
import { type Media90k, media90k, type Pts90k, pts90k } from '../../lib/arib/time.ts';
import {
  hasTransportError,
  PACKET_SIZE,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { pesTimes, shiftPcr, shiftPes } from '../../lib/arib/ts/pes.ts';
import type { RecordingEntry } from './entry-search.ts';
import type { RecordingBytes } from './recording-bytes.ts';
import { type FollowedRecording, recordingFeed } from './recording-feed.ts';
import type { IndexPiece, RecordingIndex } from './recording-index.ts';
import { RecordingSideData } from './recording-side-data.ts';
import type { SideRow } from './side-row.ts';
import type { OutputEnd, PacketConsumer } from './source.ts';

interface RecordingPacketsOptions {
  readonly bytes: Pick<RecordingBytes, 'read' | 'size' | 'refresh'>;
  readonly index: RecordingIndex;
  readonly entry: RecordingEntry;
  readonly follow: FollowedRecording | undefined;
  /** Side data that are read from the packets, too. */
  readonly rows?: readonly SideRow[];
}

/** Time stamp of media time 0, extrapolated from a piece. */
export function packetOrigin({ pts, start }: Pick<IndexPiece, 'pts' | 'start'>): Pts90k {
  return pts90k(pts - start);
}

export class RecordingPackets {
  readonly #abort = new AbortController();
  readonly #joined = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  readonly #origin: Pts90k;
  readonly side: RecordingSideData;
  #position: Media90k;
  #shift = 0;
  #piece: IndexPiece | undefined;
  #isHeld = false;
  #resume: (() => void) | undefined;

  constructor(
    private readonly options: RecordingPacketsOptions,
    private readonly consumer: PacketConsumer,
  ) {
    this.#origin = packetOrigin(options.entry.piece);
    this.#position = options.entry.media;
    this.side = new RecordingSideData({
      ...{ rows: options.rows ?? [], serviceId: options.index.serviceId, tables: options.entry.tables },
      position: () => this.#position,
      timeOf: (media) => pts90k(this.#origin + media),
      give: (frame) => consumer.frame(frame),
    });
    this.#running = this.#run();
  }

  /** The only viewer joins; its stream begins with the tables. */
  join(viewer: number): void {
    this.consumer.burst(viewer, this.options.entry.tables);
    this.#joined.resolve();
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld) this.#resume?.();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#joined.resolve();
    this.#resume?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    await this.#joined.promise;
    let end: OutputEnd = { cause: 'finished' };
    const { signal } = this.#abort;
    try {
      const { bytes, index, entry, follow } = this.options;
      const position = (): Media90k => this.#position;
      for await (const block of recordingFeed({ bytes, index, from: entry.at, follow, position, signal })) {
        if (block.kind === 'piece') this.#begin(block.piece);
        else this.#emit(block.bytes);
        await this.#waitForRoom();
      }
      if (signal.aborted) end = { cause: 'lost' };
    } catch {
      end = { cause: 'lost' };
    }
    this.consumer.ended(end);
  }

  #begin(piece: IndexPiece): void {
    this.#piece = piece;
    this.side.begin(piece);
    this.#shift = pts90k(this.#origin - packetOrigin(piece));
  }

  /** Modifies the block, which is used by this viewer only. */
  #emit(packets: Uint8Array): void {
    const piece = this.#piece;
    this.side.feed(packets);
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      if (hasTransportError(packets, at)) continue;
      if (this.#shift !== 0) shiftPcr(packets, at, this.#shift);
      if (!startsUnit(packets, at) || scramblingControl(packets, at) !== 0) continue;
      if (payloadStart(packets, at) >= at + PACKET_SIZE) continue;
      const times = pesTimes(packets, at);
      if (times === undefined) continue;
      if (piece !== undefined && (times.streamId & 0xf0) === 0xe0) {
        this.#position = media90k(piece.start + Math.max(0, pts90k(times.pts - piece.pts) % 2 ** 32));
      }
      if (this.#shift !== 0) shiftPes(packets, times, this.#shift);
    }
    this.consumer.frame({ kind: 'packets', bytes: packets });
  }

  async #waitForRoom(): Promise<void> {
    while (this.#isHeld && !this.#abort.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }
}
