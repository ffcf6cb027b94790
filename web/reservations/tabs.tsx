import { TEXTS } from './texts.ts';

/** The views of reservations: screens and parts of screens with an address each. */

type BookingView = 'list' | 'day' | 'week' | 'rules';

const VIEWS: readonly { readonly view: BookingView; readonly href: string; readonly label: string }[] = [
  { view: 'list', href: 'reservations', label: TEXTS.list },
  { view: 'day', href: 'reservations?view=day', label: TEXTS.timetable },
  { view: 'week', href: 'reservations?view=week', label: TEXTS.week },
  { view: 'rules', href: 'rules', label: TEXTS.rules },
];

/** Changing between them adds no history entry: Back leaves all of them. */
export function BookingTabs({ shown }: { shown: BookingView }) {
  return (
    <nav class="tabs" aria-label={TEXTS.views} data-nav-group="booking-tabs">
      {VIEWS.map(({ view, href, label }) => (
        <a
          key={view}
          class="tab"
          href={href}
          data-replace=""
          aria-current={view === shown ? 'page' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  );
}
