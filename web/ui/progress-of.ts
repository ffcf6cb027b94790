/** How much of the programme is over, 0..1. */
export function progressOf(startAt: number, endAt: number, now: number): number {
  if (endAt <= startAt) return 0;
  return Math.min(1, Math.max(0, (now - startAt) / (endAt - startAt)));
}
