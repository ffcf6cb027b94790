import { describe, expect, test } from 'bun:test';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { AirState } from '../model/airing.ts';
import { judge, type Measured, nothingMeasured } from '../model/verdict.ts';
import {
  beginLifecycle,
  endsAt,
  type LifecycleEvent,
  type LifecycleState,
  type LifecycleTimes,
  next,
  type OrderedTimes,
  type RecordingLifecycle,
} from './recording-lifecycle.ts';

const at = (seconds: number): BroadcastMs => broadcastMs(1_800_000_000_000 + seconds * 1000);
/** Margins of 10 s around a programme of 1000 s. */
const TIMES: LifecycleTimes = {
  ...{ openAt: at(-10), startAt: at(0), endAt: at(1000), closeAt: at(1010) },
  ...{ holdUntil: null, listenUntil: null, brokenAt: null },
};
const FACTS = {
  ...{ times: TIMES, airState: null, isAired: null, isInformed: true, yieldedAt: null },
  firmCloseAt: TIMES.closeAt,
};
const STATES: Record<LifecycleState, RecordingLifecycle> = {
  announced: { ...FACTS, state: 'announced' },
  waiting: { ...FACTS, state: 'waiting' },
  on: { ...FACTS, isAired: true, state: 'on' },
  extended: {
    ...{ ...FACTS, isAired: true, times: { ...TIMES, holdUntil: at(5000) } },
    state: 'extended',
  },
  broken_off: {
    ...{ ...FACTS, isAired: true, times: { ...TIMES, listenUntil: at(1500) } },
    state: 'broken_off',
  },
  unreceived: { ...FACTS, isAired: true, state: 'unreceived', until: at(1200), hasWritten: true },
  over: { ...FACTS, state: 'over', end: 'finished', at: at(1010) },
};
const RECEIVING = { isReceiving: true, isCutOff: false };
const CUT_OFF = { isReceiving: false, isCutOff: true };

const tick = (seconds: number, reception = RECEIVING): LifecycleEvent => ({
  ...{ kind: 'tick', at: at(seconds), reception },
});
function order(seconds: number, over: Partial<OrderedTimes> = {}): LifecycleEvent {
  const { openAt: _, ...times } = TIMES;
  return { kind: 'ordered', at: at(seconds), ordered: { ...times, airState: null, ...over } };
}

/** Every state with every event: the next state, and how it ends. */
const EVENTS: Record<string, LifecycleEvent> = {
  'tick before its time': tick(-20),
  'tick in the margin': tick(-5),
  'tick in the programme': tick(100),
  'tick at its end': tick(1010),
  'tick at its end, cut off': tick(1010, CUT_OFF),
  'tick long after': tick(6000),
  'order as before': order(100),
  'order of a later end': order(1011, { endAt: at(2000), closeAt: at(2010) }),
  'order that is next': order(100, { airState: 'next' }),
  'order that is on': order(100, { airState: 'on' }),
  yielded: { kind: 'yielded', at: at(1000) },
  opened: { kind: 'opened', at: at(1100) },
  stopped: { kind: 'stopped', at: at(50) },
  forbidden: { kind: 'forbidden', at: at(5) },
  closed: { kind: 'closed', at: at(50) },
  'clock set': { kind: 'clock_set', byMs: 1000 },
};
const TABLE: Record<keyof typeof EVENTS, Record<Exclude<LifecycleState, 'over'>, string>> = {
  'tick before its time': row('announced', 'waiting', 'on', 'on', 'broken_off', 'unreceived'),
  'tick in the margin': row('waiting', 'waiting', 'on', 'on', 'broken_off', 'unreceived'),
  'tick in the programme': row('on', 'on', 'on', 'on', 'broken_off', 'unreceived'),
  'tick at its end': row('finished', 'finished', 'finished', 'extended', 'broken_off', 'unreceived'),
  'tick at its end, cut off': row(
    'unreceived',
    'unreceived',
    'unreceived',
    'extended',
    'broken_off',
    'unreceived',
  ),
  'tick long after': row('finished', 'finished', 'finished', 'finished', 'finished', 'finished'),
  // A later end resumes a recording that waits; here the ordered end is in the future.
  'order as before': row('announced', 'waiting', 'on', 'extended', 'on', 'on'),
  'order of a later end': row('announced', 'waiting', 'on', 'extended', 'on', 'on'),
  'order that is next': row('announced', 'waiting', 'on', 'extended', 'on', 'on'),
  'order that is on': row('announced', 'waiting', 'on', 'extended', 'on', 'on'),
  yielded: row('finished', 'finished', 'finished', 'finished', 'finished', 'finished'),
  opened: row('announced', 'waiting', 'on', 'extended', 'broken_off', 'unreceived'),
  stopped: row('stopped', 'stopped', 'stopped', 'stopped', 'stopped', 'stopped'),
  forbidden: row('copy_never', 'copy_never', 'copy_never', 'copy_never', 'copy_never', 'copy_never'),
  closed: row('closed', 'closed', 'closed', 'closed', 'closed', 'closed'),
  'clock set': row('announced', 'waiting', 'on', 'extended', 'broken_off', 'unreceived'),
};

