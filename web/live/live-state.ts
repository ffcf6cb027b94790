/** The states of live viewing and their transitions. Pure. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { ApiFailure } from '../query/api.ts';

export type LiveState =
  /** Nothing is tuned. */
  | { readonly kind: 'idle' }
  /**
   * Asked for: `tuner` until the service answers, then `video` until the first picture. `kept`: the station's last
   * picture still stands, or plays out.
   */
  | { readonly kind: 'tuning'; readonly stage: 'tuner' | 'video'; readonly kept: boolean }
  | { readonly kind: 'playing' }
  /** The picture stands because data is late; the connection is whole. */
  | { readonly kind: 'stalled' }
  /** Retried automatically at `until`. */
  | {
      readonly kind: 'waiting';
      readonly failure: ApiFailure;
      readonly until: BroadcastMs;
      readonly kept: boolean;
    }
  /** Waits for an action by the viewer. */
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

export type LiveEvent =
  | { readonly kind: 'tune'; readonly kept: boolean }
  | { readonly kind: 'answered' }
  | { readonly kind: 'picture' }
  | { readonly kind: 'starved' }
  | {
      readonly kind: 'retryLater';
      readonly failure: ApiFailure;
      readonly until: BroadcastMs;
      readonly kept: boolean;
    }
  | { readonly kind: 'giveUp'; readonly failure: ApiFailure }
  | { readonly kind: 'stop' };

export function nextState(state: LiveState, event: LiveEvent): LiveState {
  switch (event.kind) {
    case 'tune':
      return { kind: 'tuning', stage: 'tuner', kept: event.kept };
    case 'answered':
      // Automatic retry: until now the reason was shown, with its buttons.
      if (state.kind === 'waiting') return { kind: 'tuning', stage: 'video', kept: state.kept };
      return state.kind === 'tuning' ? { ...state, stage: 'video' } : state;
    case 'picture':
      return state.kind === 'tuning' || state.kind === 'stalled' ? { kind: 'playing' } : state;
    case 'starved':
      return state.kind === 'playing' ? { kind: 'stalled' } : state;
    case 'retryLater':
      return { kind: 'waiting', failure: event.failure, until: event.until, kept: event.kept };
    case 'giveUp':
      return { kind: 'failed', failure: event.failure };
    case 'stop':
      return { kind: 'idle' };
    default: {
      const never: never = event;
      return never;
    }
  }
}
