/** Which words of a rule's keyword are marked in the titles that it finds: those that must or may stand there. */

const QUOTES = /[＂“”〝〟]/gu;
const MINUS = /^[-－−‐]/u;
/** What no blank parts. */
const GROUP = /(?:"[^"]*"?|[^\s"])+/gu;
/** What no bar parts. */
const OPTION = /(?:"[^"]*"?|[^"|])+/gu;

/** Blanks beside a bar mean nothing, but in quotation marks. */
function joined(text: string): string {
  return text
    .split('"')
    .map((part, index) => (index % 2 === 0 ? part.replace(/\s*\|\s*/gu, '|') : part))
    .join('"');
}

/** None for a regular expression: only the service reads those, within a limit of time. */
export function markedWords(keyword: string, regex: boolean): string[] {
  if (regex) return [];
  const text = joined(keyword.replace(QUOTES, '"').replaceAll('｜', '|'));
  const found = new Set<string>();
  for (const [group] of text.matchAll(GROUP)) {
    if (MINUS.test(group)) continue;
    const options = [...group.matchAll(OPTION)].map(([option]) => option);
    // Of a word with quotations in it, as titles are written, each stretch is looked for.
    const pieces = options.length === 1 ? options.flatMap((option) => option.split('"')) : options;
    for (const piece of pieces) found.add(piece.replaceAll('"', '').trim());
  }
  found.delete('');
  return [...found];
}
