/**
 * Reads the guide from streams that are open for another use, without a tuner of their own: one stream of each open
 * channel gets a guide reader. Present/following is thus stored at once, for all stations of the channel.
 */
import { type BroadcastType, networkId } from '../../lib/arib/ids.ts';
import type { Log } from '../../lib/host/log.ts';
import type { StationRecord } from '../model/station.ts';
import { guideReader } from '../reception/guide-reader.ts';
import type { ReceptionStream, StreamObserver, StreamPart } from '../reception/reception-pool.ts';
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
  /** Delay of the next reader after a fault, and of the next guide worker that cannot be started, ms. */
  retryMs?: number | undefined;
}

/** A fault is a bug or a malicious broadcast, and will recur. */
const RETRY_MS = 60_000;
/** While the guide worker cannot be started. */
const WORKER_RETRY_MS = 1_000;

type FedStream = Pick<ReceptionStream, 'reader'>;

interface OpenChannel {
  readonly key: ChannelKey;
  /** The first one is read. */
  readonly streams: FedStream[];
  reader: { of: FedStream; part: StreamPart<never> } | undefined;
  /** Undefined after the guide worker was lost, until another one is started. */
  reading: GuideReading | undefined;
  retry: ReturnType<typeof setTimeout> | undefined;
}

export class GuideFeeds implements StreamObserver {
  readonly #channels = new Map<ChannelKey, OpenChannel>();
  #closed = false;

  constructor(private readonly options: GuideFeedsOptions) {}

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
    channel.reading ??= this.#begin(channel);
    if (channel.reading === undefined) {
      this.#attachLater(channel, this.options.retryMs ?? WORKER_RETRY_MS);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    channel.reading.connect(port1);
    const part = stream.reader(
      guideReader,
      { port: port2 },
      {
        value: () => {},
        ended: (end) => {
          if (channel.reader?.part !== part) return;
          channel.reader = undefined;
          if (end.cause !== 'fault') return;
          this.options.log.error('guide reader failed', { channel: channel.key, reason: end.reason });
          this.#attachLater(channel, this.options.retryMs ?? RETRY_MS);
        },
      },
    );
    channel.reader = { of: stream, part };
  }

  #attachLater(channel: OpenChannel, delayMs: number): void {
    clearTimeout(channel.retry);
    channel.retry = setTimeout(() => this.#attach(channel), delayMs);
  }

  /** Another guide worker has no earlier sections: another reader posts them all. */
  #lost(channel: OpenChannel): void {
    const { reader } = channel;
    channel.reading = undefined;
    channel.reader = undefined;
    void reader?.part.stop();
    this.#attach(channel);
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
      { lost: () => this.#lost(channel) },
    );
  }

  #end(channel: OpenChannel): void {
    this.#channels.delete(channel.key);
    clearTimeout(channel.retry);
    void channel.reader?.part.stop();
    void channel.reading?.end(false);
  }
}
