/**
 * An operating error: a failure that is not a bug (no tuner, agent unavailable, bad request), with a sentence for
 * users. Only `http` maps its code to a status.
 */
import type { ProblemCode } from '../../lib/wire/api.ts';

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
