/**
 * What must not be lost when tuners disappear during a recording, when clocks were wrong, and when event ids are
 * reused.
 */
import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../../lib/arib/time.ts';
import { reservationId } from '../../../lib/wire/ids.ts';
import {
  DAY,
  GR_TUNER,
  HOUR,
  Home,
  MINUTE,
  NOON,
  SATELLITE_TUNER,
} from '../../../test/schedule/plan-home.ts';
import { settled } from '../../../test/schedule/settled.ts';

describe('a recording whose tuner was removed', () => {
  function halved() {
    const home = new Home([GR_TUNER, GR_TUNER, SATELLITE_TUNER]);
    const [lost, kept, film] = [
      home.program(home.station('T27'), '野球中継', { at: 0, minutes: 60 }),
      home.program(home.station('T28'), '港の朝', { at: 0, minutes: 60 }),
      home.program(home.station('BS01_0'), '夜の映画', { at: 30, minutes: 60 }),
    ];
    for (const id of [lost, kept, film]) home.reserve(id);
    for (const id of [lost, kept]) home.begin(id);
    home.now = broadcastMs(NOON + 10 * MINUTE);
    const on = home.of(kept)?.id ?? reservationId(-1);
    home.tuners = [{ ...GR_TUNER, recording: [on] }, SATELLITE_TUNER];
    return { home, lost, kept, film };
  }

  test('takes no tuner of another broadcast type', () => {
    const { home, film } = halved();
    home.run();
    expect(home.of(film)).toMatchObject({ state: 'scheduled', tuner: { type: 'BS' } });
    settled(home);
  });

  test('stays in the plan while its programme continues', () => {
    const { home, lost } = halved();
    home.airings.set(lost, { state: 'on', from: NOON, until: null });
    home.now = broadcastMs(NOON + 80 * MINUTE);
    const opening = home.run().openings.find(({ programId }) => programId === lost);
    expect(opening?.holdUntil).toBeGreaterThan(home.now + HOUR);
    settled(home);
  });
});

test('an end margin without a tuner does not block another programme', () => {
  const home = new Home([GR_TUNER]);
  const [over, next] = [
    home.program(home.station('T27'), '港の朝', { at: 0 }),
    home.program(home.station('T28'), '灯台の朝', { at: 20, minutes: 30 }),
  ];
  for (const id of [over, next]) home.reserve(id, { marginAfter: 15 * MINUTE });
  home.begin(over);
  home.now = broadcastMs(NOON + 30 * MINUTE);
  const { openings } = home.run();
  expect(home.of(next)?.state).toBe('scheduled');
  // A recording inside its programme comes first.
  expect(openings.map(({ programId }) => programId)).toEqual([next, over]);
  settled(home);
});

describe('a tuner that cannot be used', () => {
  const BROKEN = { ...GR_TUNER, types: [], broken: ['GR' as const] };

  test('is reported where it would have been needed, and is used as soon as it works again', () => {
    const home = new Home([GR_TUNER, BROKEN, SATELLITE_TUNER]);
    const [one, two, film, other] = [
      home.program(home.station('T27'), '港の朝', { at: 60 }),
      home.program(home.station('T28'), '灯台の朝', { at: 60 }),
      home.program(home.station('BS01_0'), '夜の映画', { at: 60 }),
      home.program(home.station('BS03_0'), '昼の映画', { at: 60 }),
    ];
    for (const id of [one, two, film, other]) home.reserve(id);
    home.run();
    expect(home.of(two)).toMatchObject({
      state: 'conflict',
      reason: { code: 'tuners_in_use', names: ['港の朝'], hasMore: false, broken: 1 },
    });
    // Of another broadcast type: it would not have helped.
    expect(home.of(other)?.reason).toEqual({
      code: 'tuners_in_use',
      names: ['夜の映画'],
      hasMore: false,
      broken: 0,
    });
    settled(home);
    home.tuners = [GR_TUNER, GR_TUNER, SATELLITE_TUNER];
    home.run();
    expect(home.of(two)).toMatchObject({ state: 'scheduled', reason: null });
    settled(home);
  });

  test('passes its recording to another one, which a lower-priority recording yields', () => {
    const home = new Home([GR_TUNER, GR_TUNER]);
    const [running, booked] = [
      home.program(home.station('T27'), '野球中継', { at: 0, minutes: 60 }),
      home.program(home.station('T28'), '港の朝', { at: 10, minutes: 60 }),
    ];
    for (const id of [running, booked]) home.reserve(id);
    home.begin(running);
    home.now = broadcastMs(NOON + 5 * MINUTE);
    home.tuners = [BROKEN, GR_TUNER];
    home.run();
    expect(home.of(running)?.state).toBe('recording');
    expect(home.of(booked)).toMatchObject({ state: 'conflict', blockers: [home.of(running)?.id] });
    settled(home);
  });
});

describe('a missed programme', () => {
  test('because the clock was wrong is recorded once it is correct', () => {
    const home = new Home();
    const id = home.program(home.station('T27'), '港の朝', { at: 60 });
    home.reserve(id);
    home.now = broadcastMs(NOON + DAY);
    home.run();
    expect(home.of(id)?.state).toBe('missed');
    home.now = NOON;
    home.run();
    expect(home.of(id)).toMatchObject({ state: 'scheduled', reason: null });
    settled(home);
  });

  test('because its postponement was unknown is recorded when it begins', () => {
    const home = new Home();
    const id = home.program(home.station('T27'), '港の朝', { at: 0 });
    home.reserve(id);
    home.now = broadcastMs(NOON + 40 * MINUTE);
    home.run();
    expect(home.of(id)?.state).toBe('missed');
    home.change(id, { startAt: broadcastMs(NOON + HOUR), endAt: broadcastMs(NOON + 2 * HOUR) });
    home.run();
    expect(home.of(id)).toMatchObject({ state: 'scheduled', startAt: NOON + HOUR });
    settled(home);
  });
});

describe('a programme that reuses the event id of a past one', () => {
  for (const state of ['finished', 'missed', 'cancelled'] as const) {
    test(`that was ${state} is booked by its rule`, () => {
      const home = new Home();
      const station = home.station('T27');
      const id = home.program(station, '昔の番組', { at: -4 * 24 * 60, event: 7 });
      const old = home.reserve(id, { state });
      home.program(station, '灯台の朝', { at: 60, event: 7 });
      home.rule('灯台');
      home.run();
      expect(home.of(id)).toMatchObject({ state: 'scheduled', name: '灯台の朝', ruleId: 1 });
      expect(home.of(id)?.id).not.toBe(old.id);
      settled(home);
    });
  }

  test('that nothing books leaves the old reservation unchanged', () => {
    const home = new Home();
    const station = home.station('T27');
    const id = home.program(station, '昔の番組', { at: -4 * 24 * 60, event: 7 });
    home.reserve(id, { state: 'missed' });
    home.program(station, '灯台の朝', { at: 60, event: 7 });
    settled(home);
  });
});
