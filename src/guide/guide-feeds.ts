/**
 * Streams that somebody keeps open are read for the guide at no cost: of each channel that is open, one stream's
 * tables go to the guide worker. Present/following is stored at once that way, for all stations of the channel.
 */
import { networkId } from '../../arib/ids.ts';
import type { StationRecord } from '../model/station.ts';
import type { StreamTap, TappedChannel, TappedStream } from '../reception/stream-tap.ts';
import type { FeedOrder } from './guide-messages.ts';
import type { RunningFeed } from './guide-worker-client.ts';
import { wantedStations } from './visit-goal.ts';
import { type ChannelKey, channelKey } from './visit-plan.ts';

export interface FeedsOptions {
  stations: { list(): readonly StationRecord[] };
  visits: { feed(order: FeedOrder): RunningFeed };
  settleMs: number;
  /** A channel was opened, or is open no longer. */
  onChange: () => void;
}

interface OpenChannel {
  /** The first is the one that is read. */
  readonly streams: TappedStream[];
  feed: RunningFeed;
}

export class GuideFeeds implements StreamTap {
  readonly #channels = new Map<ChannelKey, OpenChannel>();

  constructor(private readonly options: FeedsOptions) {}

  /** Channels whose tables come in. */
  get open(): ReadonlySet<ChannelKey> {
    return new Set(this.#channels.keys());
  }

  opened(channel: TappedChannel): TappedStream {
    const key = channelKey(channel);
    const stream: TappedStream = {
      packets: (bytes) => {
        const open = this.#channels.get(key);
        if (open?.streams[0] === stream) open.feed.packets(bytes);
      },
      closed: () => this.#closed(key, stream),
    };
    const open = this.#channels.get(key);
    if (open !== undefined) open.streams.push(stream);
    else {
      this.#channels.set(key, { streams: [stream], feed: this.#feed(key) });
      this.options.onChange();
    }
    return stream;
  }

  close(): void {
    for (const { feed } of this.#channels.values()) feed.end();
    this.#channels.clear();
  }

  #feed(key: ChannelKey): RunningFeed {
    const { stations, visits, settleMs } = this.options;
    const own = stations.list().filter((station) => channelKey(station) === key);
    const wanted = wantedStations(
      own.map((station) => station.id),
      'full',
    );
    return visits.feed({ networkId: own[0]?.networkId ?? networkId(0), wanted, settleMs });
  }

  #closed(key: ChannelKey, stream: TappedStream): void {
    const open = this.#channels.get(key);
    const index = open?.streams.indexOf(stream) ?? -1;
    if (open === undefined || index < 0) return;
    open.streams.splice(index, 1);
    if (open.streams.length > 0) return;
    this.#channels.delete(key);
    open.feed.end();
    this.options.onChange();
  }
}
