/** Keeps the screen on while watching. Exists on https only; elsewhere a playing video does most of it. */

/** Returns the function that releases the lock. */
export function keepAwake(): () => void {
  if (!('wakeLock' in navigator)) return () => undefined;
  let released = false;
  let lock: WakeLockSentinel | undefined;
  const take = async (): Promise<void> => {
    if (released || document.visibilityState !== 'visible') return;
    try {
      lock = await navigator.wakeLock.request('screen');
      if (released) await lock.release();
    } catch {
      // Refused (battery saver): ignored.
    }
  };
  const onVisible = (): void => void take();
  document.addEventListener('visibilitychange', onVisible);
  void take();
  return () => {
    released = true;
    document.removeEventListener('visibilitychange', onVisible);
    void lock?.release().catch(() => undefined);
  };
}
