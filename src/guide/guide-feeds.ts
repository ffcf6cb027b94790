/**
 * Reads the guide from streams that are open for another use, without a tuner of their own: one stream of each open
 * channel gets a guide reader. Present/following is thus stored at once, for all stations of the channel.
 */
import { type BroadcastType, networkId } from '../../arib/ids.ts';
import type { Log } from '../../host/log.ts';
import type { StationRecord } from '../model/station.ts';
import { type GuideReaderCommand, guideReader } from '../reception/guide-reader.ts';
import type { ReceptionStream, StreamObserver, StreamPart } from '../reception/reception-pool.ts';
import type { ArrivedBatch } from './guide-messages.ts';
import type { GuideReading, GuideWorkerClient } from './guide-worker-client.ts';
import { wantedStations } from './visit-goal.ts';
import { type ChannelKey, channelKey } from './visit-plan.ts';

interface GuideFeedsOptions {
  stations: { list(): readonly StationRecord[] };
  worker: Pick<GuideWorkerClient, 'read'>;
  settleMs: number;
  /** A channel was opened or closed. */
  onChange: () => void;
  log: Log;
  /** Delay of the next reader after a fault, ms. */
  retryMs?: number | undefined;
}

/** A fault is a bug or a malicious broadcast, and will recur. */
const RETRY_MS = 60_000;

type FedStream = Pick<ReceptionStream, 'reader'>;

interface OpenChannel {
  readonly key: ChannelKey;
  /** The first one is read. */
  readonly streams: FedStream[];
  reader: { of: FedStream; part: StreamPart<GuideReaderCommand> } | undefined;
  /** Undefined after the guide worker was lost, until the next batch. */
  reading: GuideReading | undefined;
  retry: ReturnType<typeof setTimeout> | undefined;
}

export class GuideFeeds implements StreamObserver {
  readonly #channels = new Map<ChannelKey, OpenChannel>();
  #closed = false;

  constructor(private readonly options: GuideFeedsOptions) {}

  /** Channels being read. */
  get open(): ReadonlySet<ChannelKey> {
    return new Set(this.#channels.keys());
  }

  opened(stream: FedStream, request: { type: BroadcastType; channel: string }): void {
    if (this.#closed) return;
    const key = channelKey(request);
    const known = this.#channels.get(key);
    if (known !== undefined) {
      known.streams.push(stream);
      return;
    }
    const base = { reader: undefined, reading: undefined, retry: undefined };
    const channel: OpenChannel = { key, streams: [stream], ...base };
    this.#channels.set(key, channel);
    channel.reading = this.#begin(channel);
    this.#attach(channel);
    this.options.onChange();
  }

  closed(stream: FedStream): void {
    for (const channel of this.#channels.values()) {
      const index = channel.streams.indexOf(stream);
      if (index < 0) continue;
      channel.streams.splice(index, 1);
      if (channel.streams.length > 0) this.#attach(channel);
      else {
        this.#end(channel);
        this.options.onChange();
      }
    }
  }

  close(): void {
    this.#closed = true;
    for (const channel of [...this.#channels.values()]) this.#end(channel);
  }

  /** The first stream of the channel has the reader. */
  #attach(channel: OpenChannel): void {
    const [stream] = channel.streams;
    if (stream === undefined || channel.reader?.of === stream || this.#closed) return;
    clearTimeout(channel.retry);
    const part = stream.reader(guideReader, null, {
      value: (batch, arrivedAt) => this.#take(channel, { ...batch, arrivedAt }),
      ended: (end) => {
        if (channel.reader?.of !== stream) return;
        channel.reader = undefined;
        if (end.cause !== 'fault') return;
        this.options.log.error('guide reader failed', { channel: channel.key, reason: end.reason });
        channel.retry = setTimeout(() => this.#attach(channel), this.options.retryMs ?? RETRY_MS);
      },
    });
    channel.reader = { of: stream, part };
  }

  #take(channel: OpenChannel, batch: ArrivedBatch): void {
    if (!this.#channels.has(channel.key)) return;
    if (channel.reading === undefined) {
      // A new worker has no earlier sections.
      channel.reading = this.#begin(channel);
      channel.reader?.part.command({ kind: 'repeat' });
    }
    channel.reading?.take(batch);
  }

  #begin(channel: OpenChannel): GuideReading | undefined {
    const { stations, worker, settleMs } = this.options;
    const own = stations.list().filter((station) => channelKey(station) === channel.key);
    const wanted = wantedStations(
      own.map((station) => station.id),
      'full',
    );
    const network = own[0]?.networkId ?? networkId(0);
    return worker.read(
      { source: 'feed', networkId: network, wanted, settleMs, patienceMs: 0 },
      {
        repeat: () => channel.reader?.part.command({ kind: 'repeat' }),
        lost: () => {
          channel.reading = undefined;
        },
      },
    );
  }

  #end(channel: OpenChannel): void {
    this.#channels.delete(channel.key);
    clearTimeout(channel.retry);
    void channel.reader?.part.stop();
    void channel.reading?.end(false);
  }
}
