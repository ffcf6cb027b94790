/** Splits a command line into words, with quotes and backslashes as in a shell; no expansion of any kind. */

/**
 * Splits at blanks. Single quotes keep everything, double quotes keep all but `\"` and `\\`, a backslash outside
 * quotes keeps the next character.
 * @throws Error for an unclosed quote, a trailing backslash, or an empty command
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const char = line.charAt(index);
    const next = line.charAt(index + 1);
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
      else if (quote === '"' && char === '\\' && (next === '"' || next === '\\')) {
        word = `${word ?? ''}${next}`;
        index += 1;
      } else word = `${word ?? ''}${char}`;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\') {
      if (next === '') throw new Error('a backslash at the end of the command line');
      word = `${word ?? ''}${next}`;
      index += 1;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = `${word ?? ''}${char}`;
  }
  if (quote !== undefined) throw new Error(`an unclosed ${quote} in the command line`);
  if (word !== undefined) words.push(word);
  if (words.length === 0 || words[0] === '') throw new Error('the command line is empty');
  return words;
}

/** Replaces `{name}` inside each word; a value is never split or replaced again, unknown names stay. */
export function fillWords(words: readonly string[], values: Readonly<Record<string, string>>): string[] {
  return words.map((word) =>
    word.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
      Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
    ),
  );
}
