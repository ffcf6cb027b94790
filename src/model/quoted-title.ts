/** A programme's title within a sentence: without marks, in quotation marks that its own do not end. Pure. */
import { removeTitleMarks } from '../../arib/text/title-marks.ts';

/** @param name exactly as broadcast */
export function quotedTitle(name: string): string {
  const title = removeTitleMarks(name).title.replace(/\s+/gu, ' ');
  return title.includes('「') ? `『${title}』` : `「${title}」`;
}
