import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs, wallMs } from '../../lib/host/clock.ts';
import type { GapCause } from '../../lib/wire/gap-causes.ts';
import { span } from '../../test/record/span.ts';
import { nothingMeasured } from '../model/verdict.ts';
import { ReceptionTimeline } from './reception-timeline.ts';

function reception(clock: { now: number }, former = nothingMeasured()) {
  return new ReceptionTimeline({
    former,
    broadcastClock: () => broadcastMs(clock.now),
    wallClock: () => wallMs(clock.now),
    began: () => {},
    onReceiving: () => {},
  });
}

const UNDATED = {
  pcr: null as number | null,
  lastPcr: null as number | null,
  isSteady: true,
  isApart: false,
  unwatchable: [],
};
const second = (from: number) => ({
  kind: 'progress' as const,
  progress: {
    second: {
      from: monotonicMs(from),
      to: monotonicMs(from + 1000),
      packets: 10,
      drops: 0,
      errors: 0,
      scrambled: 0,
      ...UNDATED,
    },
    ...{ size: 0, queued: 0, slowestMs: 0 },
  },
});

test('a loss of reception is reported before it ends, and one after a stop is attributed to the stop', () => {
  const clock = { now: 1000 };
  const first = reception(clock);
  first.begin();
  expect([first.isTried, first.soFar.breaks]).toEqual([true, []]);
  first.lose('no_tuner');
  clock.now = 6000;
  const saved = structuredClone(first.soFar);
  expect(saved.breaks).toEqual([{ cause: 'no_tuner', ...span(1000, 6000) }]);
  expect(first.measured.breaks).toEqual([]);

  clock.now = 20_000;
  const next = reception(clock, saved);
  next.begin();
  next.beginLife();
  next.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  next.take(second(0), monotonicMs(0));
  expect(next.measured).toMatchObject({
    stretches: [span(20_000, 21_000)],
    breaks: [
      { cause: 'no_tuner', ...span(1000, 6000) },
      { cause: 'service_stopped', ...span(6000, 20_000) },
    ],
    files: [{ path: '/a.ts' }],
  });
});

test('a clock step shifts what this process reported, and what it waits for', () => {
  const clock = { now: 10_000 };
  const former = { ...nothingMeasured(), stretches: [span(0, 5000)] };
  const one = reception(clock, former);
  one.begin();
  one.beginLife();
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  one.take(second(0), monotonicMs(0));
  clock.now += 600_000;
  one.clockSet(600_000);
  clock.now += 1000;
  one.take(second(1000), monotonicMs(1000));
  expect(one.measured.stretches).toEqual([span(0, 5000), span(610_000, 612_000)]);
  expect(one.measured.breaks).toEqual([{ cause: 'service_stopped', ...span(5000, 610_000) }]);
});

const PCR_PER_SECOND = 27_000_000;
const NO_PACKETS = { packets: 0, drops: 0, errors: 0, scrambled: 0 };

test('a pause of the process that exceeds the backlog is reported with its own cause and real length', () => {
  const clock = { now: 0 };
  const one = reception(clock);
  one.begin();
  one.beginLife();
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  one.take(second(0), monotonicMs(0));
  // Stopped for 60 s; on resuming, 3 s of backlog arrive at once, and then the stream ends.
  clock.now = 61_000;
  one.paused(60_000);
  const late = second(1000);
  late.progress.second.to = monotonicMs(61_000);
  one.take(late, monotonicMs(61_000));
  one.lose('stream_ended');
  expect(one.cause).toBe('paused');
  clock.now = 62_000;
  one.beginLife();
  const former = {
    ...{ modifiedAt: wallMs(61_000), pcr: 4 * PCR_PER_SECOND },
    ...{ recounted: NO_PACKETS, runs: [], holes: [], unwatchable: [], size: 188, lost: 0 },
  };
  one.take({ kind: 'opened', path: '/a.ts', size: 188, former }, monotonicMs(62_000));
  const { progress } = second(62_000);
  const dated = { ...progress, second: { ...progress.second, pcr: 62 * PCR_PER_SECOND } };
  one.take({ kind: 'progress', progress: dated }, monotonicMs(62_000));
  expect(one.measured.stretches).toEqual([span(0, 4000), span(62_000, 63_000)]);
  expect(one.measured.breaks).toEqual([{ cause: 'paused', ...span(4000, 62_000) }]);
});

