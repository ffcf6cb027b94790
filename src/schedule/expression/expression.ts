/** A compiled regular expression of a rule. */
import { Automaton } from './automaton.ts';
import { type Expression, parseExpression } from './syntax.ts';

/** At least one of these is contained. */
type Required = readonly string[];

const MAX_OPTIONS = 16;

/** The only letter of a set; undefined if it has several. */
function onlyLetter(expression: Expression): string | undefined {
  if (expression.kind !== 'set' || expression.set.length !== 1) return undefined;
  const [from, to] = expression.set[0] ?? [0, 1];
  return from === to ? String.fromCodePoint(from) : undefined;
}

/** Length of the shortest option, which is the weakest requirement. */
function strength(required: Required): number {
  return Math.min(...required.map((text) => text.length));
}

function stronger(a: Required | undefined, b: Required | undefined): Required | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const difference = strength(a) - strength(b) || b.length - a.length;
  return difference >= 0 ? a : b;
}

function ofSequence(parts: readonly Expression[]): Required | undefined {
  let best: Required | undefined;
  let run = '';
  for (const part of parts) {
    const letter = onlyLetter(part);
    if (letter !== undefined) {
      run += letter;
      continue;
    }
    if (run !== '') best = stronger(best, [run]);
    run = '';
    best = stronger(best, requiredOf(part));
  }
  return run === '' ? best : stronger(best, [run]);
}

/**
 * Strings that every matching text must contain: an index then finds the few candidates.
 * undefined: nothing is required.
 */
function requiredOf(expression: Expression): Required | undefined {
  switch (expression.kind) {
    case 'set': {
      const letter = onlyLetter(expression);
      return letter === undefined ? undefined : [letter];
    }
    case 'start':
    case 'end':
      return undefined;
    case 'sequence':
      return ofSequence(flattened(expression.parts));
    case 'either': {
      const options = expression.options.map(requiredOf);
      const known = options.filter((option) => option !== undefined);
      const all = [...new Set(known.flat())];
      return known.length === options.length && all.length <= MAX_OPTIONS ? all : undefined;
    }
    case 'repeat':
      return expression.min > 0 ? requiredOf(expression.part) : undefined;
  }
}

function flattened(parts: readonly Expression[]): readonly Expression[] {
  return parts.flatMap((part) => (part.kind === 'sequence' ? flattened(part.parts) : [part]));
}

export interface CompiledExpression {
  readonly automaton: Automaton;
  /** Every matching text contains at least one of these strings; undefined: unknown. */
  readonly required: Required | undefined;
}

/** @throws Failure bad_request with the error in the pattern */
export function compileExpression(pattern: string): CompiledExpression {
  const expression = parseExpression(pattern);
  return { automaton: new Automaton(expression), required: requiredOf(expression) };
}

/** @returns false if it matches every text, even an empty one @throws Failure bad_request for an unusable pattern */
export function checkExpression(pattern: string): boolean {
  return !compileExpression(pattern).automaton.test('');
}
