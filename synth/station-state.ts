/**
 * The content of a station's PMT that may change over time: sound, copy control, captions, conditional
 * access. A pure function of scenario, station and moment, so that all tunings agree; faults may add changes.
 */
import type { Pid } from '../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, jstDayStart } from '../lib/arib/time.ts';
import { DAY_MS, type Programme } from './guide/programme.ts';
import { programmeVideo } from './rundown/picture.ts';
import { isSplitOff } from './rundown/sharing.ts';
import type { AudioPlace, StationPlace } from './scenario/layout.ts';
import type { VideoPlan } from './scenario/model.ts';
import type { EventStation } from './si/eit.ts';

/** What is on the air of a station at a moment. */
export interface OnAir {
  /** The station whose streams the PMT lists: its own, or the main station while both show the same. */
  readonly streams: StationPlace;
  /** Format of the pictures. */
  readonly video: VideoPlan;
  /** Sounds that the PMT lists and that are sent, the main one first. */
  readonly audios: readonly AudioPlace[];
  readonly copyControl: Programme['copyControl'];
  /** PID of the captions; null: none. */
  readonly captionPid: Pid | null;
  /** Whether the elementary streams' packets are marked as scrambled; there is no key. */
  readonly scrambled: boolean;
}

export interface StationState extends OnAir {
  /** version_number of the PMT, 0..31; increases with every change. */
  readonly version: number;
}

/** One change of a station's state. */
export interface StateChange {
  readonly from: BroadcastMs;
  /** Absent: permanent. */
  readonly until?: BroadcastMs;
  /** Changes the state; later changes get the result of earlier ones. */
  apply(state: OnAir, place: StationPlace): OnAir;
}

/** Changes that a fault adds to a scenario. */
export interface StateChanges {
  /**
   * At least those of the day (in Japan) of a moment, ordered by time. If the changes differ from before, a
   * new list is returned instead of modifying the old one.
   */
  of(place: StationPlace, at: BroadcastMs): readonly StateChange[];
}

export const NO_CHANGES: StateChanges = { of: () => [] };

/** The input of a state: `main` and `branch` as in `EventStation`. */
type StateSource = Omit<EventStation, 'channel'>;

/** Programmes on air together; undefined: none. */
interface Programmes {
  own: Programme | undefined;
  main: Programme | undefined;
  branch: Programme | undefined;
}

/**
 * Between programmes all of the station's sounds are sent, and a branch has the streams of its main station.
 */
function stateOf({ place, main }: StateSource, programmes: Programmes): OnAir {
  const shares = main !== undefined && !isSplitOff(programmes.own);
  const streams = shares ? main.place : place;
  const programme = shares ? programmes.main : programmes.own;
  // A branch's own pictures have its own format; those of a main station are smaller during the split.
  const split = isSplitOff(shares ? programmes.own : programmes.branch);
  return {
    streams,
    video: programmeVideo(streams.plan, programme?.kind ?? 'video', split),
    audios: streams.audios.slice(0, programme?.audioCount),
    copyControl: programmes.own?.copyControl ?? 'once',
    captionPid: streams.captions?.pid ?? null,
    scrambled: false,
  };
}

function same(one: OnAir, other: OnAir): boolean {
  return (
    one.streams === other.streams &&
    one.video === other.video &&
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

/** The states in `from <= moment < until`; changes without an effect are omitted. */
function stretches(source: StateSource, from: BroadcastMs, until: BroadcastMs): Stretch[] {
  const timelines = {
    own: source.guide.airing(from, until),
    main: source.main?.guide.airing(from, until) ?? [],
    branch: source.branch?.guide.airing(from, until) ?? [],
  };
  const edges = Object.values(timelines)
    .flat()
    .flatMap(({ startAt, durationMs }) => [startAt, startAt + durationMs])
    .filter((edge) => edge > from && edge < until);
  const ends = [...new Set([...edges, until])].sort((one, other) => one - other);
  const found: Stretch[] = [];
  const next = { own: 0, main: 0, branch: 0 };
  const onAir = (name: keyof typeof timelines, at: number): Programme | undefined => {
    const timeline = timelines[name];
    const isOver = ({ startAt, durationMs }: Programme): boolean => startAt + durationMs <= at;
    for (let one = timeline[next[name]]; one !== undefined && isOver(one); one = timeline[next[name]]) {
      next[name] += 1;
    }
    const one = timeline[next[name]];
    return one !== undefined && one.startAt <= at ? one : undefined;
  };
  let begin = from;
  for (const end of ends) {
    const programmes = {
      own: onAir('own', begin),
      main: onAir('main', begin),
      branch: onAir('branch', begin),
    };
    const state = stateOf(source, programmes);
    const last = found.at(-1);
    if (last !== undefined && same(last.state, state)) last.until = broadcastMs(end);
    else found.push({ state, from: begin, until: broadcastMs(end) });
    begin = broadcastMs(end);
  }
  return found;
}

const VERSIONS = 32;
/**
 * Odd days begin with this version, so that a day's first version differs from those of the evening before.
 */
const ODD_DAY_VERSION = 16;

/** The states of one station, queried at moments that mostly increase. */
export class StationStates {
  readonly #source: StateSource;
  readonly #changes: StateChanges;
  /** States of one day: counted from its begin, because the whole history would be too long to count. */
  #day: { start: BroadcastMs; stretches: Stretch[] } | undefined;
  #known: { list: readonly StateChange[]; base: OnAir; state: StationState } | undefined;

  constructor(source: StateSource, changes: StateChanges = NO_CHANGES) {
    this.#source = source;
    this.#changes = changes;
  }

  /** Returns the same object as long as nothing changes. */
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

  /** The state according to the guide, and the number of its version. */
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