function row(
  announced: string,
  waiting: string,
  on: string,
  extended: string,
  broken_off: string,
  unreceived: string,
) {
  return { announced, waiting, on, extended, broken_off, unreceived };
}

describe('a lifecycle', () => {
  for (const [name, event] of Object.entries(EVENTS)) {
    test(`takes: ${name}`, () => {
      const found = Object.entries(STATES).flatMap(([state, lifecycle]) => {
        const after = next(lifecycle, event);
        return state === 'over' ? [] : [[state, after.state === 'over' ? after.end : after.state]];
      });
      expect(Object.fromEntries(found)).toEqual(TABLE[name] ?? {});
      // `over` is final.
      expect(next(STATES.over, event)).toBe(STATES.over);
    });
  }

  test('that was probed by a process that wrote nothing ends as unreceived', () => {
    const probe = beginLifecycle({
      ...{ times: TIMES, isAired: null, hasMain: true, isUnreceived: true, at: at(1020) },
    });
    expect(next(probe, tick(1021))).toBe(probe);
    expect(next(probe, tick(1200.1))).toMatchObject({ state: 'over', end: 'unreceived' });
    expect(next(probe, { kind: 'yielded', at: at(1030) })).toMatchObject({ end: 'unreceived' });
    const opened = next(probe, { kind: 'opened', at: at(1030) });
    expect(next(opened, tick(1041))).toBe(opened);
    expect(next(opened, tick(1042.1))).toMatchObject({ state: 'over', end: 'unreceived' });
  });

  test('ends when it was stopped, not when its file was closed', () => {
    expect(next(STATES.on, { kind: 'stopped', at: at(50) })).toMatchObject({ at: at(50) });
  });

  test('keeps the stored open end until this process knows the end', () => {
    const held = { ...TIMES, holdUntil: at(1500) };
    const begun = beginLifecycle({
      times: held,
      isAired: true,
      hasMain: true,
      isUnreceived: false,
      at: at(900),
    });
    const ordered = next(begun, order(900));
    expect(endsAt(ordered.times)).toBe(at(1500));
    const informed = next(next(ordered, order(901, { holdUntil: at(2000) })), order(902));
    expect(endsAt(informed.times)).toBe(at(1010));
  });

  test('keeps the time of the interrupting programme until it is held open again', () => {
    const broken = next(STATES.on, order(500, { brokenAt: at(400) }));
    expect(next(broken, order(501)).times.brokenAt).toBe(at(400));
    expect(next(broken, order(501, { holdUntil: at(5000) })).times.brokenAt).toBeNull();
  });
});

