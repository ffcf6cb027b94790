/** Why an encode ended without its file, with what to tell people and whether it is tried again. */
import type { EncodeReason } from '../model/encode-reason.ts';
import { encodeReasonText } from './encode-reason-text.ts';

type EncodeFaultKind =
  /** The machine, a folder or a disk: later it may work. Counts as no attempt. */
  | 'later'
  /** Tried once more. */
  | 'failed'
  /** It would fail again. */
  | 'final'
  /** A person, or the end of the service. */
  | 'stopped';

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
