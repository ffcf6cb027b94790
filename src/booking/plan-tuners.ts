/** The tuners for the plan, read from the agent whenever they change. */
import type { Log } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { type ReservationId, recordingId } from '../../lib/wire/ids.ts';
import type { RunningRecordingStatus } from '../model/recording.ts';
import type { TunerOfPlan } from '../schedule/plan/plan-types.ts';

/** `use` of recordings at the agent. */
const RECORDING_USE = /^rec (\d+)$/;

/** Assumed until a tuner was measured: a slow satellite tuner. */
const UNMEASURED_MS = 2_000;
/** Delay from the recorder's decision to the agent's. */
const REQUEST_MS = 100;
const RETUNE_STEP_MS = 500;

/**
 * In the agent's order of rank. An unusable tuner counts only for types that no other receives: the agent uses it last,
 * retries it, and reports its return. Pure.
 */
export function tunersOfPlan(
  tuners: readonly Tuner[],
  running: ReadonlyMap<ReservationId, Pick<RunningRecordingStatus, 'recordingId' | 'tunerId'>>,
): TunerOfPlan[] {
  const isUsable = ({ disabled, rank }: Tuner): boolean => !disabled && rank !== null;
  const working = tuners.filter((one) => isUsable(one) && one.state !== 'error');
  const received = new Set(working.flatMap(({ types }) => types));
  const reservationOf = new Map([...running].map(([id, { recordingId }]) => [recordingId, id]));
  return tuners.filter(isUsable).flatMap((one): TunerOfPlan[] => {
    const { id, rank, types, state, users } = one;
    if (rank === null) return [];
    // It has no consumers: its recordings get another tuner.
    if (state === 'error')
      return [{ rank, types: types.filter((type) => !received.has(type)), recording: [], broken: types }];
    const here = new Set<ReservationId>();
    for (const { use } of users) {
      const recording = RECORDING_USE.exec(use)?.[1];
      const reservation =
        recording === undefined ? undefined : reservationOf.get(recordingId(Number(recording)));
      if (reservation !== undefined) here.add(reservation);
    }
    for (const [reservation, { tunerId }] of running) if (tunerId === id) here.add(reservation);
    return [{ rank, types, recording: [...here], retuneMs: retuneMs(one) }];
  });
}

/** Rounded, so that small differences do not change the plan. */
function retuneMs({ tunedInMs = UNMEASURED_MS }: Tuner): number {
  return Math.ceil((tunedInMs + REQUEST_MS) / RETUNE_STEP_MS) * RETUNE_STEP_MS;
}

interface TunerWatchOptions {
  /** @throws Failure agent_unavailable, in bounded time */
  read: () => Promise<readonly Tuner[]>;
  onChange: () => void;
  log: Log;
}

/** Keeps the last known tuners: an agent that returns after a while usually has the same ones. */
export class TunerWatch {
  #lastKnown: readonly Tuner[] | null = null;
  #reading: Promise<void> | undefined;
  #again = false;

  constructor(private readonly options: TunerWatchOptions) {}

  /** null: unknown, no answer from the agent yet. */
  get tuners(): readonly Tuner[] | null {
    return this.#lastKnown;
  }

  /** Reads them; once more if requested during the read. */
  read(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    do {
      this.#again = false;
      try {
        const tuners = await this.options.read();
        const isSame =
          JSON.stringify(tuners.map(decisive)) === JSON.stringify(this.#lastKnown?.map(decisive));
        this.#lastKnown = tuners;
        if (!isSame) this.options.onChange();
      } catch (error) {
        this.options.log.debug('tuners not read', { error: String(error) });
      }
    } while (this.#again);
  }
}

/** Fields that plans depend on, without signal quality. */
function decisive(tuner: Tuner): unknown {
  const { id, rank, types, disabled, state, users } = tuner;
  return [
    retuneMs(tuner),
    id,
    rank,
    types,
    disabled,
    state === 'error',
    users.map(({ use }) => use).filter((use) => RECORDING_USE.test(use)),
  ];
}
