import { Reader } from '../reader.ts';
import type { DataContentDescriptor } from './data-content.ts';

/** arib_caption_info: the languages of an event's captions. ARIB STD-B24 Vol. 1 Part 3, 9.6.2. */
interface CaptionLanguage {
  /** language_tag, 3 bits: 0 the first language. */
  readonly tag: number;
  /** DMF, 4 bits: whether it is shown at once when received (upper two) and when played back (lower two). */
  readonly displayMode: number;
  readonly language: string;
}

/** data_component_id of captions, and of one-segment captions. */
const CAPTION_IDS: readonly number[] = [0x0008, 0x0012];

/** Undefined if the content is not captions or its selector is truncated. */
export function captionLanguages(content: DataContentDescriptor): CaptionLanguage[] | undefined {
  if (!CAPTION_IDS.includes(content.dataComponentId)) return undefined;
  const r = new Reader(content.selector);
  const languages: CaptionLanguage[] = [];
  for (let left = r.u8(); left > 0 && !r.exhausted; left--) {
    // language_tag 3, reserved 1, DMF 4
    const head = r.u8();
    languages.push({ tag: head >> 5, displayMode: head & 0x0f, language: r.language() });
  }
  return r.exhausted ? undefined : languages;
}
