/**
 * Every fault that a recording may suffer, as data: place and time of the fault, the broadcast programme, and
 * the expected verdict. The actual loss is read from the file (`packet-reader.ts`).
 */
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { RecordingVerdict } from '../../lib/wire/recordings.ts';
import type { Fault } from '../record/test-broadcast.ts';

export type Cause = RecordingVerdict['gaps'][number]['cause'];

/** Seconds of the household's evening, end exclusive. */
export type Seconds = readonly [number, number];

/**
 * One household each: a fault of its processes affects all of its recordings. They are started in this order,
 * the longest evening first.
 */
export const HOUSEHOLDS = [
  'late',
  'service',
  'tuners',
  'frozen',
  'air',
  'files',
  'network',
  'folders',
  'disk',
  'agent',
] as const;
export type HouseholdName = (typeof HOUSEHOLDS)[number];

export interface FaultRow {
  readonly name: string;
  readonly household: HouseholdName;
  /** Announced time. */
  readonly programme: Seconds;
  /** Time on air, if different. */
  readonly aired?: Seconds;
  /** The fields of a scenario file for the programme and the one before it. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly fieldsBefore?: Readonly<Record<string, unknown>>;
  /** It continues on the station of the row with this name. */
  readonly relayTo?: string;
  /** Reserved by a rule or by the service itself. */
  readonly isBookedBySomethingElse?: boolean;
  /** Faults of its channel; `during` undefined: always. */
  readonly faults?: readonly { readonly fault: Omit<Fault, 'channel'>; readonly during?: Seconds }[];
  readonly type?: BroadcastType;
  readonly level: RecordingVerdict['level'];
  /** The gap may be too short to count. */
  readonly mayBeComplete?: boolean;
  /** Too short to count for certain: it may be reported as drops or not. */
  readonly isShort?: boolean;
  /** The cause of a loss too short to count, which may become longer on a slow machine. */
  readonly mayLast?: Cause;
  /** Expected causes of its gaps, in order; consecutive equal ones count once. Undefined: no gap. */
  readonly causes?: readonly Cause[];
  /** One of `causes` that may be missing, because it may last too short to be recorded. */
  readonly brief?: Cause;
  /** The file contains another programme: the whole programme counts as missing. */
  readonly isAllMissing?: boolean;
  /** Failure code if nothing may be kept. */
  readonly reason?: string;
  /** The clock references jump or belong to another time: the file is only checked for gaps. */
  readonly clockJumps?: number;
  /** The next airing is reserved. */
  readonly isBookedAgain?: boolean;
  /** Runs only with `--long`. */
  readonly isLong?: boolean;
}

const PICTURE = 0x100;
const SOUND = 0x110;
const ELEMENTARY = [PICTURE, SOUND];
const WHOLE: Seconds = [0, 20];
const STALL = { kind: 'stall' };

