/**
 * A random mix of faults: each recording of an evening suffers up to two reception faults, and all of them a
 * fault of a process, of the network or of their files, at random moments. For every combination the verdict reports all losses and invents
 * none.
 */
import { Database } from 'bun:sqlite';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording, RecordingVerdict } from '../../lib/wire/recordings.ts';
import type { Random } from '../fuzz/random.ts';
import { ArrivalWatch } from './arrival-watch.ts';
import { APART_MS, compareWithFile } from './fault-comparison.ts';
import {
  cutFiles,
  folderAway,
  type HouseholdSetup,
  killAgent,
  killService,
  silentNetwork,
  stopped,
} from './fault-households.ts';
import type { Cause, FaultRow, Seconds } from './fault-rows.ts';
import { type FaultEvening, startEvening } from './fault-table.ts';
import type { TimeSpan } from './time-span.ts';

/** More stations keep a small machine so busy that packets arrive seconds late. */
const STATIONS = 12;
/** An additional channel: measures how late packets arrive. */
const WATCHED = 'T60';
const LENGTH_SEC = 20;
/** Time of the evening in which recordings run. */
const RUNNING: Seconds = [-8, LENGTH_SEC + 30];
/**
 * All tuners of an evening start at once: a small machine may take longer than the agent waits for a signal.
 */
const STARTING: Struck = { during: [-10, 3], causes: ['no_signal'] };
/** When an interrupting programme has begun and its tables were read. */
const BROKEN_IN_SEC = 11;
/** A stream that ended is reopened: its tuner may take this long, or run into the next fault. */
const OPENED_AGAIN_SEC = 8;
const LONG_STALL_SEC = 3.5;
const LISTENED_MS = 10_000;
/** Clock references are 100 ms apart, so the two readers may differ by this at the ends of a span. */
const CLOCKS_MS = 100;
/** Where two causes meet in a gap, a third one may be reported briefly. */
const SLIVER_MS = 150;
/** The fields of a programme that another one interrupts. */
const INTERRUPTION = { afterSec: 9, forSec: 6, title: '緊急放送', newId: true };
const PARTS: readonly Seconds[] = [
  [0, INTERRUPTION.afterSec],
  [INTERRUPTION.afterSec + INTERRUPTION.forSec, LENGTH_SEC],
];
/** Delay until a fault is detected and the interrupted stream is back. */
const NOTICED_SEC = 1;
const BACK_SEC = 25;
/** Of the network, or of the folder: longer than it takes to notice, and over before the recordings are. */
const AWAY_SEC = 8;

interface Struck {
  during: Seconds;
  causes: readonly Cause[];
}

interface MixedRow {
  row: FaultRow;
  struck: readonly Struck[];
}

type ProgrammeCourse = Pick<FaultRow, 'programme' | 'aired' | 'fields' | 'fieldsBefore' | 'faults'>;

const PLAIN: ProgrammeCourse = { programme: [0, LENGTH_SEC] };
/** Announced for some seconds by mistake. */
const announced = (wrong: Record<string, number>, during: Seconds): ProgrammeCourse => ({
  ...PLAIN,
  faults: [{ fault: { kind: 'eit', which: 'present', ...wrong }, during }],
});
/** Tables, with the time in them, pictures and sound arrive late. */
const LATE: ProgrammeCourse = {
  ...PLAIN,
  faults: [{ fault: { kind: 'late', byMs: 4_500 }, during: [2, 26] }],
};
const COURSES: readonly ProgrammeCourse[] = [
  ...[announced({ longerSec: 3_600 }, [3, 11]), announced({ delaySec: 3_600 }, [4, 10]), LATE],
  ...[PLAIN, PLAIN],
  { programme: [0, 12], aired: [0, 20], fields: { overrunSec: 8, overrunSteps: 2, noticeSec: 3 } },
  { programme: [0, 12], aired: [0, 20], fields: { overrunSec: 8, undefinedEnd: true, noticeSec: 1 } },
  { programme: [0, 12], aired: [8, 20], fieldsBefore: { overrunSec: 8, undefinedEnd: true, noticeSec: 0 } },
  {
    programme: [0, 14],
    aired: [0, 20],
    fields: { interruption: INTERRUPTION },
  },
];

