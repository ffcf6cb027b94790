/**
 * What can go wrong on the air, as values. A fault stands in a scenario or in a control file that is read again
 * while the channel is on the air; it holds for all tunings of the channels that it names alike.
 */
import type { BroadcastType } from '../../arib/ids.ts';

/** When a fault is there: between two moments, for ever, or again and again. */
export interface FaultWindow {
  /** Epoch ms, inclusive; null: since always. */
  from: number | null;
  /** Epoch ms, exclusive; null: for ever. */
  to: number | null;
  /** Comes again: `forSec` seconds of every `everySec`, counted from `from` or else from the clock's zero. */
  every: { everySec: number; forSec: number } | null;
}

/** Faults of the way from the antenna to the program: they take or change packets. */
export type PacketFault =
  /** Packets that never arrive: each with the probability `rate`, or `burst` of them in a row as often. */
  | { kind: 'loss'; rate: number; burst: number; pids: number[] | null }
  /**
   * Packets with wrong bits. `flagged`: with transport_error_indicator, as a demodulator marks what it could not
   * correct (ISO/IEC 13818-1 2.4.3.2); `sync`: the sync byte may be hit too.
   */
  | { kind: 'corrupt'; rate: number; flagged: boolean; sync: boolean; pids: number[] | null }
  /** Nothing arrives, the tuner stays open; afterwards the broadcast is where it would have been. */
  | { kind: 'stall' }
  /** The stream ends, as when a command exits. */
  | { kind: 'end'; exitCode: number }
  /** A tuning that begins then receives nothing; with `exitAfterSec` it gives up with an error. */
  | { kind: 'no_lock'; exitAfterSec: number | null }
  /** Elementary streams come scrambled, as without a key; of all stations or of one. */
  | { kind: 'scramble'; serviceId: number | null }
  /**
   * PCR, PTS and DTS jump by so much while it holds. `announced`: with discontinuity_indicator, ISO/IEC 13818-1
   * 2.4.3.5.
   */
  | { kind: 'clock'; offsetMs: number; announced: boolean }
  /** PCR, PTS and DTS pass through zero at `from`, whatever the time of the year. */
  | { kind: 'wrap' };

/** Faults of what the broadcaster says: they change tables. */
export type TableFault =
  /** The time in TOT and TDT is off by so much. */
  | { kind: 'time'; offsetMs: number }
  /** Another layout: so many of the station's audios, another packet identifier of the captions. */
  | { kind: 'pmt'; serviceId: number | null; audios: number | null; captionPid: number | null }
  /** The programme on air may suddenly not be copied. */
  | { kind: 'copy_never'; serviceId: number | null }
  /** Other words about the programme that is on (or next) when it begins. */
  | {
      kind: 'eit';
      serviceId: number | null;
      which: 'present' | 'following';
      title: string | null;
      /** Moves the beginning. */
      delaySec: number;
      /** Seconds longer (or shorter); `undefined_end` leaves the duration open. */
      longerSec: number;
      undefinedEnd: boolean;
      /** Another event_id for the same programme. */
      newId: boolean;
      /** Another copy control than the programme has; null: its own. */
      copyControl: 'free' | 'once' | 'never' | null;
      /** Nothing is said at all. */
      absent: boolean;
    };

export type Fault = FaultWindow & {
  /** The channels that have it; null: all. */
  type: BroadcastType | null;
  channel: string | null;
} & (PacketFault | TableFault);

export type FaultOf<K extends Fault['kind']> = Fault & { kind: K };

/** Faults that are there now; may change while a channel is on the air. */
export interface Faults {
  readonly current: readonly Fault[];
}

export const NO_FAULTS: Faults = { current: [] };

/** Those of one channel. */
export function faultsOf(
  faults: readonly Fault[],
  channel: { type: BroadcastType; channel: string },
): readonly Fault[] {
  return faults.filter(
    (fault) =>
      (fault.type === null || fault.type === channel.type) &&
      (fault.channel === null || fault.channel === channel.channel),
  );
}
