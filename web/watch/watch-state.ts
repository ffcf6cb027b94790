/** The states of watching a recording and their transitions. Pure. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { ApiFailure } from '../query/api.ts';

export type WatchState =
  /** Reads the description, then waits for the first picture. */
  | { readonly kind: 'opening' }
  /** A place was sought; the picture before stays until the new one is there. */
  | { readonly kind: 'seeking' }
  /** Also while paused. */
  | { readonly kind: 'playing' }
  /** The picture stands because data is late. */
  | { readonly kind: 'stalled' }
  /** Retried automatically at `until`. `kept`: the last picture stays visible. */
  | {
      readonly kind: 'waiting';
      readonly failure: ApiFailure;
      readonly until: BroadcastMs;
      readonly kept: boolean;
    }
  /** Waits for an action by the viewer. */
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  /** Everything was shown. */
  | { readonly kind: 'ended' };

export type WatchEvent =
  | { readonly kind: 'open' }
  | { readonly kind: 'seek' }
  | { readonly kind: 'picture' }
  | { readonly kind: 'starved' }
  | {
      readonly kind: 'retryLater';
      readonly failure: ApiFailure;
      readonly until: BroadcastMs;
      readonly kept: boolean;
    }
  | { readonly kind: 'giveUp'; readonly failure: ApiFailure }
  | { readonly kind: 'end' };

export function nextState(state: WatchState, event: WatchEvent): WatchState {
  switch (event.kind) {
    case 'open':
      return { kind: 'opening' };
    case 'seek':
      // Before the first picture there is nothing to keep.
      return state.kind === 'opening' || state.kind === 'failed' ? { kind: 'opening' } : { kind: 'seeking' };
    case 'picture':
      return state.kind === 'opening' || state.kind === 'seeking' || state.kind === 'stalled'
        ? { kind: 'playing' }
        : state;
    case 'starved':
      return state.kind === 'playing' ? { kind: 'stalled' } : state;
    case 'retryLater':
      return { kind: 'waiting', failure: event.failure, until: event.until, kept: event.kept };
    case 'giveUp':
      return { kind: 'failed', failure: event.failure };
    case 'end':
      return { kind: 'ended' };
    default: {
      const never: never = event;
      return never;
    }
  }
}

/** True when the message must cover the picture. */
export function isCovered(state: WatchState): boolean {
  return state.kind === 'opening' || state.kind === 'failed' || (state.kind === 'waiting' && !state.kept);
}
