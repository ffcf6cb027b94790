/** State of a recording's screen, and the objects that live as long as its video element. */
import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Playback } from '../../lib/wire/playback.ts';
import { LateData } from '../data/late-data.ts';
import { hasData } from '../data/recorded-messages.ts';
import { currentMs } from '../device/clock.ts';
import { commercialSkipping } from '../device/preferences.ts';
import { navigate, query, setQuery, watchPath } from '../navigation/router.ts';
import { keepAwake } from '../player/media-session.ts';
import { ControlsVisibility } from '../player/stage-actions.ts';
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
import { lengthClock } from '../words/recording.ts';
import type { Chapter } from './bar-marks.ts';
import { CaptionTrack } from './caption-track.ts';
import { ownCodec } from './own-file.ts';
import { isSameFile, type Saved, savedSource, usePatience, useSaved } from './saved-source.ts';
import { CommercialSkip, isSkipping } from './skip-rules.ts';
import { TEXTS } from './texts.ts';
import { WatchPlayer } from './watch-player.ts';
import { chaseSource, finishedSource, nextEpisode, ResumeReport, type WatchSource } from './watch-source.ts';

export interface Watching {
  readonly player: WatchPlayer;
  readonly visibility: ControlsVisibility;
  readonly report: ResumeReport;
  readonly commercials: CommercialSkip;
  readonly captions: Signal<CaptionTrack | undefined>;
  readonly live: LateData;
}

/** @param stationId of the recording */
export function useWatching(
  video: { readonly current: HTMLVideoElement | null },
  stationId: () => StationId | undefined,
) {
  const watching = useSignal<Watching | undefined>(undefined);
  useEffect(() => {
    if (video.current === null) return undefined;
    const player = new WatchPlayer(video.current);
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
    const captions = signal<CaptionTrack | undefined>(undefined);
    const live = new LateData(async () => {
      const { createWatchData } = await import('./watch-data.ts');
      return createWatchData({ player, stationId, captions });
    });
    watching.value = { player, visibility, report, commercials, captions, live };
    const letSleep = keepAwake();
    return () => {
      letSleep();
      live.close();
      captions.peek()?.close();
      report.close();
      visibility.close();
      commercials.close();
      player.close();
    };
  }, []);
  return watching;
}

const NO_CHAPTERS: readonly Chapter[] = [];

/** Everything that the service tells of a recording for its screen; without it, what is saved on this device. */
export function useRecording(id: RecordingId, chase: boolean) {
  const held = useSaved(id);
  const saved = held === 'reading' ? undefined : held;
  const own = useQuery(recordingQuery(id));
  const gone = own.failure?.code === 'not_found';
  const remote = gone || own.value?.id !== id ? undefined : own.value;
  const isLate = usePatience(id, saved !== undefined && remote === undefined);
  const isAlone = saved !== undefined && remote === undefined && (isLate || own.failure !== undefined);
  const recording = isAlone ? saved.recording : remote;
  const finished = !chase && remote !== undefined && !remote.recording;
  const playback = useQuery(finished ? playbackQuery(id) : undefined);
  const status = useQuery(chase ? recordingStatusQuery(id) : undefined);
  const chapters = useQuery(finished ? chaptersQuery(id) : undefined);
  const previews = useQuery(remote === undefined || remote.recording ? undefined : previewsQuery(id));
  const series = useQuery(remote?.series == null ? undefined : seriesQuery(remote.series.key));
  // The service may go between the two answers.
  const isCut = saved !== undefined && playback.value === undefined && playback.failure !== undefined;
  const described = isAlone || isCut ? saved.video.playback : playback.value;
  const failure: ApiFailure | undefined =
    recording === undefined ? own.failure : described === undefined ? playback.failure : undefined;
  const episodes = series.value ?? saved?.series ?? [];
  return {
    recording,
    playback: held === 'reading' ? undefined : described,
    saved,
    status: status.value,
    chapters: chapters.value?.chapters ?? saved?.video.chapters ?? NO_CHAPTERS,
    previews: previews.value ?? saved?.previews,
    series: episodes,
    next: recording === undefined ? undefined : nextEpisode(episodes, recording),
    failure,
    /** Reads again what could not be read, and gives the recording as it is now. */
    renew: async (): Promise<void> => {
      await own.renew();
      if (recording !== undefined) await playback.renew();
    },
  };
}

