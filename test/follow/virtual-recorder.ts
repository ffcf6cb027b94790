/**
 * A minimal recorder in virtual time: follows orders by the real recordings' lifecycle, on tuners that are assigned by
 * the agent's rules, and only reports when it would have written.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import type { RecordingOrder } from '../../src/model/recording.ts';
import {
  beginLifecycle,
  endsAt,
  isWritten,
  type LifecycleTimes,
  next,
  type RecordingLifecycle,
} from '../../src/record/recording-lifecycle.ts';
import { orderedTimes } from '../../src/record/running-recording.ts';
import type { Home } from '../schedule/plan-home.ts';

interface Running extends Pick<RecordingOrder, 'reservationId' | 'stationId'> {
  readonly channel: string;
  lifecycle: RecordingLifecycle;
  /** Index of its tuner; null: it has none. */
  tuner: number | null;
  /** Epoch ms. */
  stretches: [from: number, to: number][];
  /** Packets were received in the last step. */
  wasReceiving: boolean;
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

  order(orders: readonly RecordingOrder[], at: BroadcastMs): void {
    this.#orders = orders;
    for (const order of orders) {
      const running = this.#running.get(order.reservationId);
      if (running === undefined) continue;
      running.lifecycle = next(running.lifecycle, { kind: 'ordered', at, ordered: orderedTimes(order) });
    }
  }

  /**
   * The service is killed and started again at once: only the rows are left, which contain the times of each
   * recording, and that it was on the air.
   */
  restart(at: BroadcastMs): void {
    for (const one of this.#running.values()) {
      const { times, isAired } = one.lifecycle;
      const hasMain = isAired !== false && one.stretches.some(([, to]) => to > times.startAt);
      const left: LifecycleTimes = { ...times, openAt: at, listenUntil: null, brokenAt: null };
      one.lifecycle = beginLifecycle({
        times: left,
        isAired,
        hasMain,
        isUnreceived: endsAt(times) <= at,
        at,
      });
      one.tuner = null;
      one.wasReceiving = false;
    }
  }

  step(at: BroadcastMs): void {
    for (const order of this.#orders) {
      const isDue = order.openAt <= at && order.closeAt > at;
      if (isDue && !this.#running.has(order.reservationId)) this.#begin(order, at);
    }
    for (const one of [...this.#running.values()]) {
      const isSilent = this.silent.has(one.stationId);
      const reception = { isReceiving: one.wasReceiving && !isSilent, isCutOff: isSilent };
      const wasReceiving = one.wasReceiving;
      one.lifecycle = next(one.lifecycle, { kind: 'tick', at, reception });
      const { state } = one.lifecycle;
      if (state === 'over') {
        this.#finish(one.reservationId, at);
        continue;
      }
      if (isSilent) one.tuner = null;
      else one.tuner ??= this.#tunerFor(one);
      const isWriting = isWritten(state) && one.tuner !== null;
      one.wasReceiving = isWriting;
      if (one.tuner !== null) one.lifecycle = next(one.lifecycle, { kind: 'opened', at });
      if (!isWriting) continue;
      const last = one.stretches.at(-1);
      if (wasReceiving && last !== undefined) last[1] = at + this.stepMs;
      else one.stretches.push([at, at + this.stepMs]);
    }
  }

  #begin(order: RecordingOrder, at: BroadcastMs): void {
    const { reservationId, stationId, after, openAt } = order;
    const reservation = this.home.reservations.find(({ id }) => id === reservationId);
    if (reservation?.state !== 'scheduled') return;
    for (const id of after) this.#finish(id, at);
    this.home.begin(reservation.programId);
    const channel = this.home.stations.get(stationId)?.channel ?? '';
    const times = { ...orderedTimes(order), openAt };
    const begun = beginLifecycle({ times, isAired: null, hasMain: false, isUnreceived: false, at });
    const lifecycle = next(begun, { kind: 'ordered', at, ordered: times });
    this.#running.set(reservationId, {
      ...{ reservationId, stationId, channel, lifecycle, tuner: null, stretches: [], wasReceiving: false },
    });
  }

  /** A tuner that is on its channel, idle, or used only by readers of tables. */
  #tunerFor({ channel, lifecycle }: Running): number | null {
    const tuners = [...(this.home.tuners ?? []).keys()];
    const usersOf = (tuner: number) => [...this.#running.values()].filter((one) => one.tuner === tuner);
    const shared = tuners.find((tuner) => usersOf(tuner).some((one) => one.channel === channel));
    const free = shared ?? tuners.find((tuner) => usersOf(tuner).length === 0);
    if (free !== undefined || !isWritten(lifecycle.state)) return free ?? null;
    const taken = tuners.find((tuner) => usersOf(tuner).every((one) => !isWritten(one.lifecycle.state)));
    if (taken === undefined) return null;
    for (const one of usersOf(taken)) one.tuner = null;
    return taken;
  }

  #finish(id: ReservationId, at: BroadcastMs): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    running.lifecycle = next(running.lifecycle, { kind: 'yielded', at });
    this.#running.delete(id);
    this.#over.push(running);
    this.home.reservations = this.home.reservations.map((one) =>
      one.id === id ? { ...one, state: 'finished' } : one,
    );
  }
}