test('without a pause a stream that ends keeps its cause, and so does one that ends long after', () => {
  const clock = { now: 0 };
  const one = reception(clock);
  one.begin();
  one.lose('stream_ended');
  expect(one.cause).toBe('stream_ended');
  clock.now = 10_000;
  one.paused(5000);
  clock.now = 40_000;
  one.lose('agent_unavailable');
  expect(one.cause).toBe('agent_unavailable');
});

test('the reason of scrambled packets is requested once per run and again later, and applies to that run alone', async () => {
  const answers: (GapCause | undefined)[] = [undefined, 'card_missing', 'not_subscribed'];
  let asked = 0;
  let changes = 0;
  const one = new ReceptionTimeline({
    former: nothingMeasured(),
    broadcastClock: () => broadcastMs(0),
    wallClock: () => wallMs(0),
    began: () => {},
    onReceiving: () => {},
    whyScrambled: async () => answers[asked++],
    onUnwatchable: () => {
      changes += 1;
    },
  });
  one.begin();
  one.beginLife();
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  const receive = async (at: number, scrambled: number): Promise<void> => {
    const event = second(at * 1000);
    one.take(
      { ...event, progress: { ...event.progress, second: { ...event.progress.second, scrambled } } },
      monotonicMs(0),
    );
    await Promise.resolve();
    await Promise.resolve();
  };
  for (let at = 0; at < 7; at += 1) await receive(at, 10);
  expect([asked, one.unwatchableBy]).toEqual([2, 'card_missing']);
  await receive(7, 0);
  expect([one.unwatchableBy, changes]).toEqual([undefined, 2]);
  await receive(8, 10);
  await receive(9, 10);
  expect([asked, one.unwatchableBy, changes]).toEqual([3, 'not_subscribed', 3]);
  expect(one.measured.damage.map(({ from, to, cause }) => [Number(from), Number(to), cause ?? null])).toEqual(
    [
      [0, 7000, 'card_missing'],
      [8000, 10_000, 'not_subscribed'],
    ],
  );
});

/** Packets by their clock references, which arrive `lateMs` after they were sent; in seconds. */
function dated(from: number, to: number, lateMs: number, isApart = false) {
  const event = second(from * 1000 + lateMs);
  const clocks = { pcr: from * PCR_PER_SECOND, lastPcr: to * PCR_PER_SECOND, isSteady: true, isApart };
  return { ...event, progress: { ...event.progress, second: { ...event.progress.second, ...clocks } } };
}

