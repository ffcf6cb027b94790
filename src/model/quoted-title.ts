/** A programme's title for use in a sentence: without marks, in quotation marks that differ from its own. Pure. */
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';

/** @param name exactly as broadcast */
export function quotedTitle(name: string): string {
  const title = removeTitleMarks(name).title.replace(/\s+/gu, ' ');
  return title.includes('「') ? `『${title}』` : `「${title}」`;
}
