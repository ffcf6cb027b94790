/**
 * The transport streams of BS and of 110° CS: the ids of each transponder. Facts of operation, not of the standards:
 * ids are assigned when a stream begins and change with the broadcasters.
 *
 * An id consists of network_id (its low 4 bits), era (3), transponder (5), reserved (1) and slot (3); CS has no era
 * and slot 0 only, so its ids follow from the transponder. A BS id keeps the era in which its slot was assigned and
 * cannot be computed. The BS rows have the assignment since 2025: the channel list of a tuner's driver and one read
 * from the NIT in June 2026 agree in every row, one of September 2026 in the names; a read-out of a demodulator of
 * November 2024 differs only where a stream moved since (see the row).
 */
import type { BroadcastType } from './ids.ts';

interface SatelliteStream {
  readonly type: Exclude<BroadcastType, 'GR'>;
  /** Physical channel: transponder and, for BS, relative slot. */
  readonly channel: string;
  readonly networkId: number;
  readonly transportStreamId: number;
}

const BS_NETWORK_ID = 4;

/**
 * Ids of a transponder in the order of their slots; the index is the relative slot in the channel's name. Lists that
 * name channels by the slot in the id instead call BS09_1 BS09_2 and BS23_2 BS23_3.
 */
const BS: readonly (readonly [transponder: number, ids: readonly number[]])[] = [
  [1, [0x4010, 0x4011, 0x4012]],
  [3, [0x4030, 0x4631, 0x4632]],
  [5, [0x4450, 0x4451]],
  // Slot 1 is empty.
  [9, [0x4090, 0x4092]],
  [13, [0x40d0, 0x40d1, 0x46d2]],
  // The third was moved in 2025 from slot 2 of transponder 23.
  [15, [0x40f1, 0x40f2, 0x48f3]],
  [19, [0x4730, 0x4731, 0x4732, 0x4733]],
  [21, [0x4750, 0x4751, 0x4752]],
  [23, [0x4770, 0x4971, 0x4973]],
];

const CS_TRANSPONDERS = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24];
/** network_id: CS1 broadcasts on these transponders, CS2 on all others. */
const CS1 = { networkId: 6, transponders: [2, 8, 10] };
const CS2 = { networkId: 7 };

const digits = (transponder: number): string => String(transponder).padStart(2, '0');

export const SATELLITE_STREAMS: readonly SatelliteStream[] = [
  ...BS.flatMap(([transponder, ids]) =>
    ids.map((transportStreamId, slot) => ({
      type: 'BS' as const,
      channel: `BS${digits(transponder)}_${slot}`,
      networkId: BS_NETWORK_ID,
      transportStreamId,
    })),
  ),
  ...CS_TRANSPONDERS.map((transponder) => {
    const { networkId } = CS1.transponders.includes(transponder) ? CS1 : CS2;
    return {
      type: 'CS' as const,
      channel: `CS${digits(transponder)}`,
      networkId,
      transportStreamId: (networkId << 12) | (transponder << 4),
    };
  }),
];
