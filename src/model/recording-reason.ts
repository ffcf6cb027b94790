/** Why a recording failed, as a code with its parameters. Sentences are created where they are shown (`http`). */
import type { GapCause } from '../../lib/wire/gap-causes.ts';
export type RecordingReason =
  /** The cause of the largest missing part. */
  | { readonly code: 'missing'; readonly cause: GapCause }
  | { readonly code: 'copy_never' }
  | { readonly code: 'file_gone' }
  /** Its files belong to the original of this copied database. */
  | { readonly code: 'copied' }
  /** The state stored by an earlier process is unreadable. */
  | { readonly code: 'unreadable' }
  /** A sentence stored by a version before 2. */
  | { readonly code: 'text'; readonly text: string };
