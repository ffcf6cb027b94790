/** Running recordings, above everything else: progress and problems. */
import type { Recording } from '../../lib/wire/api.ts';
import { now } from '../device/clock.ts';
import { watchPath } from '../navigation/router.ts';
import { Icon } from '../ui/icon.tsx';
import { notePicture } from '../ui/pressed-picture.ts';
import { progressOf } from '../ui/progress-of.ts';
import { bytesText } from '../words/bytes.ts';
import { narrow } from '../words/channel.ts';
import { progressWords, quoted } from '../words/recording.ts';
import { airClockText, leftToRecord, spanText } from '../words/time.ts';
import { splitTitle } from '../words/title.ts';
import { Poster } from './poster.tsx';
import { openRecording } from './query.ts';
import { TEXTS } from './texts.ts';

function RunningCard({ recording }: { recording: Recording }) {
  const { title } = splitTitle(recording.name);
  const { progress, startAt, endAt } = recording;
  const words =
    progress === null ? { text: TEXTS.recording, tone: 'good' as const } : progressWords(progress);
  const drops = progress?.drops ?? 0;
  const part = progressOf(startAt, endAt, now.value);
  return (
    <article
      class={`running stack align-center relative round-m bordered surface shadow-1 hover-surface running-${words.tone}`}
    >
      <a
        class="cell-main rec-link layer-2 inset-0 round-m"
        href={`recordings?recording=${recording.id}`}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          openRecording(recording.id);
        }}
      >
        <span class="hidden-text">{TEXTS.recordingOf(title, narrow(recording.serviceName), words.text)}</span>
      </a>
      <span class="running-picture round-s clip relative video-shape block-level">
        <Poster recording={recording} />
        <a
          class="rec-play place-center absolute layer-3 text-white circle"
          href={watchPath(recording)}
          aria-label={TEXTS.chaseOf(quoted(title))}
          title={TEXTS.chase}
          onClick={(event) => notePicture(event.currentTarget.parentElement, event)}
        >
          <Icon name="play" />
        </a>
      </span>
      <div class="min-0 stack gap-10">
        <p class="bold truncate">{title}</p>
        <p class="rec-when nowrap muted text-xs min-0 flex numbers gap-text">
          <span>{spanText(startAt, endAt)}</span>
          <span class="ellipsis clip min-0">{narrow(recording.serviceName)}</span>
        </p>
        {words.text === TEXTS.recording ? null : (
          <p
            class="running-state bold text-s min-0 hstack gap-40"
            data-tone={words.tone}
            role={words.tone === 'good' ? undefined : 'alert'}
          >
            <Icon name={words.tone === 'good' ? 'record' : 'alert'} class="text-xs" />
            {words.text}
          </p>
        )}
      </div>
      <div class="all-columns stack gap-40">
        <div
          class="progress"
          role="progressbar"
          aria-label={TEXTS.progress}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(part * 100)}
        >
          <div class="progress-fill" style={{ '--part': part.toFixed(4) }} />
        </div>
        <p class="semibold justify-between flex note numbers gap-text">
          <span>
            {now.value < startAt ? TEXTS.from(airClockText(startAt)) : leftToRecord(endAt, now.value)}
          </span>
          <span>{bytesText(progress?.bytes ?? recording.bytes)}</span>
          <span class={drops > 0 ? 'text-warn' : undefined}>
            {drops === 0 ? TEXTS.noDrops : TEXTS.drops(drops.toLocaleString('ja-JP'))}
          </span>
        </p>
      </div>
    </article>
  );
}

export function Running({ recordings }: { recordings: readonly Recording[] }) {
  if (recordings.length === 0) return null;
  return (
    <section class="below-150" aria-label={TEXTS.recording}>
      <h2 class="gap-50 below-75 hstack text-l">
        {TEXTS.recording}
        <span class="text-white numbers badge record-color">{recordings.length}</span>
      </h2>
      <div class="tiles gap-75" style="--tile:26rem" data-nav-group="running">
        {recordings.map((recording) => (
          <RunningCard key={recording.id} recording={recording} />
        ))}
      </div>
    </section>
  );
}
