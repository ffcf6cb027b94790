/** One station's week: its days side by side. */
import { type BroadcastMs, DAY_MS, plusMs } from '../../lib/arib/time.ts';
import type { GuideProgram, GuideWindow, Station } from '../../lib/wire/api.ts';
import { minute } from '../device/clock.ts';
import { navigate, openProgram } from '../navigation/router.ts';
import { pathQuery, useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Named } from '../ui/named.tsx';
import { Week, type WeekPlace } from '../ui/week.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { broadcastDay, DAYS } from '../words/day.ts';
import { FailurePanel } from '../words/failure-panel.tsx';
import { majorGenre } from '../words/genre.ts';
import { airClockText, dateText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { WholeTitle } from '../words/whole-title.tsx';
import { dimShopping, isDimmable } from './look.ts';
import { GuideLoading } from './notice.tsx';
import { TEXTS } from './texts.ts';

/** Shorter cells, in hours, have room for one line only. */
const LINE_HOURS = 0.4;

function stateOf(program: GuideProgram, now: BroadcastMs): string {
  const { startAt, endAt } = program;
  const dim = dimShopping.value && isDimmable(program) ? ' week-dim' : '';
  if (endAt <= now) return `week-past${dim}`;
  return startAt <= now ? `week-live${dim}` : dim;
}

function Program({ program, place, now }: { program: GuideProgram; place: WeekPlace; now: BroadcastMs }) {
  const { title } = splitTitle(program.name === '' ? program.title : program.name);
  const state = program.reservation?.state;
  const kept = state === 'scheduled' ? TEXTS.booked : state === 'recording' ? TEXTS.recording : undefined;
  const words = TEXTS.airing(
    `${dateText(program.startAt)} ${spanText(program.startAt, program.endAt)}`,
    title,
  );
  return (
    <button
      type="button"
      class={`week-part vstack absolute clip text-xs ink text-left ${stateOf(program, now)}`}
      style={place.style}
      data-genre={majorGenre(program.genres)}
      data-reservation={state}
      data-line={place.hours < LINE_HOURS ? '' : undefined}
      title={`${airClockText(program.startAt)} ${title}`}
      onClick={() => openProgram(program.id)}
    >
      <Named name={kept === undefined ? words : TEXTS.airing(words, kept)}>
        <span class="week-words max-full block-level relative layer-1 clip">
          <b class="numbers">{airClockText(program.startAt)}</b>
          {kept === undefined ? null : (
            <span class="record-color text-white pill text-mini pad-x">{kept}</span>
          )}
          <WholeTitle title={title} />
        </span>
      </Named>
    </button>
  );
}

function DayHead({ day }: { day: BroadcastMs }) {
  const weekday = new Date(day + 9 * 3_600_000).getUTCDay();
  return <b data-weekday={weekday}>{dateText(day)}</b>;
}

interface StationWeekProps {
  readonly station: Station;
  /** Stations of the same broadcast type, to switch to. */
  readonly list: readonly Station[];
}

export function StationWeek({ station, list }: StationWeekProps) {
  const now = minute.value;
  const first = broadcastDay(now);
  const window = `from=${first}&to=${first + DAYS * DAY_MS}`;
  const { value, failure, renew } = useQuery(
    pathQuery<GuideWindow>(`api/guide?stationId=${station.id}&${window}`, ['programs', 'reservations']),
  );
  const name = narrow(station.name);
  const programs = value?.find(({ stationId }) => stationId === station.id)?.programs ?? [];
  return (
    <div class="guide vstack">
      <div class="guide-bar week-bar cluster">
        <h1 class="hidden-text">{TEXTS.weekOf(name)}</h1>
        <a class="button button-small" href="guide" data-replace="">
          <Icon name="back" />
          {TEXTS.allStations}
        </a>
        <span class="week-station max-full inline-row min-0 gap-50">
          <Logo station={station} />
          <select
            class="surface round-m ink press-height min-0 rule-input"
            aria-label={TEXTS.station}
            value={station.id}
            onChange={(event) => navigate(`guide?view=week&station=${event.currentTarget.value}`, true)}
          >
            {list.map((one) => (
              <option key={one.id} value={one.id}>
                {channelLabel(one, list)} {narrow(one.name)}
              </option>
            ))}
          </select>
        </span>
        <div class="guide-tools hstack push-end gap-40">
          <a class="button button-small button-main" href={`live/${station.id}`}>
            <Icon name="play" />
            {TEXTS.watch}
          </a>
        </div>
      </div>
      <div class="guide-stage relative line-above">
        {value === undefined && failure !== undefined ? (
          <FailurePanel failure={failure} onRetry={() => void renew()} />
        ) : (
          <Week
            label={TEXTS.weekOf(name)}
            days={Array.from({ length: DAYS }, (_, index) => plusMs(first, index * DAY_MS))}
            now={now}
            items={programs}
            head={(day) => <DayHead day={day} />}
            draw={(program, place) => <Program key={program.id} program={program} place={place} now={now} />}
          />
        )}
        {value === undefined && failure === undefined ? <GuideLoading text={TEXTS.weekLoading} /> : null}
      </div>
    </div>
  );
}
