/** The source of playback that is saved on this device; without the service it tells everything itself. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Recording } from '../../lib/wire/api.ts';
import type { CaptionsFile } from '../../lib/wire/caption.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Playback } from '../../lib/wire/playback.ts';
import type { Previews, ResumeRequest } from '../../lib/wire/recordings.ts';
import { itemsFrom } from '../data/recorded-items.ts';
import { connection } from '../device/connection.ts';
import { database, isUsed, savedChanged, savedState } from '../offline/saved-state.ts';
import type { ResumeEntry, SavedVideo } from '../offline/saved-video.ts';
import { FAILURE_TEXTS } from '../offline/texts.ts';
import { HttpFeed, segmentParts } from '../player/http-feed.ts';
import type { FeedPart, MediaFeed } from '../player/media-feed.ts';
import { ApiFailure, addressOf, type Renewed } from '../query/api.ts';
import { recordingStreamUrl, rememberPlace } from '../query/recordings.ts';
import { TEXTS } from './texts.ts';
import type { WatchSource } from './watch-source.ts';

type Library = typeof import('../offline/saved-file.ts');
let library: Promise<Library> | undefined;

/** `saved.mjs`, with the first saved recording that is played. */
function load(): Promise<Library> {
  library ??= (import(addressOf('saved.mjs').href) as Promise<Library>).catch((error: unknown) => {
    library = undefined;
    throw error;
  });
  return library;
}

interface SavedFeedOptions {
  readonly blob: Blob;
  /** s */
  readonly from: number;
  /** Index of the audio track in the file. */
  readonly audio: number;
  /** The browser has deleted the file, or it is damaged. */
  readonly onLost: () => void;
}

/** A feed of a file that is saved on this device, from any second on. */
class SavedFeed implements MediaFeed {
  constructor(private readonly options: SavedFeedOptions) {}

  /** @throws ApiFailure `interrupted`: the file cannot be read */
  async *read(signal: AbortSignal): AsyncGenerator<FeedPart> {
    const { blob, from, audio, onLost } = this.options;
    const { openSavedFile } = await load();
    const stream = await openSavedFile(blob, from, audio).catch((error: unknown) => {
      throw this.#lost(error, onLost);
    });
    try {
      yield { kind: 'answer', notices: [], offset: 0, recorded: undefined };
      yield* segmentParts(this.#chunks(stream, signal), stream.mime);
    } finally {
      stream.close();
    }
  }

  async *#chunks(
    stream: Awaited<ReturnType<Library['openSavedFile']>>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for (;;) {
      signal.throwIfAborted();
      const chunks = await stream.next().catch((error: unknown) => {
        throw this.#lost(error, this.options.onLost);
      });
      if (chunks === undefined) return;
      yield* chunks;
    }
  }

  #lost(error: unknown, onLost: () => void): ApiFailure {
    onLost();
    return new ApiFailure('interrupted', `${FAILURE_TEXTS.lost}（${String(error)}）`);
  }
}

/** Times of two files of one recording are the same where they are as long, s. */
const SAME_LENGTH_S = 2;
/** At the end that counts as watched, s. */
const EDGE_S = 30;

/** Whether what is saved is the file that the service plays, so that all its times hold. */
export function isSameFile(video: SavedVideo, { files }: Recording, playback: Playback): boolean {
  return (
    playback.axis === 'encoded' &&
    Math.abs(video.length - playback.duration) < SAME_LENGTH_S &&
    files.some(({ source }) => source === video.source)
  );
}

/** As it was saved, with the place to which it was watched since. */
function savedRecording({ recording, length }: SavedVideo, place: ResumeEntry | undefined): Recording {
  if (place === undefined) return recording;
  return { ...recording, resumeMs: place.at > length - EDGE_S ? null : place.at * 1000 };
}

function captionsOf({ captionText }: SavedVideo): Renewed<CaptionsFile> {
  if (captionText === null) throw new ApiFailure('not_found', TEXTS.noCaptions);
  try {
    return { content: JSON.parse(captionText) as CaptionsFile, etag: null };
  } catch (error) {
    throw new ApiFailure('not_found', TEXTS.noCaptions, 0, String(error));
  }
}

/** To the service where it can be reached, else to the outbox. */
async function keepPlace({ id }: SavedVideo, place: ResumeRequest): Promise<void> {
  if (connection.peek() === 'open') {
    try {
      await rememberPlace(id, place);
      return;
    } catch {
      // It has just gone.
    }
  }
  await database.putResume(id, place);
  await savedChanged();
}

