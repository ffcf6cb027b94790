/**
 * The station's panel beside the picture (below it on upright phones): present and following programmes, the other
 * channels, the station's day.
 */
import { useEffect, useState } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { GuideProgram, Station } from '../../lib/wire/api.ts';
import type { ReservationState } from '../../lib/wire/vocabulary.ts';
import { now } from '../device/clock.ts';
import { liveCodec, livePanelTab } from '../device/preferences.ts';
import { afterPaint } from '../navigation/after-paint.ts';
import { openProgram } from '../navigation/router.ts';
import { NextStep } from '../player/overlay.tsx';
import type { PlayerState } from '../player/player.ts';
import { programQuery } from '../query/queries.ts';
import { reservationOf } from '../query/reservations.ts';
import { stations } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { ProgramProgress } from '../ui/progress.tsx';
import { channelLabel, narrow } from '../words/channel.ts';
import { majorGenre } from '../words/genre.ts';
import { Texts } from '../words/program-texts.tsx';
import { stationDayQuery } from '../words/station-day.ts';
import { airClockText, isoText, lengthText, remainingText, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { TunerHolders } from '../words/tuner-holders.tsx';
import { WholeTitle } from '../words/whole-title.tsx';
import { ChannelList } from './channel-list.tsx';
import { liveAdvice } from './live-advice.ts';
import { RecordBelow } from './record.tsx';
import { TEXTS } from './texts.ts';

const TABS = [
  { value: 'program', label: TEXTS.program },
  { value: 'channels', label: TEXTS.channels },
  { value: 'day', label: TEXTS.guide },
] as const;

/** Number of following programmes listed under the text of the present one. */
const NEXT = 3;
interface StationDay {
  /** That have not ended; undefined until read. */
  readonly programs: readonly GuideProgram[] | undefined;
  readonly failed: boolean;
}

function useDay(station: Station | undefined): StationDay {
  const query = station === undefined ? undefined : stationDayQuery(station.id, now.value);
  const { value, failure } = useQuery(query);
  const programs = value?.[0]?.programs.filter(({ endAt }) => endAt > now.value);
  return { programs, failed: programs === undefined && failure !== undefined };
}

const BOOKED: Readonly<Partial<Record<ReservationState, readonly [text: string, tone: string]>>> = {
  scheduled: [TEXTS.booked, 'kept'],
  recording: [TEXTS.recording, 'recording'],
  conflict: [TEXTS.conflict, 'warn'],
};

function PanelRow({ program }: { program: GuideProgram }) {
  const { title, marks } = splitTitle(program.name === '' ? program.title : program.name);
  const state = reservationOf(program.id)?.state ?? program.reservation?.state;
  const [text, tone] = (state === undefined ? undefined : BOOKED[state]) ?? [];
  const live = program.startAt <= now.value;
  return (
    <li>
      <button
        type="button"
        class="panel-row flex full-width press-height gap-75 text-left round-s hover-surface"
        data-genre={majorGenre(program.genres)}
        aria-current={live ? 'true' : undefined}
        onClick={() => openProgram(program.id)}
      >
        <time class="panel-time numbers rigid extrabold" dateTime={isoText(program.startAt)}>
          {airClockText(program.startAt)}
        </time>
        <span class="stack grow min-0 gap-10">
          <span class="bold clamp-2 line-tight">
            <WholeTitle title={title === '' ? TEXTS.noProgramYet : title} />
          </span>
          <span class="numbers cluster text-xs semibold muted gap-text">
            {live ? remainingText(program.endAt, now.value) : lengthText(program.endAt - program.startAt)}
            <Marks marks={marks} />
            {text === undefined ? null : (
              <span class="badge" data-tone={tone}>
                {text}
              </span>
            )}
          </span>
        </span>
      </button>
    </li>
  );
}

function Waiting({ failed }: { failed: boolean }) {
  if (failed) return <p class="muted">{TEXTS.guideFailed}</p>;
  return (
    <div class="panel-skeleton stack gap-75" role="status">
      <span class="hidden-text">{TEXTS.loading}</span>
      <span class="skeleton" />
      <span class="skeleton" />
      <span class="skeleton" />
    </div>
  );
}

function Rows({ day, from, most }: { day: StationDay; from: BroadcastMs; most?: number }) {
  if (day.programs === undefined) return <Waiting failed={day.failed} />;
  const shown = day.programs.filter(({ startAt }) => startAt >= from).slice(0, most);
  if (shown.length === 0) return <p class="muted">{TEXTS.nothingNext}</p>;
  return (
    <ul class="stack gap-25">
      {shown.map((program) => (
        <PanelRow key={program.id} program={program} />
      ))}
    </ul>
  );
}

/** Description of the present programme, and the following one. */
function ProgramTab({ station }: { station: Station | undefined }) {
  const day = useDay(station);
  const id = station?.now?.id;
  const { value: program } = useQuery(id === undefined ? undefined : programQuery(id));
  if (station === undefined) return <p class="muted">{TEXTS.noProgramYet}</p>;
  const shown = program?.id === id ? program : undefined;
  return (
    <>
      {shown === undefined ? null : (
        <div>
          <Texts description={shown.description} extended={shown.extended ?? {}} />
        </div>
      )}
      {id === undefined ? null : (
        <button type="button" class="button button-small self-left" onClick={() => openProgram(id)}>
          {TEXTS.details}
        </button>
      )}
      <h3 class="above-75 note">{TEXTS.next}</h3>
      <Rows day={day} from={plusMs(now.value, 1)} most={NEXT} />
    </>
  );
}

function DayTab({ station }: { station: Station | undefined }) {
  return <Rows day={useDay(station)} from={broadcastMs(0)} />;
}

/** The station, its present programme with progress, and the record button. */
function Heading({ station, onData }: { station: Station; onData: (() => void) | undefined }) {
  const program = station.now;
  const parts = program === null ? undefined : splitTitle(program.name);
  return (
    <div class="stack gap-40">
      <p class="below-station hstack text-s bold text-accent gap-50">
        <Logo station={station} />
        <span>
          {channelLabel(station, stations.value)} {narrow(station.name)}
        </span>
      </p>
      <h2 class="text-xl">
        <WholeTitle title={parts?.title ?? TEXTS.noProgramYet} />
      </h2>
      {program === null ? null : (
        <>
          <p class="numbers cluster note semibold gap-text">
            {spanText(program.startAt, program.endAt)}
            <span>{remainingText(program.endAt, now.value)}</span>
            <Marks marks={parts?.marks ?? []} />
          </p>
          <ProgramProgress startAt={program.startAt} endAt={program.endAt} />
          <RecordBelow station={station} />
        </>
      )}
      {onData === undefined ? null : (
        <button type="button" class="button button-small below-data" onClick={onData}>
          <Icon name="data" />
          {TEXTS.data}
        </button>
      )}
    </div>
  );
}

interface PanelProps {
  readonly station: Station | undefined;
  readonly stationId: StationId;
}

/** The tabs and what the chosen one shows, for the panel and for the dialog where there is no room for a panel. */
export function PanelTabs({ station, stationId }: PanelProps) {
  // A station that is not known has no programmes: another one is what helps.
  const tab = station === undefined ? 'channels' : livePanelTab.value;
  return (
    <>
      <div class="tabs" role="tablist" aria-label={TEXTS.tabs} data-nav-group="panel-tabs">
        {TABS.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            role="tab"
            class="tab"
            aria-selected={value === tab}
            onClick={() => {
              livePanelTab.value = value;
            }}
          >
            {label}
          </button>
        ))}
      </div>
      <div class="content-start stack gap-75" data-nav-group="panel">
        {tab === 'program' ? <ProgramTab station={station} /> : null}
        {tab === 'channels' ? <ChannelList stationId={stationId} /> : null}
        {tab === 'day' ? <DayTab station={station} /> : null}
      </div>
    </>
  );
}

