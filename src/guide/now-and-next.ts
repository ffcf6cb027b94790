/**
 * Reads what is on now and next out of a stream: present/following tables of the wanted stations, and the
 * broadcaster's clock. Pure; sections that are damaged never reach it.
 */

import type { Pid } from '../../arib/ids.ts';
import { EIT_PID, parseEit } from '../../arib/si/eit.ts';
import { type BroadcastEvent, broadcastEvent } from '../../arib/si/event.ts';
import { parseSdt, SDT_PID } from '../../arib/si/sdt.ts';
import { parseTot, TOT_PID } from '../../arib/si/tot.ts';
import { type EpochMs, epochMs } from '../../arib/time.ts';
import { type Section, SectionDemux } from '../../arib/ts/section.ts';
import type { NowAndNext, ProgramRecord } from '../model/program.ts';
import type { VisitedStation } from './messages.ts';
import { programOf } from './program.ts';

const HOUR_MS = 3_600_000;
/** Present and following events lie around now; anything else is a damaged or a test table. */
const PLAUSIBLE_MS = 72 * HOUR_MS;
/** An event without an end is taken to last this long after its start, or after now. */
const OPEN_END_MS = HOUR_MS;
const OPEN_END_FROM_NOW_MS = 10 * 60_000;

interface Known {
  readonly station: VisitedStation;
  /** Undefined: not seen yet; null: the table says that there is none. */
  present: BroadcastEvent | null | undefined;
  following: BroadcastEvent | null | undefined;
  /** Versions of the two sections, to skip repetitions. */
  versions: [number, number];
  changed: boolean;
  /** The service description says that there is no present/following. */
  without: boolean;
}

function key(networkId: number, serviceId: number): number {
  return networkId * 0x10000 + serviceId;
}

function isComplete(known: Known): boolean {
  return known.without || (known.present !== undefined && known.following !== undefined);
}

export class NowAndNextReader {
  /** Broadcast clock minus this machine's, ms. */
  clockOffsetMs: number | null = null;

  readonly #demux = new SectionDemux([EIT_PID, SDT_PID, TOT_PID] as Pid[]);
  readonly #known = new Map<number, Known>();
  readonly #own: readonly Known[];

  constructor(own: readonly VisitedStation[], others: readonly VisitedStation[]) {
    this.#own = own.map((station) => this.#add(station));
    for (const station of others) this.#add(station);
  }

  #add(station: VisitedStation): Known {
    const known: Known = {
      station,
      present: undefined,
      following: undefined,
      versions: [-1, -1],
      changed: false,
      without: false,
    };
    this.#known.set(key(station.networkId, station.serviceId), known);
    return known;
  }

  get ownComplete(): boolean {
    return this.#own.every(isComplete);
  }

  get allComplete(): boolean {
    return [...this.#known.values()].every(isComplete);
  }

  /** @param packets whole and aligned @param now epoch ms of their arrival */
  feed(packets: Uint8Array, now: number): void {
    for (const section of this.#demux.feed(packets)) this.#section(section, now);
  }

  /** What became known since the last call. */
  take(now: number): NowAndNext[] {
    const items: NowAndNext[] = [];
    for (const known of this.#known.values()) {
      if (!known.changed) continue;
      known.changed = false;
      items.push(toNowAndNext(known, now));
    }
    return items;
  }

  #section(section: Section, now: number): void {
    if (section.pid === EIT_PID) this.#eit(section);
    else if (section.pid === SDT_PID) this.#sdt(section);
    else {
      const tot = parseTot(section);
      if (tot !== undefined) this.clockOffsetMs = tot.time - now;
    }
  }

  #eit(section: Section): void {
    // Schedules share the PID and are many: cheaper to turn away here.
    if (section.tableId !== 0x4e && section.tableId !== 0x4f) return;
    const eit = parseEit(section);
    if (eit === undefined || eit.sectionNumber > 1) return;
    const known = this.#known.get(key(eit.originalNetworkId, eit.serviceId));
    if (known === undefined || known.versions[eit.sectionNumber] === eit.version) return;
    known.versions[eit.sectionNumber] = eit.version;
    const [event] = eit.events;
    const value = event === undefined ? null : broadcastEvent(event);
    if (eit.sectionNumber === 0) known.present = value;
    else known.following = value;
    if (eit.lastSectionNumber === 0) known.following ??= null;
    known.changed = true;
  }

  #sdt(section: Section): void {
    const sdt = parseSdt(section);
    if (sdt === undefined) return;
    for (const service of sdt.services) {
      const known = this.#known.get(key(sdt.originalNetworkId, service.serviceId));
      if (known !== undefined) known.without = !service.hasPresentFollowing;
    }
  }
}

function toNowAndNext(known: Known, now: number): NowAndNext {
  const { station } = known;
  const following = toProgram(station, known.following, undefined, now);
  return {
    stationId: station.id,
    present: toProgram(station, known.present, following?.startAt, now),
    following,
  };
}

/** Null for an event without a plausible start: it cannot be placed. */
function toProgram(
  station: VisitedStation,
  event: BroadcastEvent | null | undefined,
  nextStart: EpochMs | undefined,
  now: number,
): ProgramRecord | null {
  if (event === null || event === undefined || event.startAt === undefined) return null;
  const { startAt, durationMs } = event;
  if (Math.abs(startAt - now) > PLAUSIBLE_MS) return null;
  const decided = durationMs !== undefined && durationMs > 0 && durationMs <= PLAUSIBLE_MS;
  const guess = Math.max(startAt + OPEN_END_MS, now + OPEN_END_FROM_NOW_MS);
  const open = nextStart !== undefined && nextStart > startAt ? nextStart : guess;
  return programOf(station.id, station.networkId, event, {
    startAt,
    endAt: epochMs(decided ? startAt + durationMs : open),
    openEnd: !decided,
  });
}
