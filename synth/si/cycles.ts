/**
 * How often event tables are repeated: ARIB TR-B14 vol. 4, 12 and TR-B15 vol. 4. Near parts of the schedule
 * are sent more often than the rest. Both the actual repetition and the announcement in the BIT are derived
 * from this.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { Scenario } from '../scenario/model.ts';

/** A number of the live three-hour segments, following those of the previous group, and their cycle. */
interface CycleGroup {
  segments: number;
  seconds: number;
}

export interface ScheduleCycles {
  /** Nearest first; three at most. */
  groups: readonly CycleGroup[];
  /** Cycle of the segments outside of all groups, seconds. */
  base: number;
}

/** Seconds between repetitions. */
export interface EventCycles {
  presentFollowing: number;
  basic: ScheduleCycles;
  extended: ScheduleCycles;
}

export interface NetworkCycles {
  /** For the transport stream's own stations. */
  actual: EventCycles;
  /** For the others of its network; terrestrial networks have none. */
  other: EventCycles | null;
}

const TERRESTRIAL: NetworkCycles = {
  actual: {
    presentFollowing: 1,
    basic: {
      groups: [
        { segments: 4, seconds: 3 },
        { segments: 20, seconds: 10 },
      ],
      base: 60,
    },
    extended: {
      groups: [
        { segments: 4, seconds: 10 },
        { segments: 20, seconds: 30 },
      ],
      base: 90,
    },
  },
  other: null,
};

const SATELLITE: NetworkCycles = {
  actual: {
    presentFollowing: 2,
    basic: { groups: [{ segments: 8, seconds: 10 }], base: 60 },
    extended: { groups: [{ segments: 8, seconds: 30 }], base: 120 },
  },
  other: {
    presentFollowing: 5,
    basic: { groups: [{ segments: 8, seconds: 60 }], base: 180 },
    extended: { groups: [{ segments: 8, seconds: 120 }], base: 360 },
  },
};

function faster(cycles: ScheduleCycles, speed: number): ScheduleCycles {
  const seconds = (value: number) => Math.max(1, Math.round(value / speed));
  return {
    groups: cycles.groups.map((group) => ({ ...group, seconds: seconds(group.seconds) })),
    base: seconds(cycles.base),
  };
}

export function eventCycles({ scheduleSpeed = 1 }: Scenario, type: BroadcastType): NetworkCycles {
  const network = type === 'GR' ? TERRESTRIAL : SATELLITE;
  const at = ({ presentFollowing, basic, extended }: EventCycles): EventCycles => ({
    presentFollowing,
    basic: faster(basic, scheduleSpeed),
    extended: faster(extended, scheduleSpeed),
  });
  return { actual: at(network.actual), other: network.other === null ? null : at(network.other) };
}
