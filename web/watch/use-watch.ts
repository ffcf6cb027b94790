/** State of a recording's screen, and the objects that live as long as its video element. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Recording } from '../../wire/api.ts';
import type { RecordingId } from '../../wire/ids.ts';
import { currentMs } from '../device/clock.ts';
import { commercialSkipping } from '../device/preferences.ts';
import { navigate, query, setQuery, watchPath } from '../navigation/router.ts';
import { ControlsVisibility } from '../player/controls-visibility.ts';
import { keepAwake } from '../player/wake-lock.ts';
import type { ApiFailure } from '../query/api.ts';
import {
  chaptersQuery,
  playbackQuery,
  previewsQuery,
  recordingQuery,
  recordingStatusQuery,
  seriesQuery,
} from '../query/queries.ts';
import { entryOf, useQuery } from '../query/use-query.ts';
import { showToast } from '../ui/toast.tsx';
import { noticeText } from '../words/advice.ts';
import { lengthClock } from '../words/recording.ts';
import type { Chapter } from './bar-marks.ts';
import { CaptionTrack } from './caption-track.ts';
import { CommercialSkip } from './commercial-skip.ts';
import { nextEpisode } from './next-episode.ts';
import { ResumeReport } from './resume-report.ts';
import { isSkipping } from './skip-rules.ts';
import { TEXTS } from './texts.ts';
import { WatchPlayer } from './watch-player.ts';
import { chaseSource, finishedSource, type WatchSource } from './watch-source.ts';

export interface Watching {
  readonly player: WatchPlayer;
  readonly visibility: ControlsVisibility;
  readonly report: ResumeReport;
  readonly commercials: CommercialSkip;
}

function notify(word: string): void {
  const text = noticeText(word);
  if (text !== undefined) showToast(text);
}

export function useWatching(video: { readonly current: HTMLVideoElement | null }) {
  const watching = useSignal<Watching | undefined>(undefined);
  useEffect(() => {
    if (video.current === null) return undefined;
    const player = new WatchPlayer(video.current, notify);
    const visibility = new ControlsVisibility(
      () =>
        player.paused.value ||
        player.state.value.kind === 'ended' ||
        document.querySelector('dialog[open]') !== null,
    );
    const report = new ResumeReport(() => ({
      position: player.position.peek(),
      length: player.length.peek(),
      watched: player.state.peek().kind === 'playing',
    }));
    const commercials = new CommercialSkip(player);
    watching.value = { player, visibility, report, commercials };
    const letSleep = keepAwake();
    return () => {
      letSleep();
      report.close();
      visibility.close();
      commercials.close();
      player.close();
    };
  }, []);
  return watching;
}

const NO_CHAPTERS: readonly Chapter[] = [];

/** Everything that the service tells of a recording for its screen. */
export function useRecording(id: RecordingId, chase: boolean) {
  const own = useQuery(recordingQuery(id));
  const gone = own.failure?.code === 'not_found';
  const recording = gone || own.value?.id !== id ? undefined : own.value;
  const finished = !chase && recording !== undefined && !recording.recording;
  const playback = useQuery(finished ? playbackQuery(id) : undefined);
  const status = useQuery(chase ? recordingStatusQuery(id) : undefined);
  const chapters = useQuery(finished ? chaptersQuery(id) : undefined);
  const previews = useQuery(recording === undefined || recording.recording ? undefined : previewsQuery(id));
  const series = useQuery(recording?.series == null ? undefined : seriesQuery(recording.series.key));
  const failure: ApiFailure | undefined =
    recording === undefined ? own.failure : playback.value === undefined ? playback.failure : undefined;
  return {
    recording,
    playback: playback.value,
    status: status.value,
    chapters: chapters.value?.chapters ?? NO_CHAPTERS,
    previews: previews.value,
    series: series.value ?? [],
    next: recording === undefined ? undefined : nextEpisode(series.value ?? [], recording),
    failure,
    /** Reads again what could not be read, and gives the recording as it is now. */
    renew: async (): Promise<void> => {
      await own.renew();
      if (recording !== undefined) await playback.renew();
    },
  };
}

export type Known = ReturnType<typeof useRecording>;

/** Skips commercials as this device wants it, by the chapters as they are now. */
export function useCommercials(watching: Watching | undefined, { recording, chapters }: Known): void {
  const isOn = recording !== undefined && isSkipping(commercialSkipping.value, recording.cmReliable);
  const id = recording?.id;
  useEffect(() => {
    if (id !== undefined) watching?.commercials.know(id, chapters, isOn);
  }, [watching, id, chapters, isOn]);
}

