/**
 * Actions on a programme: watch, record, search. A button is shown only while it has an effect; the first three are in
 * view.
 */
import type { ComponentChild } from 'preact';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ProgramDetail, ReservationMark } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { openReservation } from '../navigation/router.ts';
import { newRule } from '../navigation/rule-address.ts';
import { reservationOf } from '../query/reservations.ts';
import { ReminderButton } from '../reminders/reminder-button.tsx';
import { book, cancel, isBusy, restore } from '../reservations/actions.ts';
import { StopButton } from '../reservations/stop-button.tsx';
import { makingRules, recordEveryTime } from '../rules/every-time.ts';
import { keywordFor } from '../rules/form.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { MoreActions } from '../ui/more-actions.tsx';
import { seriesWords } from '../words/series.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

const isLive = (program: ProgramDetail, at: BroadcastMs): boolean =>
  program.start_at <= at && program.end_at > at;

interface LinkProps {
  readonly icon: IconName;
  readonly label: string;
  /** Relative to the document's base. */
  readonly href: string;
  readonly main?: boolean;
}

function LinkButton({ icon, label, href, main = false }: LinkProps) {
  return (
    <a class={main ? 'button button-main' : 'button'} href={href}>
      <Icon name={icon} />
      {label}
    </a>
  );
}

function watch(program: ProgramDetail): ComponentChild {
  if (!isLive(program, now.value)) return null;
  return <LinkButton key="watch" icon="play" label={TEXTS.watch} href={`live/${program.station_id}`} main />;
}

function findSame(program: ProgramDetail): ComponentChild {
  const words = new URLSearchParams({ q: seriesWords(program.name) });
  return <LinkButton key="search" icon="search" label={TEXTS.sameTitle} href={`search?${words}`} />;
}

/** With the title's words, at its station: what a person would begin with. */
function makeRule(program: ProgramDetail): ComponentChild {
  const keyword = keywordFor(seriesWords(program.name));
  const href = newRule({ keyword, stationId: program.station_id });
  return <LinkButton key="rule" icon="filter" label={TEXTS.makeRule} href={href} />;
}

function showInGuide(program: ProgramDetail): ComponentChild {
  const place = new URLSearchParams({ at: String(program.start_at), station: String(program.station_id) });
  return <LinkButton key="guide" icon="guide" label={TEXTS.inGuide} href={`guide?${place}`} />;
}

interface BookingProps {
  readonly program: ProgramDetail;
  readonly mark: ReservationMark | null;
}

/** Books, cancels, takes back or stops, as its reservation stands. */
function booking({ program, mark }: BookingProps): ComponentChild {
  const { title } = splitTitle(program.name);
  const waits = isBusy(program.id, mark?.id);
  if (mark?.state === 'recording') return <StopButton key="booking" id={mark.id} title={title} />;
  if (program.end_at <= now.value) return null;
  if (mark?.state === 'scheduled' || mark?.state === 'conflict') {
    return (
      <button
        key="booking"
        type="button"
        class="button"
        aria-disabled={waits}
        onClick={() => void cancel({ ...mark, title })}
      >
        <Icon name="close" />
        {TEXTS.cancel}
      </button>
    );
  }
  if (mark?.state === 'cancelled') {
    return (
      <button
        key="booking"
        type="button"
        class="button button-record"
        aria-disabled={waits}
        onClick={() => void restore({ id: mark.id, title })}
      >
        <Icon name="undo" />
        {TEXTS.restore}
      </button>
    );
  }
  if (program.copy_never) return null;
  const live = isLive(program, now.value);
  return (
    <button
      key="booking"
      type="button"
      class="button button-record"
      aria-disabled={waits}
      onClick={() => void book({ id: program.id, title })}
    >
      <Icon name={live ? 'record' : 'reserve'} />
      {live ? TEXTS.record : TEXTS.book}
    </button>
  );
}

/** A rule for its series, where no rule records it yet. */
function everyTime({ program, mark }: BookingProps): ComponentChild {
  if (program.copy_never || (reservationOf(program.id)?.ruleId ?? null) !== null) return null;
  if (mark === null && program.end_at <= now.value) return null;
  return (
    <button
      key="every"
      type="button"
      class="button"
      aria-disabled={makingRules.value.has(program.id)}
      onClick={() => void recordEveryTime(program)}
    >
      <Icon name="retry" />
      {TEXTS.everyTime}
    </button>
  );
}

function details(mark: ReservationMark | null): ComponentChild {
  return mark === null ? null : (
    <button key="details" type="button" class="button" onClick={() => openReservation(mark.id)}>
      <Icon name="list" />
      {TEXTS.details}
    </button>
  );
}

/** What most people came for, and two beside it. */
const IN_VIEW = 3;

/** @param inGuide it is open over the guide, which need not be offered */
export function ProgramActions({ program, mark, inGuide }: BookingProps & { readonly inGuide: boolean }) {
  const actions = [
    watch(program),
    booking({ program, mark }),
    details(mark),
    everyTime({ program, mark }),
    program.start_at > now.value ? <ReminderButton key="reminder" program={program} /> : null,
    makeRule(program),
    findSame(program),
    inGuide ? null : showInGuide(program),
  ].filter((action) => action !== null);
  const rest = actions.slice(IN_VIEW);
  return (
    <div class="program-actions below-150 above-150 no-margin wrap flex gap-50">
      {actions.slice(0, IN_VIEW)}
      {rest.length === 0 ? null : <MoreActions>{rest}</MoreActions>}
    </div>
  );
}
