/**
 * An operating error: something that can go wrong in a sound program (no tuner, agent away, bad request), with
 * a sentence for people. `http` maps its code to a status; nothing else decides statuses.
 */
import type { ProblemCode } from '../../wire/api.ts';

export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    readonly code: ProblemCode,
    /** Japanese, ready to be shown. */
    message: string,
    readonly options: { path?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
  }
}
