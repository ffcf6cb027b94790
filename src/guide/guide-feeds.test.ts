import { beforeEach, describe, expect, test } from 'bun:test';
import { networkId, serviceId, stationId } from '../../arib/ids.ts';
import { monotonicMs, wallMs } from '../../host/clock.ts';
import { createLog } from '../../host/log.ts';
import type { GuideBatch } from '../reception/guide-reader.ts';
import type { ReaderHandlers, ReceptionStream } from '../reception/reception-pool.ts';
import { GuideFeeds } from './guide-feeds.ts';
import type { ReadingOrder } from './guide-messages.ts';
import type { ReadingHandlers } from './guide-worker-client.ts';

const T27 = { type: 'GR' as const, channel: 'T27' };
const [NETWORK, SERVICE] = [networkId(0x7fe8), serviceId(1024)];
const HOME = {
  id: stationId(NETWORK, SERVICE),
  ...{ ...T27, networkId: NETWORK, serviceId: SERVICE, transportStreamId: null },
  ...{ name: '', serviceType: 1, remoteControlKey: 1 },
};

/** A stream that is open for another use, with the reader attached to it. */
class OpenStream {
  handlers: ReaderHandlers<GuideBatch>[] = [];
  commands: unknown[] = [];

  get asStream(): Pick<ReceptionStream, 'reader'> {
    return this as unknown as Pick<ReceptionStream, 'reader'>;
  }

  reader(_kind: unknown, _options: unknown, handlers: ReaderHandlers<GuideBatch>) {
    this.handlers.push(handlers);
    return { command: (command: unknown) => void this.commands.push(command), stop: async () => {} };
  }

  post(byte: number): void {
    this.handlers.at(-1)?.value({ at: wallMs(0), bytes: Uint8Array.of(byte) }, monotonicMs(0));
  }

  fail(): void {
    this.handlers.at(-1)?.ended?.({ cause: 'fault', reason: 'a bug', dropped: 0 });
  }
}

let orders: ReadingOrder[];
let readings: ReadingHandlers[];
let fed: number[];
let ended: number;
let changes: number;
let lines: string[];
let feeds: GuideFeeds;

beforeEach(() => {
  orders = [];
  readings = [];
  fed = [];
  ended = 0;
  changes = 0;
  lines = [];
  feeds = new GuideFeeds({
    stations: { list: () => [HOME] },
    worker: {
      read: (order, handlers) => {
        orders.push(order);
        readings.push(handlers);
        return {
          take: ({ bytes }) => fed.push(bytes[0] ?? 0),
          end: async () => {
            ended += 1;
            return true;
          },
        };
      },
    },
    settleMs: 1000,
    onChange: () => {
      changes += 1;
    },
    log: createLog({ level: 'info', now: () => wallMs(0), write: (line) => lines.push(line) }),
    retryMs: 5,
  });
});

function opened(): OpenStream {
  const stream = new OpenStream();
  feeds.opened(stream.asStream, T27);
  return stream;
}

describe('GuideFeeds', () => {
  test('a channel that is opened is read for all of its stations', () => {
    opened().post(1);
    expect(orders).toEqual([
      {
        ...{ source: 'feed', networkId: NETWORK, settleMs: 1000, patienceMs: 0 },
        wanted: [{ id: HOME.id, depth: 'full', optional: false }],
      },
    ]);
    expect([fed, [...feeds.open], changes]).toEqual([[1], ['GR/T27'], 1]);
  });

  test('of several streams of a channel one is read, and another when it closes', () => {
    const [first, second] = [opened(), opened()];
    first.post(1);
    expect(second.handlers).toHaveLength(0);
    feeds.closed(first.asStream);
    feeds.closed(first.asStream);
    second.post(3);
    expect([fed, orders.length, ended]).toEqual([[1, 3], 1, 0]);
    feeds.closed(second.asStream);
    expect([ended, feeds.open.size, changes]).toEqual([1, 0, 2]);
    second.post(4);
    expect(fed).toEqual([1, 3]);
  });

  test('a guide worker that died is replaced at the next batch, and everything is posted again', () => {
    const stream = opened();
    readings[0]?.lost();
    expect(orders).toHaveLength(1);
    stream.post(2);
    expect([orders.length, fed, stream.commands]).toEqual([2, [2], [{ kind: 'repeat' }]]);
  });

  test('a reader that failed is reported and started again', async () => {
    const stream = opened();
    stream.fail();
    expect(lines.join('')).toContain('a bug');
    while (stream.handlers.length < 2) await Bun.sleep(1);
    stream.post(5);
    expect(fed).toEqual([5]);
  });

  test('closing the service ends all feeds', () => {
    const stream = opened();
    feeds.close();
    stream.post(1);
    feeds.closed(stream.asStream);
    expect([ended, fed]).toEqual([1, []]);
  });
});
