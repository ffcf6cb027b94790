/** Why the service does not use a rule, as a code. Sentences are made where they are shown (`schedule/rule-fault-text.ts`). */
export type RuleFault =
  /** It has no condition, and would book everything. */
  | { readonly code: 'no_conditions' }
  /** Its regular expression takes more than its budget. */
  | { readonly code: 'too_costly' }
  /** Its regular expression cannot be read; the expression itself tells why. */
  | { readonly code: 'bad_expression' }
  /** A sentence that an earlier version stored. */
  | { readonly code: 'text'; readonly text: string };
