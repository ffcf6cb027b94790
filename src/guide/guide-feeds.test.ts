import { beforeEach, describe, expect, test } from 'bun:test';
import { networkId, serviceId, stationId } from '../../arib/ids.ts';
import { GuideFeeds } from './guide-feeds.ts';
import type { FeedOrder } from './guide-messages.ts';

const T27 = { type: 'GR' as const, channel: 'T27' };
const [NETWORK, SERVICE] = [networkId(0x7fe8), serviceId(1024)];
const HOME = {
  id: stationId(NETWORK, SERVICE),
  ...{ ...T27, networkId: NETWORK, serviceId: SERVICE, transportStreamId: null },
  ...{ name: '', serviceType: 1, remoteControlKey: 1 },
};

let orders: FeedOrder[];
let fed: number[];
let ended: number;
let changes: number;
let feeds: GuideFeeds;

beforeEach(() => {
  orders = [];
  fed = [];
  ended = 0;
  changes = 0;
  feeds = new GuideFeeds({
    stations: { list: () => [HOME] },
    visits: {
      feed: (order) => {
        orders.push(order);
        return {
          packets: (bytes) => fed.push(bytes[0] ?? 0),
          end: () => {
            ended += 1;
          },
        };
      },
    },
    settleMs: 1000,
    onChange: () => {
      changes += 1;
    },
  });
});

describe('GuideFeeds', () => {
  test('a channel that is opened is read for all of its stations', () => {
    feeds.opened(T27).packets(Uint8Array.of(1));
    expect(orders).toEqual([
      { networkId: NETWORK, wanted: [{ id: HOME.id, depth: 'full', optional: false }], settleMs: 1000 },
    ]);
    expect([fed, [...feeds.open], changes]).toEqual([[1], ['GR/T27'], 1]);
  });

  test('of several streams of a channel one is read, and the next when it closes', () => {
    const [first, second] = [feeds.opened(T27), feeds.opened(T27)];
    first.packets(Uint8Array.of(1));
    second.packets(Uint8Array.of(2));
    first.closed();
    first.closed();
    second.packets(Uint8Array.of(3));
    expect([fed, orders.length, ended]).toEqual([[1, 3], 1, 0]);
    second.closed();
    expect([ended, feeds.open.size, changes]).toEqual([1, 0, 2]);
    second.packets(Uint8Array.of(4));
    expect(fed).toEqual([1, 3]);
  });

  test('all end with the service', () => {
    const open = feeds.opened(T27);
    feeds.close();
    open.packets(Uint8Array.of(1));
    open.closed();
    expect([ended, fed]).toEqual([1, []]);
  });
});
