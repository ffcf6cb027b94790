/** Why an encode ended without a file, the reason for users, and whether it is retried. */
import type { EncodeReason } from '../model/encode-reason.ts';
import { encodeReasonText } from './encode-reason-text.ts';

type EncodeFaultKind =
  /** A problem of the machine, a folder or a disk: may work later. Does not count as an attempt. */
  | 'later'
  /** Retried once. */
  | 'failed'
  /** Permanent: it would fail again. */
  | 'final';

export class EncodeFault extends Error {
  override readonly name = 'EncodeFault';
  constructor(
    readonly kind: EncodeFaultKind,
    readonly reason: EncodeReason,
    /** For the log. */
    readonly detail: string = '',
  ) {
    const text = encodeReasonText(reason);
    super(detail === '' ? text : `${text} ${detail}`);
  }
}

/** Undefined: an unexpected error. */
export function faultOf(error: unknown): EncodeFault | undefined {
  if (error instanceof EncodeFault) return error;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // The disk of the data folder.
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL'
    ? new EncodeFault('later', { code: 'full' })
    : undefined;
}
