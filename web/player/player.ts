/** What all players share: state, sound, the choice of audio, retries, and what follows a stream that failed. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { LiveCodec } from '../../lib/wire/api.ts';
import { currentMs, wallNow } from '../device/clock.ts';
import { deviceCodec } from '../device/preferences.ts';
import { ApiFailure, type FailureCode } from '../query/api.ts';
import { showToast } from '../ui/toast.tsx';
import { noticeText } from '../words/advice.ts';
import { FRESH, nextTry, type Retry, type StreamEnd } from './media-feed.ts';
import { SoundOutput } from './sound-output.ts';
import { TEXTS } from './texts.ts';

// Capabilities of this browser for the player. Nothing here needs a secure context.

interface ManagedSource {
  ManagedMediaSource?: typeof MediaSource;
}

/** The ordinary media source, else the managed one (iPhone), else undefined. */
export function mediaSourceClass(): typeof MediaSource | undefined {
  return globalThis.MediaSource ?? (globalThis as ManagedSource).ManagedMediaSource;
}

/** A managed media source refuses to open while remote playback is possible. */
export function isManaged(source: typeof MediaSource): boolean {
  return source !== globalThis.MediaSource;
}

/** Main profile, level 4.0, 8 bit with Opus: what the service encodes. */
const AV1_SAMPLE = 'video/mp4; codecs="av01.0.08M.08,opus"';

export function canPlayAv1(): boolean {
  return mediaSourceClass()?.isTypeSupported(AV1_SAMPLE) ?? false;
}

export function canPictureInPicture(): boolean {
  return document.pictureInPictureEnabled === true;
}

// The states of a player and their transitions. Pure.

export type PlayerState =
  | { readonly kind: 'idle' }
  /**
   * Asked for: `source` until the service answers, then `video` until the first picture. `kept`: the last picture still
   * stands, or plays out.
   */
  | { readonly kind: 'opening'; readonly stage: 'source' | 'video'; readonly kept: boolean }
  /** Also while paused. */
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
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  /** Everything was shown. */
  | { readonly kind: 'ended' };

export type PlayerEvent =
  | { readonly kind: 'open'; readonly kept: boolean }
  /** Another place of the same recording. */
  | { readonly kind: 'seek' }
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
  | { readonly kind: 'end' }
  | { readonly kind: 'stop' };

export function nextState(state: PlayerState, event: PlayerEvent): PlayerState {
  switch (event.kind) {
    case 'open':
      return { kind: 'opening', stage: 'source', kept: event.kept };
    case 'seek': {
      // Before the first picture there is nothing to keep.
      const kept = state.kind === 'opening' ? state.kept : state.kind !== 'failed' && state.kind !== 'idle';
      return { kind: 'opening', stage: 'source', kept };
    }
    case 'answered':
      // Automatic retry: until now the reason was shown, with its buttons.
      if (state.kind === 'waiting') return { kind: 'opening', stage: 'video', kept: state.kept };
      return state.kind === 'opening' ? { ...state, stage: 'video' } : state;
    case 'picture':
      return state.kind === 'opening' || state.kind === 'stalled' ? { kind: 'playing' } : state;
    case 'starved':
      return state.kind === 'playing' ? { kind: 'stalled' } : state;
    case 'retryLater':
      return { kind: 'waiting', failure: event.failure, until: event.until, kept: event.kept };
    case 'giveUp':
      return { kind: 'failed', failure: event.failure };
    case 'end':
      return { kind: 'ended' };
    case 'stop':
      return { kind: 'idle' };
    default: {
      const never: never = event;
      return never;
    }
  }
}

/** True when the message must cover the picture. */
export function isCovered(state: PlayerState): boolean {
  switch (state.kind) {
    case 'playing':
    case 'stalled':
    case 'ended':
      return false;
    case 'opening':
    case 'waiting':
      return !state.kept;
    case 'idle':
    case 'failed':
      return true;
  }
}

