/**
 * The stored form of the JSON columns of a recording: verdict, measurements, reason of a failure. Versioned and
 * independent of the HTTP interface; converted once to the model's values. Rows of earlier versions are read, too;
 * damaged values read as null.
 */
import { GAP_CAUSES, type GapCause } from '../../lib/wire/gap-causes.ts';
import { VERDICT_LEVELS } from '../../lib/wire/vocabulary.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import type { CutList } from '../model/recording-time.ts';
import type { Break, BroadcastSpan, Damage, FileStretch, Measured, Verdict } from '../model/verdict.ts';
import { readList, readObject } from './stored-json.ts';

/** Version 1 has no `v`; its fields are those of 2. */
const VERSION = 2;

export function storedVerdict({ level, drops, gaps, headMs, tailMs }: Verdict): string {
  const stored = gaps.map(({ startMs, endMs, cause }) => ({ startMs, endMs, cause }));
  return JSON.stringify({ v: VERSION, level, drops, gaps: stored, headMs, tailMs });
}

export function readVerdict(text: string | null): Verdict | null {
  const value = readObject<{ level?: unknown; gaps?: unknown }>(text);
  const level = VERDICT_LEVELS.find((one) => one === value?.level);
  if (level === undefined || !Array.isArray(value?.gaps)) return null;
  if (!hasNumbers(value, 'drops', 'headMs', 'tailMs')) return null;
  const { drops, headMs, tailMs } = value;
  const gaps = value.gaps.filter(isGap).map((gap) => ({ ...gap, cause: causeOf(gap.cause) }));
  return { level, drops, gaps, headMs, tailMs };
}

export function storedMeasured(measured: Measured): string {
  return JSON.stringify({ v: VERSION, ...measured });
}

export function readMeasured(text: string): Measured | null {
  const value = readObject<Partial<Record<keyof Measured, unknown>>>(text);
  if (value === null) return null;
  const { stretches, breaks, damage, sums, unwatchable = [], files = [], isAired = null } = value;
  if (!areStretches(stretches) || !areStretches(breaks) || !areStretches(files)) return null;
  if (!areStretches(unwatchable) || !areStretches(damage) || !damage.every(isDamage) || !isSums(sums))
    return null;
  return {
    stretches: stretches.map(({ from, to }) => ({ from, to })),
    breaks: breaks.map(breakOf),
    damage: damage.map(({ cause, ...rest }) =>
      cause === undefined ? rest : { ...rest, cause: knownCause(cause) ?? 'scrambled' },
    ),
    sums,
    ...(value.unwatchable === undefined ? {} : { unwatchable: unwatchable.map(breakOf) }),
    ...(value.files === undefined ? {} : { files: files.filter(isOfFile) }),
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
  return knownCause(value) ?? 'stream_ended';
}

function knownCause(value: unknown): GapCause | undefined {
  return GAP_CAUSES.find((one) => one === value);
}

function isGap(value: unknown): value is Verdict['gaps'][number] {
  return hasNumbers(value, 'startMs', 'endMs');
}

function breakOf(stored: BroadcastSpan & { cause?: unknown }): Break {
  return { from: stored.from, to: stored.to, cause: causeOf(stored.cause) };
}

function areStretches(list: unknown): list is BroadcastSpan[] {
  return Array.isArray(list) && list.every((one) => hasNumbers(one, 'from', 'to'));
}

function isOfFile(stretch: BroadcastSpan & { path?: unknown }): stretch is FileStretch {
  return typeof stretch.path === 'string';
}

function isSums(value: unknown): value is Measured['sums'] {
  return hasNumbers(value, 'packets', 'drops', 'errors', 'scrambled');
}

function isDamage(value: BroadcastSpan): value is Omit<Damage, 'cause'> & { cause?: unknown } {
  return isSums(value);
}

function hasNumbers<T, Field extends string>(
  value: T,
  ...fields: readonly Field[]
): value is T & Record<Field, number> {
  if (typeof value !== 'object' || value === null) return false;
  return fields.every((field) => Number.isFinite(Reflect.get(value, field)));
}

type KeptSpan = NonNullable<CutList>[number];

/** Parts of the original stream in an encoded file; all of it if the stored value is damaged. */
export function readCuts(text: string | null): CutList {
  const isSpan = ({ from, to }: KeptSpan): boolean =>
    Number.isFinite(from) && Number.isFinite(to) && to > from;
  const spans = readList<KeptSpan>(text);
  return spans.length > 0 && spans.every(isSpan) ? spans : null;
}
