/** Signal quality of a channel: CNR on the scale of its kind of broadcast, with the limit of reception. */
import type { Tuner } from '../../lib/wire/agent.ts';
import { signalWords } from '../words/tuner.ts';
import { TEXTS } from './texts.ts';

export function SignalBar({ of }: { of: Pick<Tuner, 'signal' | 'tuned'> }) {
  const words = signalWords(of);
  if (words === undefined) return null;
  const strength = of.signal?.strength ?? null;
  return (
    <div class="signal cluster text-s gap-75" data-tone={words.tone}>
      <span
        class="signal-bar progress block-level"
        aria-hidden="true"
        style={{ '--good': words.good.toFixed(3), '--weak': words.weak.toFixed(3) }}
      >
        <span class="progress-fill" style={{ '--part': words.part.toFixed(3) }} />
      </span>
      <span class="signal-words muted">
        {TEXTS.signal} <b>{words.text}</b>
        {words.db === '' ? null : <span class="numbers"> {TEXTS.cnr(words.db)}</span>}
        {strength === null ? null : <span class="numbers"> {TEXTS.strength(strength.toFixed(0))}</span>}
      </span>
    </div>
  );
}
