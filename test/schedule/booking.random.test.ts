/**
 * Users, guide, tuners and recorder at once, in random order, over the real database and worker: no user
 * decision is lost, the recorder's orders match the stored reservations, and a settled plan is stable.
 */
import { expect, test } from 'bun:test';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { plusMs } from '../../lib/arib/time.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { type ReservationId, recordingId, reservationId } from '../../lib/wire/ids.ts';
import { settingDefaults } from '../../lib/wire/settings.ts';
import { BookingService } from '../../src/booking/booking-service.ts';
import type { RecorderPort, RecordingOrder, RunningRecordingStatus } from '../../src/model/recording.ts';
import { Hub } from '../../src/notify/hub.ts';
import { ProgramStore } from '../../src/store/program-store.ts';
import { startScheduleWorker } from '../built-programs.ts';
import { fuzzSeed, Random } from '../fuzz/random.ts';
import { tuner } from '../service/bookings.ts';
import { BookedHome, MINUTE, NOON } from './booked-home.ts';

const STEPS = 120;
const NAMES = ['灯台', '港の朝', '星の港', '霧の橋'];
const SETTINGS = settingDefaults({ gpu: false });

class Household implements RecorderPort {
  readonly home = new BookedHome();
  readonly hub = new Hub(() => {});
  readonly bookings: BookingService;
  now = NOON;
  orders: readonly RecordingOrder[] = [];
  tuners: Tuner[] = [tuner('a', 0, ['GR']), tuner('b', 0, ['GR'])];
  readonly recordings = new Map<ReservationId, RunningRecordingStatus>();
  /** Programmes that a user wants, and reservations that a user cancelled, by the latest decision. */
  readonly wanted = new Set<number>();
  readonly cancelled = new Set<number>();

  constructor(private readonly random: Random) {
    const { home } = this;
    const known = () => home.stations.known();
    for (const channel of ['T21', 'T22', 'T23']) {
      const station = home.station(channel);
      for (let slot = 0; slot < 30; slot++)
        home.program(station, `${random.pick(NAMES)} 第${random.below(12) + 1}話`, {
          at: 5 + slot * 20,
          minutes: 20,
        });
    }
    this.bookings = new BookingService({
      reservations: home.reservations,
      rules: home.rules,
      cancellations: home.cancellations,
      programs: new ProgramStore(home.database),
      stations: {
        find: (id) => known().find((station) => station.id === id),
        findKnown: (id) => known().find((station) => station.id === id),
      },
      tuners: async () => this.tuners,
      recorder: this,
      airings: () => new Map(),
      settings: { get: (key) => SETTINGS[key] },
      retractGraceMs: 60 * MINUTE,
      databasePath: home.path,
      startWorker: startScheduleWorker,
      hub: this.hub,
      log: SILENT_LOG,
      now: () => this.now,
    });
    this.bookings.start();
  }

  order(orders: readonly RecordingOrder[]): void {
    this.orders = orders;
  }

  async stop(id: ReservationId): Promise<void> {
    this.#end(id);
  }

  async over(): Promise<void> {}

  running(): ReadonlyMap<ReservationId, RunningRecordingStatus> {
    return this.recordings;
  }

  async step(): Promise<void> {
    const { random, home, bookings, hub } = this;
    const kind = random.below(10);
    if (kind <= 2) await this.#reserve();
    else if (kind === 3) await this.#cancel();
    else if (kind === 4) await this.#restore();
    else if (kind === 5)
      await bookings.rules.create({ keyword: random.pick(NAMES), dedupe: random.below(2) === 0 });
    else if (kind === 6) {
      const rules = home.rules.all();
      if (rules.length > 0) await bookings.rules.remove(random.pick(rules).id);
    } else if (kind === 7) {
      home.database.run(
        'UPDATE programs SET start_at = start_at + 60000, end_at = end_at + 60000 WHERE id % 17 = ?',
        [random.below(17)],
      );
      hub.changed('programs');
    } else if (kind === 8) {
      this.tuners =
        random.below(2) === 0 ? [tuner('a', 0, ['GR'])] : [tuner('a', 0, ['GR']), tuner('b', 0, ['GR'])];
      hub.changed('tuners');
    } else this.#pass();
  }

