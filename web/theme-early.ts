/**
 * Runs before the first paint, as a classic script in the head, so that a dark page does not flash white. `theme.ts`
 * takes over afterwards. Uses the storage keys of `preferences.ts`.
 */
import { shownTheme } from './device/theme-choice.ts';

let choice: unknown;
try {
  choice = JSON.parse(localStorage.getItem('svc.theme') ?? '"house"');
  if (choice === 'house') choice = JSON.parse(localStorage.getItem('svc.house-theme') ?? '"auto"');
} catch {
  // No storage, or not ours: as the system has it.
}
const systemIsDark = matchMedia('(prefers-color-scheme: dark)').matches;
document.documentElement.setAttribute('data-theme', shownTheme(choice, systemIsDark));
