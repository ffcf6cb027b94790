import { expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import { ChangeFeed, type MirakurunEvent } from './change-feed.ts';

const STATION = 3260801024 as StationId;
const idOf = (event: number): number => STATION * 100_000 + event;

function home() {
  const world = {
    version: 1,
    programs: [{ id: idOf(1), name: 'あ' }] as { id: number; name: string; relatedItems?: object[] }[],
    services: [{ id: 1, name: '局' }],
    tuners: [{ index: 0, isUsing: false }],
  };
  const feed = new ChangeFeed({
    guideVersion: () => world.version,
    changedSince: () => [STATION],
    programs: () => world.programs as never,
    services: () => world.services,
    tuners: async () => world.tuners,
    now: () => 5,
    log: SILENT_LOG,
    settleMs: 1,
  });
  const events: MirakurunEvent[] = [];
  feed.subscribe((event) => events.push(event));
  return { world, feed, events };
}

test('what changed is created, updated or removed, and what did not is silent', async () => {
  const { world, feed, events } = home();
  world.programs.push({ id: idOf(3), name: 'う' });
  await feed.follow();
  world.programs = [
    { id: idOf(1), name: 'い' },
    { id: idOf(2), name: 'え' },
  ];
  world.services.push({ id: 2, name: '新' });
  world.tuners = [{ index: 0, isUsing: true }];
  for (const resource of ['program', 'service', 'tuner'] as const) feed.changed(resource);
  await until('five events', () => events.length === 5);
  expect(events.map(({ resource, type, data }) => [resource, type, data])).toEqual([
    ['service', 'create', { id: 2, name: '新' }],
    ['program', 'update', { id: idOf(1), name: 'い' }],
    ['program', 'create', { id: idOf(2), name: 'え' }],
    ['program', 'remove', { id: idOf(3), from: idOf(3) }],
    ['tuner', 'update', { index: 0, isUsing: true }],
  ]);
  expect(feed.events).toEqual(events);
  await feed.close();
});

test('the removal of a moved programme names its successor', async () => {
  const { world, feed, events } = home();
  await feed.follow();
  const relatedItems = [{ type: 'movement', serviceId: 1024, eventId: 1 }];
  world.programs = [{ id: idOf(9), name: 'あ', relatedItems }];
  feed.changed('program');
  await until('two events', () => events.length === 2);
  expect(events[1]?.data).toEqual({ id: idOf(1), from: idOf(1), to: idOf(9) });
  await feed.close();
});

test('nothing is compared before a client asks, and at most 100 events are kept', async () => {
  const { world, feed, events } = home();
  feed.changed('program');
  await feed.follow();
  world.programs = Array.from({ length: 150 }, (_, index) => ({ id: idOf(index + 10), name: '' }));
  feed.changed('program');
  await until('all events', () => events.length === 151);
  expect(feed.events).toHaveLength(100);
  await feed.close();
});

test('a first look that fails is made again for the next client', async () => {
  const { world, feed, events } = home();
  const { programs } = world;
  Object.defineProperty(world, 'programs', {
    configurable: true,
    get: () => {
      throw new Error('database is locked');
    },
  });
  expect(feed.follow()).rejects.toThrow('database is locked');
  await feed.follow().catch(() => undefined);
  Object.defineProperty(world, 'programs', { value: programs, writable: true });
  await feed.follow();
  world.programs = [...programs, { id: idOf(2), name: 'い' }];
  feed.changed('program');
  await until('the event', () => events.length === 1);
  await feed.close();
});
