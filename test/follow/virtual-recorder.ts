/**
 * A minimal recorder in virtual time: follows orders like the real one, on tuners that are assigned by the
 * agent's rules, and only reports when it would have written.
 */
import type { StationId } from '../../arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../arib/time.ts';
import type { RecordingOrder } from '../../src/model/recording.ts';
import type { ReservationId } from '../../src/model/reservation.ts';
import type { Home } from '../schedule/plan-home.ts';

interface Running extends Pick<RecordingOrder, 'reservationId' | 'stationId' | 'holdUntil'> {
  readonly channel: string;
  closeAt: BroadcastMs;
  holdUntil: BroadcastMs | null;
  listenUntil: BroadcastMs | null;
  /** Index of its tuner; null: it has none. */
  tuner: number | null;
  /** Epoch ms. */
  stretches: [from: number, to: number][];
  /** False: it only receives the tables. */
  isWriting: boolean;
}

export class VirtualRecorder {
  #orders: readonly RecordingOrder[] = [];
  readonly #running = new Map<ReservationId, Running>();
  readonly #over: Running[] = [];
  /** Channels that cannot be received. */
  readonly silent = new Set<StationId>();

  constructor(
    private readonly home: Home,
    private readonly stepMs: number,
  ) {}

  /** Stations whose tables are received. */
  receives(station: StationId): boolean {
    return [...this.#running.values()].some((one) => one.stationId === station && one.tuner !== null);
  }

  /** Users of a tuner. */
  on(tuner: number): ReservationId[] {
    return [...this.#running.values()]
      .filter((one) => one.tuner === tuner)
      .map(({ reservationId }) => reservationId);
  }

  /** The written spans of each recording of a reservation, epoch ms. */
  of(reservation: ReservationId): [from: number, to: number][][] {
    return [...this.#over, ...this.#running.values()]
      .filter(({ reservationId }) => reservationId === reservation)
      .map(({ stretches }) => stretches);
  }

  order(orders: readonly RecordingOrder[]): void {
    this.#orders = orders;
    for (const { reservationId, closeAt, holdUntil, listenUntil = null } of orders) {
      const running = this.#running.get(reservationId);
      if (running === undefined) continue;
      running.closeAt = broadcastMs(Math.max(running.closeAt, closeAt));
      running.holdUntil = holdUntil;
      running.listenUntil = listenUntil;
    }
  }

  step(now: number): void {
    for (const order of this.#orders) {
      const isDue = order.openAt <= now && order.closeAt > now;
      if (isDue && !this.#running.has(order.reservationId)) this.#begin(order);
    }
    for (const one of [...this.#running.values()]) {
      const isOn = now < Math.max(one.closeAt, one.holdUntil ?? one.closeAt);
      if (!isOn && (one.listenUntil ?? now) <= now) {
        this.#finish(one.reservationId);
        continue;
      }
      const wasWriting = one.isWriting && one.tuner !== null;
      one.isWriting = isOn;
      if (this.silent.has(one.stationId)) one.tuner = null;
      else one.tuner ??= this.#tunerFor(one);
      if (!isOn || one.tuner === null) continue;
      const last = one.stretches.at(-1);
      if (wasWriting && last !== undefined) last[1] = now + this.stepMs;
      else one.stretches.push([now, now + this.stepMs]);
    }
  }

  #begin({ reservationId, stationId, closeAt, holdUntil, listenUntil = null, after }: RecordingOrder): void {
    const reservation = this.home.reservations.find(({ id }) => id === reservationId);
    if (reservation?.state !== 'scheduled') return;
    for (const id of after) this.#finish(id);
    this.home.begin(reservation.programId);
    const channel = this.home.stations.get(stationId)?.channel ?? '';
    const times = { closeAt, holdUntil, listenUntil };
    this.#running.set(reservationId, {
      ...{ reservationId, stationId, channel, ...times, tuner: null, stretches: [], isWriting: true },
    });
  }

  /** A tuner that is on its channel, idle, or used only by readers of tables. */
  #tunerFor({ channel, isWriting }: Running): number | null {
    const tuners = [...(this.home.tuners ?? []).keys()];
    const usersOf = (tuner: number) => [...this.#running.values()].filter((one) => one.tuner === tuner);
    const shared = tuners.find((tuner) => usersOf(tuner).some((one) => one.channel === channel));
    const free = shared ?? tuners.find((tuner) => usersOf(tuner).length === 0);
    if (free !== undefined || !isWriting) return free ?? null;
    const taken = tuners.find((tuner) => usersOf(tuner).every((one) => !one.isWriting));
    if (taken === undefined) return null;
    for (const one of usersOf(taken)) one.tuner = null;
    return taken;
  }

  #finish(id: ReservationId): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    this.#running.delete(id);
    this.#over.push(running);
    this.home.reservations = this.home.reservations.map((one) =>
      one.id === id ? { ...one, state: 'finished' } : one,
    );
  }
}
