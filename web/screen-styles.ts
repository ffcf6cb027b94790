/** Groups of style sheets of each screen, beside those that every page begins with. */
import type { StyleGroup } from './device/style-groups.ts';

export const SCREEN_STYLES = {
  home: ['home', 'posters'],
  guide: ['guide'],
  reservations: ['bookings', 'guide'],
  rules: ['bookings', 'rules'],
  recordings: ['posters', 'recordings'],
  search: [],
  tuners: ['equipment'],
  notices: ['equipment'],
  settings: ['equipment', 'recordings'],
  setup: ['equipment'],
  offline: ['guide', 'posters', 'recordings'],
  live: ['player'],
  multi: ['player'],
  watch: ['player', 'posters'],
} as const satisfies Record<string, readonly StyleGroup[]>;
