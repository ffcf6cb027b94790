/** Chooses the light or dark theme. Shared by the page and the script that runs before its first paint. */

export function shownTheme(choice: unknown, systemIsDark: boolean): 'light' | 'dark' {
  if (choice === 'light' || choice === 'dark') return choice;
  return systemIsDark ? 'dark' : 'light';
}
