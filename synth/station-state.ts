/**
 * What a station's PMT says and what may change over time: sound, copy control, captions, conditional access.
 * A pure function of scenario, station and moment, so that all tunings agree; faults may lay changes over it.
 */
import type { Pid } from '../arib/ids.ts';
import { type BroadcastMs, broadcastMs, jstDayStart } from '../arib/time.ts';
import { DAY_MS, type Guide, type Programme } from './guide/programme.ts';
import type { AudioPlace, StationPlace } from './scenario/layout.ts';

/** What is on the air of a station at a moment. */
export interface OnAir {
  /** Sounds that the PMT lists and that are sent, the main one first. */
  readonly audios: readonly AudioPlace[];
  readonly copyControl: Programme['copyControl'];
  /** Where captions are sent; null: nowhere. */
  readonly captionPid: Pid | null;
  /** Whether the elementary streams' packets are marked as scrambled, as nobody has a key for. */
  readonly scrambled: boolean;
}

export interface StationState extends OnAir {
  /** version_number of the PMT, 0..31; one more with every change. */
  readonly version: number;
}

/** One change of a station's state. */
export interface StateChange {
  readonly from: BroadcastMs;
  /** Absent: for good. */
  readonly until?: BroadcastMs;
  /** What is on air instead; later changes see what earlier ones made. */
  apply(state: OnAir, place: StationPlace): OnAir;
}

/** Changes that a fault lays over a scenario. */
export interface StateChanges {
  /**
   * At least those of the day (in Japan) of a moment, in order of time. A new list, not the old one altered, when
   * there are others than before.
   */
  of(place: StationPlace, at: BroadcastMs): readonly StateChange[];
}

export const NO_CHANGES: StateChanges = { of: () => [] };

/** What a state is made from. */
export interface StateSource {
  place: StationPlace;
  guide: Guide;
}

/** Between programmes all of the station's sounds are there. */
function stateOf(place: StationPlace, programme: Programme | undefined): OnAir {
  return {
    audios: place.audios.slice(0, programme?.audioCount),
    copyControl: programme?.copyControl ?? 'once',
    captionPid: place.captions?.pid ?? null,
    scrambled: false,
  };
}

function same(one: OnAir, other: OnAir): boolean {
  return (
    one.copyControl === other.copyControl &&
    one.captionPid === other.captionPid &&
    one.scrambled === other.scrambled &&
    one.audios.length === other.audios.length &&
    one.audios.every((audio, index) => audio === other.audios[index])
  );
}

/** A state and the time that it lasts, both ends within one day. */
interface Stretch {
  state: OnAir;
  from: BroadcastMs;
  until: BroadcastMs;
}

/** The state of every moment of `from <= moment < until`, changes that change nothing left out. */
function stretches({ place, guide }: StateSource, from: BroadcastMs, until: BroadcastMs): Stretch[] {
  const found: Stretch[] = [];
  const add = (programme: Programme | undefined, end: number): void => {
    const last = found.at(-1);
    const begin = last?.until ?? from;
    if (end <= begin) return;
    const state = stateOf(place, programme);
    if (last !== undefined && same(last.state, state)) last.until = broadcastMs(end);
    else found.push({ state, from: begin, until: broadcastMs(end) });
  };
  for (const programme of guide.airing(from, until)) {
    add(undefined, programme.startAt);
    add(programme, Math.min(until, programme.startAt + programme.durationMs));
  }
  add(undefined, until);
  return found;
}

const VERSIONS = 32;
/** Odd days begin here, so that a day's first version is none of the evening before. */
const ODD_DAY_VERSION = 16;

/** The states of one station, asked for at moments that mostly go forward. */
export class StationStates {
  readonly #source: StateSource;
  readonly #changes: StateChanges;
  /** Of one day: counted from its begin, as a whole history would be too long to count. */
  #day: { start: BroadcastMs; stretches: Stretch[] } | undefined;
  #known: { list: readonly StateChange[]; base: OnAir; state: StationState } | undefined;

  constructor(source: StateSource, changes: StateChanges = NO_CHANGES) {
    this.#source = source;
    this.#changes = changes;
  }

  /** The same object for as long as nothing changes. */
  at(moment: BroadcastMs): StationState {
    const { base, number } = this.#baseAt(moment);
    const list = this.#changes.of(this.#source.place, moment);
    const begun = list.filter(({ from }) => from <= moment);
    const live = begun.filter(({ until }) => until === undefined || until > moment);
    const version = (number + 2 * begun.length - live.length) % VERSIONS;
    const known = this.#known;
    if (known?.state.version === version && known.base === base && known.list === list) return known.state;
    const onAir = live.reduce((state, change) => change.apply(state, this.#source.place), base);
    const state = { ...onAir, version };
    this.#known = { list, base, state };
    return state;
  }

  /** What the guide makes it, and the number of its version. */
  #baseAt(moment: BroadcastMs): { base: OnAir; number: number } {
    const start = jstDayStart(moment);
    if (this.#day?.start !== start) {
      this.#day = { start, stretches: stretches(this.#source, start, broadcastMs(start + DAY_MS)) };
    }
    const index = this.#day.stretches.findIndex(({ until }) => until > moment);
    const stretch = this.#day.stretches[index];
    if (stretch === undefined) throw new RangeError(`no state at ${moment}`);
    const first = Math.floor(start / DAY_MS) % 2 === 0 ? 0 : ODD_DAY_VERSION;
    return { base: stretch.state, number: first + index };
  }
}