/** Where the address wants to begin, s; undefined: it does not say. */
function askedPlace(): number | undefined {
  const text = query.peek().get('t') ?? '';
  return /^\d{1,6}(?:\.\d{1,3})?$/u.test(text) ? Number(text) : undefined;
}

/** Starts at the resume position, and says so. */
function begin({ player, report, visibility }: Watching, source: WatchSource, recording: Recording): void {
  const asked = askedPlace();
  const resumed = (recording.resumeMs ?? 0) / 1000;
  const from = asked ?? resumed;
  report.follow(source, from);
  player.watch(source, from);
  visibility.showInfo();
  // Opened again, the same address continues where it was left then.
  if (asked !== undefined) setQuery({ t: null }, true);
  else if (resumed > 0) {
    const action = { label: TEXTS.fromStart, run: () => player.seek(0) };
    showToast(TEXTS.resumed(lengthClock(resumed * 1000)), action, 'resume');
  }
}

/** Times of two files of one recording are the same where they are as long, s. */
const SAME_LENGTH_S = 2;

/** Position in another file of the recording: its own time where nothing is cut, otherwise converted by the service. */
async function placeIn(
  { player, report }: Watching,
  source: WatchSource,
  { id, duration }: { id: RecordingId; duration: number },
): Promise<number> {
  const place = player.position.peek();
  if (Math.abs(duration - source.duration) < SAME_LENGTH_S) return place;
  await report.tell();
  const entry = entryOf(recordingQuery(id));
  await entry.renew();
  const told = entry.answer.peek().value?.resumeMs ?? null;
  // Its begin and its end are not remembered.
  return told === null ? Math.min(place, duration) : told / 1000;
}

/** Goes over from the original to the encoded file when that is there: the original may go. Not during a pause. */
function useEncodedFile(watching: Watching | undefined, { recording, playback }: Known): void {
  const moving = useRef(false);
  const paused = watching?.player.paused.value ?? true;
  useEffect(() => {
    const source = watching?.player.source;
    if (watching === undefined || recording === undefined || playback?.axis !== 'encoded') return;
    const isOriginal =
      source?.kind === 'watch' && source.file === 'ts' && source.recordingId === recording.id;
    if (paused || !isOriginal || moving.current) return;
    moving.current = true;
    const next = finishedSource(recording, playback);
    const where = { id: recording.id, duration: playback.duration };
    void placeIn(watching, source, where).then((place) => {
      moving.current = false;
      if (watching.player.source !== source) return;
      watching.report.follow(next, place);
      watching.player.watch(next, place);
      showToast(TEXTS.toEncoded);
    });
  }, [watching, recording, playback, paused]);
}

/** Opens the recording once it is known, and follows its changes. */
export function useOpening(watching: Watching | undefined, id: RecordingId, chase: boolean, known: Known) {
  const opened = useRef('');
  const captions = useSignal<CaptionTrack | undefined>(undefined);
  const { recording, playback, status } = known;
  const key = `${chase ? 'chase' : 'watch'}/${id}`;
  useEffect(() => {
    // Another address in the same place: the next episode, or what was chased.
    if (opened.current === '' || opened.current === key) return;
    opened.current = '';
    watching?.report.follow(undefined, 0);
    watching?.player.rest();
  }, [key]);
  useEffect(() => {
    if (recording === undefined || watching === undefined || opened.current === key) return;
    // Which of the two it is may have changed since the address was written down.
    if (recording.recording !== chase) {
      navigate(watchPath(recording) + location.search, true);
      return;
    }
    if (!chase && playback === undefined) return;
    opened.current = key;
    const source =
      chase || playback === undefined
        ? chaseSource(recording, currentMs())
        : finishedSource(recording, playback);
    captions.peek()?.close();
    captions.value = new CaptionTrack(id, source.growing);
    begin(watching, source, recording);
  }, [watching, recording, playback, key]);
  useEffect(() => () => captions.peek()?.close(), []);
  useEncodedFile(watching, known);
  const over = status !== undefined && status.state !== 'recording';
  const durationMs = status?.durationMs ?? undefined;
  useEffect(() => {
    if (!over || opened.current !== key) return;
    watching?.player.recordingEnded(durationMs === undefined ? undefined : durationMs / 1000);
    captions.peek()?.settle();
  }, [over, durationMs, watching, key]);
  return { captions: captions.value, over, encoded: status?.encoded === true };
}
