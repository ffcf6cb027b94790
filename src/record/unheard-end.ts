/**
 * The end of a programme whose station was not received. An overrunning programme delays the next one: if that is now
 * announced later, the programme lasted until then, although its own table was never received.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { Stretch } from '../model/verdict.ts';

/** Equal to how long a recording is held open beyond an unknown end. */
const LONGEST_MS = 3 * 3_600_000;

interface Announced {
  id: ProgramId;
  startAt: BroadcastMs;
}

export interface GuideOfStation {
  /** The programme of the guide at a time after this one. */
  findFollowing?:
    | ((station: StationId, at: BroadcastMs, program: ProgramId | null) => Announced | undefined)
    | undefined;
  findProgram?: ((id: ProgramId) => Announced | undefined) | undefined;
}

/** @throws whatever the guide throws */
export class UnheardEnd {
  /** The programme after the end noted with it. */
  #next: { id: ProgramId; endAt: BroadcastMs } | undefined;

  constructor(readonly guide: GuideOfStation) {}

  /**
   * Notes the present end and the following programme, which may still be announced for an earlier time if the
   * programme itself was moved just now.
   */
  note(program: ProgramId | null, station: StationId, endAt: BroadcastMs): void {
    const next = this.guide.findFollowing?.(station, endAt, program);
    this.#next = next === undefined ? undefined : { id: next.id, endAt };
  }

  /**
   * The end according to the following programme, unless the programme's own end was received.
   * @param endAt as it was known
   * @param received when packets were
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