const AIR: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'nothing', programme: WHOLE, level: 'complete' },
  {
    name: 'a stall of 4 s',
    programme: WHOLE,
    faults: [{ fault: STALL, during: [6, 10] }],
    level: 'damaged',
    causes: ['stalled'],
    isBookedAgain: true,
  },
  {
    name: 'a stall of 0.3 s',
    isShort: true,
    programme: WHOLE,
    faults: [{ fault: STALL, during: [6, 6.3] }],
    // Continuity counters break; no gap is reported, unless a slow machine makes it longer.
    level: 'damaged',
    causes: ['no_picture'],
    brief: 'no_picture',
  },
  {
    name: 'a stall over the start',
    programme: WHOLE,
    // Shorter than the 5 s after which the agent ends the stream.
    faults: [{ fault: STALL, during: [-1, 3] }],
    level: 'damaged',
    causes: ['stalled'],
  },
  {
    name: 'a stall over the end',
    programme: WHOLE,
    faults: [{ fault: STALL, during: [16, 24] }],
    level: 'damaged',
    // The agent ends a stream without data after 5 s; on a busy machine the service may notice the stall
    // first.
    causes: ['stalled', 'stream_ended'],
    brief: 'stalled',
  },
  {
    name: 'no signal at the start',
    isLong: true,
    programme: WHOLE,
    faults: [{ fault: { kind: 'no_lock', exitAfterSec: 1 }, during: [-30, 3] }],
    level: 'damaged',
    causes: ['no_signal'],
  },
  {
    name: '2 % loss',
    programme: WHOLE,
    faults: [{ fault: { kind: 'loss', rate: 0.02, burst: 1, pids: ELEMENTARY } }],
    level: 'damaged',
  },
  {
    name: 'copy-never in mid-programme',
    programme: WHOLE,
    faults: [{ fault: { kind: 'copy_never' }, during: [8, 11] }],
    level: 'damaged',
    causes: ['copy_never'],
  },
  {
    name: 'copy-never for a moment',
    isShort: true,
    mayLast: 'copy_never',
    programme: WHOLE,
    faults: [{ fault: { kind: 'copy_never' }, during: [8, 8.1] }],
    level: 'complete',
  },
  {
    name: 'copy-never from the start on',
    programme: WHOLE,
    faults: [{ fault: { kind: 'copy_never' }, during: [-12, 40] }],
    level: 'lost',
    causes: ['copy_never'],
    reason: 'copy_never',
  },
  {
    name: 'the end of the stream',
    programme: WHOLE,
    faults: [{ fault: { kind: 'end', exitCode: 1 }, during: [8, 11] }],
    level: 'damaged',
    // It is reopened at once, and no data arrives.
    causes: ['stream_ended', 'no_signal'],
  },
  {
    name: 'scrambling without a key',
    programme: WHOLE,
    faults: [{ fault: { kind: 'scramble' }, during: [8, 13] }],
    level: 'damaged',
    causes: ['card_software'],
  },
  {
    name: 'packets with transport_error_indicator',
    programme: WHOLE,
    faults: [{ fault: { kind: 'corrupt', rate: 0.002, flagged: true, sync: false }, during: [5, 12] }],
    level: 'damaged',
  },
  {
    name: 'pictures that are gone, while the counters continue',
    programme: WHOLE,
    faults: [{ fault: { kind: 'absent', pids: [PICTURE] }, during: [6, 14] }],
    level: 'damaged',
    causes: ['no_picture'],
  },
  {
    name: 'pictures that are gone, with counters that match by chance',
    isLong: true,
    programme: WHOLE,
    faults: [{ fault: { kind: 'absent', pids: [PICTURE], counters: 'matching' }, during: [6, 14] }],
    level: 'damaged',
    causes: ['no_picture'],
  },
  {
    name: 'sound that is gone',
    programme: WHOLE,
    faults: [{ fault: { kind: 'absent', pids: [SOUND] }, during: [6, 14] }],
    level: 'damaged',
    causes: ['no_sound'],
  },
  {
    name: 'picture and sound with exchanged PIDs',
    programme: WHOLE,
    faults: [{ fault: { kind: 'swap', pids: ELEMENTARY }, during: [6, 14] }],
    level: 'damaged',
    causes: ['no_picture'],
  },
  {
    name: 'noise in all payloads',
    isLong: true,
    programme: WHOLE,
    faults: [{ fault: { kind: 'noise', pids: ELEMENTARY }, during: [6.017, 9.011] }],
    level: 'damaged',
    causes: ['no_picture'],
  },
  {
    name: 'noise that begins in the middle of a picture',
    programme: WHOLE,
    faults: [{ fault: { kind: 'noise', pids: [PICTURE] }, during: [6.017, 9.011] }],
    level: 'damaged',
    causes: ['no_picture'],
  },
  {
    name: 'a jump of the clock',
    programme: WHOLE,
    faults: [{ fault: { kind: 'clock', offsetMs: 5_000, announced: true }, during: [8, 600] }],
    level: 'complete',
    clockJumps: 1,
  },
  {
    name: 'a clock that is set back',
    isLong: true,
    programme: WHOLE,
    faults: [{ fault: { kind: 'clock', offsetMs: -5_000, announced: true }, during: [8, 600] }],
    level: 'complete',
    clockJumps: 1,
  },
  {
    name: 'a wrap of the clock',
    programme: WHOLE,
    // From long before the recording: it is the clock of the whole channel.
    faults: [{ fault: { kind: 'wrap' }, during: [10, 600] }],
    level: 'complete',
    clockJumps: 0,
  },
  {
    name: 'sound that appears and disappears',
    programme: WHOLE,
    faults: [{ fault: { kind: 'pmt', audios: 0, everySec: 10, forSec: 5 } }],
    level: 'complete',
  },
  {
    name: 'overrun',
    programme: [0, 12],
    aired: [0, 20],
    fields: { overrunSec: 8, overrunSteps: 2, noticeSec: 3 },
    level: 'complete',
  },
  {
    name: 'a stall in the overrun',
    isLong: true,
    programme: [0, 12],
    aired: [0, 20],
    fields: { overrunSec: 8, overrunSteps: 2, noticeSec: 3 },
    faults: [{ fault: STALL, during: [15, 18] }],
    level: 'damaged',
    causes: ['stalled'],
  },
  {
    name: 'delayed start',
    programme: [0, 12],
    aired: [8, 20],
    fieldsBefore: { overrunSec: 8, undefinedEnd: true, noticeSec: 0 },
    level: 'complete',
  },
  {
    name: 'undefined end',
    programme: [0, 12],
    aired: [0, 20],
    fields: { overrunSec: 8, undefinedEnd: true, noticeSec: 1 },
    level: 'complete',
  },
  {
    name: 'an hour more, withdrawn after some seconds',
    programme: [0, 16],
    faults: [{ fault: { kind: 'eit', which: 'present', longerSec: 3600 }, during: [3, 11] }],
    level: 'complete',
  },
  {
    name: 'a start an hour later, withdrawn after some seconds',
    programme: [0, 16],
    faults: [{ fault: { kind: 'eit', which: 'present', delaySec: 3600 }, during: [4, 10] }],
    level: 'complete',
  },
  {
    name: 'relay: the first station',
    programme: [0, 10],
    relayTo: 'relay: the second station',
    level: 'complete',
  },
  {
    name: 'relay: the second station',
    programme: [10, 20],
    isBookedBySomethingElse: true,
    level: 'complete',
  },
  {
    name: 'a stall before an interruption, resumed under another id',
    programme: [0, 14],
    aired: [0, 20],
    fields: { interruption: { afterSec: 9, forSec: 6, title: '緊急放送', newId: true } },
    faults: [{ fault: STALL, during: [3, 6] }],
    level: 'damaged',
    causes: ['stalled'],
  },
  {
    name: 'a stall before the id changes',
    programme: WHOLE,
    faults: [
      { fault: STALL, during: [3, 6] },
      { fault: { kind: 'eit', which: 'present', newId: true }, during: [9, 20] },
    ],
    level: 'damaged',
    causes: ['stalled'],
  },
  {
    name: 'another programme in its place',
    programme: WHOLE,
    fields: { cancelled: '特別番組', noticeSec: 0 },
    level: 'lost',
    causes: ['not_aired'],
    isAllMissing: true,
    reason: 'not_aired',
  },
];

