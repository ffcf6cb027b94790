/** A recording in the grid or in the list: one link over the whole card, and a mark to select it. */
import type { ComponentChildren } from 'preact';
import type { Recording, RecordingSeries } from '../../lib/wire/api.ts';
import { currentMs, minute, now } from '../device/clock.ts';
import { watchPath } from '../navigation/router.ts';
import { savedState } from '../offline/saved-state.ts';
import { TEXTS as OFFLINE_TEXTS } from '../offline/texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Marks } from '../ui/marks.tsx';
import { notePicture } from '../ui/pressed-picture.ts';
import { bytesText } from '../words/bytes.ts';
import { narrow } from '../words/channel.ts';
import {
  canPlay,
  isFresh,
  isUnwatched,
  leftInBin,
  lengthClock,
  quoted,
  watchedPart,
} from '../words/recording.ts';
import { shortText } from '../words/time.ts';
import { splitTitle, tidyTitle } from '../words/title.ts';
import { seriesMarks, seriesMarkText, verdictMark, verdictWords } from '../words/verdict.ts';
import { SeriesBadge, VerdictBadge } from '../words/verdict-badge.tsx';
import { WholeTitle } from '../words/whole-title.tsx';
import { takeFromBin } from './actions.ts';
import type { Look } from './layout.ts';
import { Poster } from './poster.tsx';
import { TEXTS } from './texts.ts';

function CardPicture({ recording, children }: { recording: Recording; children?: ComponentChildren }) {
  const part = watchedPart(recording);
  return (
    <span class="rec-picture clip relative video-shape block-level">
      <Poster recording={recording} />
      {(recording.durationMs ?? 0) === 0 ? null : (
        <span class="rec-length layer-1 absolute numbers badge dark-glass">
          {lengthClock(recording.durationMs ?? 0)}
        </span>
      )}
      {part === undefined ? null : (
        <span class="rec-resume at-right at-left at-bottom absolute layer-2">
          <span class="block-level full-height bar-part" style={{ '--part': part.toFixed(3) }} />
        </span>
      )}
      {children}
    </span>
  );
}

const isSaved = (id: Recording['id']): boolean =>
  savedState.value?.videos.some((row) => row.id === id && row.state === 'ready') === true;

function Signs({ recording }: { recording: Recording }) {
  return (
    <span class="rec-signs hstack gap-25">
      {isFresh(recording, minute.value) ? (
        <span class="badge fill-main">{TEXTS.fresh}</span>
      ) : isUnwatched(recording) ? (
        <span class="badge fill-main" data-tone="live">
          {TEXTS.unwatched}
        </span>
      ) : null}
      {recording.watchedAt !== null ? <span class="rec-seen fill-quiet badge">{TEXTS.watched}</span> : null}
      {isSaved(recording.id) ? (
        <span class="rec-lock fill-quiet badge" title={OFFLINE_TEXTS.savedSign}>
          <Icon name="save" />
          <span class="hidden-text">{OFFLINE_TEXTS.savedSign}</span>
        </span>
      ) : null}
      {recording.protected ? (
        <span class="rec-lock fill-quiet badge" title={TEXTS.protected}>
          <Icon name="lock" />
          <span class="hidden-text">{TEXTS.protected}</span>
        </span>
      ) : null}
    </span>
  );
}

/** How much there is of a recording that failed, and why not more; undefined: it did not. */
function failureText(recording: Recording): string | undefined {
  return recording.state === 'failed' ? verdictWords(recording)?.first : undefined;
}

/** Label for screen readers. */
function nameOf(recording: Recording): string {
  const { title } = splitTitle(recording.name);
  const words = [
    title,
    shortText(recording.startAt, currentMs()),
    narrow(recording.serviceName),
    verdictMark(recording).label,
  ];
  const why = failureText(recording);
  if (why !== undefined) words.push(why);
  if (isUnwatched(recording)) words.push(TEXTS.unwatched);
  if (isSaved(recording.id)) words.push(OFFLINE_TEXTS.savedSign);
  if (recording.protected) words.push(TEXTS.protected);
  if (recording.binnedAt !== null) words.push(TEXTS.erasedIn(leftInBin(recording.binnedAt, now.value)));
  return words.join('、');
}

interface CardProps {
  readonly recording: Recording;
  readonly look: Look;
  readonly chosen: boolean;
  readonly choosing: boolean;
}

export function RecordingCard({ recording, look, chosen, choosing }: CardProps) {
  const { title, marks } = splitTitle(recording.name);
  const { binnedAt } = recording;
  const why = failureText(recording);
  return (
    <article
      class={`rec shadow-1 surface bordered round-m relative full-height stack rec-as-${look}`}
      data-chosen={chosen ? '' : undefined}
      data-choosing={choosing ? '' : undefined}
    >
      <a
        class="cell-main rec-link layer-2 inset-0 round-m"
        href={`recordings?recording=${recording.id}`}
        data-id={recording.id}
        draggable={false}
      >
        <span class="hidden-text">{nameOf(recording)}</span>
      </a>
      <CardPicture recording={recording}>
        {look === 'grid' ? <Signs recording={recording} /> : null}
        {choosing ? null : binnedAt === null ? (
          <PlayLink recording={recording} />
        ) : (
          <RestoreButton recording={recording} />
        )}
      </CardPicture>
      <span class="rec-words min-0 vstack gap-10 pad-2" aria-hidden="true">
        <span class="rec-title rigid bold line-tight clamp-2">
          <WholeTitle title={title} />
          {look === 'list' ? <Marks marks={marks} /> : null}
        </span>
        <span class="rec-when nowrap muted text-xs min-0 flex numbers gap-text">
          <span>{shortText(recording.startAt, currentMs())}</span>
          <span class="ellipsis clip min-0">{narrow(recording.serviceName)}</span>
          {look === 'list' && recording.bytes > 0 ? (
            <span class="wide-only semibold faint nowrap">{bytesText(recording.bytes)}</span>
          ) : null}
        </span>
        {why === undefined ? null : <span class="rec-latest text-xs muted truncate">{why}</span>}
        <span class="rec-foot hstack gap-50 text-xs push-bottom">
          <VerdictBadge recording={recording} />
          {binnedAt === null ? null : (
            <span class="rec-bin-left inline-row push-end gap-25 semibold muted nowrap">
              <Icon name="bin" />
              {leftInBin(binnedAt, now.value)}
            </span>
          )}
          {look === 'list' ? <Signs recording={recording} /> : null}
          {look === 'grid' && binnedAt === null && recording.bytes > 0 ? (
            <span class="numbers push-end semibold faint nowrap">{bytesText(recording.bytes)}</span>
          ) : null}
        </span>
      </span>
      <CheckMark chosen={chosen} title={title} />
    </article>
  );
}