  async #reserve(): Promise<void> {
    const { random, home, bookings } = this;
    const ids = home.database
      .query<{ id: number }, [number]>('SELECT id FROM programs WHERE end_at > ? ORDER BY id')
      .all(this.now);
    if (ids.length === 0) return;
    const { id } = random.pick(ids);
    // Stored before it waits for a plan: another client may cancel it meanwhile.
    const reserving = bookings.reservations.reserve({ programId: id as ProgramId });
    const stored = home.reservations.all().find(({ programId }) => programId === id);
    // A reservation that a rule has made keeps belonging to the rule.
    if (stored?.ruleId === null) this.wanted.add(id);
    if (stored !== undefined) this.cancelled.delete(stored.id);
    await reserving;
  }

  async #cancel(): Promise<void> {
    const coming = this.bookings.reservations.list(false);
    if (coming.length === 0) return;
    const { id, programId, state } = this.random.pick(coming);
    this.wanted.delete(programId);
    if (state !== 'recording') this.cancelled.add(id);
    await this.bookings.reservations.cancel(reservationId(id));
  }

  async #restore(): Promise<void> {
    const { bookings, random, now } = this;
    const done = bookings.reservations
      .list(true)
      .filter(({ state, endAt }) => state === 'cancelled' && endAt > now);
    if (done.length === 0) return;
    const { id, programId, ruleId } = random.pick(done);
    this.cancelled.delete(id);
    // A rule may choose another airing later.
    if (ruleId === null) this.wanted.add(programId);
    await bookings.reservations.restore(reservationId(id));
  }

  /** Lets time pass: due recordings begin, finished ones end. */
  #pass(): void {
    this.now = plusMs(this.now, (1 + this.random.below(8)) * MINUTE);
    for (const [id, { until }] of this.recordings) if (until <= this.now) this.#end(id);
    for (const { reservationId: id, openAt, closeAt } of this.orders) {
      if (openAt > this.now || closeAt <= this.now || this.recordings.has(id)) continue;
      const { changes } = this.home.database
        .query("UPDATE reservations SET state = 'recording' WHERE id = ? AND state = 'scheduled'")
        .run(id);
      if (changes === 0) continue;
      const progress = { phase: 'receiving', cause: null, bytes: 0, drops: 0, slow: false } as const;
      const place = { tunerId: null, until: closeAt };
      this.recordings.set(id, {
        recordingId: recordingId(1000 + id),
        ...place,
        progress: { ...progress, ...place },
      });
      this.bookings.onBegan();
    }
  }

  #end(id: ReservationId): void {
    if (!this.recordings.delete(id)) return;
    this.home.database.run("UPDATE reservations SET state = 'finished' WHERE id = ?", [id]);
    this.bookings.onEnded({ reservationId: id, recordingId: recordingId(1000 + id), worthRepeating: false });
  }

  async close(): Promise<void> {
    await this.bookings.close();
    this.home.close();
  }
}

test('no user decision is lost, whatever else happens', async () => {
  const seed = fuzzSeed();
  const random = new Random(seed);
  const household = new Household(random);
  const { home, bookings } = household;
  try {
    for (let step = 0; step < STEPS; step++) {
      // Sometimes two at once.
      await Promise.all(random.below(4) === 0 ? [household.step(), household.step()] : [household.step()]);
      const stored = home.reservations.all();
      const byProgram = new Map<number, (typeof stored)[number]>(stored.map((one) => [one.programId, one]));
      const lost = [...household.wanted].filter((program) => {
        const state = byProgram.get(program)?.state;
        return state === undefined || state === 'cancelled';
      });
      const revived = stored.filter(({ id, state }) => household.cancelled.has(id) && state !== 'cancelled');
      expect({ seed, step, lost, revived }).toEqual({ seed, step, lost: [], revived: [] });
    }
    // A rule that matches nothing: forces a plan of everything that was done before.
    await bookings.rules.create({ keyword: 'どこにもない' });
    const settled = home.reservations.all();
    const toRecord = settled.filter(({ state }) => state === 'scheduled' || state === 'recording');
    expect(new Set(household.orders.map(({ reservationId }) => reservationId))).toEqual(
      new Set(toRecord.map(({ id }) => id)),
    );
    await bookings.rules.create({ keyword: 'まだどこにもない' });
    expect(home.reservations.all()).toEqual(settled);
  } finally {
    await household.close();
  }
});
