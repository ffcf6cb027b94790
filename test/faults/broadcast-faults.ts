/** Faults of the air while the whole service records: what they take is missing, and told; nothing else is. */
import { expect, test } from 'bun:test';
import { entitlementBreaks } from '../record/test-broadcast.ts';
import { type FaultRoom, gapMs, Household, LONG, type Show, until } from './household.ts';

const STALL_MS = LONG ? 30_000 : 5_000;
const SECONDS = LONG ? 90 : 20;
const PMT_SEC = LONG ? 10 : 4;

export function airFaults(at: number): FaultRoom {
  const show = (channel: string, title: string): Show => ({ channel, title, at, seconds: SECONDS });
  const sound = show('T30', '静かな海');
  const stalled: Show = { ...show('T31', '灯台の話 #3「波」'), againAfter: 3600 };
  const lossy = show('T32', '雨の日の散歩');
  /** Its sound goes and comes again. */
  const changing: Show = { ...show('T33', '二つの音'), without: [0x110] };
  let house: Household;
  let ids: Map<Show, number>;
  const outcome = (wanted: Show) => house.outcome(wanted, ids.get(wanted) ?? 0);

  const start = async (): Promise<void> => {
    house = await Household.start({
      shows: [sound, stalled, lossy, changing],
      tuners: 'GR:4',
      settings: { retryDamaged: 'damaged' },
    });
    house.air.fault({ kind: 'loss', channel: 'T32', rate: 0.01, burst: 1, pids: [0x100, 0x110] });
    house.air.fault({ kind: 'pmt', channel: 'T33', audios: 0, everySec: PMT_SEC, forSec: PMT_SEC / 2 });
    ids = await house.reserveAll();
  };

  const tests = (): void => {
    test('without a fault is whole beside those that have one', async () => {
      const { verdict, loss, pictures, recording } = await outcome(sound);
      expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, missing: 0, places: 0, holes: 0 });
      expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
      expect(verdict.headMs).toBeGreaterThan(0);
      expect(verdict.tailMs).toBeGreaterThan(500);
      expect(pictures).toBeGreaterThan(SECONDS * 25);
      expect(recording).toMatchObject({ state: 'recorded', title: sound.title, reason: null });
    });

    test('has a hole as long as the stream stood still, and the next airing is booked by itself', async () => {
      await until('it is on', () => Date.now() > at + 4000 || undefined);
      const repair = house.air.fault({ kind: 'stall', channel: 'T31' });
      await Bun.sleep(STALL_MS);
      repair();
      const { verdict, loss, lostMs, pictures } = await outcome(stalled);
      expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, holes: 1 });
      expect(verdict).toMatchObject({ level: 'damaged', drops: 0 });
      expect(gapMs(verdict)).toBeGreaterThan(STALL_MS - 1000);
      // A tuner that gives nothing is given up after a while; then as long as its next tries take.
      expect(gapMs(verdict)).toBeLessThan(STALL_MS + (LONG ? 10_000 : 2000));
      expect(Math.abs(gapMs(verdict) - lostMs)).toBeLessThan(500);
      expect(pictures).toBeGreaterThan(60);
      const next = await until('the next airing is booked', async () =>
        (await house.reservations()).find(({ startAt }) => startAt > at + 1_000_000),
      );
      expect(next).toMatchObject({ title: stalled.title, state: 'scheduled' });
      expect(next.note ?? next.reason).toBeTruthy();
    });

    test('counts every packet that was lost', async () => {
      const { verdict, loss, pictures, bytes } = await outcome(lossy);
      expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, holes: 0 });
      expect(loss.places).toBeGreaterThan(20);
      expect(verdict).toMatchObject({ drops: loss.places + entitlementBreaks(bytes), gaps: [] });
      expect(verdict.level).toBe('damaged');
      expect(pictures).toBeGreaterThan(60);
    });

    test('is whole while the layout changes again and again', async () => {
      const { verdict, loss, pictures } = await outcome(changing);
      expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, missing: 0, places: 0, holes: 0 });
      expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
      expect(pictures).toBeGreaterThan(SECONDS * 25);
    });
  };

  return { start, tests, close: () => house?.close() };
}
