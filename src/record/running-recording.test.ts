import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { span } from '../../test/record/span.ts';
import { StreamBuilder } from '../../test/stream-builder.ts';
import { type BroadcastSpan, type Measured, nothingMeasured } from '../model/verdict.ts';
import { endedWhileAway, previousProgress, UnreceivedEnd } from './running-recording.ts';

const STATION = 1 as StationId;
const OWN = 6 as ProgramId;
const HOUR = 3_600_000;

function guide() {
  const next = { id: 7 as ProgramId, startAt: broadcastMs(HOUR) };
  const end = new UnreceivedEnd({
    findFollowing: (_, at, own) => (at >= next.startAt && own !== next.id ? { ...next } : undefined),
    findProgram: (id) => (id === next.id ? next : undefined),
  });
  return { next, end };
}

const endOf = (end: UnreceivedEnd, now = 10 * HOUR, received: BroadcastSpan[] = []) =>
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
  const silent = new UnreceivedEnd({});
  silent.note(OWN, STATION, broadcastMs(HOUR));
  expect(endOf(silent)).toBe(HOUR);
});

describe('unfinished recording', () => {
  const BEGAN = broadcastMs(1_700_000_000_000);
  const RECORD = {
    startAt: broadcastMs(BEGAN + 10_000),
    closeAt: broadcastMs(BEGAN + 100_000),
    beganAt: BEGAN,
    ended: null,
  };
  /** The machine's clock, which dates files, is an hour behind the broadcast's. */
  const CLOCKS = {
    broadcastClock: () => broadcastMs(BEGAN + 7_200_000),
    wallClock: () => wallMs(BEGAN + 3_600_000),
  };

  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-left-'));
    path = join(folder, 'a.ts');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Packets, and a truncated one; last written at `at` of the broadcast. */
  function written(packets: number, at: number): void {
    const builder = new StreamBuilder();
    for (let each = 0; each < packets; each += 1) builder.packet(0x100, { payload: new Uint8Array(184) });
    writeFileSync(path, Buffer.concat([builder.bytes(), new Uint8Array(100)]));
    utimesSync(path, new Date(at - 3_600_000), new Date(at - 3_600_000));
  }

  const saved = (): Measured => ({
    ...nothingMeasured(),
    stretches: [span(BEGAN, BEGAN + 20_000)],
    sums: { packets: 60, drops: 1, errors: 0, scrambled: 0 },
  });

  test('data after the last saved state is counted from the file, up to its last write', async () => {
    written(100, BEGAN + 24_000);
    const left = await endedWhileAway(
      RECORD,
      { measured: saved(), parts: [{ path, bytes: 60 * 188 }] },
      CLOCKS,
    );
    expect(left.end).toBe('finished');
    expect(left.measured).toMatchObject({
      stretches: [span(BEGAN, BEGAN + 24_000)],
      breaks: [{ ...span(BEGAN + 24_000, BEGAN + 100_000), cause: 'service_stopped' }],
      sums: { packets: 100, drops: 1 },
    });
    expect(statSync(path).size).toBe(100 * 188);
  });

  test('a recording killed before its first save is counted from its file', async () => {
    written(100, BEGAN + 4000);
    const left = await endedWhileAway(
      RECORD,
      { measured: nothingMeasured(), parts: [{ path, bytes: 0 }] },
      CLOCKS,
    );
    expect(left.measured).toMatchObject({
      stretches: [span(BEGAN, BEGAN + 4000)],
      breaks: [{ from: BEGAN + 4000, cause: 'service_stopped' }],
      sums: { packets: 100 },
    });
  });

  test('without a file nothing counts as received; earlier gaps stay', async () => {
    const breaks = [{ ...span(BEGAN, BEGAN + 5000), cause: 'no_tuner' as const }];
    const measured = { ...nothingMeasured(), breaks };
    const left = await endedWhileAway(RECORD, { measured, parts: [{ path, bytes: 0 }] }, CLOCKS);
    expect(left.measured).toMatchObject({
      stretches: [],
      breaks: [...breaks, { ...span(BEGAN + 5000, BEGAN + 100_000), cause: 'service_stopped' }],
    });
  });

  test('a recording that had already ended is unchanged', async () => {
    const ended = { as: 'stopped' as const, at: broadcastMs(BEGAN + 20_000) };
    const former = { measured: saved(), parts: [] };
    expect(await endedWhileAway({ ...RECORD, ended }, former, CLOCKS)).toEqual({
      ...{ end: 'stopped', at: broadcastMs(BEGAN + 20_000), measured: saved(), parts: [] },
    });
  });

  test('damaged measurements are replaced by a count of the last file, since the start of the recording', async () => {
    written(100, BEGAN + 24_000);
    const store = { measured: () => null, parts: () => [{ path, bytes: 60 * 188 }] };
    const former = previousProgress(store, { id: recordingId(1), beganAt: BEGAN });
    expect(former.parts).toEqual([{ path, bytes: 0 }]);
    const { measured } = await endedWhileAway(RECORD, former, CLOCKS);
    expect(measured.sums.packets).toBe(100);
    expect(measured.stretches).toEqual([span(BEGAN, BEGAN + 24_000)]);
    expect(measured.breaks).toMatchObject([{ from: BEGAN + 24_000, cause: 'service_stopped' }]);
    expect(previousProgress(store, { id: recordingId(1), beganAt: null }).measured.stretches).toEqual([]);
  });
});
