/**
 * The end of a programme whose station was not received at that time. An overrunning programme delays the next one:
 * if that is now announced later, the programme lasted until then, although its own table was never received.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { Stretch } from '../model/verdict.ts';

/** Equal to the limit for holding a recording open beyond an unknown end. */
const LONGEST_MS = 3 * 3_600_000;

interface Announced {
  id: ProgramId;
  startAt: BroadcastMs;
}

export interface GuideOfStation {
  /** The programme of the guide that follows this one, at a given time. */
  findFollowing?:
    | ((station: StationId, at: BroadcastMs, program: ProgramId | null) => Announced | undefined)
    | undefined;
  findProgram?: ((id: ProgramId) => Announced | undefined) | undefined;
}

/** @throws the guide's error */
export class UnheardEnd {
  /** The programme after the end noted with it. */
  #next: { id: ProgramId; endAt: BroadcastMs } | undefined;

  constructor(readonly guide: GuideOfStation) {}

  /**
   * Notes the current end and the following programme, which may still be announced for an earlier time if the
   * programme itself was just moved.
   */
  note(program: ProgramId | null, station: StationId, endAt: BroadcastMs): void {
    const next = this.guide.findFollowing?.(station, endAt, program);
    this.#next = next === undefined ? undefined : { id: next.id, endAt };
  }

  /**
   * The end according to the following programme, unless the programme's own end was received.
   * @param endAt the last known end
   * @param received when packets were received
   */
  endOf(endAt: BroadcastMs, now: BroadcastMs, received: readonly Stretch[]): BroadcastMs {
    const before = this.#next;
    const isHeard = received.some(({ from, to }) => from <= endAt && to >= endAt);
    if (isHeard || before === undefined || before.endAt !== endAt) return endAt;
    const startAt = this.guide.findProgram?.(before.id)?.startAt ?? endAt;
    const isMoved = startAt > endAt && startAt <= now && startAt - endAt <= LONGEST_MS;
    return isMoved ? startAt : endAt;
  }
}
