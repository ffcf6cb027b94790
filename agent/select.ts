/**
 * Selects the tuner of a new user: one pure function over the pool's state, so that every rule of the agent's
 * contract can be tested as a table. The pool executes the decision.
 *
 * Rule 1: tuners are used in the order of their rank. Rule 2: without a user of equal or higher priority on the same
 * physical channel, the smallest rank among the allowed tuners wins. Rule 3: with one, its tuning is shared on any
 * tuner. Rule 4: users listed in `after` count as ended. Rule 6: the order within one rank (`Preference`).
 *
 * A tuner whose device could not be opened is not idle: it is only tried if no other is allowed, whatever its rank.
 */
import type { BroadcastType } from '../lib/arib/ids.ts';

export interface PhysicalChannel {
  readonly type: BroadcastType;
  readonly channel: string;
}

export interface UserView {
  /** Unique in the pool. */
  readonly id: number;
  readonly use: string;
  readonly priority: number;
}

interface TuningView extends PhysicalChannel {
  /** Empty while the tuning lingers after its last consumer. */
  readonly users: readonly UserView[];
}

export interface TunerView {
  readonly id: string;
  /** 0 is used first; null: the tuner takes no users. */
  readonly rank: number | null;
  readonly types: readonly BroadcastType[];
  /** Also while it is still being tuned: a reservation counts as a tuning. */
  readonly tuning: TuningView | null;
  /** The last tuning failed: among idle tuners of one rank the others are tried first. */
  readonly failed: boolean;
  /** Its device could not be opened the last time. */
  readonly broken?: boolean;
}

export interface TuneRequest extends PhysicalChannel {
  readonly priority: number;
  /** `use` strings of the users whose tuner may be taken over. */
  readonly after: readonly string[];
}

export type Decision =
  /** Joins the existing tuning. Users in `end` are handed over normally. */
  | { readonly kind: 'share'; readonly tuner: string; readonly end: readonly number[] }
  /** Tunes the device again; the streams of `end` end normally, those of `abort` are aborted. */
  | {
      readonly kind: 'tune';
      readonly tuner: string;
      readonly end: readonly number[];
      readonly abort: readonly number[];
    }
  | { readonly kind: 'refuse'; readonly reason: RefusalReason };

/** `type`: no tuner supports this broadcast type. `busy`: all that do are in use with equal or higher priorities. */
export type RefusalReason = 'type' | 'busy';

/** The order within one rank group, rule 6; smaller is preferred. */
enum Preference {
  SameChannelLingering = 0,
  SameChannel = 1,
  OtherLingering = 2,
  Idle = 3,
  Opponent = 4,
}

interface Candidate {
  readonly tuner: TunerView;
  readonly rank: number;
  readonly sameChannel: boolean;
  readonly preference: Preference;
  /** Compared field by field among equal preferences; smaller is preferred. */
  readonly cost: readonly number[];
  readonly handedOver: readonly UserView[];
  readonly opponents: readonly UserView[];
}

export function select(tuners: readonly TunerView[], request: TuneRequest): Decision {
  const able = tuners.filter((tuner) => tuner.rank !== null && tuner.types.includes(request.type));
  if (able.length === 0) return { kind: 'refuse', reason: 'type' };
  const shared = able
    .filter((tuner) => isSharedByEqual(tuner, request))
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))[0];
  if (shared !== undefined) return { kind: 'share', tuner: shared.id, end: [] };
  const chosen = able
    .map((tuner) => candidate(tuner, request))
    .filter((found) => found !== undefined)
    .sort(compareCandidates)[0];
  if (chosen === undefined) return { kind: 'refuse', reason: 'busy' };
  const end = chosen.handedOver.map((user) => user.id);
  if (chosen.sameChannel) return { kind: 'share', tuner: chosen.tuner.id, end };
  return { kind: 'tune', tuner: chosen.tuner.id, end, abort: chosen.opponents.map((user) => user.id) };
}

function isOn(tuning: TuningView, wanted: PhysicalChannel): boolean {
  return tuning.type === wanted.type && tuning.channel === wanted.channel;
}

/** Rule 3. */
function isSharedByEqual(tuner: TunerView, request: TuneRequest): boolean {
  return (
    tuner.tuning !== null &&
    isOn(tuner.tuning, request) &&
    tuner.tuning.users.some((user) => user.priority >= request.priority && !request.after.includes(user.use))
  );
}

/** Rules 2 and 4: undefined if a user of equal or higher priority stays on the tuner. */
function candidate(tuner: TunerView, request: TuneRequest): Candidate | undefined {
  const users = tuner.tuning?.users ?? [];
  const handedOver = users.filter((user) => request.after.includes(user.use));
  const opponents = users.filter((user) => !request.after.includes(user.use));
  if (opponents.some((user) => user.priority >= request.priority)) return undefined;
  const sameChannel = tuner.tuning !== null && isOn(tuner.tuning, request);
  return {
    tuner,
    rank: tuner.rank ?? 0,
    sameChannel,
    preference: preferenceOf(tuner, sameChannel, opponents),
    cost: [
      Math.max(...opponents.map((user) => user.priority), Number.NEGATIVE_INFINITY),
      opponents.length,
      // A tuning without consumers is ended before one with a consumer to hand over.
      handedOver.length,
      tuner.failed ? 1 : 0,
    ],
    handedOver,
    opponents,
  };
}

function preferenceOf(tuner: TunerView, sameChannel: boolean, opponents: readonly UserView[]): Preference {
  if (tuner.tuning === null) return Preference.Idle;
  if (sameChannel) return opponents.length === 0 ? Preference.SameChannelLingering : Preference.SameChannel;
  return opponents.length === 0 ? Preference.OtherLingering : Preference.Opponent;
}

/** Equal candidates keep the order of the definition: the sort is stable. */
function compareCandidates(a: Candidate, b: Candidate): number {
  const broken = Number(a.tuner.broken ?? false) - Number(b.tuner.broken ?? false);
  if (broken !== 0) return broken;
  if (a.rank !== b.rank) return a.rank - b.rank;
  if (a.preference !== b.preference) return a.preference - b.preference;
  for (const [index, cost] of a.cost.entries()) {
    const other = b.cost[index] ?? cost;
    if (cost !== other) return cost < other ? -1 : 1;
  }
  return 0;
}
