/**
 * Present/following of a station, assembled from sections of any stream. Pure. It takes precedence over the schedule:
 * EIT present/following is updated at once, schedules later. ARIB STD-B10 Part 2, 5.2.7; TR-B14 Vol. 4, TR-B15 Vol. 4.
 */
import { type EventId, programId } from '../../lib/arib/ids.ts';
import type { Eit } from '../../lib/arib/si/eit.ts';
import { type BroadcastEvent, broadcastEvent } from '../../lib/arib/si/event.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { PresentFollowing, WaitingProgram } from '../model/guide-change.ts';
import type { ProgramRecord } from '../model/program.ts';
import { presentDuration, presentTime, programOf } from './event-program.ts';
import type { NamedEvents, VisitedStation } from './guide-messages.ts';

export class StationPresent {
  /** Undefined: not received yet; null: the table has no event. */
  #present: BroadcastEvent | null | undefined;
  #following: BroadcastEvent | null | undefined;
  /** Readings of the station's own stream, the most recently updated last: it takes precedence over all others. */
  readonly #sources = new Set<number>();
  /** By this machine's clock, used as the broadcast's. */
  #seenAt: BroadcastMs = broadcastMs(0);
  /** Since when the present event is present; null: from before its stream was read; undefined: not received in it. */
  #since: WallMs | null | undefined;

  constructor(readonly station: VisitedStation) {}

  /** @param session the reading that received it @returns whether it was accepted */
  take(eit: Eit, session: number, now: WallMs): boolean {
    if (eit.sectionNumber > 1) return false;
    if (eit.actual) {
      this.#sources.delete(session);
      this.#sources.add(session);
    } else if (this.watched) return false;
    this.#seenAt = broadcastMs(now);
    const [event] = eit.events;
    const value = event === undefined ? null : broadcastEvent(event);
    if (eit.sectionNumber === 0) {
      if (this.#since === undefined) this.#since = null;
      else if (value?.eventId !== this.#present?.eventId) this.#since = now;
      this.#present = value;
    } else this.#following = value;
    // A table of one section has no following event.
    if (eit.lastSectionNumber === 0) this.#following = null;
    return true;
  }

  /** The reading has ended: other streams are accepted for the station again. */
  release(session: number, now: WallMs): void {
    if (!this.#sources.delete(session) || this.watched) return;
    this.#since = undefined;
    this.#seenAt = broadcastMs(now);
  }

  /** Events in its own stream, at any time. */
  get named(): Omit<NamedEvents, 'stationId'> {
    const idOf = (event: BroadcastEvent | null | undefined) =>
      event && programId(this.station.id, event.eventId);
    const isReceived = this.watched && this.#since !== undefined;
    return {
      watched: this.watched,
      present: isReceived ? idOf(this.#present) : undefined,
      following: this.watched ? idOf(this.#following) : undefined,
      since: this.#since ?? null,
      startsAt: isReceived ? (this.#present?.startAt ?? null) : null,
      endsAt: isReceived ? this.#endsAt : null,
      followingStartsAt: this.watched ? (this.#following?.startAt ?? null) : null,
    };
  }

  /** Epoch ms; null: undecided, or nothing is on. */
  get #endsAt(): BroadcastMs | null {
    const startAt = this.#present?.startAt;
    const durationMs = this.#durationMs;
    return startAt === undefined || durationMs === undefined ? null : broadcastMs(startAt + durationMs);
  }

  /** Of the present event; undefined: undecided, or nothing is on. */
  get #durationMs(): number | undefined {
    return this.#present ? presentDuration(this.#present) : undefined;
  }

  get known(): boolean {
    return this.#present !== undefined || this.#following !== undefined;
  }

  /** The most recently updated reading of the station's own stream; undefined: none. */
  get source(): number | undefined {
    return [...this.#sources].at(-1);
  }

  /** The station's own stream is being read. */
  get watched(): boolean {
    return this.#sources.size > 0;
  }

  /**
   * The present event has an unknown duration, the following one depends on it, or nothing is on: the stored data
   * depends on the time.
   */
  get dependsOnTime(): boolean {
    const isOpen = this.#present !== undefined && this.#durationMs === undefined;
    return isOpen || this.#waiting !== undefined;
  }

  /** The following event has no start. */
  get #waiting(): WaitingProgram | undefined {
    const event = this.#following;
    if (event === null || event === undefined || event.startAt !== undefined) return undefined;
    return { id: programId(this.station.id, event.eventId), durationMs: presentDuration(event) ?? null };
  }

  read(now: BroadcastMs): PresentFollowing {
    const following = this.#program(this.#following, undefined, now);
    const present = this.#program(this.#present, following?.startAt, now);
    // Repetitions are not reported, so the last table of a stream being read is current.
    const at = this.watched ? now : this.#seenAt;
    return { present, following, at, ...(this.#waiting === undefined ? {} : { waiting: this.#waiting }) };
  }

  /** The programme by present/following, as long as that is current. */
  held(event: EventId, now: BroadcastMs): ProgramRecord | undefined {
    if (event !== this.#present?.eventId && event !== this.#following?.eventId) return undefined;
    const { present, following } = this.read(now);
    for (const program of [present, following]) {
      if (program?.eventId === event && program.endAt > now) return program;
    }
    return undefined;
  }

  #program(
    event: BroadcastEvent | null | undefined,
    nextStart: BroadcastMs | undefined,
    now: BroadcastMs,
  ): ProgramRecord | null | undefined {
    if (event === null || event === undefined) return event;
    const time = presentTime(event, nextStart, now);
    // A programme without plausible times is on: undefined, not null.
    if (time === undefined) return undefined;
    return programOf(this.station.id, this.station.networkId, event, time);
  }
}
