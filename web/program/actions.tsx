/**
 * Actions on a programme: watch, record, search. A button is shown only while it has an effect.
 */
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
import { seriesWords } from '../words/series.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

interface Link {
  readonly key: string;
  readonly icon: IconName;
  readonly label: string;
  /** Relative to the document's base. */
  readonly href: string;
  /** The one that most people came for. */
  readonly main: boolean;
}

function isLive(program: ProgramDetail, at: BroadcastMs): boolean {
  return program.start_at <= at && program.end_at > at;
}

function watch(program: ProgramDetail, at: BroadcastMs): Link | undefined {
  if (!isLive(program, at)) return undefined;
  return { key: 'watch', icon: 'play', label: TEXTS.watch, href: `live/${program.station_id}`, main: true };
}

function findSame(program: ProgramDetail): Link {
  const words = new URLSearchParams({ q: seriesWords(program.name) });
  return { key: 'search', icon: 'search', label: TEXTS.sameTitle, href: `search?${words}`, main: false };
}

/** With the title's words, at its station: what a person would begin with. */
function makeRule(program: ProgramDetail): Link {
  const keyword = keywordFor(seriesWords(program.name));
  const href = newRule({ keyword, stationId: program.station_id });
  return { key: 'rule', icon: 'filter', label: TEXTS.makeRule, href, main: false };
}

function showInGuide(program: ProgramDetail): Link {
  const place = new URLSearchParams({ at: String(program.start_at), station: String(program.station_id) });
  return { key: 'guide', icon: 'guide', label: TEXTS.inGuide, href: `guide?${place}`, main: false };
}

function LinkButton({ link }: { link: Link }) {
  return (
    <a class={`button ${link.main ? 'button-main' : ''}`} href={link.href}>
      <Icon name={link.icon} />
      {link.label}
    </a>
  );
}

interface BookingProps {
  readonly program: ProgramDetail;
  readonly mark: ReservationMark | null;
}

/** Books, cancels, takes back or stops, as its reservation stands. */
function BookingButton({ program, mark }: BookingProps) {
  const { title } = splitTitle(program.name);
  const waits = isBusy(program.id, mark?.id);
  if (mark?.state === 'recording') return <StopButton id={mark.id} title={title} />;
  if (program.end_at <= now.value) return null;
  if (mark?.state === 'scheduled' || mark?.state === 'conflict') {
    return (
      <button
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
function EveryTimeButton({ program, mark }: BookingProps) {
  if (program.copy_never || (reservationOf(program.id)?.ruleId ?? null) !== null) return null;
  if (mark === null && program.end_at <= now.value) return null;
  return (
    <button
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

/** @param inGuide it is open over the guide, which need not be offered */
export function Actions({ program, mark, inGuide }: BookingProps & { readonly inGuide: boolean }) {
  const first = watch(program, now.value);
  const rest = [makeRule(program), findSame(program), ...(inGuide ? [] : [showInGuide(program)])];
  return (
    <div class="program-actions">
      {first === undefined ? null : <LinkButton link={first} />}
      <BookingButton program={program} mark={mark} />
      <EveryTimeButton program={program} mark={mark} />
      {mark === null ? null : (
        <button type="button" class="button" onClick={() => openReservation(mark.id)}>
          <Icon name="list" />
          {TEXTS.details}
        </button>
      )}
      {rest.map((link) => (
        <LinkButton key={link.key} link={link} />
      ))}
      <ReminderButton program={program} />
    </div>
  );
}
