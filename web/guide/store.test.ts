import { describe, expect, test } from 'bun:test';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs, HOUR_MS } from '../../lib/arib/time.ts';
import type { GuideProgram, GuideWindow } from '../../lib/wire/api.ts';
import { ApiFailure, type GuideQuestion, type Renewed } from '../query/api.ts';
import { CHUNK_MS } from './geometry.ts';
import { GuideStore } from './store.ts';

const STATION = 1 as StationId;
const START = Date.parse('2026-11-21T05:00+09:00');

function program(id: number, startAt: number, hours: number): GuideProgram {
  return {
    id: id as ProgramId,
    title: `番組${id}`,
    name: `番組${id}`,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(startAt + hours * HOUR_MS),
    openEnd: false,
    genres: [],
    isFree: true,
    copyNever: false,
    reservation: null,
  };
}

interface Asked extends GuideQuestion {
  readonly etag: string | null;
  answer(content: GuideWindow | 'unchanged', etag?: string): void;
  fail(): void;
}

function rig() {
  const asked: Asked[] = [];
  let changes = 0;
  const store = new GuideStore(
    (question, etag) =>
      new Promise<Renewed<GuideWindow>>((resolve, reject) => {
        asked.push({
          ...question,
          etag,
          answer: (content, tag = 'a') =>
            resolve(content === 'unchanged' ? 'unchanged' : { content, etag: tag }),
          fail: () => reject(new ApiFailure('network', '接続できません')),
        });
      }),
    () => {
      changes += 1;
    },
  );
  return { store, asked, changes: () => changes };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
/** @param from after START, ms, as the next */
const span = (from: number, to: number) => ({ from: broadcastMs(START + from), to: broadcastMs(START + to) });
const seen = span(HOUR_MS, 5 * HOUR_MS);

describe('the loaded part of the guide', () => {
  test('loads the visible part first, a few requests at a time, and drops requests that are no longer needed', async () => {
    const { store, asked } = rig();
    store.need('GR', seen, [span(CHUNK_MS, 5 * CHUNK_MS)]);
    expect(asked.map(({ from }) => (from - START) / CHUNK_MS)).toEqual([0, 1, 2]);
    store.need('BS', seen, []);
    asked[0]?.answer([]);
    await settle();
    expect(asked.at(-1)).toMatchObject({ type: 'BS', from: START, to: START + CHUNK_MS });
    expect(asked.length).toBe(4);
  });

  test('a programme in two chunks occurs once in its column', async () => {
    const { store, asked } = rig();
    store.need('GR', span(0, 2 * CHUNK_MS), []);
    const long = program(7, START + 5 * HOUR_MS, 2);
    asked[0]?.answer([{ stationId: STATION, programs: [program(6, START, 5), long] }]);
    asked[1]?.answer([{ stationId: STATION, programs: [long, program(8, START + 7 * HOUR_MS, 1)] }]);
    await settle();
    expect(store.column('GR', STATION).map((placed) => placed.program.id)).toEqual<unknown>([6, 7, 8]);
    expect(store.state('GR', seen)).toEqual({ kind: 'ready' });
    expect(store.column('GR', STATION)).toBe(store.column('GR', STATION));
  });

  test('a change is requested with the entity tag, and the shown programmes stay meanwhile', async () => {
    const { store, asked } = rig();
    store.need('GR', seen, []);
    asked[0]?.answer([{ stationId: STATION, programs: [program(6, START, 5)] }], '"one"');
    await settle();
    store.invalidate();
    store.need('GR', seen, []);
    expect(asked[1]?.etag).toBe('"one"');
    expect(store.state('GR', seen)).toEqual({ kind: 'ready' });
    const before = store.column('GR', STATION);
    asked[1]?.answer('unchanged');
    await settle();
    expect(store.column('GR', STATION)).toBe(before);
    store.need('GR', seen, []);
    expect(asked.length).toBe(2);
  });

  test('of a changed guide only the changed programmes are new objects', async () => {
    const { store, asked } = rig();
    const first = [program(6, START, 1), program(7, START + HOUR_MS, 1)];
    store.need('GR', seen, []);
    asked[0]?.answer([{ stationId: STATION, programs: first }]);
    await settle();
    store.invalidate();
    store.need('GR', seen, []);
    const second = [program(6, START, 1), { ...program(7, START + HOUR_MS, 1), name: '変わった番組' }];
    asked[1]?.answer([{ stationId: STATION, programs: second }], 'b');
    await settle();
    const column = store.column('GR', STATION);
    expect(column[0]?.program).toBe(first[0] as GuideProgram);
    expect(column[1]?.program.name).toBe('変わった番組');
  });

  test('many changes in a row cause one request', async () => {
    const { store, changes } = rig();
    for (let index = 0; index < 20; index += 1) store.changed();
    await settle();
    await settle();
    expect(changes()).toBe(1);
    store.close();
  });

  test('a failure is reported until the retry; a later one keeps the loaded programmes', async () => {
    const { store, asked } = rig();
    store.need('GR', seen, []);
    asked[0]?.fail();
    await settle();
    expect(store.state('GR', seen).kind).toBe('failed');
    store.need('GR', seen, []);
    expect(asked.length).toBe(1);
    store.invalidate();
    store.need('GR', seen, []);
    asked[1]?.answer([{ stationId: STATION, programs: [program(6, START, 5)] }]);
    await settle();
    store.invalidate();
    store.need('GR', seen, []);
    asked[2]?.fail();
    await settle();
    expect(store.state('GR', seen)).toEqual({ kind: 'ready' });
    expect(store.column('GR', STATION).length).toBe(1);
  });

  test('keeps a bounded number of chunks', async () => {
    const { store, asked } = rig();
    for (let day = 0; day < 30; day += 1) {
      store.need('GR', span(4 * day * CHUNK_MS, (4 * day + 2) * CHUNK_MS), []);
      for (const question of asked.splice(0))
        question.answer([{ stationId: STATION, programs: [program(day, question.from, 1)] }]);
      await settle();
    }
    expect(store.column('GR', STATION).length).toBeLessThanOrEqual(20);
  });
});
