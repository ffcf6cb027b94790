/** Messages over the player while there is no picture: tuning, waiting for a retry, failed. */

import type { Station } from '../../lib/wire/api.ts';
import { BusyNote, FailureNote, RetryNote, type WayOut } from '../player/overlay.tsx';
import type { PlayerState } from '../player/player.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { shortageText } from '../words/quality.ts';
import { TunerHolders } from '../words/tuner-holders.tsx';
import type { LivePlayer } from './live-player.ts';
import { TEXTS } from './texts.ts';

interface LiveMessageProps {
  readonly player: LivePlayer;
  readonly station: Station | undefined;
  readonly onList: () => void;
}

interface TuningProps {
  readonly state: Extract<PlayerState, { kind: 'opening' }>;
  /** Why there is no picture although the tuner is there. */
  readonly waiting: string;
  readonly station?: Station;
}

function Tuning({ state, waiting, station }: TuningProps) {
  const text = state.stage === 'source' ? TEXTS.waitsForTuner : waiting;
  return (
    <div class="stage-note" role="status">
      <span class="tuning-ring place-center relative">
        {station === undefined ? <Icon name="antenna" /> : <Logo station={station} />}
      </span>
      <b>{TEXTS.tuning}</b>
      <span class="tuning-steps flex gap-40" aria-hidden="true">
        <i class="pill" data-done="" />
        <i class="pill" data-done={state.stage === 'video' ? '' : undefined} />
      </span>
      <span>{text}</span>
    </div>
  );
}

export function LiveMessage({ player, station, onList }: LiveMessageProps) {
  const state = player.state.value;
  if ((state.kind === 'opening' || state.kind === 'waiting') && state.kept) {
    return <BusyNote text={TEXTS.reconnecting} />;
  }
  const shortage = player.quality.shortage.value;
  const waiting = shortage === undefined ? TEXTS.waitsForPicture : shortageText(shortage);
  const again: WayOut = { text: TEXTS.retry, act: () => player.retry() };
  const list: WayOut = { text: TEXTS.otherStation, act: onList };
  switch (state.kind) {
    case 'idle':
    case 'playing':
    case 'ended':
      return null;
    case 'opening':
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
