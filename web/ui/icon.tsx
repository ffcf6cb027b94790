/** Line icons on a grid of 24, drawn for this UI. Decorative: the control around them carries the name. */

const PATHS = {
  home: 'M4 11.2 12 4.5l8 6.7V18a2 2 0 0 1-2 2h-3.5v-5.2h-5V20H6a2 2 0 0 1-2-2z',
  tune: 'M4 7.5h9M17.5 7.5H20M4 16.5h2.5M11 16.5h9M15.2 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8.8 19a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  back: 'M11 5.5 4.5 12l6.5 6.5M5 12h14.5',
  close: 'm6 6 12 12M18 6 6 18',
  play: 'M8 5.9v12.2a.9.9 0 0 0 1.4.8l9.3-6.1a.9.9 0 0 0 0-1.5L9.4 5.1A.9.9 0 0 0 8 5.9Z',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  sound: 'M4.5 9.8v4.4h3.2l4.3 3.6V6.2L7.7 9.8zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11',
  silent: 'M4.5 9.8v4.4h3.2l4.3 3.6V6.2L7.7 9.8zM16 9.7l4.6 4.6M20.6 9.7 16 14.3',
  enlarge:
    'M4.5 9V6a1.5 1.5 0 0 1 1.5-1.5h3M15 4.5h3A1.5 1.5 0 0 1 19.5 6v3M19.5 15v3a1.5 1.5 0 0 1-1.5 1.5h-3M9 19.5H6A1.5 1.5 0 0 1 4.5 18v-3',
  reduce:
    'M9 4.5V7.5A1.5 1.5 0 0 1 7.5 9h-3M15 4.5v3A1.5 1.5 0 0 0 16.5 9h3M19.5 15h-3a1.5 1.5 0 0 0-1.5 1.5v3M4.5 15h3A1.5 1.5 0 0 1 9 16.5v3',
  window: 'M11 18.5H5.5a2 2 0 0 1-2-2v-9a2 2 0 0 1 2-2h13a2 2 0 0 1 2 2V11M14 14.5h6.5v4.5H14z',
  speech:
    'M5.5 13.5v-2a6.5 6.5 0 0 1 13 0v2M5.5 13.5h2v5h-1a2 2 0 0 1-2-2v-1.8a1.2 1.2 0 0 1 1-1.2ZM18.5 13.5h-2v5h1a2 2 0 0 0 2-2v-1.8a1.2 1.2 0 0 0-1-1.2Z',
  quality: 'M12 3.8l1.9 5.3 5.3 1.9-5.3 1.9L12 18.2l-1.9-5.3L4.8 11l5.3-1.9zM18.5 16v4M16.5 18h4',
  list: 'M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.6M4.5 12h.6M4.5 17.5h.6',
  up: 'm6 14.5 6-6 6 6',
  down: 'm6 9.5 6 6 6-6',
  help: 'M9 9.3a3 3 0 1 1 4.6 2.6c-1 .6-1.6 1.2-1.6 2.3M12 17.6v.1',
  check: 'm5 12.5 4.7 4.7L19 7.5',
  alert:
    'M12 8.5v4.8M12 16.6v.1M10.3 4.7 3.2 17a2 2 0 0 0 1.7 3h14.2a2 2 0 0 0 1.7-3L13.7 4.7a2 2 0 0 0-3.4 0Z',
  retry: 'M19.5 5v4.5H15M19 9.3A7.5 7.5 0 1 0 19.3 14',
  antenna:
    'M12 12.5v7.5M8.5 20h7M8.5 9a5 5 0 0 0 0 7M15.5 9a5 5 0 0 1 0 7M5.7 6.2a9 9 0 0 0 0 12.6M18.3 6.2a9 9 0 0 1 0 12.6M12 12.5a.5.5 0 1 0 0-.1',
  sun: 'M12 16.2a4.2 4.2 0 1 0 0-8.4 4.2 4.2 0 0 0 0 8.4ZM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M18.4 5.6l-1.1 1.1M6.7 17.3l-1.1 1.1',
  moon: 'M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7Z',
  auto: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 4v16M12 8h4.5M12 12h7.5M12 16h5',
  unlink:
    'M9.5 14.5 6 18a3.3 3.3 0 0 1-4.6-4.6M3.5 11 7 7.5M14.5 9.5 18 6a3.3 3.3 0 0 1 4.6 4.6M20.5 13 17 16.5M4 4l16 16',
} as const;

export type IconName = keyof typeof PATHS;

const SOLID: readonly IconName[] = ['play'];

export function Icon({ name, class: extra = '' }: { name: IconName; class?: string }) {
  const solid = SOLID.includes(name);
  return (
    <svg class={`icon ${extra}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} class={solid ? 'icon-solid' : 'icon-line'} />
    </svg>
  );
}
