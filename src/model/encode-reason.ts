/**
 * Why an encode failed, was postponed, or keeps its original, as a code. Sentences are created where they are shown
 * (`encode/encode-reason-text.ts`).
 */
export const ENCODE_REASONS = [
  // The original stays although its removal was requested.
  'commercials',
  'otherwise',
  'lossy',
  'short',
  // The original was removed.
  'data_lost',
  // No file was made.
  'codec',
  'unplayable',
  'unreadable',
  'stalled',
  'encoder',
  'verify',
  'full',
  'away',
  'captions',
  'data',
  'gone',
  'stopped',
] as const;
export type EncodeReasonCode = (typeof ENCODE_REASONS)[number];

export type EncodeReason =
  | { readonly code: EncodeReasonCode }
  /** A sentence: why the original cannot be opened, or text stored by an earlier version. */
  | { readonly code: 'text'; readonly text: string };
