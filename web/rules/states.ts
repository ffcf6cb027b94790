/** Badges for the state of a matched programme. */
import type { RulePreview } from '../../lib/wire/api.ts';
import { type StateTone, stateWords } from '../words/reservation.ts';
import { TEXTS } from './texts.ts';

interface Fate {
  readonly face: string;
  /** Of the badge: its `data-tone`. */
  readonly tone: StateTone;
}

type PreviewProgram = RulePreview['programs'][number];

export function fateOf({ state, reservationId }: PreviewProgram): Fate {
  if (state === null) return { face: TEXTS.faceLeftOut, tone: 'quiet' };
  if (state === 'scheduled' && reservationId === null) return { face: TEXTS.facePlanned, tone: 'kept' };
  return stateWords(state);
}

/** Counts by state, in the order of first occurrence. */
export function countFates(programs: readonly PreviewProgram[]): (Fate & { count: number })[] {
  const counts = new Map<string, Fate & { count: number }>();
  for (const program of programs) {
    const { face, tone } = fateOf(program);
    const before = counts.get(face);
    if (before === undefined) counts.set(face, { face, tone, count: 1 });
    else before.count += 1;
  }
  return [...counts.values()];
}
