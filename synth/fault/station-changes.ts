/** Faults that affect a station's PMT, as changes of its state. */
import { pid } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, jstDayStart } from '../../lib/arib/time.ts';
import { STC_ZERO } from '../clock.ts';
import { DAY_MS } from '../guide/programme.ts';
import type { StationPlace } from '../scenario/layout.ts';
import type { OnAir, StateChange, StateChanges } from '../station-state.ts';
import type { Fault, FaultOf, Faults } from './model.ts';

type StationFault = FaultOf<'pmt'> | FaultOf<'copy_never'> | FaultOf<'scramble'>;

function isStationFault(fault: Fault): fault is StationFault {
  return fault.kind === 'pmt' || fault.kind === 'copy_never' || fault.kind === 'scramble';
}

/** The PID of captions and the remaining audios during a fault of the layout. */
function relaid(state: OnAir, fault: FaultOf<'pmt'>): OnAir {
  return {
    ...state,
    audios: fault.audios === null ? state.audios : state.audios.slice(0, fault.audios),
    captionPid:
      fault.captionPid === null || state.captionPid === null ? state.captionPid : pid(fault.captionPid),
  };
}

function applied(state: OnAir, fault: StationFault): OnAir {
  switch (fault.kind) {
    case 'pmt':
      return relaid(state, fault);
    case 'copy_never':
      return { ...state, copyControl: 'never' };
    case 'scramble':
      return { ...state, scrambled: true };
  }
}

/** The periods in `from <= time < until` in which a fault is active. */
function* windowsOf(fault: Fault, from: number, until: number): Generator<{ from: number; until: number }> {
  const begin = Math.max(from, fault.from ?? from);
  const end = Math.min(until, fault.to ?? until);
  if (fault.every === null) {
    if (begin < end) yield { from: fault.from ?? from, until: fault.to ?? until };
    return;
  }
  const period = fault.every.everySec * 1000;
  const zero = fault.from ?? STC_ZERO;
  for (let start = zero + Math.floor((begin - zero) / period) * period; start < end; start += period) {
    yield { from: start, until: Math.min(start + fault.every.forSec * 1000, fault.to ?? until) };
  }
}

/**
 * Faults may be switched while a channel is on the air: the list is read at every call and rebuilt if it
 * changed.
 */
export class FaultChanges implements StateChanges {
  #made: { faults: readonly Fault[]; day: BroadcastMs; lists: Map<StationPlace, StateChange[]> } | undefined;

  constructor(private readonly faults: Faults) {}

  of(place: StationPlace, at: BroadcastMs): readonly StateChange[] {
    const { current } = this.faults;
    const day = jstDayStart(at);
    if (this.#made?.faults !== current || this.#made.day !== day) {
      this.#made = { faults: current, day, lists: new Map() };
    }
    const known = this.#made.lists.get(place);
    if (known !== undefined) return known;
    const list = this.#listOf(place, current, day);
    this.#made.lists.set(place, list);
    return list;
  }

  #listOf(place: StationPlace, faults: readonly Fault[], day: BroadcastMs): StateChange[] {
    const list = faults
      .filter(isStationFault)
      .filter(({ serviceId }) => serviceId === null || serviceId === place.plan.serviceId)
      .flatMap((fault) =>
        [...windowsOf(fault, day, day + DAY_MS)].map(({ from, until }) => ({
          from: broadcastMs(from),
          until: broadcastMs(until),
          apply: (state: OnAir) => applied(state, fault),
        })),
      );
    return list.sort((one, other) => one.from - other.from);
  }
}
