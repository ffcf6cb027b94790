/** A station on the air as a source: adapts the reception client. */
import { media90k, type Pts90k, pts90k } from '../../arib/time.ts';
import type { Log } from '../../host/log.ts';
import { PRIORITY } from '../../wire/agent.ts';
import { liveCommand } from '../ffmpeg/recipes.ts';
import type { StationRecord } from '../model/station.ts';
import type { ReceptionClient, StationStream } from '../reception/reception-client.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type {
  EncodeOrder,
  MediaSource,
  OutputConsumer,
  PacketConsumer,
  PacketOutput,
  SourceEvents,
  SourceOutput,
} from './source.ts';

export interface StationSourceOptions {
  readonly client: ReceptionClient;
  readonly agentUrl: string;
  readonly station: StationRecord;
  readonly log: Log;
}

/** Tunes at the priority of live. @throws Failure, the abort's reason */
export async function openStationSource(
  { client, agentUrl, station, log }: StationSourceOptions,
  events: SourceEvents,
  signal: AbortSignal,
): Promise<StationSource> {
  const query = new URLSearchParams({
    type: station.type,
    channel: station.channel,
    priority: String(PRIORITY.live),
    use: `live ${station.type}/${station.channel}`,
  });
  const handlers = {
    layout: (layout: StationLayout) => events.layout(layout),
    ended: (reason: string) => {
      log.info('station stream ended', { station: station.id, reason });
      events.ended();
    },
  };
  const url = `${agentUrl}/agent/stream?${query}`;
  return new StationSource(await client.open(url, station.serviceId, handlers, signal));
}

export class StationSource implements MediaSource {
  readonly layout: StationLayout;
  /** The agent's name of the tuner, where it told one. */
  readonly tunerId: string | null;

  constructor(private readonly stream: StationStream) {
    this.layout = stream.layout;
    this.tunerId = stream.tunerId;
  }

  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput {
    const { video, audio } = order;
    const pids = [video?.pid, audio?.pid].filter((pid) => pid !== undefined);
    const receipts = new Receipts((bytes) => output.taken(bytes));
    const output = this.stream.encode(liveCommand(order), pids, video !== null, {
      init: ({ bytes, mime, origin }) => {
        receipts.add(bytes.length);
        consumer.frame({ kind: 'init', bytes, mime });
        const pts: Pts90k = pts90k(origin);
        consumer.frame({ kind: 'clock', media: media90k(0), pts, at: undefined });
      },
      fragment: ({ bytes, sync, time }) => {
        receipts.add(bytes.length);
        consumer.frame({ kind: 'fragment', bytes, isSync: sync, time });
      },
      ended: (end) => consumer.ended(end),
    });
    return output;
  }

  packets(consumer: PacketConsumer): PacketOutput {
    const receipts = new Receipts((bytes) => output.taken(bytes));
    const output = this.stream.raw({
      burst: (viewer, bytes) => {
        receipts.add(bytes.length);
        consumer.burst(viewer, bytes);
      },
      batch: (bytes) => {
        receipts.add(bytes.length);
        consumer.frame({ kind: 'packets', bytes });
      },
      ended: (end) => consumer.ended(end),
    });
    return output;
  }

  /** Gives the tuner back. */
  close(): Promise<void> {
    return this.stream.close();
  }
}

/** Tells the worker in few messages how much was taken. */
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