/** Failures that a further request would not change. */
const FINAL: readonly FailureCode[] = [
  'not_found',
  'bad_request',
  'unsupported',
  'unauthorized',
  'copy_never',
];

export abstract class Player {
  readonly sound: SoundOutput;
  readonly #state = signal<PlayerState>({ kind: 'idle' });
  protected readonly chosenAudio = signal<string | undefined>(undefined);
  #retry: Retry = FRESH;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A picture of what is watched stands in the element. */
  protected hasPicture = false;

  constructor(protected readonly video: HTMLVideoElement) {
    this.sound = new SoundOutput(video);
  }

  get state(): ReadonlySignal<PlayerState> {
    return this.#state;
  }

  /** Id of the chosen audio; undefined for the broadcast's main one. */
  get audio(): ReadonlySignal<string | undefined> {
    return this.chosenAudio;
  }

  setAudio(id: string | undefined): void {
    this.chosenAudio.value = id;
    this.retry();
  }

  /** Asks again at once, at the viewer's request. */
  retry(): void {
    this.fresh();
    this.reopen();
  }

  /** Ends viewing and releases the element. */
  close(): void {
    clearTimeout(this.#timer);
    this.video.removeAttribute('src');
    this.video.load();
    this.dispatch({ kind: 'stop' });
  }

  /** Opens the same again, with the present choices. */
  protected abstract reopen(): void;

  protected dispatch(event: PlayerEvent): void {
    this.#state.value = nextState(this.#state.value, event);
  }

  /** Something else is watched. */
  protected begin(): void {
    this.hasPicture = false;
    this.fresh();
  }

  /** The viewer asked: waits begin again at the first, and a pending retry is dropped. */
  protected fresh(): void {
    this.#retry = FRESH;
    clearTimeout(this.#timer);
  }

  /** Replaces the pending retry. */
  protected later(act: (() => void) | undefined, waitMs = 0): void {
    clearTimeout(this.#timer);
    if (act !== undefined) this.#timer = setTimeout(act, waitMs);
  }

  /** Something else than asked for is sent, or what was asked for cannot be had. */
  protected onNotice(word: string): void {
    const text = noticeText(word);
    if (text !== undefined) showToast(text);
  }

  /** False without a media source; the state then says so. */
  protected canPlay(): boolean {
    const can = mediaSourceClass() !== undefined;
    if (!can) this.giveUp(new ApiFailure('unsupported', TEXTS.noMediaSource));
    return can;
  }

  protected giveUp(failure: ApiFailure): void {
    this.dispatch({ kind: 'giveUp', failure });
  }

  /** AV1 that cannot be shown here: H.264 from now on. True: it was opened again. */
  protected leavesAv1(failure: ApiFailure, codec: LiveCodec | undefined): boolean {
    // Chosen already: what is watched has nothing but AV1.
    if (codec !== 'av1' || !cannotShow(failure) || deviceCodec.peek() === 'h264') return false;
    deviceCodec.value = 'h264';
    this.onNotice('codec_fallback');
    this.reopen();
    return true;
  }

  /** True after a failure that a further request would not change. */
  protected isFinal(failure: ApiFailure): boolean {
    return FINAL.includes(failure.code);
  }

  /** ms until the next attempt; 0: at once. @param playedMs how long the ended stream had shown a picture */
  protected nextWait(
    end: StreamEnd,
    playedMs: number,
  ): { readonly waitMs: number; readonly failures: number } {
    const { retry, waitMs } = nextTry(this.#retry, end, wallNow(), playedMs);
    this.#retry = retry;
    return { waitMs, failures: retry.failures };
  }

  protected sayWaiting(failure: ApiFailure, waitMs: number): void {
    const until = plusMs(currentMs(), waitMs);
    this.dispatch({ kind: 'retryLater', failure, until, kept: this.hasPicture });
  }
}

export function cannotShow({ code }: ApiFailure): boolean {
  return code === 'decode' || code === 'unsupported';
}