export function savedSource(video: SavedVideo, blob: Blob, recording: Recording): WatchSource {
  const { id, source, playback, databroadcast } = video;
  let isLost = false;
  const onLost = (): void => {
    isLost = true;
    const lost = { video: null, state: 'failed', failure: 'lost' } as const;
    void database.changeVideo(id, (held) => ({ ...held, ...lost })).then(savedChanged);
  };
  const codec = recording.files.find((file) => file.source === source)?.codec;
  return {
    recordingId: id,
    kind: 'watch',
    isSaved: true,
    growing: false,
    duration: playback.duration,
    file: source,
    audios: playback.audios,
    codecs: [codec === 'h264' ? 'h264' : 'av1'],
    gaps: playback.gaps,
    hasVideo: playback.hasVideo,
    feed: (request) => {
      // The player asks again: the service has it, too.
      if (isLost) return new HttpFeed(recordingStreamUrl(id, request));
      const index = playback.audios.findIndex((audio) => audio.id === request.audio);
      const main = playback.audios.findIndex((audio) => audio.main === true);
      return new SavedFeed({
        blob,
        from: request.from,
        audio: Math.max(0, index < 0 ? main : index),
        onLost,
      });
    },
    captions: async () => captionsOf(video),
    data: databroadcast instanceof Blob ? (from) => itemsFrom(databroadcast, from) : undefined,
    broadcastAt: playback.broadcastAt,
    remember: (place) => keepPlace(video, place),
  };
}

// What is saved on this device of the recording that is watched, in place of what the service does not tell.

/** So long the service may take to describe a recording that is here, ms. */
const PATIENCE_MS = 3_000;

/** Addresses of blobs, for as long as the component shows them. */
function useUrls(blobs: readonly Blob[]): readonly string[] {
  const urls = useMemo(() => blobs.map((blob) => URL.createObjectURL(blob)), [blobs]);
  useEffect(() => () => urls.forEach((url) => void URL.revokeObjectURL(url)), [urls]);
  return urls;
}

export interface Saved {
  readonly video: SavedVideo & { readonly video: Blob };
  readonly recording: Recording;
  readonly previews: Previews | undefined;
  /** Of its series, what is saved. */
  readonly series: readonly Recording[];
}

const NONE: readonly Blob[] = [];

const isReady = (video: SavedVideo | undefined): video is Saved['video'] =>
  video?.state === 'ready' && video.video !== null;

/** `undefined`: nothing of it is saved; `reading`: that is not known yet. */
export function useSaved(id: RecordingId): Saved | undefined | 'reading' {
  const state = savedState.value;
  const found = state?.videos.find((one) => one.id === id);
  // Another row with every change of the store: the blobs of the first one stay valid.
  const key = isReady(found) ? `${id} ${found.attempt}` : '';
  const video = useMemo(() => (isReady(found) ? found : undefined), [key]);
  const pictures = useMemo(
    () => (video === undefined ? NONE : [...video.sheets, ...(video.poster === null ? [] : [video.poster])]),
    [video],
  );
  const urls = useUrls(pictures);
  const place = state?.resumes.find((one) => one.id === id)?.entry;
  return useMemo(() => {
    if (isUsed.peek() && state === undefined) return 'reading';
    if (video === undefined) return undefined;
    const poster = video.poster === null ? undefined : urls.at(-1);
    const recording = savedRecording(video, place);
    const sheets = urls.slice(0, video.sheets.length);
    const key = recording.series?.key;
    const ofSeries = (state?.videos ?? []).filter(
      (one) => isReady(one) && key !== undefined && one.recording.series?.key === key,
    );
    return {
      video,
      recording: poster === undefined ? recording : { ...recording, poster },
      previews: video.previews === null ? undefined : { ...video.previews, sheets },
      series: ofSeries.map((one) => one.recording).sort((a, b) => a.startAt - b.startAt),
    };
  }, [video, urls, place?.at, state === undefined, state?.videos]);
}

/** True once the service took too long. @param isAsked false: nothing is waited for */
export function usePatience(id: RecordingId, isAsked: boolean): boolean {
  const [lateId, setLateId] = useState<RecordingId | undefined>(undefined);
  useEffect(() => {
    if (!isAsked) return undefined;
    const timer = setTimeout(() => setLateId(id), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [id, isAsked]);
  return lateId === id;
}
