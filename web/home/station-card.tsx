/** One station on the home screen, with what it shows now; the whole card leads to the picture. */
import type { NowProgram, Station } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { lastStation } from '../device/preferences.ts';
import { stations } from '../query/stations.ts';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { Named } from '../ui/named.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { airClockText, isoText, remainingText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

function RecordMark({ program }: { program: NowProgram }) {
  if (program.recording) {
    return (
      <span class="booking-badge card-record" data-tone="recording">
        <i class="booking-dot" />
        {TEXTS.recording}
      </span>
    );
  }
  return program.reserved ? (
    <span class="booking-badge card-record" data-tone="kept">
      {TEXTS.booked}
    </span>
  ) : null;
}

export function StationCard({ station }: { station: Station }) {
  const program = station.now;
  const isLast = lastStation.value === station.id;
  const name = narrow(station.name);
  const label = channelLabel(station, stations.value);
  const left = program === null ? '' : remainingText(program.endAt, now.value);
  const parts = program === null ? undefined : splitTitle(program.name);
  return (
    <a
      class="card stack gap-75 relative clip round-l bordered surface shadow-1 hover-surface"
      href={`live/${station.id}`}
      data-nav-initial={isLast ? '' : undefined}
    >
      <Named name={`${label} ${name}、${parts?.title ?? TEXTS.noProgram}${left === '' ? '' : `、${left}`}`}>
        <span class="card-station hstack min-0 gap-75">
          <Logo station={station} />
          <span class="card-name stack min-0 gap-10">
            <span class="card-key numbers">
              {label}
              {isLast ? (
                <span class="card-last text-mini bold pill fill-main" title={TEXTS.lastNote}>
                  {TEXTS.last}
                </span>
              ) : null}
            </span>
            <b class="bold truncate">{name}</b>
          </span>
          {left === '' ? null : (
            <span class="card-left numbers push-end text-xs bold text-accent nowrap pill">{left}</span>
          )}
        </span>
        {parts === undefined ? (
          <span class="card-none semibold faint">{TEXTS.noProgramYet}</span>
        ) : (
          <span class="card-title text-l bold clamp-2">{parts.title}</span>
        )}
        {program === null ? null : (
          <span class="card-foot stack gap-50">
            <span class="card-when cluster justify-between note semibold">
              <span class="numbers">
                <time dateTime={isoText(program.startAt)}>{airClockText(program.startAt)}</time>
                {' – '}
                <time dateTime={isoText(program.endAt)}>{airClockText(program.endAt)}</time>
              </span>
              <span class="inline-row wrap gap-30">
                <RecordMark program={program} />
                <Marks marks={parts?.marks ?? []} />
              </span>
            </span>
            <ProgramProgress startAt={program.startAt} endAt={program.endAt} />
          </span>
        )}
      </Named>
    </a>
  );
}

export function SkeletonCard() {
  return (
    <div
      class="card card-skeleton stack gap-75 relative no-pointer clip round-l bordered surface shadow-1 hover-surface"
      aria-hidden="true"
    >
      <span class="card-station hstack min-0 gap-75">
        <span class="logo skeleton" />
        <span class="card-name stack min-0 gap-10">
          <span class="skeleton" style={{ width: '2.5rem', height: '0.7rem' }} />
          <span class="skeleton" style={{ width: '8rem', height: '1rem' }} />
        </span>
      </span>
      <span class="skeleton" style={{ width: '88%', height: '1.2rem' }} />
      <span class="skeleton" style={{ width: '100%', height: '0.3rem' }} />
    </div>
  );
}