/** The possible loss, and its reason. */
const AIR: readonly { kind: string; fields?: Record<string, unknown>; causes: readonly Cause[] }[] = [
  { kind: 'stall', causes: ['stalled'] },
  { kind: 'copy_never', causes: ['copy_never'] },
  { kind: 'end', fields: { exitCode: 1 }, causes: ['stream_ended', 'no_signal'] },
  // A gap before a kill that was not reported yet is found in the file, without a reason.
  { kind: 'scramble', causes: ['card_software', 'scrambled'] },
  { kind: 'loss', fields: { rate: 0.02, burst: 1, pids: [0x100, 0x110] }, causes: [] },
  { kind: 'corrupt', fields: { rate: 0.002, flagged: true, sync: false }, causes: [] },
  { kind: 'absent', fields: { pids: [0x100] }, causes: ['no_picture'] },
  { kind: 'absent', fields: { pids: [0x110], counters: 'matching' }, causes: ['no_sound'] },
  { kind: 'swap', fields: { pids: [0x100, 0x110] }, causes: ['no_picture', 'no_sound'] },
  { kind: 'noise', fields: { pids: [0x100, 0x110] }, causes: ['no_picture', 'no_sound'] },
];

function mixedRow(random: Random, index: number, processes: ProcessFault): MixedRow {
  const picked = random.pick(COURSES);
  const isHidden = processes.hidesBreakIn && picked.fields?.interruption !== undefined;
  // The margin is not longer than packets that are late for two reasons.
  const course = isHidden || (picked === LATE && processes.causes.length > 0) ? PLAIN : picked;
  const isInterrupted = course.fields?.interruption !== undefined;
  const isCutOff = isInterrupted && processes.isFrozen === true;
  const air = AIR.filter(({ kind }) => !isCutOff || kind !== 'end');
  const faults = [...(course.faults ?? [])];
  const struck: Struck[] = [];
  // While another programme interrupts it, the station is received without faults.
  let second = isInterrupted ? BROKEN_IN_SEC + 1 : 6;
  for (let count = course === LATE ? 0 : random.below(3); count > 0 && second < LENGTH_SEC - 3; count -= 1) {
    const from = second + random.below(20) / 10;
    const to = from + 0.2 + random.below(38) / 10;
    const { kind, fields = {}, causes } = random.pick(air);
    faults.push({ fault: { kind, ...fields }, during: [from, to] });
    struck.push({ during: [from, to + (kind === 'end' ? OPENED_AGAIN_SEC : 0)], causes });
    // The agent ends a stream that is silent for 5 s; on a busy machine packets come late.
    if (kind === 'stall' && to - from > LONG_STALL_SEC)
      struck.push({ during: [from, to + OPENED_AGAIN_SEC], causes: ['stream_ended', 'no_signal'] });
    second = Math.ceil(to) + 2;
  }
  return { row: { name: `録画 ${index}`, household: 'air', level: 'damaged', ...course, faults }, struck };
}

interface ProcessFault extends Struck {
  name: string;
  setup: HouseholdSetup;
  /**
   * The begin of the interrupting programme was not received: then the later programme, under another id,
   * cannot be distinguished from the next episode of the same title.
   */
  hidesBreakIn?: boolean;
  /**
   * Data that the agent buffers meanwhile is read afterwards, unless the stream ends: then the same holds.
   */
  isFrozen?: boolean;
}

