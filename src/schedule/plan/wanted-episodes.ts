/**
 * Programmes to record by rules: one airing of each episode, with the others as fallbacks. Excludes cancelled and
 * recorded ones, and repeats on branch stations. Pure.
 */
import { type ProgramId, programId, type StationId, stationId } from '../../../lib/arib/ids.ts';
import { CLOSED_RESERVATION_STATES } from '../../../lib/wire/vocabulary.ts';
import { CANCELLATION_REACH_MS, type Reservation } from '../../model/reservation.ts';
import type { PassedOverReason } from '../../model/reservation-reason.ts';
import type { Rule } from '../../model/rule.ts';
import { type EpisodeAiring, sameEpisodes } from '../dedupe/same-episode.ts';
import type { IndexedProgram } from '../match/program-rows.ts';
import { isNamed } from './claims.ts';
import type { PlanInput, RecordedEpisode } from './plan-types.ts';
import { restsOf, wholeOf } from './relays.ts';

/** An episode that was recorded within this time is not recorded again. */
const RECORDED_REACH_MS = 30 * 86_400_000;

const CLOSED = new Set<Reservation['state']>(CLOSED_RESERVATION_STATES);

/** One recording that a rule wants. */
export interface WantedEpisode {
  readonly rule: Rule;
  /** The first is booked; if it gets no tuner, also the next. */
  readonly airings: readonly IndexedProgram[];
}

interface Wanted {
  readonly wanted: readonly WantedEpisode[];
  readonly passedOver: Map<ProgramId, PassedOverReason>;
}

interface Candidate extends EpisodeAiring {
  /** null: it is a recording. */
  readonly program: IndexedProgram | null;
  readonly recordedId: ProgramId | null;
}

class Chooser {
  readonly #passedOver = new Map<ProgramId, PassedOverReason>();
  readonly #reserved: ReadonlyMap<ProgramId, Reservation>;
  readonly #cancelled = new Map<string, number[]>();
  readonly #recorded: ReadonlyMap<string, readonly RecordedEpisode[]>;
  /** Running recordings whose programme its station lists as present or following. */
  readonly #onAir: readonly Reservation[];

