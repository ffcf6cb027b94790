/** The lines of `svc check` and `svc-agent check`, which a household reads. */

export interface CheckLine {
  /** `note`: nothing is broken, but a step is left. */
  readonly state: 'ok' | 'note' | 'bad';
  /** Displayable, as the next. */
  readonly what: string;
  readonly detail: string;
}

const MARKS: Record<CheckLine['state'], string> = { ok: 'OK  ', note: '注意', bad: '問題' };

export function formatCheck({ state, what, detail }: CheckLine): string {
  return `${MARKS[state]}  ${what}: ${detail.replace(/\s*\n\s*/g, ' ')}`;
}
