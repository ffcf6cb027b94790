/**
 * Why an encode failed, was put off, or keeps its original, as a code. Sentences are made where they are shown
 * (`encode/encode-reason-text.ts`).
 */
export const ENCODE_REASONS = [
  // The original stays although it was to go.
  'commercials',
  'otherwise',
  'lossy',
  'short',
  // There is no file.
  'codec',
  'unplayable',
  'unreadable',
  'stalled',
  'encoder',
  'verify',
  'full',
  'away',
  'captions',
  'gone',
  'stopped',
] as const;
export type EncodeReasonCode = (typeof ENCODE_REASONS)[number];

export type EncodeReason =
  | { readonly code: EncodeReasonCode }
  /** A sentence: why the original cannot be opened, or what an earlier version stored. */
  | { readonly code: 'text'; readonly text: string };
