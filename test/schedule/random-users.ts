/** Random actions of a home's users: they reserve and cancel. */
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { titleText } from '../../src/model/search-text.ts';
import type { Random } from '../fuzz/random.ts';
import { DAY, type Home } from './plan-home.ts';

export class Users {
  /** Their reservations, by id. */
  readonly byHand = new Set<ReservationId>();
  /** Programmes that they cancelled. */
  readonly cancelled = new Set<ProgramId>();

  constructor(
    private readonly home: Home,
    private readonly random: Random,
  ) {}

  /** Reserves a programme of the next days, or cancels a future one. @returns whether there was any */
  decide(): boolean {
    const { home, random } = this;
    if (random.below(3) === 0) return this.#cancel();
    const station = random.pick([...home.stations.keys()]);
    const coming = home.guide
      .ofStation(station)
      .filter(
        ({ endAt, startAt, copyNever }) => endAt > home.now && startAt < home.now + 2 * DAY && !copyNever,
      );
    const program = coming.length === 0 ? undefined : random.pick(coming);
    if (program === undefined || home.of(program.id) !== undefined) return false;
    this.byHand.add(home.reserve(program.id, { createdAt: home.now }).id);
    this.cancelled.delete(program.id);
    return true;
  }

  #cancel(): boolean {
    const { home, random } = this;
    const open = home.reservations.filter(({ state }) => state === 'scheduled' || state === 'conflict');
    if (open.length === 0) return false;
    const one = random.pick(open);
    const station = home.stations.get(one.stationId);
    if (station === undefined) return false;
    home.reservations = home.reservations.map((other) =>
      other === one
        ? { ...one, state: 'cancelled', reason: null, tuner: null, blockers: [], alternatives: [] }
        : other,
    );
    const { type, channel } = station;
    const { ruleId, name, startAt, programId } = one;
    const memory = { type, channel, title: titleText(name), startAt, cancelledAt: home.now };
    home.cancellations.push({ id: 0, ruleId, ...memory });
    this.byHand.delete(one.id);
    this.cancelled.add(programId);
    return true;
  }
}
