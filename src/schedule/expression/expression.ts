/** A regular expression of a rule, ready to be used. */
import { Automaton } from './automaton.ts';
import { type Required, requiredOf } from './required.ts';
import { parseExpression } from './syntax.ts';

export interface CompiledExpression {
  readonly automaton: Automaton;
  /** At least one of these is in every text that matches; undefined: that is not known. */
  readonly required: Required | undefined;
}

/** @throws Failure bad_request that says what is wrong with the pattern */
export function compileExpression(pattern: string): CompiledExpression {
  const expression = parseExpression(pattern);
  return { automaton: new Automaton(expression), required: requiredOf(expression) };
}

/** @returns false: it is found in every text, even in none @throws Failure bad_request for one that cannot be used */
export function checkExpression(pattern: string): boolean {
  return !compileExpression(pattern).automaton.test('');
}
