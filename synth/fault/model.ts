/**
 * Faults of a broadcast as values. A fault is part of a scenario or of a control file that is read again while the
 * channel is on the air; it applies to all tunings of the named channels alike.
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import { STC_ZERO } from '../clock.ts';

/** When a fault is active: between two times, always, or periodically. */
export interface FaultWindow {
  /** Epoch ms, inclusive; null: since always. */
  from: number | null;
  /** Epoch ms, exclusive; null: without end. */
  to: number | null;
  /** Periodic: active for `forSec` of every `everySec` seconds, counted from `from` or the clock's zero. */
  every: { everySec: number; forSec: number } | null;
}

/** Faults between the antenna and the program: they drop or change packets. */
export type PacketFault =
  /** Lost packets: each with the probability `rate`, or bursts of `burst` packets with that probability. */
  | { kind: 'loss'; rate: number; burst: number; pids: number[] | null }
  /**
   * Packets with wrong bits. `flagged`: with transport_error_indicator, as a demodulator marks what it could not
   * correct (ISO/IEC 13818-1 2.4.3.2); `sync`: the sync byte may be hit too.
   */
  | { kind: 'corrupt'; rate: number; flagged: boolean; sync: boolean; pids: number[] | null }
  /** Payloads are random. */
  | { kind: 'noise'; pids: number[] | null }
  /**
   * Streams are not sent, and the continuity counters do not show it: they continue afterwards, or the streams return
   * when the counters match by chance.
   */
  | { kind: 'absent'; pids: number[]; counters: 'continued' | 'matching' }
  /** Two streams have each other's PID. */
  | { kind: 'swap'; pids: number[] }
  /** No data arrives, the tuner stays open; afterwards the broadcast continues at the current time. */
  | { kind: 'stall' }
  /** The stream ends, as when a command exits. */
  | { kind: 'end'; exitCode: number }
  /** A tuning that begins during the fault receives nothing; with `exitAfterSec` it fails with an error. */
  | { kind: 'no_lock'; exitAfterSec: number | null }
  /** Elementary streams are scrambled, as without a key; of all stations or of one. */
  | { kind: 'scramble'; serviceId: number | null }
  /**
   * PCR, PTS and DTS are offset by this while the fault is active. `announced`: with discontinuity_indicator, ISO/IEC
   * 13818-1 2.4.3.5.
   */
  | { kind: 'clock'; offsetMs: number; announced: boolean }
  /** Everything arrives this much later; afterwards what was held back arrives at once. */
  | { kind: 'late'; byMs: number }
  /** PCR, PTS and DTS pass through zero at `from`, independent of the date. */
  | { kind: 'wrap' };

/** Errors of the broadcaster, which change tables. */
export type TableFault =
  /** Offset of the time in TOT and TDT. */
  | { kind: 'time'; offsetMs: number }
  /** Another layout: number of the station's audios, another PID of the captions. */
  | { kind: 'pmt'; serviceId: number | null; audios: number | null; captionPid: number | null }
  /** The programme on air suddenly becomes copy-never. */
  | { kind: 'copy_never'; serviceId: number | null }
  /** Changes in the announcement of the present (or following) programme when it begins. */
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
      /** Copy control in place of the programme's own; null: unchanged. */
      copyControl: 'free' | 'once' | 'never' | null;
      /** Empty tables. */
      absent: boolean;
    };

export type Fault = FaultWindow & {
  /** The affected channels; null: all. */
  type: BroadcastType | null;
  channel: string | null;
} & (PacketFault | TableFault);

export type FaultOf<K extends Fault['kind']> = Fault & { kind: K };

/** Currently active faults; may change while a channel is on the air. */
export interface Faults {
  readonly current: readonly Fault[];
}

export const NO_FAULTS: Faults = { current: [] };

/** The faults of one channel. */
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

/** Whether the fault is active at a moment (epoch ms). */
export function isActive({ from, to, every }: FaultWindow, at: number): boolean {
  if (from !== null && at < from) return false;
  if (to !== null && at >= to) return false;
  if (every === null) return true;
  const period = every.everySec * 1000;
  const since = at - (from ?? STC_ZERO);
  return since - Math.floor(since / period) * period < every.forSec * 1000;
}

/** How many times, up to a moment, the fault has started or ended. */
export function edgesUntil({ from, to, every }: FaultWindow, at: number): number {
  if (every === null) return Number(from !== null && from <= at) + Number(to !== null && to <= at);
  const period = every.everySec * 1000;
  const zero = from ?? STC_ZERO;
  // By then every period that began has ended.
  if (to !== null && at >= to)
    return 2 * Math.max(from === null ? Number.NEGATIVE_INFINITY : 0, Math.ceil((to - zero) / period));
  if (from !== null && at < from) return 0;
  const begun = Math.floor((at - zero) / period) + 1;
  return begun + Math.floor((at - zero - every.forSec * 1000) / period) + 1;
}
