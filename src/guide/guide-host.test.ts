import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventId, networkId, programId, serviceId, stationId } from '../../arib/ids.ts';
import { broadcastMs, encodeJstTime } from '../../arib/time.ts';
import { monotonicMs, wallMs } from '../../host/clock.ts';
import { GuideSections } from '../../test/guide-sections.ts';
import { longSection, StreamBuilder, u16 } from '../../test/stream-builder.ts';
import { joinSections } from '../reception/guide-reader.ts';
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
  const named: NamedEvents[] = [];
  const post = (event: GuideEvent): void => {
    if (event.kind === 'named') named.push(...event.stations);
    if (event.kind === 'trouble') throw new Error(event.error);
  };
  const host = new GuideHost({ post, openFile: openGuideDatabase, now: () => NOW });
  try {
    host.take({ kind: 'open', path, lock: new WriteLock().share(), writeMs: { visit: 1000, feed: 1000 } });
    host.take({ kind: 'stations', stations: [HOME] });
    const reading = { networkId: NETWORK, wanted: [], settleMs: 0, patienceMs: 0 };
    host.take({ kind: 'read', reading: 1, source: 'feed', ...reading });
    const stream = new StreamBuilder();
    const sections = [tables(0, 1, 2), tables(1, 2, 3), tables(2, 3, 4)].flat();
    const bytes = joinSections([...new GuideSections().feed(stream.sections(0x12, ...sections).take())]);
    host.take({ kind: 'sections', reading: 1, at: NOW, arrivedAt: monotonicMs(0), bytes });
    await host.close();
    const idOf = (event: number) => programId(HOME.id, eventId(event));
    expect(named.map(({ watched, present }) => (watched ? present : null))).toEqual([
      ...[1, 2, 3].map(idOf),
      null,
    ]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
