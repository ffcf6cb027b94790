/**
 * Mutation operators: small faults that are put into a source file one at a time, like those of a careless
 * change. Comments, strings and regular expressions are not changed. A scanner rather than a parser, so each
 * operator must keep the syntax valid: a mutant that does not compile would be a wasted run.
 */

export interface Mutant {
  readonly line: number;
  readonly what: string;
  /** The whole file, including the fault. */
  readonly text: string;
}

interface Fault {
  /** A global pattern, matched in code only. */
  readonly pattern: RegExp;
  readonly instead: string;
}

const FAULTS: readonly Fault[] = [
  { pattern: / === /g, instead: ' !== ' },
  { pattern: / !== /g, instead: ' === ' },
  { pattern: / >= /g, instead: ' > ' },
  { pattern: / > /g, instead: ' >= ' },
  { pattern: / <= /g, instead: ' < ' },
  { pattern: / < /g, instead: ' <= ' },
  { pattern: / && /g, instead: ' || ' },
  { pattern: / \|\| /g, instead: ' && ' },
  { pattern: / \? /g, instead: ' === undefined ? ' },
  { pattern: /\bif \(/g, instead: 'if (false && ' },
  { pattern: /\btrue\b/g, instead: 'false' },
  { pattern: /\bfalse\b/g, instead: 'true' },
  { pattern: /(?<=[(=\s&|])!(?=[a-z(#])/gi, instead: '' },
  { pattern: /(?<=status: |return errorAnswer\([^,]*, )(?!200)\d{3}\b/g, instead: '200' },
];
/** A call statement on a line of its own. */
const CALL = /^ +(?:void )?(?:this\.)?[#\w.]+\([^\n]*\);$/gm;

/** The text with everything but code blanked out, positions unchanged. */
function codeOnly(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  const part =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*|return )\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
  // Types have operators of their own, which are skipped.
  const types =
    /^(?:export )?type [^\n]*;$|^(?:export )?type [\s\S]*?;$|^(?:export )?interface [\s\S]*?^\}$|^import [\s\S]*?;$/gm;
  return text.replace(part, blank).replace(types, blank);
}

/** Every applicable fault, in the order of the text. */
export function mutantsOf(text: string): Mutant[] {
  const code = codeOnly(text);
  const lineOf = (at: number): number => text.slice(0, at).split('\n').length;
  const found: (Mutant & { at: number })[] = [];
  const add = (at: number, length: number, instead: string): void => {
    const was = text.slice(at, at + length);
    found.push({
      ...{ at, line: lineOf(at), what: `${was.trim()} → ${instead.trim()}` },
      text: text.slice(0, at) + instead + text.slice(at + length),
    });
  };
  for (const { pattern, instead } of FAULTS) {
    for (const match of code.matchAll(pattern)) add(match.index, match[0].length, instead);
  }
  for (const match of code.matchAll(CALL)) {
    if (/^ +(?:this\.options\.)?(?:log|\w+\.log)\./.test(match[0])) continue;
    add(match.index, match[0].length, '');
  }
  return found.sort((a, b) => a.at - b.at);
}
