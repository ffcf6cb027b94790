/** Messages of agents that are fit for users. Without schemas, for the reception workers. */

const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu;
/** What systems and programs say. */
const RAW = /\bE[A-Z]{3,}\b|[{}\n]|\b(?:Error|spawn|verbose)\b/u;

/**
 * A sentence of an agent, if it is one for users: another agent, or another version, may pass on what its system says.
 */
export function japanese(text: string): string | null {
  const last = [...text.matchAll(JAPANESE)].at(-1)?.index;
  if (last === undefined) return null;
  // After the sentence: what a command or the system said.
  const [end = ''] = text.slice(last).split(/[:：]\s/u, 1);
  const sentence = text.slice(0, last) + end;
  return RAW.test(sentence) ? null : sentence;
}
