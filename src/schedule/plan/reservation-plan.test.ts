import { describe, expect, test } from 'bun:test';
import { broadcastMs, plusMs } from '../../../lib/arib/time.ts';
import { reservationId } from '../../../lib/wire/ids.ts';
import { GR_TUNER, HOUR, Home, MINUTE, NOON } from '../../../test/schedule/plan-home.ts';
import { settled } from '../../../test/schedule/settled.ts';

describe('allocation', () => {
  test('a rule books what it matches, with its priority and a tuner', () => {
    const home = new Home();
    const station = home.station('T27');
    home.program(station, '灯台の朝', { at: 60 });
    home.program(station, '港の朝', { at: 90 });
    home.rule('灯台', { priority: 4, marginBefore: 5000 });
    home.run();
    expect(home.reservations).toHaveLength(1);
    expect(home.reservations[0]).toMatchObject({
      state: 'scheduled',
      priority: 4,
      ruleId: 1,
      marginBefore: 5000,
      tuner: { type: 'GR', rank: 0 },
    });
    settled(home);
  });

  test('the higher priority wins, and a conflict names its blockers and the alternatives', () => {
    const home = new Home([GR_TUNER]);
    const [one, two, three] = [home.station('T27'), home.station('T28'), home.station('T29')];
    const low = home.program(one, '灯台 #3「波」', { at: 60 });
    home.program(two, '港の朝', { at: 75 });
    const later = home.program(one, '灯台 第3話「波」[再]', { at: 600 });
    home.program(three, '灯台 第4話「風」', { at: 700 });
    home.rule('灯台 3', { priority: 1, stationIds: [one], periodTo: NOON + 300 * MINUTE });
    home.rule('港', { priority: 3 });
    home.run();
    const lost = home.of(low);
    const won = home.reservations.find(({ name }) => name === '港の朝');
    expect(lost).toMatchObject({ state: 'conflict', tuner: null, alternatives: [later] });
    expect(lost?.blockers).toEqual([won?.id ?? reservationId(0)]);
    expect(lost?.reason).toEqual({
      code: 'tuners_in_use',
      names: ['港の朝'],
      hasMore: false,
      broken: 0,
    });
    settled(home);
  });

  test('an alternative airing of a film without a number is found by its title, as after a failure', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    home.reserve(home.program(one, '港の朝', { at: 60 }));
    const film = { description: '岬の灯台を守る父と娘の一年。' };
    const lost = home.reserve(home.program(two, '[映]岬の灯', { at: 60, ...film }));
    home.program(two, '岬の灯', { at: 300, description: '別の映画です。' });
    const again = home.program(two, '岬の灯[再]', { at: 600, ...film });
    home.run();
    expect(home.of(lost.programId)).toMatchObject({ state: 'conflict', alternatives: [again] });
  });

  test('a simulcast is an alternative where another type has a tuner', () => {
    const home = new Home();
    const [one, two, satellite] = [home.station('T27'), home.station('T28'), home.station('BS01_0')];
    home.reserve(home.program(one, '港の朝', { at: 60 }));
    const lost = home.reserve(home.program(two, '歌の祭典', { at: 60 }));
    const simulcast = home.program(satellite, '歌の祭典[字]', { at: 60 });
    home.run();
    expect(home.of(lost.programId)).toMatchObject({ state: 'conflict', alternatives: [simulcast] });
  });

  test('of equal priorities the earlier booking keeps its tuner', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    home.reserve(home.program(one, '先', { at: 60 }));
    home.reserve(home.program(two, '後', { at: 50 }));
    home.run();
    expect(home.states()).toEqual([
      ['後', 'conflict'],
      ['先', 'scheduled'],
    ]);
  });

  test('stations of one physical channel share a tuner; programmes that meet do not conflict', () => {
    const home = new Home([GR_TUNER]);
    const [one, two, three] = [home.station('T27'), home.station('T27', 1025), home.station('T28')];
    home.reserve(home.program(one, '一', { at: 60 }));
    home.reserve(home.program(two, '二', { at: 60, minutes: 60 }));
    home.reserve(home.program(three, '三', { at: 120 }));
    const { openings } = home.run();
    expect(home.states().map(([, state]) => state)).toEqual(['scheduled', 'scheduled', 'scheduled']);
    const third = openings.find(({ programId }) => programId === home.reservations[2]?.programId);
    expect(third?.openAt).toBe(broadcastMs(NOON + 120 * MINUTE));
    expect(third?.after.map(Number)).toEqual([Number(home.reservations[1]?.programId)]);
    settled(home);
  });

  test('a running recording keeps its tuner before everything else', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    const running = home.reserve(home.program(one, '録画中', { at: -10 }), {
      state: 'recording',
      priority: 0,
    });
    home.tuners = [{ ...GR_TUNER, recording: [running.id] }];
    home.reserve(home.program(two, '優先', { at: 5 }), { priority: 9 });
    home.run();
    expect(home.states()).toEqual([
      ['録画中', 'recording'],
      ['優先', 'conflict'],
    ]);
    // It overruns: the end only moves later.
    home.change(running.programId, { endAt: broadcastMs(NOON + 40 * MINUTE) });
    home.run();
    expect(home.of(running.programId)?.endAt).toBe(broadcastMs(NOON + 40 * MINUTE));
    home.change(running.programId, { endAt: broadcastMs(NOON + 15 * MINUTE) });
    home.run();
    expect(home.of(running.programId)?.endAt).toBe(broadcastMs(NOON + 40 * MINUTE));
  });

  test('without a tuner of its type, and without a tuner list', () => {
    const home = new Home([GR_TUNER]);
    const one = home.reserve(home.program(home.station('BS01_0'), '衛星', { at: 60 }));
    home.run();
    expect(home.of(one.programId)).toMatchObject({ state: 'conflict', blockers: [] });
    expect(home.of(one.programId)?.reason).toEqual({ code: 'not_received', type: 'BS' });
    home.tuners = null;
    home.run();
    expect(home.states()).toEqual([['衛星', 'scheduled']]);
    expect(home.look().openings).toEqual([]);
  });
});

