/**
 * What a station's PMT says and what may change over time: sound, copy control, captions, conditional access.
 * A pure function of scenario, station and moment, so that all tunings agree; faults may lay changes over it.
 */
import type { Pid } from '../arib/ids.ts';
import { type BroadcastMs, broadcastMs, jstDayStart } from '../arib/time.ts';
import { DAY_MS, type Programme } from './guide/programme.ts';
import { programmeVideo } from './rundown/picture.ts';
import { isSplitOff } from './rundown/sharing.ts';
import type { AudioPlace, StationPlace } from './scenario/layout.ts';
import type { VideoPlan } from './scenario/model.ts';
import type { EventStation } from './si/eit.ts';

/** What is on the air of a station at a moment. */
export interface OnAir {
  /** Whose streams the PMT lists: its own, or those of the main station while both show the same. */
  readonly streams: StationPlace;
  /** Format of the pictures. */
  readonly video: VideoPlan;
  /** Sounds that the PMT lists and that are sent, the main one first. */
  readonly audios: readonly AudioPlace[];
  readonly copyControl: Programme['copyControl'];
  /** Where captions are sent; null: nowhere. */
  readonly captionPid: Pid | null;
  /** Whether the elementary streams' packets are marked as scrambled; there is no key. */
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

/** What a state is made from: `main` and `branch` as of `EventStation`. */
type StateSource = Omit<EventStation, 'channel'>;

/** Programmes on air together; undefined: none is. */
interface Programmes {
  own: Programme | undefined;
  main: Programme | undefined;
  branch: Programme | undefined;
}

/** Between programmes all of the station's sounds are there, and a branch has the streams of its main station. */
function stateOf({ place, main }: StateSource, programmes: Programmes): OnAir {
  const shares = main !== undefined && !isSplitOff(programmes.own);
  const streams = shares ? main.place : place;
  const programme = shares ? programmes.main : programmes.own;
  // A branch's own pictures are what they are; a main station's leave room for the branch.
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

/** The state of every moment of `from <= moment < until`, changes that change nothing left out. */
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