describe('packets that come late', () => {
  function started() {
    const clock = { now: 0 };
    const one = reception(clock);
    one.begin();
    one.beginLife();
    one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
    const receive = (from: number, to: number, lateMs: number, isApart = false): void => {
      clock.now = to * 1000 + lateMs;
      one.take(dated(from, to, lateMs, isApart), monotonicMs(clock.now));
    };
    return { clock, one, receive };
  }

  test('at the start are dated by when they were sent, once the machine keeps up', () => {
    const { one, receive } = started();
    receive(10, 11, 3000, true);
    receive(11, 12, 3000);
    expect(one.measured.stretches).toEqual([span(13_000, 15_000)]);
    for (let at = 12; at < 20; at += 1) receive(at, at + 1, Math.max(0, 3000 - (at - 11) * 1000));
    expect(one.measured.stretches).toEqual([span(10_000, 20_000)]);
  });

  test('neither shift a hole that occurs meanwhile nor cause one', () => {
    const { clock, one, receive } = started();
    for (let at = 0; at < 5; at += 1) receive(at, at + 1, 0, at === 0);
    for (let at = 5; at < 10; at += 1) receive(at, at + 1, 2000);
    clock.now = 16_500;
    one.take(
      { kind: 'hole', cause: 'stalled', from: monotonicMs(12_000), to: monotonicMs(15_500) },
      monotonicMs(clock.now),
    );
    receive(14, 15, 1500, true);
    receive(15, 16, 0);
    expect(one.measured.breaks).toEqual([{ cause: 'stalled', ...span(10_000, 14_000) }]);
    expect(one.measured.stretches).toEqual([span(0, 10_000), span(14_000, 16_000)]);
  });

  test('because of a clock jump cause no hole', () => {
    const { clock, one, receive } = started();
    for (let at = 0; at < 5; at += 1) receive(at, at + 1, 0, at === 0);
    for (let at = 5; at < 10; at += 1) receive(at, at + 1, 2000);
    clock.now = 14_000;
    const late = dated(10, 11, 2000);
    Object.assign(late.progress.second, {
      isSteady: false,
      lastPcr: 500 * PCR_PER_SECOND,
    });
    one.take(late, monotonicMs(13_000));
    const next = dated(11, 12, 2000);
    Object.assign(next.progress.second, { pcr: 500 * PCR_PER_SECOND, lastPcr: 501 * PCR_PER_SECOND });
    one.take(next, monotonicMs(14_000));
    expect(one.measured.stretches).toEqual([span(0, 12_000)]);
  });

  test('with drifting clocks are not reported as increasingly late', () => {
    const { one, receive } = started();
    const DRIFT = 0.0005;
    for (let at = 0; at < 3600; at += 1) receive(at, at + 1, at * 1000 * DRIFT, at === 0);
    const [only, ...more] = one.measured.stretches;
    expect(more).toEqual([]);
    expect(Math.abs((only?.to ?? 0) - 3600 * 1000 * (1 + DRIFT))).toBeLessThan(300);
  });
});

test('packets that another program cut off their file are missing, also if they were not reported yet', () => {
  const clock = { now: 0 };
  const one = reception(clock);
  one.begin();
  one.beginLife();
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  for (const from of [0, 1000, 2000]) {
    clock.now = from + 1000;
    one.take(second(from), monotonicMs(from + 1000));
  }
  clock.now = 3400;
  const cut = {
    path: '/a.ts',
    size: 1000,
    lost: 2400,
    from: monotonicMs(1500),
    to: monotonicMs(3400),
    pcr: null,
  };
  one.take({ kind: 'cut', cut }, monotonicMs(3400));
  expect(one.soFar.breaks).toEqual([{ cause: 'file_changed', ...span(1500, 3400) }]);
  clock.now = 4000;
  one.take(second(3000), monotonicMs(4000));
  one.settle(broadcastMs(4000));
  expect(one.measured.stretches).toEqual([span(0, 1500), span(3400, 4000)]);
  expect(one.measured.breaks).toEqual([{ cause: 'file_changed', ...span(1500, 3400) }]);
});

test.each([
  ['by their share of the octets where no clock reference is left', 1000, 750],
  ['from the beginning of the file on if nothing is left', 0, 0],
])('packets that another program cut off are missing %s', (_, size, from) => {
  const clock = { now: 0 };
  const one = reception(clock);
  one.begin();
  one.beginLife();
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  for (const at of [0, 1000, 2000]) {
    clock.now = at + 1000;
    one.take(second(at), monotonicMs(at + 1000));
  }
  const cut = { path: '/a.ts', size, lost: 4000 - size, from: null, to: monotonicMs(3000), pcr: null };
  one.take({ kind: 'cut', cut }, monotonicMs(3000));
  one.settle(broadcastMs(3000));
  expect(one.measured.breaks).toEqual([{ cause: 'file_changed', ...span(from, 3000) }]);
});

