/** Everything about one recording, over the list. */
import type { ComponentChildren } from 'preact';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import { currentMs, now } from '../device/clock.ts';
import { recordingQuery } from '../query/queries.ts';
import { useRecordingDetail } from '../query/recording-detail.ts';
import { useBookings } from '../query/reservations.ts';
import { stationById } from '../query/stations.ts';
import { useQuery } from '../query/use-query.ts';
import { BookingOptions } from '../reservations/options.tsx';
import { Icon } from '../ui/icon.tsx';
import { Logo } from '../ui/logo.tsx';
import { Marks } from '../ui/marks.tsx';
import { progressOf } from '../ui/progress-of.ts';
import { Sheet } from '../ui/sheet.tsx';
import { bytesText } from '../words/bytes.ts';
import { narrow } from '../words/channel.ts';
import { genreText, majorGenre } from '../words/genre.ts';
import { Texts } from '../words/program-texts.tsx';
import { lengthClock, progressWords, quoted, spellMs } from '../words/recording.ts';
import { seriesWords } from '../words/series.ts';
import { SheetFailed } from '../words/sheet-failed.tsx';
import { airDateText, dateText, isoText, leftToRecord, spanText } from '../words/time.ts';
import { splitTitle, tidyTitle } from '../words/title.ts';
import { runningLine, verdictWords } from '../words/verdict.ts';
import { VerdictBadge } from '../words/verdict-badge.tsx';
import { WholeTitle } from '../words/whole-title.tsx';
import { closeRecording } from './query.ts';
import { RecordingActions } from './sheet-actions.tsx';
import { TEXTS } from './texts.ts';
import { VerdictBox } from './verdict-box.tsx';

function Head({ recording }: { recording: Recording }) {
  const { title, marks } = splitTitle(recording.name);
  const name = narrow(recording.serviceName);
  const station = stationById(recording.serviceId);
  const durationMs = recording.durationMs ?? recording.progress?.recordedMs ?? null;
  return (
    <header class="program-head gap-75 stack" data-genre={majorGenre(recording.genres)}>
      <p class="program-station gap-75 cluster line-tight">
        <Logo station={{ id: recording.serviceId, name, logo: station?.logo ?? null }} />
        <span>
          <b>{name}</b>
        </span>
        {/* The box below it says what is known. */}
        {recording.recording || verdictWords(recording) !== undefined ? null : (
          <span class="push-end">
            <VerdictBadge recording={recording} />
          </span>
        )}
      </p>
      <h3 class="program-title line-tight text-xl">
        <WholeTitle title={title} />
      </h3>
      <p class="muted semibold wrap flex numbers gap-text">
        <time dateTime={isoText(recording.startAt)}>{airDateText(recording.startAt, currentMs())}</time>{' '}
        <b class="ink">{spanText(recording.startAt, recording.endAt)}</b>
        {durationMs === null || durationMs === 0 ? null : (
          <span>{TEXTS.recorded(lengthClock(durationMs))}</span>
        )}
      </p>
      <Marks marks={marks} />
    </header>
  );
}

function RunningFacts({ recording }: { recording: Recording }) {
  const { progress, startAt, endAt } = recording;
  if (!recording.recording) return null;
  const words =
    progress === null ? { text: TEXTS.recording, tone: 'good' as const } : progressWords(progress);
  const part = progressOf(startAt, endAt, now.value);
  return (
    <section
      class="verdict-box above-100 stack gap-75 round-m bordered surface-high pad-3"
      data-tone={words.tone === 'good' ? 'live' : words.tone}
    >
      <h4 class="flex align-start no-margin gap-50">
        <Icon name={words.tone === 'good' ? 'record' : 'alert'} />
        {runningLine(recording, now.value)}
      </h4>
      <div class="progress">
        <div class="progress-fill" style={{ '--part': part.toFixed(4) }} />
      </div>
      <p class="semibold justify-between flex note numbers gap-text">
        <span>{leftToRecord(endAt, now.value)}</span>
        <span>{bytesText(progress?.bytes ?? recording.bytes)}</span>
        <span>{(progress?.drops ?? 0) === 0 ? TEXTS.noDrops : TEXTS.drops(progress?.drops ?? 0)}</span>
      </p>
    </section>
  );
}

/** What becomes of it after its end, with the choice. */
function RunningOptions({ id }: { id: RecordingId }) {
  const item = useBookings().items?.find(({ recordingId }) => recordingId === id);
  return item === undefined ? null : <BookingOptions item={item} />;
}

function RecordingFact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const SOURCES: Readonly<Record<Recording['files'][number]['source'], string>> = {
  encoded: TEXTS.sourceEncoded,
  alt: TEXTS.sourceCompatible,
  ts: TEXTS.sourceOriginal,
};

