/**
 * Tuners available for the guide, from the agent's list. Pure. The agent selects the tuner; this only checks that
 * there is one, so that no visit fails or displaces another.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { Tuner } from '../../lib/wire/agent.ts';

interface PlacedChannel {
  type: BroadcastType;
  channel: string;
}

/** `use` of visits at the agent. */
const VISIT_USE = 'epg ';

function isOn({ tuned }: Tuner, { type, channel }: PlacedChannel): boolean {
  return tuned?.type === type && tuned.channel === channel;
}

/** Without consumers. One with an error comes last: it may work again. */
function isIdle({ users, state }: Tuner): boolean {
  return users.length === 0 && state !== 'tuning' && state !== 'tuned';
}

function mayBeTaken(tuner: Tuner, priority: number): boolean {
  if (isIdle(tuner)) return true;
  if (tuner.users.length === 0) return false;
  return tuner.users.every((user) => user.priority < priority && !user.use.startsWith(VISIT_USE));
}

/** Smaller is preferred. */
function preference(tuner: Tuner): number {
  if (!isIdle(tuner)) return 1;
  return tuner.state === 'error' ? 2 : 0;
}

export class Tuners {
  readonly #free: Tuner[];

  /** @param active keys (`GR/T27`) of channels that are being visited; the list may not show all of them yet */
  constructor(tuners: readonly Tuner[], active: ReadonlySet<string>) {
    this.#free = tuners.filter((tuner) => !tuner.disabled);
    for (const key of active) {
      const [type, channel = ''] = key.split('/');
      const place = { type: type as BroadcastType, channel };
      if (!this.isOpen(place)) this.take(place, 0);
    }
  }

  /** The channel is already open: another reader needs no tuner. */
  isOpen(place: PlacedChannel): boolean {
    return this.#free.some((tuner) => tuner.users.length > 0 && isOn(tuner, place));
  }

  /** Takes the tuner that a visit would use; false if there is none. */
  take(place: PlacedChannel, priority: number): boolean {
    if (this.isOpen(place)) return true;
    const able = this.#free.filter(
      (tuner) => tuner.types.includes(place.type) && mayBeTaken(tuner, priority),
    );
    const lingering = able.find((tuner) => isIdle(tuner) && isOn(tuner, place));
    const [chosen] =
      lingering === undefined ? able.sort((a, b) => preference(a) - preference(b)) : [lingering];
    if (chosen === undefined) return false;
    this.#free.splice(this.#free.indexOf(chosen), 1);
    return true;
  }
}
