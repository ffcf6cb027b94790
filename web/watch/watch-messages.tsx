/** Messages over the player while there is no picture: opening, waiting, failed; and between skips. */
import type { Recording } from '../../lib/wire/api.ts';
import { BusyNote, FailureNote, RetryNote, SlowNote, type WayOut } from '../player/overlay.tsx';
import type { ApiFailure, FailureCode } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { lengthClock } from '../words/recording.ts';
import { TEXTS } from './texts.ts';
import { watchAdvice } from './watch-advice.ts';
import type { WatchPlayer } from './watch-player.ts';

interface WatchMessageProps {
  readonly player: WatchPlayer;
  /** Why the recording cannot be described; undefined: it can, or the answer is pending. */
  readonly failure: ApiFailure | undefined;
  readonly onRetry: () => void;
  readonly onList: () => void;
  readonly onQuality: () => void;
}

function Opening() {
  return (
    <div class="stage-note" role="status">
      <span class="tuning-ring place-center relative">
        <Icon name="recordings" />
      </span>
      <b>{TEXTS.preparing}</b>
      <SlowNote />
    </div>
  );
}

export function WatchMessage({ player, failure, onRetry, onList, onQuality }: WatchMessageProps) {
  const state = player.state.value;
  const several = (player.source?.codecs.length ?? 0) > 1;
  const explained = (why: ApiFailure, again: () => void) => {
    const list: WayOut = { text: TEXTS.toList, act: onList };
    const ways: Partial<Record<FailureCode, WayOut>> = {
      not_found: list,
      // Another attempt would fail in the same way.
      unsupported: list,
      ...(several ? { decode: { text: TEXTS.changeQuality, act: onQuality } } : {}),
    };
    return {
      failure: why,
      advice: watchAdvice(why, several),
      way: ways[why.code] ?? { text: TEXTS.retry, act: again },
    };
  };
  if (failure !== undefined) return <FailureNote {...explained(failure, onRetry)} />;
  switch (state.kind) {
    case 'playing':
    case 'ended':
      return null;
    case 'idle':
      return <Opening />;
    case 'opening':
      return state.kept ? <BusyNote text={TEXTS.loading} /> : <Opening />;
    case 'stalled':
      return <BusyNote text={TEXTS.loading} />;
    case 'waiting':
      return <RetryNote {...explained(state.failure, () => player.retry())} until={state.until} />;
    case 'failed':
      return <FailureNote {...explained(state.failure, () => player.retry())} />;
  }
}

/** A recording without pictures says so: a black picture with sound looks broken. */
export function SoundOnly({ recording }: { recording: Recording | undefined }) {
  return (
    <div class="stage-note" role="status">
      <span class="panel-sign">
        <Icon name="sound" />
      </span>
      <b>{TEXTS.soundOnly}</b>
      <span>{recording?.serviceName ?? ''}</span>
    </div>
  );
}

export interface Skipped {
  /** Of all presses in a row; negative: back. */
  readonly seconds: number;
  /** Seconds from the start to which they lead. */
  readonly position: number;
  /** Another one for each press. */
  readonly key: number;
}

/** Keys, and taps at a side of the picture. */
export function SkipSign({ shown }: { shown: Skipped | undefined }) {
  if (shown === undefined) return null;
  const { seconds, position, key } = shown;
  return (
    <div
      key={key}
      class={`skip-sign stack items-middle absolute layer-2 no-pointer round-l gap-25 ${seconds < 0 ? 'skip-back' : 'skip-on'}`}
      aria-hidden="true"
    >
      <Icon name={seconds < 0 ? 'rewind' : 'forward'} />
      <b class="numbers">{TEXTS.seconds(Math.abs(seconds))}</b>
      <span class="numbers text-s">{lengthClock(position * 1000)}</span>
    </div>
  );
}
