/**
 * Why the service does not use a rule, as a code. Sentences are created where they are shown
 * (`schedule/rule-fault-text.ts`).
 */
export type RuleFault =
  /** It has no condition, and would reserve everything. */
  | { readonly code: 'no_conditions' }
  /** Its regular expression exceeds its budget. */
  | { readonly code: 'too_costly' }
  /** Its regular expression is invalid; parsing it again gives the reason. */
  | { readonly code: 'bad_expression' }
  /** A sentence stored by an earlier version. */
  | { readonly code: 'text'; readonly text: string };
