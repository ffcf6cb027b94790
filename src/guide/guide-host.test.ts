import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventId, networkId, programId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import { encodeJstTime } from '../../synth/si/jst-time.ts';
import { GuideSections } from '../../test/guide-sections.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import { joinSections } from '../reception/guide-reader.ts';
import { openDatabase } from '../store/database.ts';
import { openGuideDatabase } from '../store/guide-database.ts';
import { WriteLock } from '../store/write-lock.ts';
import { GuideHost } from './guide-host.ts';
import type { GuideEvent, NamedEvents } from './guide-messages.ts';

const NOW = wallMs(Date.parse('2026-11-21T12:00:00+09:00'));
const NETWORK = networkId(4);
const HOME = { id: stationId(NETWORK, serviceId(101)), networkId: NETWORK, serviceId: serviceId(101) };
const MINUTES = 60_000;

/** Present/following of HOME: sections 0 and 1, an event of ten minutes each. */
function tables(version: number, present: number, following: number): Uint8Array[] {
  return [present, following].map((event, number) => {
    const start = [...encodeJstTime(broadcastMs(NOW + event * 10 * MINUTES))];
    const body = [...u16(1), ...u16(NETWORK), 1, 0x4e, ...u16(event), ...start, 0, 0x10, 0, ...u16(0)];
    return longSection({ tableId: 0x4e, extension: 101, version, number, lastNumber: 1, body });
  });
}

test('a programme that was present between two tables that are read together is reported', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-guide-host-'));
  const path = join(root, 'svc.db');
  openDatabase(path).close();
  const named: NamedEvents[] = [];
  const post = (event: GuideEvent): void => {
    if (event.kind === 'named') named.push(...event.stations);
    if (event.kind === 'trouble') throw new Error(event.error);
  };
  const host = new GuideHost({
    ...{ post, openFile: openGuideDatabase },
    ...{ now: () => NOW, clock: () => monotonicMs(0) },
  });
  try {
    host.take({ kind: 'open', path, lock: new WriteLock().share(), writeMs: { visit: 1000, feed: 1000 } });
    host.take({ kind: 'stations', stations: [HOME] });
    const reading = { networkId: NETWORK, wanted: [], settleMs: 0, patienceMs: 0 };
    host.take({ kind: 'read', reading: 1, source: 'feed', ...reading });
    const stream = new StreamBuilder();
    const sections = [tables(0, 1, 2), tables(1, 2, 3), tables(2, 3, 4)].flat();
    const bytes = joinSections([...new GuideSections().feed(stream.sections(0x12, ...sections).take())]);
    const { port1, port2 } = new MessageChannel();
    host.take({ kind: 'source', reading: 1, port: port1 });
    const batch = { at: NOW, postedAt: monotonicMs(0), bytes };
    for (const message of [{ kind: 'sections', batch }, { kind: 'end' }]) port2.postMessage(message);
    // What was posted before is read first.
    await host.close();
    port2.close();
    const idOf = (event: number) => programId(HOME.id, eventId(event));
    expect(named.map(({ watched, present }) => (watched ? present : null))).toEqual([
      ...[1, 2, 3].map(idOf),
      null,
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('the broadcaster of a station is reported when the BIT states another one', async () => {
  const told: GuideEvent[] = [];
  const host = new GuideHost({
    post: (event) => told.push(event),
    openFile: openGuideDatabase,
    ...{ now: () => NOW, clock: () => monotonicMs(0) },
  });
  host.take({ kind: 'stations', stations: [HOME] });
  const order = { networkId: NETWORK, wanted: [], settleMs: 0, patienceMs: 0 };
  host.take({ kind: 'read', reading: 1, source: 'feed', ...order });
  const { port1, port2 } = new MessageChannel();
  host.take({ kind: 'source', reading: 1, port: port1 });
  for (const broadcasterId of [3, 3, 4]) {
    const loop = [0x41, 3, ...u16(101), 1];
    const body = [...u16(0xf000), broadcasterId, ...u16(0xf000 | loop.length), ...loop];
    const bit = longSection({ tableId: 0xc4, extension: NETWORK, version: broadcasterId, body });
    const bytes = joinSections([...new GuideSections().feed(new StreamBuilder().sections(0x24, bit).take())]);
    port2.postMessage({ kind: 'sections', batch: { at: NOW, postedAt: monotonicMs(0), bytes } });
  }
  port2.postMessage({ kind: 'end' });
  // What was posted before is read first.
  await host.close();
  port2.close();
  expect(told.filter(({ kind }) => kind === 'broadcaster')).toEqual(
    [3, 4].map((broadcasterId) => ({
      ...{ kind: 'broadcaster', stationId: HOME.id },
      broadcaster: { networkId: NETWORK, broadcasterId, terrestrialBroadcasterId: null, affiliations: [] },
    })),
  );
});
