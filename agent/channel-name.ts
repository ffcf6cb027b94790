/** Physical channel names: `T13`–`T62`, `BS01_0`–`BS23_3` (odd transponders, relative slot), `CS02`–`CS24` (even). */
import type { BroadcastType } from '../lib/arib/ids.ts';

interface NameForm {
  readonly pattern: RegExp;
  readonly first: number;
  readonly last: number;
  readonly step: number;
  /** For messages. */
  readonly example: string;
}

const FORMS: Record<BroadcastType, NameForm> = {
  GR: { pattern: /^T(\d{2})$/, first: 13, last: 62, step: 1, example: 'T13〜T62' },
  BS: { pattern: /^BS(\d{2})_[0-3]$/, first: 1, last: 23, step: 2, example: 'BS01_0〜BS23_3' },
  CS: { pattern: /^CS(\d{2})$/, first: 2, last: 24, step: 2, example: 'CS02〜CS24' },
};

/**
 * The canonical spelling of a channel's name; `GR/T27` is accepted for `T27`. Undefined if it is not a channel of the
 * type.
 */
export function parseChannelName(type: BroadcastType, text: string): string | undefined {
  const name = text.startsWith(`${type}/`) ? text.slice(type.length + 1) : text;
  const form = FORMS[type];
  const number = Number(form.pattern.exec(name)?.[1]);
  if (!(number >= form.first && number <= form.last)) return undefined;
  return (number - form.first) % form.step === 0 ? name : undefined;
}

export function channelNameForm(type: BroadcastType): string {
  return FORMS[type].example;
}