function Facts({ recording, ruleName }: { recording: Recording; ruleName: string | undefined }) {
  const { genres, bytes, files, series, ruleId, watchedAt, resumeMs } = recording;
  const kinds = [...new Set(genres.flatMap(({ lv1, lv2 }) => genreText(lv1, lv2) ?? []))];
  const seen =
    watchedAt !== null
      ? TEXTS.watchedOn(dateText(watchedAt, currentMs()))
      : resumeMs === null
        ? TEXTS.unwatched
        : TEXTS.watchedTo(spellMs(resumeMs));
  return (
    <dl class="facts above-150 bordered clip round-m">
      {bytes === 0 ? null : <RecordingFact name={TEXTS.bytes}>{bytesText(bytes)}</RecordingFact>}
      {files.length === 0 ? null : (
        <RecordingFact name={TEXTS.sources}>
          {files.map(({ source }) => (
            <span key={source}>{SOURCES[source] ?? source}</span>
          ))}
        </RecordingFact>
      )}
      {recording.recording || (recording.state === 'failed' && (watchedAt ?? resumeMs) === null) ? null : (
        <RecordingFact name={TEXTS.seen}>{seen}</RecordingFact>
      )}
      {kinds.length === 0 ? null : (
        <RecordingFact name={TEXTS.genre}>
          {kinds.map((kind) => (
            <span key={kind}>{kind}</span>
          ))}
        </RecordingFact>
      )}
      {/* Without a rule it was booked by hand, or by a rule that was deleted since. */}
      {ruleId === null ? null : (
        <RecordingFact name={TEXTS.booking}>
          {ruleName === undefined ? TEXTS.rule : TEXTS.byRule(quoted(ruleName))}
        </RecordingFact>
      )}
      {series === null ? null : (
        <RecordingFact name={TEXTS.series}>
          {tidyTitle(series.name)}
          {series.episode === null ? null : `（${tidyTitle(series.episode)}）`}
        </RecordingFact>
      )}
    </dl>
  );
}

/** Links from a recording to similar ones. */
function Others({ recording }: { recording: Recording }) {
  const { series, ruleId } = recording;
  const words = new URLSearchParams({ q: seriesWords(recording.name) });
  return (
    <div class="rows above-100">
      {series === null ? null : (
        <a class="row" href={`recordings?series=${encodeURIComponent(series.key)}`}>
          <Icon name="pile" class="faint" />
          <span class="row-text bold">{TEXTS.ofSeries}</span>
          <Icon name="next" class="faint" />
        </a>
      )}
      {ruleId === null ? null : (
        <a class="row" href={`recordings?rule=${ruleId}`}>
          <Icon name="filter" class="faint" />
          <span class="row-text bold">{TEXTS.ofRule}</span>
          <Icon name="next" class="faint" />
        </a>
      )}
      <a class="row" href={`search?${words}`}>
        <Icon name="search" class="faint" />
        <span class="row-text bold">{TEXTS.sameTitle}</span>
        <Icon name="next" class="faint" />
      </a>
    </div>
  );
}

const GONE = {
  title: TEXTS.gone,
  reason: TEXTS.goneReason,
  href: 'recordings',
  go: TEXTS.toList,
};

function Skeleton() {
  return (
    <div class="gap-100 stack" role="status">
      <span class="hidden-text">{TEXTS.sheetLoading}</span>
      <span class="skeleton" style={{ width: '55%', height: '2.6rem' }} />
      <span class="skeleton" style={{ width: '92%', height: '1.6rem' }} />
      <span class="skeleton" style={{ width: '100%', height: '7rem' }} />
    </div>
  );
}

interface RecordingSheetProps {
  readonly id: RecordingId;
  /** As loaded by the list; undefined when opened by its address. */
  readonly listed: Recording | undefined;
  readonly ruleName: (id: RuleId) => string | undefined;
  readonly onErase: (recording: Recording) => void;
  readonly onStop: (recording: Recording) => void;
}

export function RecordingSheet({ id, listed, ruleName, onErase, onStop }: RecordingSheetProps) {
  const own = useQuery(listed === undefined ? recordingQuery(id) : undefined);
  const gone = own.failure?.code === 'not_found';
  const recording = listed ?? (gone ? undefined : own.value);
  const detail = useRecordingDetail(recording);
  return (
    <Sheet title={TEXTS.sheet} onClose={closeRecording} wide>
      {recording !== undefined ? (
        <>
          <Head recording={recording} />
          <RunningFacts recording={recording} />
          <VerdictBox recording={recording} damage={detail.value?.damage ?? []} />
          <RecordingActions
            recording={recording}
            onErase={() => onErase(recording)}
            onStop={() => onStop(recording)}
          />
          {recording.recording ? <RunningOptions id={recording.id} /> : null}
          {detail.value === undefined ? null : <Texts {...detail.value} />}
          {detail.value === undefined &&
          detail.failure !== undefined &&
          detail.failure.code !== 'not_found' ? (
            <p class="alert" role="alert">
              {TEXTS.textsFailed}
              {detail.failure.message}{' '}
              <button type="button" class="button button-small" onClick={() => void detail.renew()}>
                {TEXTS.retry}
              </button>
            </p>
          ) : null}
          <Facts
            recording={recording}
            ruleName={recording.ruleId === null ? undefined : ruleName(recording.ruleId)}
          />
          <Others recording={recording} />
        </>
      ) : own.failure !== undefined ? (
        <SheetFailed
          failure={own.failure}
          gone={GONE}
          title={TEXTS.sheetFailed}
          onRetry={() => void own.renew()}
        />
      ) : (
        <Skeleton />
      )}
    </Sheet>
  );
}