describe('the wanted span', () => {
  test('starts later while the station reports that the programme has not begun', () => {
    const waiting = next(next(STATES.announced, tick(-5)), order(-4, { airState: 'next' }));
    const passed = next(waiting, tick(30));
    expect(passed.state).toBe('waiting');
    const begun = next(
      passed,
      order(600, { startAt: at(600), endAt: at(1600), closeAt: at(1610), airState: 'on' }),
    );
    expect(next(begun, tick(600))).toMatchObject({ state: 'on', isAired: true, times: { startAt: at(600) } });
  });

  test('starts later where the clock assumed it on air and the station, received late, contradicts', () => {
    const on = next(STATES.waiting, tick(1));
    expect(on.state).toBe('on');
    const denied = next(on, order(2, { airState: 'next' }));
    expect(denied.state).toBe('waiting');
    expect(next(denied, order(300, { startAt: at(300), airState: 'on' })).times.startAt).toBe(at(300));
  });

  test('keeps what was on before an interruption, or under another id', () => {
    const on = next(next(STATES.waiting, order(1, { airState: 'on' })), tick(2));
    const interrupted = next(on, order(600, { brokenAt: at(600), airState: 'past' }));
    const resumed = next(interrupted, order(800, { startAt: at(800), endAt: at(1400), airState: 'on' }));
    expect(resumed.times).toMatchObject({ startAt: at(0), endAt: at(1400) });
    expect(next(resumed, order(900, { endAt: at(850), airState: 'on' })).times.endAt).toBe(at(900));
  });

  test('is not extended by an hour because the station was not received when its open end was estimated', () => {
    const guessed = next(STATES.on, order(500, { endAt: at(4600), closeAt: at(4610), airState: null }));
    expect(guessed.times).toMatchObject({ endAt: at(4600), closeAt: at(4610) });
    const held = { endAt: at(1000), closeAt: at(1010), holdUntil: at(11_800) };
    const received = next(guessed, order(510, { ...held, airState: 'on' }));
    expect(received.times).toMatchObject({ endAt: at(1000), closeAt: at(1010), holdUntil: at(11_800) });
    // What its station reported is not withdrawn.
    const later = next(received, order(900, { endAt: at(1200), closeAt: at(1210), airState: 'on' }));
    const earlier = next(later, order(950, { endAt: at(1000), closeAt: at(1010), airState: 'on' }));
    expect(earlier.times.closeAt).toBe(at(1210));
  });

  test('of an extension that was withdrawn ends a few seconds after another programme is on instead', () => {
    const over: Partial<OrderedTimes> = { endAt: at(1000), closeAt: at(1000), airState: 'past' };
    const later = next(STATES.on, order(500, { endAt: at(4600), closeAt: at(4600), airState: 'on' }));
    const withdrawn = next(later, order(508, { endAt: at(1000), closeAt: at(1000), airState: 'on' }));
    expect(withdrawn.times.closeAt).toBe(at(4600));
    // However often it is planned meanwhile.
    const replaced = [1001, 1002, 1004].reduce(
      (lifecycle, second) => next(lifecycle, order(second, over)),
      withdrawn,
    );
    expect(replaced.times).toMatchObject({ endAt: at(1000), closeAt: at(1006) });
    expect(next(replaced, tick(1006))).toMatchObject({ state: 'over', end: 'finished' });
    // It was a wrong table.
    const held = { endAt: at(1000), closeAt: at(1000), holdUntil: at(11_800), airState: 'on' as const };
    expect(endsAt(next(replaced, order(1005, held)).times)).toBe(at(11_800));
  });

  test('of a programme that an earlier process received is not missing from its start on', () => {
    const broken = { brokenAt: at(0), airState: 'elsewhere' as const };
    const first = next(STATES.on, order(400, broken));
    expect(first.times.brokenAt).toBe(at(400));
    expect(next(first, order(500, broken)).times.brokenAt).toBe(at(400));
  });

  test('of a programme that another replaced from its start, also of a short one, was never aired', () => {
    for (const length of [60, 1000]) {
      const times = { endAt: at(length), closeAt: at(length + 10) };
      const firmCloseAt = times.closeAt;
      let lifecycle: RecordingLifecycle = { ...STATES.waiting, firmCloseAt, times: { ...TIMES, ...times } };
      for (let second = -5; second <= length + 11; second += 1) {
        lifecycle = next(lifecycle, order(second, { ...times, airState: second < 1 ? null : 'elsewhere' }));
        lifecycle = next(lifecycle, tick(second));
      }
      expect(lifecycle).toMatchObject({ state: 'over', end: 'finished', isAired: false });
    }
  });

  test('of a programme of which nothing was received until its end may have been aired', () => {
    const received = next(STATES.on, order(1001, { airState: 'elsewhere' }));
    const unreceived: RecordingLifecycle = { ...STATES.on, isAired: null };
    expect(received.isAired).toBe(true);
    expect(next(unreceived, order(1001, { airState: 'elsewhere' })).isAired).toBeNull();
    expect(next(unreceived, order(999, { airState: 'elsewhere' })).isAired).toBe(false);
  });

  test('of a programme whose table arrives late was aired', () => {
    let lifecycle = next(STATES.waiting, order(1, { airState: 'elsewhere' }));
    for (let second = 2; second < 29; second += 1) lifecycle = next(lifecycle, tick(second));
    lifecycle = next(lifecycle, order(29, { airState: 'on' }));
    expect(next(lifecycle, tick(40)).isAired).toBe(true);
  });
});

