/**
 * Runs before the first paint, as a classic script in the head, so that a page in the dark does not flash white.
 * `theme.ts` takes over afterwards. Knows the storage key of `preferences.ts`.
 */
{
  let chosen: unknown = 'auto';
  try {
    chosen = JSON.parse(localStorage.getItem('svc.theme') ?? '"auto"');
  } catch {
    // No storage: as the system has it.
  }
  const dark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-theme', dark ? 'dark' : 'light');
}
