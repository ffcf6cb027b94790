/** Words of a rule's keyword to highlight in matched titles: the required and the optional ones. */

const QUOTES = /[＂“”〝〟]/gu;
const MINUS = /^[-－−‐]/u;
/** Terms separated by blanks. */
const GROUP = /(?:"[^"]*"?|[^\s"])+/gu;
/** Alternatives separated by bars. */
const OPTION = /(?:"[^"]*"?|[^"|])+/gu;

/** Blanks beside a bar are ignored outside of quotation marks. */
function joined(text: string): string {
  return text
    .split('"')
    .map((part, index) => (index % 2 === 0 ? part.replace(/\s*\|\s*/gu, '|') : part))
    .join('"');
}

/** None for a regular expression: only the service evaluates those, with a time limit. */
export function markedWords(keyword: string, regex: boolean): string[] {
  if (regex) return [];
  const text = joined(keyword.replace(QUOTES, '"').replaceAll('｜', '|'));
  const found = new Set<string>();
  for (const [group] of text.matchAll(GROUP)) {
    if (MINUS.test(group)) continue;
    const options = [...group.matchAll(OPTION)].map(([option]) => option);
    // Of a term that contains quotations, each part is highlighted.
    const pieces = options.length === 1 ? options.flatMap((option) => option.split('"')) : options;
    for (const piece of pieces) found.add(piece.replaceAll('"', '').trim());
  }
  found.delete('');
  return [...found];
}