  constructor(private readonly input: PlanInput) {
    this.#reserved = new Map(input.reservations.map((one) => [one.programId, one]));
    for (const { type, channel, title, startAt } of input.cancellations) {
      const place = `${type}/${channel}/${title}`;
      this.#cancelled.set(place, [...(this.#cancelled.get(place) ?? []), startAt]);
    }
    this.#recorded = input.facts.bySeries(input.recorded);
    this.#onAir = input.reservations.filter(
      ({ state, programId: id }) => state === 'recording' && isNamed(input, id),
    );
  }

  choose(): Wanted {
    const active = this.input.rules.filter((rule) => rule.enabled && this.input.matches.has(rule.id));
    const matched = active.map((rule) => ({ rule, programs: this.#ofRule(rule) }));
    const kept = this.#withoutBranches(matched.flatMap(({ programs }) => programs));
    const wanted = matched.flatMap(({ rule, programs }) => {
      const own = programs.filter((program) => kept.has(program.id));
      return rule.dedupe ? this.#episodes(rule, own) : own.map((program) => ({ rule, airings: [program] }));
    });
    for (const { airings } of wanted) {
      for (const { id } of airings.slice(0, 1)) this.#passedOver.delete(id);
    }
    return { wanted, passedOver: this.#passedOver };
  }

  #pass(
    program: IndexedProgram,
    code: Exclude<PassedOverReason['code'], 'beyond_limit' | 'other_airing'>,
  ): void {
    this.#passedOver.set(program.id, { code });
  }

  /** Sorted by start, without programmes that are over or were cancelled. */
  #ofRule(rule: Rule): IndexedProgram[] {
    const { now, matches } = this.input;
    const found = (matches.get(rule.id) ?? []).filter((program) => {
      if (program.endAt <= now && !program.openEnd) return false;
      const recorded = this.#recordedAs(program);
      if (recorded !== undefined) {
        this.#passedOver.set(program.id, { code: 'other_airing', startAt: recorded.startAt });
        return false;
      }
      const isCancelled = this.#isCancelled(program);
      if (isCancelled) this.#pass(program, 'cancelled_before');
      return !isCancelled;
    });
    return found.sort((a, b) => a.startAt - b.startAt || a.id - b.id);
  }

  /**
   * The recording of a programme that continues under another id after an interruption, while the guide still has the
   * former one: its station shows one programme at a time.
   */
  #recordedAs(program: IndexedProgram): Reservation | undefined {
    const { facts, now } = this.input;
    if (program.startAt > now || isNamed(this.input, program.id)) return undefined;
    return this.#onAir.find(
      ({ stationId: station, programId: id, name, description }) =>
        station === program.stationId &&
        id !== program.id &&
        facts.of({ name, description, extended: null }).title === facts.of(program).title,
    );
  }

  #isCancelled(program: IndexedProgram): boolean {
    if (this.#cancelled.size === 0) return false;
    const station = this.input.stations.get(program.stationId);
    const place = `${station?.type}/${station?.channel}/${this.input.facts.of(program).title}`;
    const starts = this.#cancelled.get(place) ?? [];
    return starts.some((startAt) => Math.abs(startAt - program.startAt) <= CANCELLATION_REACH_MS);
  }

  /**
   * If stations of one key show the same on one physical channel, the first keeps it. Satellite stations have a key
   * each; there, one of several that share an event keeps it.
   */
  #withoutBranches(programs: readonly IndexedProgram[]): Set<ProgramId> {
    const { stations, facts } = this.input;
    const branches = branchGroups(stations);
    const first = new Map<string, { program: IndexedProgram; serviceId: number }>();
    const kept = new Set<ProgramId>();
    const placeOf = (program: IndexedProgram): string | undefined => {
      const group = branches.get(program.stationId) ?? sharedPlace(program, stations);
      if (group === undefined) return undefined;
      return `${group}/${program.startAt}/${facts.of(program).title}`;
    };
    for (const program of programs) {
      const place = placeOf(program);
      if (place === undefined) {
        kept.add(program.id);
        continue;
      }
      const serviceId = this.input.stations.get(program.stationId)?.serviceId ?? 0;
      const known = first.get(place);
      if (known === undefined || serviceId < known.serviceId) first.set(place, { program, serviceId });
    }
    for (const { program } of first.values()) kept.add(program.id);
    for (const program of programs) {
      if (!kept.has(program.id)) this.#pass(program, 'on_other_service');
    }
    return kept;
  }

  #episodes(rule: Rule, programs: readonly IndexedProgram[]): WantedEpisode[] {
    const parts = this.#partsAmong(programs);
    const airings = programs
      .filter(({ id }) => !parts.has(id))
      .map(
        (program): Candidate => ({
          episode: this.input.facts.of(program).episode,
          startAt: program.startAt,
          program,
          recordedId: null,
        }),
      );
    const series = new Set(airings.map(({ episode }) => episode.series));
    const recorded = [...series]
      .flatMap((name) => this.#recorded.get(name) ?? [])
      .map((one): Candidate => {
        const { episode } = this.input.facts.of(one);
        return { episode, startAt: one.startAt, program: null, recordedId: one.programId };
      });
    return sameEpisodes([...airings, ...recorded]).flatMap((group) => {
      const open = this.#notRecorded(group);
      const ordered = this.#inOrder(open);
      const [booked, ...others] = ordered;
      if (booked === undefined) return [];
      for (const { id } of others)
        this.#passedOver.set(id, { code: 'other_airing', startAt: booked.startAt });
      return [{ rule, airings: ordered }];
    });
  }

  /** Parts of split programmes, which are booked with the programme and are no other airings of it. */
  #partsAmong(programs: readonly IndexedProgram[]): ReadonlySet<ProgramId> {
    const parts = programs.flatMap((program) => {
      const reservation = this.#reserved.get(program.id);
      if (reservation === undefined || CLOSED.has(reservation.state)) return [];
      if (this.#isPart(reservation)) return [program.id];
      return restsOf(this.input, { reservation, program }).map(({ id }) => id);
    });
    return new Set(parts);
  }

  #isPart(reservation: Reservation): boolean {
    const id = wholeOf(reservation);
    const whole = id === null ? undefined : this.#reserved.get(id);
    return whole !== undefined && whole.state !== 'cancelled';
  }

  #notRecorded(group: readonly Candidate[]): IndexedProgram[] {
    const recorded = group.filter(({ program }) => program === null);
    return group.flatMap(({ program }) => {
      if (program === null) return [];
      // A running recording does not block itself.
      const before = recorded.filter(
        ({ recordedId, startAt }) =>
          recordedId !== program.id && program.startAt - startAt <= RECORDED_REACH_MS,
      );
      const [first] = before;
      if (first === undefined || this.#isRunning(program.id)) return [program];
      if (before.every(({ recordedId }) => this.#isRunning(recordedId)))
        this.#passedOver.set(program.id, { code: 'other_airing', startAt: first.startAt });
      else this.#pass(program, 'recorded_before');
      return [];
    });
  }

  #isRunning(id: ProgramId | null): boolean {
    return id !== null && this.#reserved.get(id)?.state === 'recording';
  }

  /** The earliest first; if airings overlap, those with captions first, then those by satellite. */
  #inOrder(programs: readonly IndexedProgram[]): IndexedProgram[] {
    const running = programs.find(({ id }) => this.#isRunning(id));
    if (running !== undefined) return [running, ...programs.filter((program) => program !== running)];
    // A programme that has begun would lack its beginning: it comes last, unless it was booked before it began.
    const begun = programs.filter((program) => program.startAt < this.input.now && !this.#isBooked(program));
    let rest = programs.filter((program) => !begun.includes(program));
    const ordered: IndexedProgram[] = [];
    while (rest.length > 0) {
      const end = rest[0]?.endAt ?? 0;
      const [best] = rest.filter((program) => program.startAt < end).sort((a, b) => this.#compare(a, b));
      if (best === undefined) break;
      ordered.push(best);
      rest = rest.filter((program) => program !== best);
    }
    return [...ordered, ...begun];
  }

  /**
   * Booked before it began, by any rule: it is recorded from its beginning, and the choice itself may assign it to
   * another rule. Includes missed or skipped programmes that are not over: this plan may book them again, and the
   * next plan must make the same choice.
   */
  #isBooked({ id, startAt }: IndexedProgram): boolean {
    const reservation = this.#reserved.get(id);
    if (reservation === undefined || reservation.createdAt > startAt) return false;
    return reservation.state !== 'cancelled' && reservation.state !== 'finished';
  }

  #compare(a: IndexedProgram, b: IndexedProgram): number {
    const { facts, stations } = this.input;
    const captioned = Number(facts.of(b).captioned) - Number(facts.of(a).captioned);
    const isSatellite = ({ stationId }: IndexedProgram): number =>
      Number((stations.get(stationId)?.type ?? 'GR') !== 'GR');
    return captioned || isSatellite(b) - isSatellite(a) || a.startAt - b.startAt || a.id - b.id;
  }
}