/** The service is killed from 5 on, and stopped normally from 27 on, for AWAY_SEC each. */
const SERVICE: readonly Omit<FaultRow, 'household'>[] = [
  {
    name: 'a stall before the service is killed',
    programme: [-8, 22],
    faults: [{ fault: STALL, during: [0, 7] }],
    level: 'damaged',
    causes: ['stalled', 'service_stopped'],
  },
  ...(['killed', 'ended'] as const).flatMap((how, index) => {
    const second = 5 + index * 22;
    return [
      { name: `the service is ${how} over the start`, programme: [second + 1, second + 17] as const },
      { name: `the service is ${how} in the middle`, programme: [second - 5, second + 12] as const },
      { name: `the service is ${how} over the end`, programme: [second - 9, second + 2] as const },
    ].map((row) => ({ ...row, level: 'damaged' as const, causes: ['service_stopped'] as const }));
  }),
  {
    name: 'pictures that are gone for 10 s when the service is killed',
    programme: [-8, 24],
    // They are back before the service is.
    faults: [{ fault: { kind: 'absent', pids: [PICTURE] }, during: [-5, 9] }],
    level: 'damaged',
    causes: ['no_picture', 'service_stopped'],
  },
];

/** The agent is killed from 5 on for AWAY_SEC. */
const AGENT: readonly Omit<FaultRow, 'household'>[] = [
  {
    name: 'the agent is killed over the start',
    programme: [6, 20],
    level: 'damaged',
    causes: ['agent_unavailable'],
  },
  {
    name: 'the agent is killed in the middle',
    programme: [0, 16],
    level: 'damaged',
    causes: ['stream_ended', 'agent_unavailable'],
    // The connection may break with data in it.
    brief: 'stream_ended',
  },
  {
    name: 'the agent is killed over the end',
    programme: [-9, 7],
    level: 'damaged',
    causes: ['stream_ended', 'agent_unavailable'],
    // The connection may break with data in it.
    brief: 'stream_ended',
  },
];

