/** Home screen: recordings to continue and new ones, each one press away from playing. */
import { useLayoutEffect } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import { currentMs, minute } from '../device/clock.ts';
import { homeWatch } from '../device/preferences.ts';
import { watchPath } from '../navigation/router.ts';
import { FRESH_RECORDINGS, RESUMABLE_RECORDINGS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Poster } from '../recordings/poster.tsx';
import { Icon } from '../ui/icon.tsx';
import { Named } from '../ui/named.tsx';
import { narrow } from '../words/channel.ts';
import { canPlay, isFresh, lengthClock, watchedPart } from '../words/recording.ts';
import { shortText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { TEXTS } from './texts.ts';

function leftText({ durationMs, resumeMs }: Recording): string {
  const left = (durationMs ?? 0) - (resumeMs ?? 0);
  return left <= 0 ? '' : TEXTS.left(Math.max(1, Math.round(left / 60_000)));
}

function WatchCard({ recording, fresh }: { recording: Recording; fresh: boolean }) {
  const { title } = splitTitle(recording.name);
  const part = watchedPart(recording);
  const left = part === undefined ? '' : leftText(recording);
  const words = [title, narrow(recording.serviceName), shortText(recording.startAt, currentMs()), left];
  return (
    <li class="watch-item rigid">
      <a class="watch-card stack gap-15 round-m" href={watchPath(recording)}>
        <Named
          name={TEXTS.entry(
            fresh ? TEXTS.play : TEXTS.resume,
            words.filter((word) => word !== '').join('、'),
          )}
        >
          <span class="rec-picture">
            <Poster recording={recording} />
            {fresh ? <span class="rec-new watch-new absolute layer-1">{TEXTS.fresh}</span> : null}
            <span class="rec-length numbers">
              {left === '' ? lengthClock(recording.durationMs ?? 0) : left}
            </span>
            <span class="watch-play place-center inset-0 layer-2 text-white">
              <Icon name="play" />
            </span>
            {part === undefined ? null : (
              <span class="rec-resume absolute layer-2">
                <span class="block-level full-height bar-part" style={{ '--part': part.toFixed(3) }} />
              </span>
            )}
          </span>
          <span class="watch-title bold truncate">{title}</span>
          <span class="numbers flex min-0 gap-60 text-xs semibold muted nowrap">
            {shortText(recording.startAt, currentMs())}
            <span class="rec-station">{narrow(recording.serviceName)}</span>
          </span>
        </Named>
      </a>
    </li>
  );
}

/** As high as the loaded content, so that the stations below do not move. */
function Waiting() {
  return (
    <section class="watch-row below-100" aria-hidden="true">
      <h2 class="flex align-baseline justify-between gap-100 text-l">&nbsp;</h2>
      <ul class="watch-list flex hscroll gap-80">
        <li class="watch-item rigid">
          <span class="watch-card stack gap-15 round-m">
            <span class="rec-picture skeleton" />
            <span class="watch-title bold truncate">&nbsp;</span>
            <span class="flex min-0 gap-60 text-xs semibold muted nowrap">&nbsp;</span>
          </span>
        </li>
      </ul>
    </section>
  );
}

/** Both lists; `waits` until they are known or one of them failed. */
function useLists() {
  const resumable = useQuery(RESUMABLE_RECORDINGS);
  const fresh = useQuery(FRESH_RECORDINGS);
  const known = resumable.value !== undefined && fresh.value !== undefined;
  const failed = resumable.failure !== undefined || fresh.failure !== undefined;
  return { resumable, fresh, known, waits: !known && !failed };
}

/** Neither this visit nor the last one says whether there is anything. */
export function useIsWatchUnknown(): boolean {
  return useLists().waits && !homeWatch.value;
}

export function WatchRow() {
  const { resumable, fresh, known, waits } = useLists();
  const begun = (resumable.value ?? []).filter(canPlay);
  const unseen = (fresh.value ?? []).filter((one) => canPlay(one) && isFresh(one, minute.value));
  const some = begun.length + unseen.length > 0;
  useLayoutEffect(() => {
    if (known) homeWatch.value = some;
  }, [known, some]);
  if (waits) return homeWatch.value ? <Waiting /> : null;
  if (!some) return null;
  const title =
    begun.length === 0 ? TEXTS.newRecordings : unseen.length === 0 ? TEXTS.resume : TEXTS.resumeAndNew;
  return (
    <section class="watch-row below-100" aria-label={title} data-nav-group="watch-row">
      <h2 class="flex align-baseline justify-between gap-100 text-l">
        {title}
        <a class="watch-all inline-row gap-20 note bold nowrap round-s" href="recordings">
          {TEXTS.all}
          <Icon name="next" />
        </a>
      </h2>
      <ul class="watch-list flex hscroll gap-80">
        {begun.map((recording) => (
          <WatchCard key={recording.id} recording={recording} fresh={false} />
        ))}
        {unseen.map((recording) => (
          <WatchCard key={recording.id} recording={recording} fresh />
        ))}
      </ul>
    </section>
  );
}
