/**
 * The stored form of the JSON columns of a recording: verdict, measurements, reason of a failure. Versioned and
 * independent of the HTTP interface; converted once to the model's values. Rows of earlier versions are read, too;
 * damaged values read as null.
 */
import type { RecordingReason } from '../model/recording-reason.ts';
import type { CutList } from '../model/recording-time.ts';
import {
  type Break,
  type Damage,
  type FileStretch,
  GAP_CAUSES,
  type GapCause,
  type Measured,
  type Stretch,
  VERDICT_LEVELS,
  type Verdict,
} from '../model/verdict.ts';
import { readList, readObject } from './stored-json.ts';

/** Version 1 has no `v`; its fields are those of 2. */
const VERSION = 2;
const CAUSES: ReadonlySet<unknown> = new Set(GAP_CAUSES);
const LEVELS: ReadonlySet<unknown> = new Set(VERDICT_LEVELS);

export function storedVerdict({ level, drops, gaps, headMs, tailMs }: Verdict): string {
  const stored = gaps.map(({ startMs, endMs, cause }) => ({ startMs, endMs, cause }));
  return JSON.stringify({ v: VERSION, level, drops, gaps: stored, headMs, tailMs });
}

export function readVerdict(text: string | null): Verdict | null {
  const value = readObject<Partial<Record<keyof Verdict, unknown>>>(text);
  if (value === null || !LEVELS.has(value.level) || !Array.isArray(value.gaps)) return null;
  if (!hasNumbers(value, 'drops', 'headMs', 'tailMs')) return null;
  const { level, drops, headMs, tailMs } = value as Verdict;
  const gaps = (value.gaps as unknown[]).filter(isGap);
  return { level, drops, gaps: gaps.map((gap) => ({ ...gap, cause: causeOf(gap.cause) })), headMs, tailMs };
}

export function storedMeasured(measured: Measured): string {
  return JSON.stringify({ v: VERSION, ...measured });
}

export function readMeasured(text: string): Measured | null {
  const value = readObject<Partial<Record<keyof Measured, unknown>>>(text);
  if (value === null) return null;
  const { stretches, breaks, damage, sums, unwatchable = [], files = [], isAired = null } = value;
  if (!areStretches(stretches) || !areStretches(breaks) || !areStretches(files)) return null;
  if (!areStretches(unwatchable)) return null;
  if (!areStretches(damage) || !damage.every(isSums) || !isSums(sums)) return null;
  return {
    stretches: stretches.map(({ from, to }) => ({ from, to })),
    breaks: breaks.map(breakOf),
    damage: (damage as (Damage & { cause?: unknown })[]).map(({ cause, ...rest }) =>
      cause === undefined ? rest : { ...rest, cause: CAUSES.has(cause) ? (cause as GapCause) : 'scrambled' },
    ),
    sums: sums as Measured['sums'],
    ...(value.unwatchable === undefined ? {} : { unwatchable: unwatchable.map(breakOf) }),
    ...(value.files === undefined
      ? {}
      : { files: (files as FileStretch[]).filter(({ path }) => typeof path === 'string') }),
    ...(typeof isAired === 'boolean' ? { isAired } : {}),
  };
}

export function storedReason(reason: RecordingReason | null): string | null {
  return reason === null ? null : JSON.stringify({ v: VERSION, ...reason });
}

/** Version 1 stored a sentence. */
export function readReason(text: string | null): RecordingReason | null {
  if (text === null || text === '') return null;
  const value = readObject<{ code?: unknown; cause?: unknown; text?: unknown }>(text);
  if (value === null) return { code: 'text', text };
  switch (value.code) {
    case 'missing':
      return { code: 'missing', cause: causeOf(value.cause) };
    case 'copy_never':
    case 'file_gone':
    case 'copied':
    case 'unreadable':
      return { code: value.code };
    default:
      return { code: 'text', text: typeof value.text === 'string' ? value.text : text };
  }
}

/** An unknown cause of a later version at least means that nothing was received. */
function causeOf(value: unknown): GapCause {
  return CAUSES.has(value) ? (value as GapCause) : 'stream_ended';
}

function isGap(value: unknown): value is Verdict['gaps'][number] {
  return hasNumbers(value, 'startMs', 'endMs');
}

function breakOf(stored: Stretch & { cause?: unknown }): Break {
  return { from: stored.from, to: stored.to, cause: causeOf(stored.cause) };
}

function areStretches(list: unknown): list is Stretch[] {
  return Array.isArray(list) && list.every((one) => hasNumbers(one, 'from', 'to'));
}

function isSums(value: unknown): boolean {
  return hasNumbers(value, 'packets', 'drops', 'errors', 'scrambled');
}

function hasNumbers(value: unknown, ...fields: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return fields.every((field) => Number.isFinite((value as Record<string, unknown>)[field]));
}

type KeptSpan = NonNullable<CutList>[number];

/** Parts of the original stream in an encoded file; all of it if the stored value is damaged. */
export function readCuts(text: string | null): CutList {
  const isSpan = ({ from, to }: KeptSpan): boolean =>
    Number.isFinite(from) && Number.isFinite(to) && to > from;
  const spans = readList<KeptSpan>(text);
  return spans.length > 0 && spans.every(isSpan) ? spans : null;
}