/** Tuners: one each of GR, BS and CS; another client of the agent uses that of CS until 4. */
const TUNERS: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'the programme that wins a conflict', programme: [0, 12], level: 'complete', causes: ['yielded'] },
  { name: 'a conflict, until the tuner is free', programme: [0, 30], level: 'damaged', causes: ['conflict'] },
  {
    type: 'BS',
    name: 'the first of two adjacent ones on one tuner',
    programme: [0, 12],
    // Retuning takes as long as it was measured to take.
    level: 'damaged',
    mayBeComplete: true,
    causes: ['yielded'],
  },
  {
    type: 'BS',
    name: 'the second of two adjacent ones on one tuner',
    programme: [12, 24],
    // Tuned in time, unless retuning takes longer than it was measured to take.
    level: 'damaged',
    mayBeComplete: true,
    causes: ['handover'],
  },
  {
    type: 'CS',
    name: 'a tuner that another client uses',
    programme: [0, 20],
    level: 'damaged',
    causes: ['no_tuner'],
  },
];

/** The disk of the only folder is full from 4 to 9, and again from 18 on. */
const DISK: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'a full disk for a while', programme: [0, 14], level: 'complete' },
  { name: 'a full disk to the end', programme: [6, 26], level: 'damaged', causes: ['disk_full'] },
];

/**
 * The first of two folders is full from 4 on. One tuner each of GR and BS; of two adjacent programmes the
 * second loses the time for retuning.
 */
const FOLDERS: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'a full folder, and another one', programme: [0, 14], level: 'complete' },
  {
    type: 'BS',
    name: 'the first of two adjacent ones, where the second loses the time',
    programme: [0, 12],
    level: 'complete',
    causes: ['yielded'],
  },
  {
    type: 'BS',
    name: 'the second of two adjacent ones, on a tuner that takes 2 s to lock',
    programme: [12, 24],
    faults: [{ fault: STALL, during: [10, 14] }],
    level: 'damaged',
    causes: ['handover'],
  },
];

/** Nothing passes between service and agent from 4 to 20; connections stay, and new ones are made. */
const NETWORK: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'a silent network', programme: [-8, 32], level: 'damaged', causes: ['agent_silent'] },
  { name: 'a silent network over the end', programme: [-8, 12], level: 'damaged', causes: ['agent_silent'] },
];

/**
 * Another program changes the files from 6 on. The folder is renamed away from 9 to 17, longer than it takes to notice.
 */
const FILES: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'a folder renamed away and back', programme: [0, 24], level: 'complete' },
  { name: 'a file cut to half', programme: [0, 24], level: 'damaged', causes: ['file_changed'] },
  { name: 'a file cut to nothing', programme: [0, 24], level: 'damaged', causes: ['file_changed'] },
  { name: 'a file to which another program appends', programme: [0, 24], level: 'complete' },
  {
    name: 'a file replaced by another',
    programme: [-6, 24],
    level: 'damaged',
    causes: ['file_changed'],
  },
  { name: 'a deleted file', programme: [-6, 24], level: 'damaged', causes: ['file_changed'] },
];

/**
 * The service is stopped (SIGSTOP) from 5 on for 10 s, the agent from 25 on for 6 s: shorter than what the
 * buffers hold.
 */
const FROZEN: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'a stopped service', programme: [0, 20], level: 'complete' },
  {
    name: 'a stream that ends while the service is stopped',
    programme: [0, 24],
    faults: [{ fault: { kind: 'end', exitCode: 1 }, during: [9, 11] }],
    level: 'damaged',
    causes: ['paused'],
  },
  { name: 'a stopped agent', programme: [22, 38], level: 'complete' },
];

/**
 * Everything is delivered late from 2 to 26, as by a machine without time for it: tables, with the broadcast's time in
 * them, pictures and sound. A clock that follows such tables is wrong until others have arrived in time.
 */
const LATE_DELIVERY = { fault: { kind: 'late', byMs: 4500 }, during: [2, 26] as const };
const LATE: readonly Omit<FaultRow, 'household'>[] = [
  { name: 'late tables before the start', programme: [30, 42], faults: [LATE_DELIVERY], level: 'complete' },
  { name: 'late tables over the end', programme: [-4, 20], faults: [LATE_DELIVERY], level: 'complete' },
  {
    name: 'a stall after late tables',
    programme: [-4, 32],
    faults: [LATE_DELIVERY, { fault: STALL, during: [27, 30] }],
    level: 'damaged',
    causes: ['stalled'],
  },
];

const BY_HOUSEHOLD: Readonly<Record<HouseholdName, readonly Omit<FaultRow, 'household'>[]>> = {
  ...{ air: AIR, service: SERVICE, agent: AGENT, tuners: TUNERS, disk: DISK },
  ...{ folders: FOLDERS, files: FILES, network: NETWORK, frozen: FROZEN, late: LATE },
};

export const FAULT_ROWS: readonly FaultRow[] = HOUSEHOLDS.flatMap((household) =>
  BY_HOUSEHOLD[household].map((row) => ({ ...row, household })),
);