export type Known = ReturnType<typeof useRecording>;

/** A recording in progress may have none yet. */
const DATA_AGAIN_MS = 15_000;

/**
 * The d button of a recording: undefined where it has no data broadcast. Of one in progress the service tells it when it is
 * asked; until it answers there is a button.
 */
export function useDataButton(
  watching: Watching | undefined,
  { recording }: Known,
): (() => void) | undefined {
  const isMissing = useSignal(false);
  const { kind } = watching?.player.state.value ?? { kind: 'idle' };
  const source = watching?.player.source;
  const growing = source?.growing === true ? source.recordingId : undefined;
  useEffect(() => {
    isMissing.value = false;
    if (growing === undefined) return undefined;
    const aborted = new AbortController();
    const ask = async (): Promise<void> => {
      const has = await hasData(growing, aborted.signal);
      if (aborted.signal.aborted) return;
      isMissing.value = has === false;
      if (has !== true) timer = setTimeout(() => void ask(), DATA_AGAIN_MS);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    void ask();
    return () => {
      aborted.abort();
      clearTimeout(timer);
    };
  }, [growing]);
  const isThere = recording !== undefined && kind !== 'idle' && source?.data !== undefined;
  return isThere && !isMissing.value ? () => watching?.live.pressData() : undefined;
}

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
  const resumeMs = entry.answer.peek().value?.resumeMs ?? null;
  // Its begin and its end are not remembered.
  return resumeMs === null ? Math.min(place, duration) : resumeMs / 1000;
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
    const where = { id: recording.id, duration: playback.duration };
    const found = Promise.all([ownCodec(playback), placeIn(watching, source, where)]);
    void found.then(([own, place]) => {
      moving.current = false;
      const next = finishedSource(recording, playback, own);
      if (watching.player.source !== source) return;
      watching.report.follow(next, place);
      watching.player.watch(next, place);
      showToast(TEXTS.toEncoded);
    });
  }, [watching, recording, playback, paused]);
}

/** What is saved, where it is the file that the service plays, else the service's. */
async function finishedOrSaved(
  recording: Recording,
  playback: Playback,
  saved: Saved | undefined,
): Promise<WatchSource> {
  if (saved === undefined || !isSameFile(saved.video, recording, playback))
    return finishedSource(recording, playback, await ownCodec(playback));
  return savedSource(saved.video, saved.video.video, recording);
}

/** Opens the recording once it is known, and follows its changes. */
export function useOpening(watching: Watching | undefined, id: RecordingId, chase: boolean, known: Known) {
  const opened = useRef('');
  const captions = watching?.captions;
  const { recording, playback, status } = known;
  const key = `${chase ? 'chase' : 'watch'}/${id}`;
  useEffect(() => {
    // Another address in the same place: the next episode, or what was chased.
    if (opened.current === '' || opened.current === key) return;
    opened.current = '';
    watching?.live.forget();
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
    const start = (source: WatchSource): void => {
      if (opened.current !== key) return;
      watching.captions.peek()?.close();
      watching.captions.value = new CaptionTrack(source);
      begin(watching, source, recording);
    };
    if (chase || playback === undefined) start(chaseSource(recording, currentMs()));
    else void finishedOrSaved(recording, playback, known.saved).then(start);
  }, [watching, recording, playback, key]);
  useEffect(
    () => () => {
      opened.current = '';
    },
    [],
  );
  useEncodedFile(watching, known);
  const over = status !== undefined && status.state !== 'recording';
  const durationMs = status?.durationMs ?? undefined;
  useEffect(() => {
    if (!over || opened.current !== key) return;
    watching?.player.recordingEnded(durationMs === undefined ? undefined : durationMs / 1000);
    captions?.peek()?.settle();
  }, [over, durationMs, watching, key]);
  return { captions: captions?.value, over, encoded: status?.encoded === true };
}
