import { expect, test } from 'bun:test';
import type { ProgramId, StationId } from '../../arib/ids.ts';
import { broadcastMs } from '../../arib/time.ts';
import type { Stretch } from '../model/verdict.ts';
import { UnheardEnd } from './unheard-end.ts';

const STATION = 1 as StationId;
const OWN = 6 as ProgramId;
const HOUR = 3_600_000;

function guide() {
  const next = { id: 7 as ProgramId, startAt: broadcastMs(HOUR) };
  const end = new UnheardEnd({
    findFollowing: (_, at, own) => (at >= next.startAt && own !== next.id ? { ...next } : undefined),
    findProgram: (id) => (id === next.id ? next : undefined),
  });
  return { next, end };
}

const endOf = (end: UnheardEnd, now = 10 * HOUR, received: Stretch[] = []) =>
  Number(end.endOf(broadcastMs(HOUR), broadcastMs(now), received));

test('a programme lasted until the next one began, where that was postponed', () => {
  const { next, end } = guide();
  end.note(OWN, STATION, broadcastMs(HOUR));
  expect(endOf(end)).toBe(HOUR);
  next.startAt = broadcastMs(HOUR + 600_000);
  expect(endOf(end)).toBe(HOUR + 600_000);
  // Reception before and after the end does not determine it.
  const span = (from: number, to: number) => ({ from: broadcastMs(from), to: broadcastMs(to) });
  const around = [span(0, HOUR - 1000), span(HOUR + 900_000, 2 * HOUR)];
  expect(endOf(end, 10 * HOUR, around)).toBe(HOUR + 600_000);
  expect(endOf(end, 10 * HOUR, [span(0, HOUR + 6000)])).toBe(HOUR);
});

test('a next programme moved earlier, into the future, or by half a day gives no end', () => {
  const { next, end } = guide();
  end.note(OWN, STATION, broadcastMs(HOUR));
  for (const startAt of [HOUR - 1, 12 * HOUR]) {
    next.startAt = broadcastMs(startAt);
    expect(endOf(end, 24 * HOUR)).toBe(HOUR);
  }
  next.startAt = broadcastMs(2 * HOUR);
  expect(endOf(end, 2 * HOUR - 1)).toBe(HOUR);
});

test('a programme that was itself postponed lasted until the next one began, even if announced for earlier', () => {
  const { next, end } = guide();
  next.startAt = broadcastMs(HOUR - 300_000);
  end.note(OWN, STATION, broadcastMs(HOUR));
  expect(endOf(end)).toBe(HOUR);
  next.startAt = broadcastMs(HOUR + 180_000);
  expect(endOf(end)).toBe(HOUR + 180_000);
});

test('the programme itself does not count as the next one, and a station without a guide gives no end', () => {
  const { next, end } = guide();
  end.note(next.id, STATION, broadcastMs(HOUR));
  next.startAt = broadcastMs(HOUR + 600_000);
  expect(endOf(end)).toBe(HOUR);
  const silent = new UnheardEnd({});
  silent.note(OWN, STATION, broadcastMs(HOUR));
  expect(endOf(silent)).toBe(HOUR);
});