/** Plays at once, without the sheet. Not focusable: the cell has keys for the same action. */
function PlayLink({ recording }: { recording: Recording }) {
  if (!canPlay(recording)) return null;
  const { title } = splitTitle(recording.name);
  return (
    <a
      class="rec-play place-center absolute layer-3 text-white circle"
      href={watchPath(recording)}
      tabIndex={-1}
      data-nav-skip=""
      aria-label={TEXTS.playOf(quoted(title))}
      title={recording.resumeMs === null ? TEXTS.play : TEXTS.resume}
      onClick={(event) => notePicture(event.currentTarget.parentElement, event)}
      draggable={false}
    >
      <Icon name="play" />
    </a>
  );
}

/** From the bin at once; keys open the sheet, which begins with the same. */
function RestoreButton({ recording }: { recording: Recording }) {
  const label = TEXTS.restoreOf(quoted(splitTitle(recording.name).title));
  return (
    <button
      type="button"
      class="rec-play rec-restore place-center absolute layer-3 text-white circle"
      tabIndex={-1}
      data-nav-skip=""
      aria-label={label}
      title={TEXTS.undo}
      onClick={() => void takeFromBin([recording])}
    >
      <Icon name="undo" />
    </button>
  );
}

function CheckMark({ chosen, title }: { chosen: boolean; title: string }) {
  return (
    <button
      type="button"
      class="rec-check not-shown absolute layer-3 text-xs circle"
      tabIndex={-1}
      aria-pressed={chosen}
      aria-label={TEXTS.chooseOf(quoted(title))}
      data-nav-skip=""
    >
      <Icon name="check" />
    </button>
  );
}

/** Placeholder until its page is loaded. */
export function CardSkeleton({ look }: { look: Look }) {
  return (
    <div class={`rec shadow-1 surface bordered round-m relative full-height stack rec-as-${look}`}>
      <button
        type="button"
        class="cell-main rec-link layer-2 inset-0 round-m"
        aria-label={TEXTS.cardLoading}
      />
      <span class="rec-picture clip relative video-shape block-level skeleton" />
      <span class="rec-words min-0 vstack gap-10 pad-2">
        <span class="skeleton rec-bone" />
        <span class="skeleton rec-bone" />
      </span>
    </div>
  );
}

/** A series as a pile, with the number of its recordings, of unwatched and of damaged ones. */
export function SeriesCard({ series, look }: { series: RecordingSeries; look: Look }) {
  const { newest, count, unwatched, key } = series;
  const name = tidyTitle(series.name);
  const latest = splitTitle(newest.name).title;
  const marks = seriesMarks(series);
  const words = [
    name,
    TEXTS.count(count),
    unwatched > 0 ? TEXTS.unwatchedOf(unwatched) : '',
    TEXTS.latest(shortText(newest.startAt, currentMs())),
    ...marks.map(seriesMarkText),
  ];
  const fresh = unwatched > 0 ? <span class="fill-main badge">{TEXTS.unwatchedSign(unwatched)}</span> : null;
  return (
    <article
      class={`rec shadow-1 surface bordered round-m relative full-height stack rec-series rec-as-${look} ${count > 1 ? 'rec-pile' : ''}`}
    >
      <a
        class="cell-main rec-link layer-2 inset-0 round-m"
        href={`recordings?series=${encodeURIComponent(key)}`}
        data-series={key}
        draggable={false}
      >
        <span class="hidden-text">{words.filter((word) => word !== '').join('、')}</span>
      </a>
      <span class="rec-picture clip relative video-shape block-level">
        <Poster recording={newest} />
        {look === 'grid' ? (
          <>
            <span class="rec-length layer-1 absolute numbers badge dark-glass">{TEXTS.count(count)}</span>
            <span class="rec-signs hstack gap-25">{fresh}</span>
          </>
        ) : null}
      </span>
      <span class="rec-words min-0 vstack gap-10 pad-2" aria-hidden="true">
        <span class="rec-title rigid bold line-tight clamp-2">{name}</span>
        {latest === name ? null : <span class="rec-latest text-xs muted truncate">{latest}</span>}
        <span class="rec-when nowrap muted text-xs min-0 flex numbers gap-text">
          <span>{TEXTS.latestSign(shortText(newest.startAt, currentMs()))}</span>
          <span class="ellipsis clip min-0">{narrow(newest.serviceName)}</span>
        </span>
        <span class="rec-foot hstack gap-50 text-xs push-bottom">
          {marks.map((mark) => (
            <SeriesBadge key={mark.label} mark={mark} />
          ))}
          {look === 'list' ? (
            <>
              <span class="numbers bold muted">{TEXTS.count(count)}</span>
              {fresh}
            </>
          ) : null}
        </span>
      </span>
    </article>
  );
}