/** Stations of one key on one physical channel, if there are several: each with a name of the group. */
function branchGroups(stations: PlanInput['stations']): Map<StationId, string> {
  const groups = new Map<string, StationId[]>();
  for (const { id, type, channel, networkId, remoteControlKey } of stations.values()) {
    const group = `${type}/${channel}/${networkId}/${remoteControlKey}`;
    groups.set(group, [...(groups.get(group) ?? []), id]);
  }
  const several = [...groups].filter(([, ids]) => ids.length > 1);
  return new Map(several.flatMap(([group, ids]) => ids.map((id) => [id, group] as const)));
}

/**
 * One key for all stations of a physical channel that share a programme. The main station lists all of them, a branch
 * may list only the main one: its own event counts too. ARIB STD-B10 Part 2, 6.2.34, group_type 1.
 */
function sharedPlace(
  { id, groups, stationId: at }: IndexedProgram,
  stations: PlanInput['stations'],
): string | undefined {
  // Most programmes share nothing, and this is called for all matches of rules.
  if (groups.length === 0) return undefined;
  const own = stations.get(at);
  const events = groups.flatMap((group) => (group.type === 'shared' ? group.events : []));
  const beside = events.flatMap(({ networkId, serviceId, eventId }) => {
    const station = stations.get(stationId(networkId, serviceId));
    const isBeside = station !== undefined && station.type === own?.type && station.channel === own.channel;
    return isBeside ? [programId(station.id, eventId)] : [];
  });
  return beside.length === 0 ? undefined : `shared/${Math.min(id, ...beside)}`;
}

export function chooseWanted(input: PlanInput): Wanted {
  return new Chooser(input).choose();
}
