/** A station on the air as a source: adapts the reception pool. */
import type { Pid } from '../../lib/arib/ids.ts';
import type { Log } from '../../lib/host/log.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import { liveCommand } from '../ffmpeg/recipes.ts';
import type { StationRecord } from '../model/station.ts';
import { type EncodedPiece, encoderOutput } from '../reception/encoder-output.ts';
import { type RawEvent, rawOutput } from '../reception/raw-output.ts';
import type { ReceptionPool, ReceptionStream } from '../reception/reception-pool.ts';
import type { SideReaderOptions } from '../reception/side-item.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import { STREAM_USE, type StreamProblem } from '../tuner/agent-stream.ts';
import type { SideRow } from './side-row.ts';
import { SIDE_ROWS } from './side-rows.ts';
import type {
  EncodeOrder,
  MediaSource,
  OutputConsumer,
  PacketConsumer,
  PacketOutput,
  SourceEvents,
  SourceOutput,
} from './source.ts';
import { StationSideData } from './station-side-data.ts';

export type StationContext = Pick<SideReaderOptions, 'broadcaster' | 'guide'>;

interface StationSourceOptions {
  readonly pool: Pick<ReceptionPool, 'open'>;
  readonly station: StationRecord;
  readonly log: Log;
  /** Uses that the agent must treat as ended. */
  readonly after?: readonly string[] | undefined;
  /** Kinds of side data. Default: all that there are. */
  readonly rows?: readonly SideRow[] | undefined;
  /** What is known of the station when a reader of side data begins. */
  readonly known?: (() => StationContext) | undefined;
}

/** Tunes with the priority of live viewing. @throws Failure; the abort's reason */
export async function openStationSource(
  { pool, station, log, after = [], rows = SIDE_ROWS, known }: StationSourceOptions,
  events: SourceEvents,
  signal: AbortSignal,
): Promise<StationSource> {
  const { type, channel, serviceId } = station;
  const handlers = {
    layout: (layout: StationLayout) => events.layout(layout),
    ended: ({ reason }: StreamProblem) => {
      log.info('station stream ended', { station: station.id, reason });
      events.ended();
    },
  };
  const request = { type, channel, priority: PRIORITY.live, use: STREAM_USE.live(type, channel), after };
  const stream = await pool.open({ request, serviceId, handlers, signal, lane: 'other' });
  if (stream.layout === null) throw new Error('a narrowed stream has a layout');
  const side = new StationSideData({ stream, reading: () => ({ serviceId, ...known?.() }), rows, log });
  return new StationSource(stream, stream.layout, side);
}

export class StationSource implements MediaSource {
  /** The agent's id of the tuner, if it sent one. */
  readonly tunerId: string | null;

  constructor(
    private readonly stream: ReceptionStream,
    readonly layout: StationLayout,
    private readonly side: StationSideData,
  ) {
    this.tunerId = stream.tunerId;
  }

  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput {
    const { video, audio } = order;
    const streams = {
      video: video === null ? null : { pid: video.pid as Pid, kind: video.kind },
      audio: audio === null ? null : (audio.pid as Pid),
    };
    const receipts = new Receipts((bytes) => output.command({ kind: 'taken', bytes }));
    const options = { command: liveCommand(order), streams, waitForPicture: video !== null };
    const side = this.side.follow((frame) => consumer.frame(frame));
    const output = this.stream.output(encoderOutput, options, {
      event: (piece: EncodedPiece) => {
        if (piece.kind === 'fault') {
          consumer.frame({ kind: 'fault', fault: piece.fault });
          return;
        }
        receipts.add(piece.bytes.length);
        if (piece.kind === 'fragment') {
          const { bytes, sync, time } = piece;
          side.reached(time);
          consumer.frame({ kind: 'fragment', bytes, isSync: sync, time });
          return;
        }
        const { bytes, mime, origin } = piece;
        consumer.frame({ kind: 'init', bytes, mime });
        side.onScale(origin);
      },
      ended: (end) => {
        side.stop();
        consumer.ended(end);
      },
    });
    return {
      side,
      stop: () => {
        side.stop();
        void output.stop();
      },
    };
  }

  packets(consumer: PacketConsumer): PacketOutput {
    const receipts = new Receipts((bytes) => output.command({ kind: 'taken', bytes }));
    const side = this.side.follow((frame) => consumer.frame(frame));
    const output = this.stream.output(rawOutput, null, {
      event: (event: RawEvent) => {
        receipts.add(event.bytes.length);
        if (event.kind === 'burst') consumer.burst(event.viewer, event.bytes);
        else consumer.frame({ kind: 'packets', bytes: event.bytes, isExclusive: true });
      },
      ended: (end) => {
        side.stop();
        consumer.ended(end);
      },
    });
    // Side data have the broadcast's time stamps, like the packets.
    side.onStamps();
    return {
      side,
      stop: () => {
        side.stop();
        void output.stop();
      },
      join: (viewer) => output.command({ kind: 'join', viewer }),
    };
  }

  /** Releases the tuner. */
  async close(): Promise<void> {
    await this.stream.close();
  }
}

/** Acknowledges the amount read to the worker, in few messages. */
class Receipts {
  #bytes = 0;

  constructor(private readonly send: (bytes: number) => void) {}

  add(bytes: number): void {
    const STEP = 256 * 1024;
    this.#bytes += bytes;
    if (this.#bytes < STEP) return;
    this.send(this.#bytes);
    this.#bytes = 0;
  }
}
