/** A compiled regular expression of a rule. */
import { Automaton } from './automaton.ts';
import { type Required, requiredOf } from './required.ts';
import { parseExpression } from './syntax.ts';

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
