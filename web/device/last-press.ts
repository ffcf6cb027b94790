/** When the viewer pressed last: what a screen took from the press that opened it. */

const KINDS = ['click', 'keydown'] as const;
/** An earlier press has opened something else, ms. */
const RECENT_MS = 5_000;

let pressedAt = Number.NEGATIVE_INFINITY;

export function followPresses(): void {
  const note = ({ timeStamp }: Event): void => {
    pressedAt = timeStamp;
  };
  for (const kind of KINDS) addEventListener(kind, note, { capture: true, passive: true });
}

/** On the scale of `performance.now()`; undefined: the screen was opened otherwise. */
export function lastPress(now: number): number | undefined {
  return now - pressedAt < RECENT_MS ? pressedAt : undefined;
}
