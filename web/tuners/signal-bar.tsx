/** Signal quality of a channel: CNR on the scale of its kind of broadcast, with the limit of reception. */
import type { Tuner } from '../../wire/agent.ts';
import { signalWords } from '../words/tuner.ts';

export function SignalBar({ of }: { of: Pick<Tuner, 'signal' | 'tuned'> }) {
  const words = signalWords(of);
  if (words === undefined) return null;
  const strength = of.signal?.strength ?? null;
  return (
    <div class="signal" data-tone={words.tone}>
      <span
        class="signal-bar"
        aria-hidden="true"
        style={{ '--good': words.good.toFixed(3), '--weak': words.weak.toFixed(3) }}
      >
        <span style={{ '--part': words.part.toFixed(3) }} />
      </span>
      <span class="signal-words">
        受信状態 <b>{words.text}</b>
        {words.db === '' ? null : <span class="numbers"> CNR {words.db}</span>}
        {strength === null ? null : <span class="numbers"> 信号 {strength.toFixed(0)} dBm</span>}
      </span>
    </div>
  );
}
