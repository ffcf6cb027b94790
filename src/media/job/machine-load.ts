/** Whether background work may use the machine: viewers and recordings precede it. Pure. */

export interface MachineUse {
  readonly processors: number;
  /** Number of encoders for viewers: live and transcoded playback. */
  readonly viewers: number;
  readonly recordings: number;
}

/** What a kind of job needs of the machine. */
export type MachineNeed =
  /** Nothing: it reads at half speed beside anything else. */
  | 'none'
  /** No encoder runs for a viewer. */
  | 'unwatched'
  /** Processor time is left beside viewers and recordings. */
  | 'processor'
  /** For some minutes there were no viewers, no recordings and no other jobs; otherwise it is stopped, not paused. */
  | 'idle';

/**
 * Processor load: a viewer's software encoder takes one to two processors; a recording some percent, at most a quarter.
 */
const PER_VIEWER = 1.5;
const PER_RECORDING = 0.25;
/** With less processor time left, encoding is not started. */
const MIN_LEFT = 0.75;

/** Recordings alone never pause an encode: they have scheduler priority and need little. */
export function hasRoom({ processors, viewers, recordings }: MachineUse): boolean {
  if (viewers === 0) return true;
  return processors - viewers * PER_VIEWER - recordings * PER_RECORDING >= MIN_LEFT;
}

/** Without the history and the other jobs that `idle` also depends on. */
export function admits(need: MachineNeed, use: MachineUse): boolean {
  switch (need) {
    case 'none':
      return true;
    case 'unwatched':
      return use.viewers === 0;
    case 'processor':
      return hasRoom(use);
    case 'idle':
      return use.viewers === 0 && use.recordings === 0;
  }
}