/** false in the first picture of a screen: what then follows does not delay the answer to the key that opened it. */
function useFirstPictureShown(): boolean {
  const [shown, setShown] = useState(false);
  useEffect(() => afterPaint(() => setShown(true)), []);
  return shown;
}

interface LivePanelProps extends PanelProps {
  readonly state: PlayerState | undefined;
  /** Undefined: the station has no data broadcast. */
  readonly onData: (() => void) | undefined;
}

export function LivePanel({ state, onData, ...props }: LivePanelProps) {
  const { station } = props;
  const isShown = useFirstPictureShown();
  // Its place is taken from the first picture on: nothing moves when it is filled.
  if (!isShown) return <section class="below" aria-label={TEXTS.panel} />;
  return (
    <section class="below" aria-label={TEXTS.panel}>
      {(state?.kind === 'waiting' && !state.kept) || state?.kind === 'failed' ? (
        <div class="below-next not-shown text-s semibold round-m fill-warn pad-3">
          <NextStep failure={state.failure} advice={liveAdvice(state.failure, liveCodec.value)} />
          <TunerHolders failure={state.failure} station={station} />
        </div>
      ) : null}
      {station === undefined ? null : <Heading station={station} onData={onData} />}
      <PanelTabs {...props} />
    </section>
  );
}
