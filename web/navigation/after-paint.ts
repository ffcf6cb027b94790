/** Frames do not come in a hidden page, and late where the machine is busy. */
const LATEST_MS = 100;

/**
 * Runs `act` after the next picture is on the screen: work that is no part of the answer to a key. At once in a hidden
 * page. @returns calls it off
 */
export function afterPaint(act: () => void): () => void {
  if (document.visibilityState === 'hidden') {
    act();
    return () => {};
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = (): void => {
    cancel();
    act();
  };
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(end);
  });
  timer = setTimeout(end, LATEST_MS);
  const cancel = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  return cancel;
}
