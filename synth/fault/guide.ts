/** Faults in the announcements of present/following, over a station's own guide. */
import { eventId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { type Guide, MAX_TITLE_BYTES, type Programme } from '../guide/programme.ts';
import { fitText } from '../text/encode.ts';
import { edgesUntil, type Fault, type FaultOf, type Faults, isActive } from './model.ts';

/** Added to an id: the other half of the range, which no programme of these days uses. */
const OTHER_HALF = 0x8000;

/** Faults that affect present/following. */
type GuideFault = FaultOf<'eit'> | FaultOf<'copy_never'>;

function announced(programme: Programme, fault: FaultOf<'eit'>): Programme {
  return {
    ...programme,
    title: fault.title === null ? programme.title : fitText(fault.title, MAX_TITLE_BYTES),
    startAt: broadcastMs(programme.startAt + fault.delaySec * 1000),
    durationMs: Math.max(0, programme.durationMs + fault.longerSec * 1000),
    openEnd: programme.openEnd || fault.undefinedEnd,
    copyControl: fault.copyControl ?? programme.copyControl,
    eventId: fault.newId ? eventId(programme.eventId ^ OTHER_HALF) : programme.eventId,
  };
}

export class FaultyGuide implements Guide {
  /** The latest list of faults, and the number of its changes: each change is a new announcement. */
  #seen: readonly Fault[] | undefined;
  #revision = -1;

  constructor(
    private readonly guide: Guide,
    private readonly serviceId: number,
    private readonly faults: Faults,
  ) {}

  get days(): number {
    return this.guide.days;
  }

  starting(from: BroadcastMs, to: BroadcastMs, at: BroadcastMs): readonly Programme[] {
    return this.guide.starting(from, to, at);
  }

  airing(from: BroadcastMs, to: BroadcastMs): readonly Programme[] {
    return this.guide.airing(from, to);
  }

  present(at: BroadcastMs): Programme | undefined {
    return this.#changed(this.guide.present(at), 'present', at);
  }

  following(at: BroadcastMs): Programme | undefined {
    return this.#changed(this.guide.following(at), 'following', at);
  }

  revisions(at: BroadcastMs): number {
    return this.guide.revisions(at);
  }

  presentChanges(at: BroadcastMs): number {
    const edges = this.#own.reduce((sum, fault) => sum + edgesUntil(fault, at), 0);
    return this.guide.presentChanges(at) + edges + this.#revision;
  }

  get #own(): GuideFault[] {
    const { current } = this.faults;
    if (current !== this.#seen) {
      this.#seen = current;
      this.#revision += 1;
    }
    return current.filter(
      (fault): fault is GuideFault =>
        (fault.kind === 'eit' || fault.kind === 'copy_never') &&
        (fault.serviceId === null || fault.serviceId === this.serviceId),
    );
  }

  #changed(
    programme: Programme | undefined,
    which: FaultOf<'eit'>['which'],
    at: BroadcastMs,
  ): Programme | undefined {
    let result = programme;
    for (const fault of this.#own) {
      if (result === undefined || !isActive(fault, at)) continue;
      if (fault.kind === 'copy_never') {
        if (which === 'present') result = { ...result, copyControl: 'never' };
      } else if (fault.which === which) {
        result = fault.absent ? undefined : announced(result, fault);
      }
    }
    return result;
  }
}
