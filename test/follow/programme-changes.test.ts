/**
 * Schedule changes of a broadcaster, from the air to the file: programmes that move, and programmes that must
 * not be copied.
 */
import { afterAll, describe, expect } from 'bun:test';
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { INVENTED_REGION, terrestrialNetwork, terrestrialService } from '../../synth/scenario/identity.ts';
import { reservedInTime } from '../faults/booked-household.ts';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { BEFORE, type Outcome, ProgrammeChanges } from './programme-changes.ts';

const { prepare, test } = realTime();
let evening: ProgrammeChanges;
/** From then on a film may be copied. */
let unlock: () => void;
/** Programmes reserved by hand, by title. */
const booked = new Map<string, number>();

/** The station of a channel, by its index in the list. */
const stationOf = (index: number) => ({
  networkId: terrestrialNetwork(INVENTED_REGION, index),
  serviceId: terrestrialService(INVENTED_REGION, index, 'tv', 0),
});
const HOUR_SEC = 3600;
/** The second at which everything is reserved: time for what happens before the first programme begins. */
const BOOKED = -9;

const AIR = {
  T20: [{ at: 0, durationSec: 8, title: '二度延びる試合', overrunSec: 8, overrunSteps: 2, noticeSec: 2 }],
  T21: [
    {
      at: 0,
      durationSec: 8,
      title: '終わりの決まらない試合',
      overrunSec: 8,
      undefinedEnd: true,
      noticeSec: 1,
    },
  ],
  T22: [
    { at: -HOUR_SEC, durationSec: HOUR_SEC, title: BEFORE, overrunSec: 8, undefinedEnd: true, noticeSec: 0 },
    { at: 0, durationSec: 9, title: '遅れる映画' },
  ],
  T23: [{ at: 0, durationSec: 8, title: 'リレーする試合', relayTo: stationOf(4) }],
  T24: [{ at: 8, durationSec: 8, title: 'リレーのつづき' }],
  T25: [{ at: 0, durationSec: 10, title: '番号の変わる番組', overrunSec: 4, overrunSteps: 1, noticeSec: 2 }],
  T26: [
    {
      at: 0,
      durationSec: 12,
      title: '中断される映画',
      interruption: { afterSec: 4, forSec: 5, title: '緊急ニュース' },
    },
  ],
  T27: [{ at: 0, durationSec: 14, title: '黙って延びる番組' }],
  T28: [
    {
      at: 0,
      durationSec: 12,
      title: '番号を変えて再開する映画',
      interruption: { afterSec: 4, forSec: 5, title: '緊急放送', newId: true },
    },
  ],
  T29: [{ at: 0, durationSec: 14, title: '途中からコピー禁止' }],
  T30: [{ at: 0, durationSec: 14, title: '始めからコピー禁止' }],
  T31: [{ at: 0, durationSec: 8, title: '解禁される映画' }],
};
/** Not reserved by hand before the evening begins. */
const OTHERS: readonly string[] = [BEFORE, 'リレーのつづき', '解禁される映画'];

prepare(async () => {
  const reserve = async (begun: ProgrammeChanges): Promise<void> => {
    const fault = (kind: string, channel: string, from: number, to: number, fields = {}) =>
      begun.air.fault({ kind, channel, from: begun.at(from), to: begun.at(to), ...fields });
    // Present/following announces eight seconds; the programme lasts for fourteen.
    fault('eit', 'T27', 0, 14, { which: 'present', longerSec: -6 });
    fault('eit', 'T27', 0, 14, { which: 'following', delaySec: -6 });
    fault('eit', 'T25', 4, 60, { which: 'present', newId: true });
    fault('copy_never', 'T29', 7, 11);
    fault('copy_never', 'T30', -6, 14);
    unlock = begun.air.fault({ kind: 'eit', channel: 'T31', which: 'following', copyControl: 'never' });
    booked.clear();
    for (const { title } of Object.values(AIR).flat())
      if (!OTHERS.includes(title)) booked.set(title, (await begun.book(title)).programId);
  };
  const start = async (patience: number) => {
    const home = await ProgrammeChanges.start(AIR, 'GR:13', patience);
    return { home, deadline: home.at(BOOKED) };
  };
  evening = (await reservedInTime('an evening of changes', start, reserve)).home;
});

afterAll(() => evening?.close());