function processFault(random: Random): ProcessFault {
  const at = 2 + random.below(14);
  const during: Seconds = [at, at + BACK_SEC];
  const event = (act: NonNullable<HouseholdSetup['events']>[number]['act']): HouseholdSetup => ({
    events: [{ at, act }],
  });
  const hidesBreakIn = at < BROKEN_IN_SEC;
  // All tuners are started again.
  const ended: Cause[] = ['service_stopped', 'no_signal'];
  switch (random.below(9)) {
    case 0:
      return { name: 'SIGKILL', setup: event(killService('SIGKILL')), during, causes: ended, hidesBreakIn };
    case 1:
      return { name: 'SIGTERM', setup: event(killService('SIGTERM')), during, causes: ended, hidesBreakIn };
    case 2: {
      // Includes the output of the agent at its start.
      const causes: Cause[] = ['stream_ended', 'agent_unavailable', 'no_signal'];
      return { name: 'agent killed', setup: event(killAgent), during, causes, hidesBreakIn };
    }
    case 3: {
      // A stream that ends meanwhile is only reopened afterwards.
      const causes: Cause[] = ['paused', 'stream_ended', 'no_signal'];
      return {
        name: 'stopped',
        setup: event((household) => stopped(household.pid, 10_000)),
        during,
        causes,
        isFrozen: true,
      };
    }
    case 4: {
      const setup = cutFiles(
        at,
        Array.from({ length: STATIONS }, () => random.pick([0, 0.05, 0.2, 0.5, 1])),
      );
      return { name: 'files cut', setup, during: [-10, at + BACK_SEC], causes: ['file_changed'] };
    }
    case 5:
      return { name: 'folder away', setup: folderAway(at, at + AWAY_SEC), during: [0, 0], causes: [] };
    case 6: {
      const causes: Cause[] = ['agent_silent', 'agent_unavailable', 'stream_ended', 'no_signal'];
      return {
        name: 'silent network',
        setup: silentNetwork(at, at + AWAY_SEC),
        during,
        causes,
        hidesBreakIn,
      };
    }
    default:
      return { name: 'nothing', setup: {}, during: [0, 0], causes: [] };
  }
}

interface MixedOutcome {
  verdict: RecordingVerdict;
  bytes: Uint8Array;
  /** Epoch ms. */
  startAt: number;
  aired: TimeSpan;
  /**
   * The spans of the programme if another one interrupted it: as aired (its own parts), or as announced if
   * the interruption was not received.
   */
  ways: readonly (readonly TimeSpan[])[];
}

/** @param lateMs delay of packets on this machine @returns the error of a verdict; undefined: correct */
function wrongWith(
  { verdict, bytes, startAt, aired, ways }: MixedOutcome,
  evening: FaultEvening,
  struck: readonly Struck[],
  lateMs: number,
): string | undefined {
  const found = compareWithFile(verdict, bytes, aired, startAt, ways);
  const { picture, hidden, apartMs, isHalfMissing } = found;
  // Drops are counted per few seconds: some of them may have been in the part that was cut off.
  const isCut = struck.some(({ causes }) => causes.includes('file_changed'));
  const countedApart = isCut && Number.isFinite(found.countedApart) ? found.uncounted : found.countedApart;
  const finding = (what: string): string => `${what}: ${picture}, ${JSON.stringify(verdict)}`;
  if (hidden !== '') return finding('hidden');
  if (apartMs > APART_MS + CLOCKS_MS + lateMs)
    return finding(Number.isFinite(apartMs) ? `${apartMs} ms apart` : 'invented');
  if (countedApart > 0) return finding('counted wrongly');
  if (verdict.level === 'lost' && !isHalfMissing) return finding('not lost');
  if (verdict.level === 'complete' && verdict.gaps.length > 0) return finding('not complete');
  for (const { startMs, endMs, cause } of verdict.gaps) {
    if (endMs - startMs <= SLIVER_MS) continue;
    const [from, to] = [startMs, endMs].map((ms) => (ms + startAt - evening.at) / 1000) as [number, number];
    const isExplained = struck.some(
      ({ during, causes }) =>
        causes.includes(cause) && from < during[1] + NOTICED_SEC && to > during[0] - NOTICED_SEC,
    );
    if (!isExplained) return finding(`wrong cause ${cause}`);
  }
  return undefined;
}

