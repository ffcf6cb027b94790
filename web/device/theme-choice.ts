/** Which of the two sets of colours is shown. Shared by the page and by what runs before its first paint. */

export type Theme = 'auto' | 'light' | 'dark';

export function shownTheme(choice: unknown, systemIsDark: boolean): 'light' | 'dark' {
  if (choice === 'light' || choice === 'dark') return choice;
  return systemIsDark ? 'dark' : 'light';
}
