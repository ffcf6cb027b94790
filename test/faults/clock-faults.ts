/** The machine's clock is set by ten minutes, both ways: recordings go by the broadcast's. */
import { expect, test } from 'bun:test';
import { type FaultRoom, Household, type Show, until } from './household.ts';

const SECONDS = 15;
const JUMP_MS = 600_000;

export function clockFaults(at: number): FaultRoom {
  const running: Show = { channel: 'T30', title: '時の流れ', at, seconds: SECONDS };
  /** Begins while the clock is wrong. */
  const waiting: Show = {
    channel: 'T31',
    title: '時を待つ',
    at: at + (SECONDS - 3) * 1000,
    seconds: SECONDS,
  };
  /** Of the machine's clock; at first as one that nobody has set for long. */
  let skewMs = 5_000;
  let house: Household;
  let ids: Map<Show, number>;
  const leave = new AbortController();

  const start = async (): Promise<void> => {
    house = await Household.start({
      shows: [running, waiting],
      tuners: 'GR:2',
      now: () => Date.now() + skewMs,
    });
    const [station] = await house.stations();
    // So the time of the broadcast becomes known.
    await house.watch(station?.id, leave.signal);
    ids = await house.reserveAll();
  };
  const close = async (): Promise<void> => {
    leave.abort();
    await house?.close();
  };
  const tests = (): void => {
    test('what runs goes on to its end, what waits begins in time', async () => {
      await until(
        'it goes by the time of the broadcast',
        () => house.log.includes('set to the time of the broadcast') || undefined,
      );
      await house.writes(ids.get(running) ?? 0);
      await until('its programme is on', () => Date.now() > at + 2000 || undefined);
      skewMs = JUMP_MS;
      await until('half of it is over', () => Date.now() > at + 7000 || undefined);
      skewMs = -JUMP_MS;
      for (const show of [running, waiting]) {
        const { verdict, loss, recording } = await house.outcome(show, ids.get(show) ?? 0);
        expect({ ...loss, ...verdict }).toMatchObject({ foreign: 0, missing: 0, places: 0, holes: 0 });
        expect(verdict).toMatchObject({ level: 'complete', drops: 0, gaps: [] });
        expect(verdict.headMs).toBeGreaterThan(0);
        // Begun early, perhaps, before the time of the broadcast was known.
        expect(verdict.headMs).toBeLessThan(15_000);
        expect(verdict.tailMs).toBeGreaterThan(500);
        // The broadcast of a busy machine is late.
        expect(verdict.tailMs).toBeLessThan(20_000);
        expect(Math.abs(recording.startAt - show.at)).toBeLessThan(2000);
      }
    });
  };

  return { start, tests, close };
}