test('a file that was shortened while the service was stopped has lost its end', () => {
  const clock = { now: 100_000 };
  const one = reception(clock, {
    ...nothingMeasured(),
    stretches: [span(0, 60_000)],
    files: [{ path: '/a.ts', ...span(0, 60_000) }],
  });
  one.begin();
  one.beginLife();
  const former = {
    ...{ modifiedAt: wallMs(60_000), pcr: 20 * PCR_PER_SECOND, size: 2000, lost: 4000 },
    ...{ recounted: NO_PACKETS, runs: [], holes: [], unwatchable: [] },
  };
  one.take({ kind: 'opened', path: '/a.ts', size: 2000, former }, monotonicMs(0));
  const { progress } = second(0);
  const dated = { ...progress, second: { ...progress.second, pcr: 100 * PCR_PER_SECOND } };
  one.take({ kind: 'progress', progress: dated }, monotonicMs(0));
  expect(one.measured.stretches).toEqual([span(0, 20_000), span(100_000, 101_000)]);
  expect(one.measured.breaks).toEqual([
    { cause: 'file_changed', ...span(20_000, 60_000) },
    { cause: 'service_stopped', ...span(60_000, 100_000) },
  ]);
});

test('packets after a gap that a killed process had not written are lost with it, and the gap keeps its cause', () => {
  const clock = { now: 80_000 };
  const one = reception(clock, {
    ...nothingMeasured(),
    stretches: [span(0, 60_000), span(70_000, 72_000)],
    breaks: [{ cause: 'no_signal', ...span(60_000, 70_000) }],
    files: [{ path: '/a.ts', ...span(0, 72_000) }],
  });
  one.begin();
  one.beginLife();
  const former = {
    ...{ modifiedAt: wallMs(60_000), pcr: 60 * PCR_PER_SECOND, size: 6000, lost: 200 },
    ...{ recounted: NO_PACKETS, runs: [], holes: [], unwatchable: [] },
  };
  one.take({ kind: 'opened', path: '/a.ts', size: 6000, former }, monotonicMs(0));
  const { progress } = second(0);
  const dated = { ...progress, second: { ...progress.second, pcr: 80 * PCR_PER_SECOND } };
  one.take({ kind: 'progress', progress: dated }, monotonicMs(0));
  expect(one.measured.stretches).toEqual([span(0, 60_000), span(80_000, 81_000)]);
  expect(one.measured.breaks).toEqual([
    { cause: 'no_signal', ...span(60_000, 70_000) },
    { cause: 'service_stopped', ...span(70_000, 72_000) },
    { cause: 'service_stopped', ...span(72_000, 80_000) },
  ]);
});

test('packets that a lost worker had not written are lost with it', () => {
  const clock = { now: 0 };
  const one = reception(clock);
  one.begin();
  one.beginLife();
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  for (const at of [0, 1000, 2000]) {
    clock.now = at + 1000;
    one.take(second(at), monotonicMs(at + 1000));
  }
  one.lose('recorder_failed');
  clock.now = 5000;
  one.beginLife();
  const former = {
    ...{ modifiedAt: wallMs(2500), pcr: 20 * PCR_PER_SECOND, size: 2000, lost: 376 },
    ...{ recounted: NO_PACKETS, runs: [], holes: [], unwatchable: [] },
  };
  one.take({ kind: 'opened', path: '/a.ts', size: 2000, former }, monotonicMs(0));
  const { progress } = second(0);
  const dated = { ...progress, second: { ...progress.second, pcr: 22.5 * PCR_PER_SECOND } };
  one.take({ kind: 'progress', progress: dated }, monotonicMs(0));
  expect(one.measured.stretches).toEqual([span(0, 2500), span(5000, 6000)]);
  expect(one.measured.breaks).toEqual([{ cause: 'recorder_failed', ...span(2500, 5000) }]);
});

