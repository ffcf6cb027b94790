import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { networkId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import type { GuideReaderOptions } from '../reception/guide-reader.ts';
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
  handlers: ReaderHandlers<never>[] = [];
  ports: MessagePort[] = [];
  stopped = 0;

  get asStream(): Pick<ReceptionStream, 'reader'> {
    return this as unknown as Pick<ReceptionStream, 'reader'>;
  }

  reader(_kind: unknown, { port }: GuideReaderOptions, handlers: ReaderHandlers<never>) {
    this.handlers.push(handlers);
    this.ports.push(port);
    closers.push(() => port.close());
    const stop = async (): Promise<void> => {
      this.stopped += 1;
    };
    return { command: () => {}, stop };
  }

  post(value: number): void {
    this.ports.at(-1)?.postMessage(value);
  }

  fail(): void {
    this.handlers.at(-1)?.ended?.({ cause: 'fault', reason: 'a bug', dropped: 0 });
  }
}

let closers: (() => void)[];
let orders: ReadingOrder[];
let readings: ReadingHandlers[];
let fed: number[];
let ended: number;
let changes: number;
let lines: string[];
let feeds: GuideFeeds;
/** The guide worker can be started. */
let canRead: boolean;

beforeEach(() => {
  closers = [];
  canRead = true;
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
        if (!canRead) return undefined;
        orders.push(order);
        readings.push(handlers);
        return {
          connect: (port) => {
            port.onmessage = ({ data }) => fed.push(data);
            closers.push(() => port.close());
          },
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

afterEach(() => {
  for (const close of closers) close();
});

function opened(): OpenStream {
  const stream = new OpenStream();
  feeds.opened(stream.asStream, T27);
  return stream;
}

describe('GuideFeeds', () => {
  test('a channel that is opened is read for all of its stations', async () => {
    opened().post(1);
    expect(orders).toEqual([
      {
        ...{ source: 'feed', networkId: NETWORK, settleMs: 1000, patienceMs: 0 },
        wanted: [{ id: HOME.id, depth: 'full', optional: false }],
      },
    ]);
    await until(() => fed.length > 0);
    expect([fed, [...feeds.open], changes]).toEqual([[1], ['GR/T27'], 1]);
  });

  test('of several streams of a channel one is read, and another when it closes', async () => {
    const [first, second] = [opened(), opened()];
    first.post(1);
    expect(second.handlers).toHaveLength(0);
    feeds.closed(first.asStream);
    feeds.closed(first.asStream);
    second.post(3);
    await until(() => fed.length === 2);
    expect([fed.sort(), orders.length, ended]).toEqual([[1, 3], 1, 0]);
    feeds.closed(second.asStream);
    expect([ended, second.stopped, feeds.open.size, changes]).toEqual([1, 1, 0, 2]);
  });

  test('a guide worker that died is replaced at once, and another reader posts everything again', async () => {
    const stream = opened();
    readings[0]?.lost();
    expect([orders.length, stream.stopped, stream.handlers.length]).toEqual([2, 1, 2]);
    // The end of the former reader says nothing about the present one.
    stream.handlers[0]?.ended?.({ cause: 'stopped', reason: null, dropped: 0 });
    stream.post(2);
    await until(() => fed.length > 0);
    canRead = false;
    readings[1]?.lost();
    expect([orders.length, stream.handlers.length]).toEqual([2, 2]);
    canRead = true;
    await until(() => stream.handlers.length === 3);
    expect(orders).toHaveLength(3);
  });

  test('a reader that failed is reported and started again', async () => {
    const stream = opened();
    stream.fail();
    expect(lines.join('')).toContain('a bug');
    await until(() => stream.handlers.length === 2);
    stream.post(5);
    await until(() => fed.length > 0);
    expect(orders).toHaveLength(1);
  });

  test('closing the service ends all feeds', () => {
    const stream = opened();
    feeds.close();
    feeds.closed(stream.asStream);
    expect([ended, stream.stopped]).toEqual([1, 1]);
  });
});
