/** What stands over the picture while there is none, or no sound: tuning, waiting, failed, silenced. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Station } from '../../wire/api.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { adviceFor } from '../words/advice.ts';
import { Reason } from '../words/failure-panel.tsx';
import type { LivePlayer } from './live-player.ts';
import type { LiveState } from './state.ts';

interface MessageProps {
  readonly player: LivePlayer;
  readonly station: Station | undefined;
  readonly onList: () => void;
}

function Tuning({ state, station }: { state: Extract<LiveState, { kind: 'tuning' }>; station?: Station }) {
  const text = state.stage === 'tuner' ? 'チューナーを待っています' : '映像を待っています';
  return (
    <div class="stage-note" role="status">
      <span class="tuning-ring">
        {station === undefined ? <Icon name="antenna" /> : <Logo station={station} />}
      </span>
      <b>選局中</b>
      <span class="tuning-steps" aria-hidden="true">
        <i data-done="" />
        <i data-done={state.stage === 'video' ? '' : undefined} />
      </span>
      <span>{text}</span>
    </div>
  );
}

/** Whole seconds until `until`, counted while shown. */
function useCountdown(until: number): number {
  const left = (): number => Math.max(0, Math.ceil((until - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 500);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}

function Waiting({
  state,
  player,
  onList,
}: MessageProps & { state: Extract<LiveState, { kind: 'waiting' }> }) {
  const seconds = useCountdown(state.until);
  const advice = adviceFor(state.failure);
  return (
    <div class="stage-note stage-note-wide" role="alert">
      <span class="panel-sign">
        <Icon name="retry" />
      </span>
      <h2>{advice.title}</h2>
      <Reason failure={state.failure} />
      <p class="stage-next">{advice.next}</p>
      <p class="numbers" aria-hidden="true">
        {seconds > 0 ? `${seconds}秒後にもう一度つなぎます` : 'つないでいます…'}
      </p>
      <div class="panel-actions">
        <button type="button" class="button button-main" onClick={() => player.retry()}>
          再試行
        </button>
        <button type="button" class="button" onClick={onList}>
          ほかの局を見る
        </button>
      </div>
    </div>
  );
}

function Failed({ state, player, onList }: MessageProps & { state: Extract<LiveState, { kind: 'failed' }> }) {
  const actions = useRef<HTMLDivElement>(null);
  useEffect(() => actions.current?.querySelector('button')?.focus({ preventScroll: true }), []);
  const advice = adviceFor(state.failure);
  const again = { text: '再試行', act: () => player.retry() };
  const list = { text: 'ほかの局を見る', act: onList };
  // The likelier way out comes first and has the focus.
  const ways = state.failure.code === 'not_found' ? [list, again] : [again, list];
  return (
    <div class="stage-note stage-note-wide" role="alert">
      <span class="panel-sign panel-sign-bad">
        <Icon name="alert" />
      </span>
      <h2>{advice.title}</h2>
      <Reason failure={state.failure} />
      <p class="stage-next">{advice.next}</p>
      <div class="panel-actions" ref={actions}>
        {ways.map((way, index) => (
          <button
            key={way.text}
            type="button"
            class={index === 0 ? 'button button-main' : 'button'}
            onClick={way.act}
          >
            {way.text}
          </button>
        ))}
      </div>
    </div>
  );
}

/** The picture stands or plays out while something is on its way. */
function Small({ text }: { text: string }) {
  return (
    <div class="stage-note stage-note-small" role="status">
      <span class="spinner" />
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

export function StageMessage(props: MessageProps) {
  const state = props.player.state.value;
  if ((state.kind === 'tuning' || state.kind === 'waiting') && state.kept) {
    return <Small text="つなぎ直しています" />;
  }
  switch (state.kind) {
    case 'idle':
    case 'playing':
      return null;
    case 'tuning':
      return <Tuning state={state} {...(props.station === undefined ? {} : { station: props.station })} />;
    case 'stalled':
      return <Small text="映像を待っています" />;
    case 'waiting':
      return <Waiting {...props} state={state} />;
    case 'failed':
      return <Failed {...props} state={state} />;
  }
}

/** Browsers start sound only after a touch; this is the thing to touch. */
export function SoundButton({ player }: { player: LivePlayer }) {
  if (!player.silenced.value) return null;
  return (
    <button type="button" class="sound-button" onClick={() => player.toggleMute()}>
      <Icon name="silent" />
      音を出す
    </button>
  );
}
