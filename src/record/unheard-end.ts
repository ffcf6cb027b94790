/**
 * The end of a programme that was not received. A programme that runs over moves the one behind it: where that one is
 * announced later than it was, the first one lasted until then, although its own table was never heard.
 */
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { Stretch } from '../model/verdict.ts';

/** As long as a recording is held open beyond an end that is not known. */
const LONGEST_MS = 3 * 3_600_000;

interface Announced {
  id: ProgramId;
  startAt: BroadcastMs;
}

export interface GuideOfStation {
  /** What the guide has at a moment, behind this programme. */
  findFollowing?:
    | ((station: StationId, at: BroadcastMs, program: ProgramId | null) => Announced | undefined)
    | undefined;
  findProgram?: ((id: ProgramId) => Announced | undefined) | undefined;
}

/** @throws whatever the guide throws */
export class UnheardEnd {
  /** Behind the end that was noted with it. */
  #next: { id: ProgramId; endAt: BroadcastMs } | undefined;

  constructor(readonly guide: GuideOfStation) {}

  /**
   * The end as it is known now: remembers what is to follow. That may still be announced for earlier, where the programme
   * itself was moved only now.
   */
  note(program: ProgramId | null, station: StationId, endAt: BroadcastMs): void {
    const next = this.guide.findFollowing?.(station, endAt, program);
    this.#next = next === undefined ? undefined : { id: next.id, endAt };
  }

  /**
   * The end as what follows tells it by now, unless its own was received.
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
