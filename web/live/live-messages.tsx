/** Messages over the player while there is no picture: tuning, waiting for a retry, failed. */

import type { Station } from '../../wire/api.ts';
import { BusyNote, FailureNote, RetryNote, type WayOut } from '../player/overlay.tsx';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { shortageText } from '../words/quality.ts';
import { TunerHolders } from '../words/tuner-holders.tsx';
import type { LivePlayer } from './live-player.ts';
import type { LiveState } from './live-state.ts';
import { TEXTS } from './texts.ts';

interface LiveMessageProps {
  readonly player: LivePlayer;
  readonly station: Station | undefined;
  readonly onList: () => void;
}

interface TuningProps {
  readonly state: Extract<LiveState, { kind: 'tuning' }>;
  /** Why there is no picture although the tuner is there. */
  readonly waiting: string;
  readonly station?: Station;
}

function Tuning({ state, waiting, station }: TuningProps) {
  const text = state.stage === 'tuner' ? TEXTS.waitsForTuner : waiting;
  return (
    <div class="stage-note" role="status">
      <span class="tuning-ring">
        {station === undefined ? <Icon name="antenna" /> : <Logo station={station} />}
      </span>
      <b>{TEXTS.tuning}</b>
      <span class="tuning-steps" aria-hidden="true">
        <i data-done="" />
        <i data-done={state.stage === 'video' ? '' : undefined} />
      </span>
      <span>{text}</span>
    </div>
  );
}

/** True when the message needs the picture covered. */
export function isVeiled(state: LiveState): boolean {
  switch (state.kind) {
    case 'playing':
    case 'stalled':
      return false;
    case 'tuning':
    case 'waiting':
      return !state.kept;
    case 'idle':
    case 'failed':
      return true;
  }
}

export function LiveMessage({ player, station, onList }: LiveMessageProps) {
  const state = player.state.value;
  if ((state.kind === 'tuning' || state.kind === 'waiting') && state.kept) {
    return <BusyNote text={TEXTS.reconnecting} />;
  }
  const shortage = player.quality.shortage.value;
  const waiting = shortage === undefined ? TEXTS.waitsForPicture : shortageText(shortage);
  const again: WayOut = { text: TEXTS.retry, act: () => player.retry() };
  const list: WayOut = { text: TEXTS.otherStation, act: onList };
  switch (state.kind) {
    case 'idle':
    case 'playing':
      return null;
    case 'tuning':
      return <Tuning state={state} waiting={waiting} {...(station === undefined ? {} : { station })} />;
    case 'stalled':
      return <BusyNote text={waiting} />;
    case 'waiting':
      return (
        <RetryNote failure={state.failure} until={state.until} ways={[again, list]}>
          <TunerHolders failure={state.failure} station={station} />
        </RetryNote>
      );
    case 'failed': {
      const ways = state.failure.code === 'not_found' ? [list, again] : [again, list];
      return (
        <FailureNote failure={state.failure} ways={ways}>
          <TunerHolders failure={state.failure} station={station} />
        </FailureNote>
      );
    }
  }
}
