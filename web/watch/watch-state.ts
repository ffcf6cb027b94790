/** The states of watching a recording and how one leads to the next. Pure. */
import type { ApiFailure } from '../query/api.ts';

export type WatchState =
  /** The description is read, then the first picture awaited. */
  | { readonly kind: 'opening' }
  /** A place was sought; the picture before stays until the new one is there. */
  | { readonly kind: 'seeking' }
  /** Also while paused. */
  | { readonly kind: 'playing' }
  /** The picture stands because data is late. */
  | { readonly kind: 'stalled' }
  /** Will be asked for again by itself at `until` (epoch ms). `kept`: there is a picture beneath. */
  | { readonly kind: 'waiting'; readonly failure: ApiFailure; readonly until: number; readonly kept: boolean }
  /** Nothing happens until the viewer acts. */
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
      readonly until: number;
      readonly kept: boolean;
    }
  | { readonly kind: 'giveUp'; readonly failure: ApiFailure }
  | { readonly kind: 'end' };

export function nextState(state: WatchState, event: WatchEvent): WatchState {
  switch (event.kind) {
    case 'open':
      return { kind: 'opening' };
    case 'seek':
      // Before the first picture there is nothing that could stay.
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

/** True when what is said needs the picture covered. */
export function isCovered(state: WatchState): boolean {
  return state.kind === 'opening' || state.kind === 'failed' || (state.kind === 'waiting' && !state.kept);
}
