/** The lines of `svc check` and `svc-agent check`, which users read. */

export interface CheckLine {
  /** `note`: works, but something remains to be done. */
  readonly state: 'ok' | 'note' | 'bad';
  /** For display, like the next field. */
  readonly what: string;
  readonly detail: string;
}

const MARKS: Record<CheckLine['state'], string> = { ok: 'OK  ', note: '注意', bad: '問題' };

export function formatCheck({ state, what, detail }: CheckLine): string {
  return `${MARKS[state]}  ${what}: ${detail.replace(/\s*\n\s*/g, ' ')}`;
}