test('a lost file has lost its packets that were not reported yet, and those of the next file stay', () => {
  const clock = { now: 0 };
  const one = reception(clock);
  one.begin();
  one.beginLife();
  const leave = (path: string, until: number): void => {
    const left = { path, size: 1880, queued: 188, writtenUntil: monotonicMs(until) };
    one.take({ kind: 'left', left }, monotonicMs(clock.now));
  };
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, monotonicMs(0));
  clock.now = 1000;
  one.take(second(0), monotonicMs(1000));
  leave('/a.ts', 1000);
  one.take({ kind: 'opened', path: '/b.ts', size: 0, former: null }, monotonicMs(1000));
  clock.now = 2000;
  one.take(second(1000), monotonicMs(2000));
  clock.now = 2800;
  leave('/b.ts', 2600);
  one.forget('/b.ts', false);
  one.take({ kind: 'opened', path: '/c.ts', size: 0, former: null }, monotonicMs(2800));
  clock.now = 3000;
  one.take(second(2000), monotonicMs(3000));
  expect(one.measured.stretches).toEqual([span(0, 1000), span(2600, 3000)]);
});

describe('a gap that has not ended when the process is killed', () => {
  const idle = (cause: 'stalled' | 'copy_never', from: number, isSilent: boolean) => ({
    ...{ kind: 'idle' as const, idle: { cause, from: monotonicMs(from), isSilent } },
  });
  const receiving = (whySilent?: () => Promise<GapCause | undefined>) => {
    const clock = { now: 0 };
    const one = new ReceptionTimeline({
      ...{ former: undefined, began: () => {}, onReceiving: () => {}, whySilent },
      broadcastClock: () => broadcastMs(clock.now),
      wallClock: () => wallMs(clock.now),
    });
    const take = (event: Parameters<typeof one.take>[0], at: number): void => {
      clock.now = at;
      one.take(event, monotonicMs(at));
    };
    one.begin();
    one.beginLife();
    take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, 0);
    take(second(0), 1000);
    return { one, take, clock };
  };

  test('is saved up to its last report, and forgotten when packets return late', () => {
    const { one, take, clock } = receiving();
    take(idle('stalled', 1000, false), 3000);
    take(idle('stalled', 1000, false), 4000);
    clock.now = 9000;
    expect(one.soFar.breaks).toEqual([{ cause: 'stalled', ...span(1000, 4000) }]);
    expect([one.isRunning, one.measured.breaks]).toEqual([false, []]);
    take(second(1000), 9000);
    expect([one.isRunning, one.soFar.breaks]).toEqual([true, []]);
  });

  test('has the cause that the agent tells, or that it is silent', async () => {
    const answers: (GapCause | undefined)[] = [undefined, 'agent_silent'];
    const { one, take } = receiving(async () => answers.shift());
    take(idle('stalled', 1000, true), 3000);
    await Promise.resolve();
    expect([one.silentBy, one.soFar.breaks[0]?.cause]).toEqual([undefined, 'stalled']);
    take(idle('stalled', 1000, true), 4000);
    await Promise.resolve();
    expect([one.silentBy, one.soFar.breaks[0]?.cause]).toEqual(['agent_silent', 'agent_silent']);
  });

  test('of the station alone is not asked about', () => {
    const { one, take } = receiving(() => Promise.reject(new Error('asked')));
    take(idle('copy_never', 1000, false), 3000);
    expect(one.soFar.breaks).toEqual([{ cause: 'copy_never', ...span(1000, 3000) }]);
  });

  test('gives way to the end of the stream', () => {
    const { one, take, clock } = receiving();
    take(idle('stalled', 1000, true), 3000);
    clock.now = 9000;
    one.lose('agent_silent');
    clock.now = 10_000;
    expect(one.soFar.breaks).toEqual([{ cause: 'agent_silent', ...span(1000, 10_000) }]);
  });
});