/** Reads until cancelled. */
async function drain({ body }: Response, signal: AbortSignal): Promise<void> {
  const reader = body?.getReader();
  try {
    while (reader !== undefined && !(await reader.read()).done);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Checks that all of it is recorded, from its real start to its real end, and nothing else. */
function whole({ kept, programme, loss, verdict }: Outcome, from: number, to: number): void {
  expect({ programme, level: verdict.level, gaps: verdict.gaps }).toEqual({
    programme: { from, to },
    level: 'complete',
    gaps: [],
  });
  expect(loss).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
  // Pictures are sent up to a second before they are shown.
  expect(kept.from).toBeLessThan(from - 1);
  expect(kept.to).toBeGreaterThan(to);
}

describe('programmes that may not be copied', () => {
  test('are skipped if a rule matches, refused by hand, and reserved again as soon as copying is allowed', async () => {
    const title = '解禁される映画';
    const { id } = await evening.programme(title);
    const stationId = Math.floor(id / 100_000);
    // A viewer watches the channel, so that the station's tables are received.
    const watching = new AbortController();
    const { signal } = watching;
    const live = await fetch(`${evening.service.url}/api/services/${stationId}/live?codec=raw`, { signal });
    const drained = drain(live, signal);
    try {
      await evening.send('POST', 'rules', { keyword: title });
      const reservation = async () => {
        const list = await evening.send<ReservationItem[]>('GET', 'reservations');
        return list.find((one) => one.programId === id);
      };
      await until('it is skipped', async () => (await reservation())?.state === 'skipped' || undefined);
      expect(await reservation()).toMatchObject({
        reason: 'コピー禁止の番組なので録画しません。',
        tuner: null,
      });
      const refused = await evening.ask('POST', 'reservations', { programId: id });
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
        400,
        'copy_never',
      ]);
      unlock();
      const isBooked = (state: string | undefined) => state === 'scheduled' || state === 'recording';
      await until('it is reserved', async () => isBooked((await reservation())?.state) || undefined);
    } finally {
      watching.abort();
      await drained;
    }
  });

  test('from their start are not recorded, and release the tuner before their end', async () => {
    const { state, reason } = await evening.judged('始めからコピー禁止');
    expect({ state, reason }).toEqual({ state: 'failed', reason: 'コピー禁止の番組なので録画しません' });
    const users = (await evening.air.tuners())
      .filter(({ tuned }) => tuned?.channel === 'T30')
      .flatMap((tuner) => tuner.users);
    expect(users).toEqual([]);
    expect(Date.now()).toBeLessThan(evening.at(14));
  });

  test('are left out from the change on; the parts before and after it are kept', async () => {
    const { verdict, kept, loss, recording } = await evening.outcome('途中からコピー禁止', 'T29');
    expect(recording.state).toBe('recorded');
    expect(verdict).toMatchObject({ level: 'damaged', gaps: [{ cause: 'copy_never' }] });
    const [gap] = verdict.gaps;
    // The PMT is sent ten times a second.
    expect(Math.abs((gap?.startMs ?? 0) - 7000)).toBeLessThan(1500);
    expect(Math.abs((gap?.endMs ?? 0) - 11_000)).toBeLessThan(1500);
    expect([kept.from < -1, kept.to > 14, loss.foreign, loss.holes]).toEqual([true, true, 0, 1]);
  });

  test('are recorded completely when copying is allowed in time', async () => {
    whole(await evening.outcome('解禁される映画', 'T31'), 0, 8);
  });
});

describe('from its real start to its real end', () => {
  test('a programme that is extended twice while it is on air', async () => {
    whole(await evening.outcome('二度延びる試合', 'T20'), 0, 16);
  });

  test('one whose end is unknown until shortly before', async () => {
    whole(await evening.outcome('終わりの決まらない試合', 'T21'), 0, 16);
  });

  test('one that waits for a programme with an unknown end', async () => {
    const outcome = await evening.outcome('遅れる映画', 'T22');
    whole(outcome, 8, 17);
    // Its tuner was occupied from the announced start on.
    expect(outcome.kept.from).toBeLessThan(-1);
  });

  test('one whose announced end differs from the real one', async () => {
    const { kept, loss, verdict } = await evening.outcome('黙って延びる番組', 'T27');
    expect(loss).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
    expect(verdict.level).toBe('complete');
    expect(kept.from).toBeLessThan(-1);
    expect(kept.to).toBeGreaterThan(14);
  });

  test('one that continues under another event id', async () => {
    whole(await evening.outcome('番号の変わる番組', 'T25'), 0, 14);
    const [recording, ...others] = await evening.recordings('番号の変わる番組');
    expect(others).toEqual([]);
    // Stored with the id under which it ended.
    const done = await evening.send<ReservationItem[]>('GET', 'reservations?completed=1');
    expect(done.find(({ recordingId }) => recordingId === recording?.id)?.programId).toBe(
      (recording?.programId ?? 0) as ProgramId,
    );
    expect(recording?.programId).not.toBe(booked.get('番号の変わる番組'));
  });

  test('one that is interrupted by a news flash', async () => {
    whole(await evening.outcome('中断される映画', 'T26'), 0, 17);
    expect(await evening.recordings('中断される映画')).toHaveLength(1);
  });

  test('one that is interrupted by a news flash and continues under another event id', async () => {
    const { kept, loss, verdict } = await evening.outcome('番号を変えて再開する映画', 'T28');
    expect(loss).toEqual({ foreign: 0, missing: 0, places: 0, holes: 0 });
    expect(verdict.level).toBe('complete');
    expect(kept.from).toBeLessThan(-1);
    expect(kept.to).toBeGreaterThan(17);
  });

  test('one that continues on another station, as two recordings', async () => {
    whole(await evening.outcome('リレーする試合', 'T23'), 0, 8);
    whole(await evening.outcome('リレーのつづき', 'T24'), 8, 16);
  });
});
