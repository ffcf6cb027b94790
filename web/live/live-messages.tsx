/** Messages over the player while there is no picture: tuning, waiting for a retry, failed. */
import type { Station } from '../../lib/wire/api.ts';
import { liveCodec } from '../device/preferences.ts';
import { BusyNote, FailureNote, RetryNote, type WayOut } from '../player/overlay.tsx';
import type { PlayerState } from '../player/player.ts';
import type { ApiFailure, FailureCode } from '../query/api.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { shortageText } from '../words/quality.ts';
import { TunerHolders } from '../words/tuner-holders.tsx';
import { liveAdvice } from './live-advice.ts';
import type { LivePlayer } from './live-player.ts';
import { TEXTS } from './texts.ts';

interface LiveMessageProps {
  readonly player: LivePlayer;
  readonly station: Station | undefined;
  readonly onList: () => void;
  readonly onFormat: () => void;
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

/** Another attempt would fail in the same way, or is made anyway. */
const ELSEWHERE: readonly FailureCode[] = ['no_tuner', 'not_found', 'not_subscribed', 'suspended'];

function wayOut({ player, onList, onFormat }: LiveMessageProps, { code }: ApiFailure): WayOut {
  if (ELSEWHERE.includes(code)) return { text: TEXTS.otherStation, act: onList };
  if (code === 'encoder_failed' && liveCodec.value === 'av1') return { text: TEXTS.format, act: onFormat };
  return { text: TEXTS.retry, act: () => player.retry() };
}

export function LiveMessage(props: LiveMessageProps) {
  const { player, station } = props;
  const state = player.state.value;
  if ((state.kind === 'opening' || state.kind === 'waiting') && state.kept) {
    return <BusyNote text={TEXTS.reconnecting} />;
  }
  const shortage = player.quality.shortage.value;
  const waiting = shortage === undefined ? TEXTS.waitsForPicture : shortageText(shortage);
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
    case 'failed': {
      const { failure } = state;
      const explained = {
        failure,
        advice: liveAdvice(failure, liveCodec.value),
        way: wayOut(props, failure),
        children: <TunerHolders failure={failure} station={station} />,
      };
      return state.kind === 'failed' ? (
        <FailureNote {...explained} />
      ) : (
        <RetryNote {...explained} until={state.until} />
      );
    }
  }
}
