/** Date and hour to go to, by two presses of a finger or a remote. */
import { useSignal } from '@preact/signals';
import { type BroadcastMs, DAY_MS, HOUR_MS, plusMs } from '../../lib/arib/time.ts';
import { Sheet } from '../ui/sheet.tsx';
import { dateText } from '../words/time.ts';
import type { Span } from './geometry.ts';
import { TEXTS } from './texts.ts';

/** Hours of a broadcast day, from 05:00. */
const HOURS = Array.from({ length: 24 }, (_, index) => index);
const FIRST_HOUR = 5;

interface JumpSheetProps {
  readonly span: Span;
  /** 05:00 of the day in view. */
  readonly day: BroadcastMs;
  readonly onJump: (at: BroadcastMs) => void;
  readonly onClose: () => void;
}

export function JumpSheet({ span, day, onJump, onClose }: JumpSheetProps) {
  const chosen = useSignal(day);
  const days = Array.from({ length: Math.round((span.to - span.from) / DAY_MS) }, (_, index) =>
    plusMs(span.from, index * DAY_MS),
  );
  return (
    <Sheet title={TEXTS.jump} onClose={onClose}>
      <h3 class="above-100 no-margin below-75">{TEXTS.date}</h3>
      <div class="jump-days tiles gap-40" style="--tile:7.2rem" role="radiogroup" aria-label={TEXTS.date}>
        {days.map((one) => (
          // biome-ignore lint/a11y/useSemanticElements: a radio input would change with the arrow keys that move the focus here
          <button
            key={one}
            type="button"
            role="radio"
            class="chip button button-small"
            aria-checked={chosen.value === one}
            onClick={() => {
              chosen.value = one;
            }}
          >
            {dateText(one)}
          </button>
        ))}
      </div>
      <h3 class="above-100 no-margin below-75">{TEXTS.hour}</h3>
      <div class="jump-hours stack gap-40">
        {HOURS.map((index) => (
          <button
            key={index}
            type="button"
            class="chip numbers button button-small"
            onClick={() => {
              onJump(plusMs(chosen.value, index * HOUR_MS));
              onClose();
            }}
          >
            {TEXTS.oClock((index + FIRST_HOUR) % 24)}
          </button>
        ))}
      </div>
    </Sheet>
  );
}