/** A seeded generator: a failing seed is printed and becomes a test. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('any measured gap inside any part of a programme is reported, however its tables change its times', () => {
  for (let seed = 1; seed <= 400; seed += 1) {
    const draw = random(seed);
    const where = `seed ${seed}`;
    let lifecycle: RecordingLifecycle = STATES.announced;
    /** Parts that were really on the air, s. */
    const parts: [from: number, to: number][] = [];
    let second = -10;
    const pass = (until: number, airState: AirState | null, over: Partial<OrderedTimes> = {}): void => {
      const { openAt: _, ...times } = lifecycle.times;
      lifecycle = next(lifecycle, {
        kind: 'ordered',
        at: at(second),
        ordered: { ...times, ...over, airState },
      });
      for (; second < until; second += 1) lifecycle = next(lifecycle, tick(second));
    };
    let begin = draw() < 0.4 ? Math.round(draw() * 300) : 0;
    pass(begin, draw() < 0.5 ? null : 'next');
    if (begin > 0) pass(begin, 'next');
    const count = 1 + Math.floor(draw() * 3);
    for (let part = 0; part < count; part += 1) {
      const end = begin + 60 + Math.round(draw() * 500);
      // Under its own event id or another: its table gives the start of this part in both cases.
      const span = { startAt: at(begin), endAt: at(end), closeAt: at(end + 10) };
      parts.push([begin, end]);
      pass(end, 'on', span);
      const pause = 5 + Math.round(draw() * 200);
      if (part < count - 1) pass(end + pause, 'past', { brokenAt: at(end), listenUntil: at(end + 900) });
      begin = end + pause;
    }
    const [first, last] = [parts[0]?.[0] ?? 0, parts.at(-1)?.[1] ?? 0];
    const [from, to] = parts[Math.floor(draw() * parts.length)] ?? [0, 0];
    const breakFrom = from + draw() * (to - from - 2);
    const breakTo = Math.min(to, breakFrom + 0.6 + draw() * 30);
    const measured: Measured = {
      ...nothingMeasured(),
      stretches: [
        { from: at(first - 10), to: at(breakFrom) },
        { from: at(breakTo), to: at(last + 10) },
      ],
      breaks: [{ from: at(breakFrom), to: at(breakTo), cause: 'stalled' }],
    };
    const { startAt, endAt } = lifecycle.times;
    const { gaps } = judge(measured, { startAt, endAt }).verdict;
    const reported = gaps.find(({ cause }) => cause === 'stalled');
    expect(reported, where).toBeDefined();
    expect(Math.abs(startAt + (reported?.startMs ?? 0) - at(breakFrom)), where).toBeLessThan(500);
    expect(Math.abs(startAt + (reported?.endMs ?? 0) - at(breakTo)), where).toBeLessThan(500);
  }
});