describe('programmes that must not be recorded', () => {
  test('a copy-never programme is skipped, booked again when that changes, and stays skipped at its end', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    const never = home.program(one, '灯台', { at: 60, copyNever: true });
    home.reserve(home.program(two, '港', { at: 60 }));
    home.rule('灯台', { priority: 9 });
    home.run();
    expect(home.of(never)).toMatchObject({ state: 'skipped', tuner: null });
    expect(home.of(never)?.reason).toEqual({ code: 'copy_never' });
    expect(home.states()).toContainEqual(['港', 'scheduled']);
    home.change(never, { copyNever: false });
    home.run();
    expect(home.of(never)?.state).toBe('scheduled');
    home.change(never, { copyNever: true });
    home.run();
    home.now = broadcastMs(NOON + 3 * HOUR);
    home.run();
    expect(home.of(never)?.state).toBe('skipped');
    settled(home);
  });

  test('a programme that was not recorded is missed, with the reason', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('T28')];
    const first = home.reserve(home.program(one, '一', { at: 60 }));
    const second = home.reserve(home.program(two, '二', { at: 60 }));
    home.run();
    home.now = broadcastMs(NOON + 90 * MINUTE);
    home.run();
    expect(home.of(first.programId)).toMatchObject({ state: 'missed' });
    expect(home.of(first.programId)?.reason).toEqual({ code: 'missed_not_begun' });
    expect(home.of(second.programId)?.reason).toEqual({
      ...{ code: 'missed_tuners_in_use', names: ['一'], hasMore: false },
    });
    settled(home);
  });

  test('a missed reservation reports whether the recorder or a tuner was missing', () => {
    const home = new Home([GR_TUNER]);
    const [one, two] = [home.station('T27'), home.station('BS01_0')];
    const off = home.reserve(home.program(one, '一', { at: 60 }));
    const begun = home.reserve(home.program(one, '二', { at: 90 }));
    const satellite = home.reserve(home.program(two, '三', { at: 60 }));
    home.run();
    // It was started after the first was over.
    home.runningSince = plusMs(NOON, 90 * MINUTE);
    home.now = broadcastMs(NOON + 120 * MINUTE);
    home.run();
    expect(home.of(off.programId)?.reason).toEqual({ code: 'missed_service_stopped' });
    expect(home.of(begun.programId)?.reason).toEqual({ code: 'missed_not_begun' });
    expect(home.of(satellite.programId)?.reason).toEqual({ code: 'missed_not_received', type: 'BS' });
    settled(home);
  });

  test('by an unreliable clock nothing is over, and nothing is booked again', () => {
    const home = new Home([GR_TUNER]);
    const coming = home.reserve(home.program(home.station('T27'), '一', { at: 600 }));
    const missed = home.reserve(home.program(home.station('T28'), '二', { at: -60 }));
    home.run();
    const reason = home.of(missed.programId)?.reason;
    home.isTimeSure = false;
    for (const off of [15 * HOUR, -15 * HOUR]) {
      home.now = broadcastMs(NOON + off);
      home.run();
      expect(home.of(coming.programId)).toMatchObject({ state: 'scheduled', reason: null });
      expect(home.of(missed.programId)).toMatchObject({ state: 'missed', reason });
      settled(home);
    }
    home.isTimeSure = true;
    home.now = broadcastMs(NOON + 9 * HOUR);
    home.run();
    expect(home.of(coming.programId)).toMatchObject({ state: 'scheduled', tuner: { rank: 0 } });
    settled(home);
  });

  test('a programme that may still be on needs its tuner, and the current user is named', () => {
    const home = new Home([GR_TUNER]);
    const other = home.program(home.station('T27'), '一', { at: -60, minutes: 120 });
    const running = home.reserve(other, { state: 'recording' });
    home.tuners = [{ ...GR_TUNER, recording: [running.id] }];
    const open = home.reserve(home.program(home.station('T28'), '中継', { at: -30, openEnd: true }));
    home.now = broadcastMs(NOON + MINUTE);
    home.run();
    expect(home.of(open.programId)).toMatchObject({ state: 'conflict', blockers: [running.id] });
    settled(home);
  });

  test('a programme with an unknown end is not over', () => {
    const home = new Home();
    const open = home.reserve(home.program(home.station('T27'), '中継', { at: -30, openEnd: true }));
    home.now = broadcastMs(NOON + MINUTE);
    home.run();
    expect(home.of(open.programId)?.state).toBe('scheduled');
    home.now = broadcastMs(NOON + 4 * HOUR);
    home.run();
    expect(home.of(open.programId)?.state).toBe('missed');
  });
});
