/** Why a recording failed, as a code with its parameters. Sentences are made where it is shown (`http`). */
import type { GapCause } from './verdict.ts';

export type RecordingReason =
  /** The cause that took the largest part of it. */
  | { readonly code: 'missing'; readonly cause: GapCause }
  | { readonly code: 'copy_never' }
  | { readonly code: 'file_gone' }
  /** Its files belong to the database that this one is a copy of. */
  | { readonly code: 'copied' }
  /** What an earlier process had stored of it could not be read. */
  | { readonly code: 'unreadable' }
  /** A sentence that a version before 2 stored. */
  | { readonly code: 'text'; readonly text: string };
