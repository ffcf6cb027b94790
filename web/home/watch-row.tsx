/** Home screen: recordings to continue, and new ones, each one press away from playing. */
import { useLayoutEffect } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import { currentMs, minute } from '../device/clock.ts';
import { homeFresh, homeResume } from '../device/preferences.ts';
import { watchPath } from '../navigation/router.ts';
import { FRESH_RECORDINGS, RESUMABLE_RECORDINGS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Poster } from '../recordings/poster.tsx';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { notePicture } from '../ui/pressed-picture.ts';
import { narrow } from '../words/channel.ts';
import { canPlay, isFresh, lengthClock, watchedPart } from '../words/recording.ts';
import { shortText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { RowHead, RowHeadSpace } from './row-head.tsx';
import { TEXTS } from './texts.ts';

function leftText({ durationMs, resumeMs }: Recording): string {
  const left = (durationMs ?? 0) - (resumeMs ?? 0);
  return left <= 0 ? '' : TEXTS.left(Math.max(1, Math.round(left / 60_000)));
}

const FAULTS = { damaged: [TEXTS.damaged, 'warn'], lost: [TEXTS.lost, 'bad'] } as const;

/** Leads to the reason in one press; the card itself plays. */
function Fault({ recording, title }: { recording: Recording; title: string }) {
  const level = recording.verdict?.level;
  if (level === undefined || level === 'complete') return null;
  const [label, tone] = FAULTS[level];
  return (
    <a
      class="watch-fault absolute layer-3 badge"
      data-tone={tone}
      data-nav-skip=""
      href={`recordings?recording=${recording.id}`}
      aria-label={TEXTS.why(title, label)}
    >
      {label}
      <Icon name="next" />
    </a>
  );
}

function WatchCard({ recording, fresh }: { recording: Recording; fresh: boolean }) {
  const { title } = splitTitle(recording.name);
  const part = watchedPart(recording);
  const left = part === undefined ? '' : leftText(recording);
  const words = [title, narrow(recording.serviceName), shortText(recording.startAt, currentMs()), left];
  return (
    <li class="watch-item relative rigid">
      <a
        class="watch-card stack round-m gap-10"
        href={watchPath(recording)}
        onClick={(event) => notePicture(event.currentTarget, event)}
      >
        <Named
          name={TEXTS.entry(
            fresh ? TEXTS.play : TEXTS.resume,
            words.filter((word) => word !== '').join('、'),
          )}
        >
          <span class="rec-picture clip relative video-shape block-level">
            <Poster recording={recording} />
            {fresh ? <span class="fill-main absolute layer-1 badge rec-signs">{TEXTS.fresh}</span> : null}
            <span class="rec-length layer-1 absolute numbers badge dark-glass">
              {left === '' ? lengthClock(recording.durationMs ?? 0) : left}
            </span>
            <span class="watch-play place-center inset-0 layer-2 text-white">
              <Icon name="play" />
            </span>
            {part === undefined ? null : (
              <span class="rec-resume at-right at-left at-bottom absolute layer-2">
                <span class="block-level full-height bar-part" style={{ '--part': part.toFixed(3) }} />
              </span>
            )}
          </span>
          <span class="watch-title bold truncate">{title}</span>
          <span class="numbers flex min-0 text-xs semibold muted nowrap gap-50">
            {shortText(recording.startAt, currentMs())}
            <span class="ellipsis clip min-0">{narrow(recording.serviceName)}</span>
          </span>
        </Named>
      </a>
      <Fault recording={recording} title={title} />
    </li>
  );
}

/** As high as the loaded content, so that what is below does not move. */
function Waiting() {
  return (
    <section class="home-row above-150 below-100" aria-hidden="true">
      <RowHeadSpace />
      <ul class="flex hscroll gap-75 strip">
        <li class="watch-item rigid">
          <span class="watch-card stack round-m gap-10">
            <span class="rec-picture clip relative video-shape block-level skeleton" />
            <span class="watch-title bold truncate">&nbsp;</span>
            <span class="flex min-0 text-xs semibold muted nowrap gap-50">&nbsp;</span>
          </span>
        </li>
      </ul>
    </section>
  );
}

const WATCH_ROWS = {
  resume: { query: RESUMABLE_RECORDINGS, had: homeResume, title: TEXTS.resume },
  fresh: { query: FRESH_RECORDINGS, had: homeFresh, title: TEXTS.newRecordings },
} as const;

type RowKind = keyof typeof WATCH_ROWS;

/** Neither this visit nor the last one says whether there is anything. */
export function useIsWatchUnknown(kind: RowKind): boolean {
  const { query, had } = WATCH_ROWS[kind];
  const { value, failure } = useQuery(query);
  return value === undefined && failure === undefined && !had.value;
}

export function WatchRow({ kind }: { kind: RowKind }) {
  const { query, had, title } = WATCH_ROWS[kind];
  const { value, failure } = useQuery(query);
  const isFreshRow = kind === 'fresh';
  const list = (value ?? []).filter((one) => canPlay(one) && (!isFreshRow || isFresh(one, minute.value)));
  const some = list.length > 0;
  useLayoutEffect(() => {
    if (value !== undefined) had.value = some;
  }, [value, some]);
  if (value === undefined && failure === undefined) return had.value ? <Waiting /> : null;
  if (!some) return null;
  return (
    <section
      class="home-row above-150 watch-row below-100"
      aria-label={title}
      data-nav-group={`watch-${kind}`}
    >
      <RowHead title={title} all="recordings" />
      <ul class="flex hscroll gap-75 strip">
        {list.map((recording) => (
          <WatchCard key={recording.id} recording={recording} fresh={isFreshRow} />
        ))}
      </ul>
    </section>
  );
}