/** Keeps file, measurements and log in the folder SVC_KEEP, if set. */
function keep({ household, shows, at }: FaultEvening, index: number): void {
  const folder = process.env.SVC_KEEP;
  const title = shows[index]?.title ?? '';
  if (folder === undefined) return;
  const database = new Database(household.databasePath, { readonly: true });
  const row = database
    .query<{ path: string | null }, [string]>(
      `SELECT r.id, m.*, (SELECT path FROM recording_files WHERE recording_id = r.id) AS path
       FROM recordings AS r JOIN recording_measurements AS m ON m.recording_id = r.id WHERE r.name = ?`,
    )
    .get(title);
  database.close();
  const name = join(folder, `${Date.now()}-${index}`);
  writeFileSync(`${name}.json`, JSON.stringify({ at, row, log: household.log.split('\n') }, null, 1));
  if (row !== null && row.path !== null) copyFileSync(row.path, `${name}.ts`);
}

/**
 * A recording whose last tables were not received waits 15 minutes for its programme to continue; this ends
 * it like a user would.
 */
async function endListening(evening: FaultEvening, signal: AbortSignal): Promise<void> {
  const { household } = evening;
  const until = evening.span(RUNNING).to + LISTENED_MS;
  while (!signal.aborted) {
    await Bun.sleep(LISTENED_MS / 10);
    if (Date.now() < until) continue;
    const running = await household.read<Recording[]>('recordings?show=recording').catch(() => []);
    const waiting = running.filter(({ progress }) => progress?.cause === 'broken_off');
    if (waiting.length === 0) continue;
    const reservations = await household.reservations().catch(() => []);
    for (const { id, programId, state } of reservations) {
      if (state === 'recording' && waiting.some((one) => one.programId === programId))
        await household.send('DELETE', `reservations/${id}`).catch(() => {});
    }
  }
}

/** @returns the number of recordings, the largest delay of packets, and the errors */
export async function mixedEvening(
  random: Random,
): Promise<{ recorded: number; lateMs: number; wrong: string[] }> {
  const processes = processFault(random);
  const mixed = Array.from({ length: STATIONS }, (_, index) => mixedRow(random, index, processes));
  const rows = mixed.map(({ row }) => row);
  const evening = await startEvening('混合', rows, {
    ...processes.setup,
    tuners: `GR:${STATIONS + 1}`,
    others: [{ channel: WATCHED }],
  });
  const watch = new ArrivalWatch(evening.household.air, WATCHED);
  const over = new AbortController();
  const wrong: string[] = [];
  let lateMs = 0;
  try {
    await evening.events;
    void endListening(evening, over.signal);
    const found = await Promise.all(
      mixed.map(async ({ row, struck }, index) => {
        const show = evening.shows[index];
        if (show === undefined) return undefined;
        const judged = await evening.household.judgedByTitle(show).catch((error: unknown) => String(error));
        if (typeof judged === 'string') {
          const running = await evening.household.read<Recording[]>('recordings?show=recording');
          const own = running.find(({ title }) => title === show.title) ?? running;
          return `${judged}, ${JSON.stringify(own)}`;
        }
        const { recording, verdict, bytes } = judged;
        const { from, to } = evening.span(RUNNING);
        lateMs = watch.latestMs(from, to);
        const aired = evening.span(row.aired ?? row.programme);
        const isInterrupted = row.fields?.interruption !== undefined;
        const others = [PARTS.map((one) => evening.span(one)), [evening.span(row.programme)]];
        const ways = isInterrupted ? [[aired], ...others] : [[aired]];
        const outcome = { verdict, bytes, startAt: recording.startAt, aired, ways };
        return wrongWith(outcome, evening, [...struck, processes, STARTING], lateMs);
      }),
    );
    for (const [index, one] of found.entries()) {
      if (one !== undefined) keep(evening, index);
      if (one !== undefined) wrong.push(`${processes.name}; ${JSON.stringify(rows[index])}: ${one}`);
    }
  } finally {
    over.abort();
    await watch.close();
    await evening.close();
    processes.setup.close?.();
  }
  return { recorded: rows.length, lateMs, wrong };
}
