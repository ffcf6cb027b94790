/**
 * Streams of recordings from any position on: converted, or the original packets; also during the recording. One never
 * has another codec than was asked for, because `playback` said before what is offered.
 */
import { type Media90k, media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { sleepUnlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { LiveCodec } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { chooseAudio } from '../media/audio-choice.ts';
import { entryBehind, findEntry, isScrambledAt, type RecordingEntry } from '../media/entry-search.ts';
import { httpBody } from '../media/http-body.ts';
import { chooseRecipe, type EncodedRecipe, type Recipe } from '../media/recipe.ts';
import type { FollowedRecording } from '../media/recording-feed.ts';
import { packetOrigin } from '../media/recording-packets.ts';
import { RecordingSource } from '../media/recording-source.ts';
import { RECORDING_FAILURES } from '../media/session-failures.ts';
import { SharedSource } from '../media/shared-source.ts';
import type { SideRow } from '../media/side-row.ts';
import { type Viewing, viewingOf } from '../media/viewing.ts';
import { audioOptions } from '../model/audio.ts';
import { Failure } from '../model/failure.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { ConversionSlots } from './conversion-slots.ts';
import type { OpenRecording, OpenRecordings } from './open-recordings.ts';

export interface RecordingStreamRequest {
  readonly recording: ListedRecording;
  /** `raw`: the original packets. */
  readonly codec: LiveCodec;
  /** s on the playback scale. */
  readonly from: number;
  /** Id of an Audio option. */
  readonly audio: string | undefined;
  /** Side data that are included beside video and audio. */
  readonly rows?: readonly SideRow[];
  /** H.264 may replace AV1. Default: false. */
  readonly mayFallBack?: boolean;
  /**
   * Chase playback: waits for data not written yet, is read at most at twice real time, and its fragments begin near
   * 0.
   */
  readonly isChase: boolean;
}

interface RecordingViewing extends Viewing {
  /** s on the playback scale of its first picture. */
  readonly start: number;
  /** s to add to the times of fragments. */
  readonly offset: number;
  /** s recorded so far. */
  readonly recorded: number;
  /** PTS of second 0. */
  readonly origin: number;
  /** It begins with a data broadcast. */
  readonly hasData: boolean;
}

interface RecordingStream extends Omit<RecordingViewing, 'viewer'> {
  /** Errors if the stream breaks, ends with the recording; cancelling it leaves the session. */
  readonly body: ReadableStream<Uint8Array>;
}

interface RecordingStreamsOptions {
  readonly open: Pick<OpenRecordings, 'open'>;
  readonly encoders: Encoders;
  readonly slots: ConversionSlots;
  /** Its current row. */
  readonly find: (id: RecordingId) => ListedRecording | undefined;
  /** Whether its first packet was received within the last minute, or is still awaited. */
  readonly hasJustBegun: (id: RecordingId) => boolean;
  readonly clock: MonotonicClock;
  readonly log: Log;
}

/** A conversion begins this long before the requested second, and before the end, so that its picture is available. */
const LEAD_IN = TICKS_PER_SECOND;
/** Minimum distance to the writing position. */
const CHASE_EDGE = 5 * TICKS_PER_SECOND;
/** A chase request up to this long after a change of layout begins at the change. */
const CHASE_BEHIND_CHANGE = 15 * TICKS_PER_SECOND;
/** How long pictures after a change are awaited while it is being recorded. */
const CHANGE_WAIT_MS = 5_000;
const POLL_MS = 200;
/** How long the first pictures of a recording that has just begun are awaited: they come within a second. */
const BEGIN_WAIT_MS = 4_000;
/** A client that reads nothing for this long would keep its slot from others. */
const ABANDONED_MS = 300_000;

export class RecordingStreams {
  readonly #running = new Set<SharedSource<RecordingSource>>();
  readonly #closing = new Set<Promise<void>>();
  readonly #changes = new LayoutChanges();
  #isClosed = false;

  constructor(readonly options: RecordingStreamsOptions) {}

  /**
   * Resolves when its first bytes are available.
   * @throws Failure not_found, busy, ffmpeg_unavailable, internal; the abort's reason
   */
  async start(request: RecordingStreamRequest, signal: AbortSignal): Promise<RecordingStream> {
    const { viewer, ...stream } = await this.join(request, signal);
    return { ...stream, body: httpBody(viewer, { keepsTimes: true, abandonedAfterMs: ABANDONED_MS }) };
  }

  /** As `start`, for other encodings of the frames than an HTTP body. */
  join(request: RecordingStreamRequest, signal: AbortSignal): Promise<RecordingViewing> {
    return this.#awaited(request, signal, (current) => this.#join(current, signal));
  }

  /** Whether it would start, apart from a free slot. @throws as `start` */
  check(request: RecordingStreamRequest, signal: AbortSignal): Promise<void> {
    return this.#awaited(request, signal, async (current) => {
      const opened = await this.#opened(current);
      try {
        await this.#recipe(current);
        await this.#entry(current, opened, signal);
      } finally {
        opened.close();
      }
    });
  }

  /**
   * Chase playback of a recording that has just begun waits for its first pictures: the viewers from whom it took the
   * tuner are notified before.
   */
  async #awaited<T>(
    request: RecordingStreamRequest,
    signal: AbortSignal,
    attempt: (current: RecordingStreamRequest) => Promise<T>,
  ): Promise<T> {
    const { clock, find, hasJustBegun, log } = this.options;
    const { id } = request.recording;
    const waitMs = request.isChase && hasJustBegun(id) ? BEGIN_WAIT_MS : 0;
    const until = clock() + waitMs;
    let current = request;
    for (;;) {
      try {
        return await attempt(current);
      } catch (error) {
        if (!(error instanceof NothingYet) || !this.#isRecording(id) || clock() >= until) {
          if (error instanceof Failure) {
            const { code, message, options } = error;
            const reason = options.cause === undefined ? message : String(options.cause);
            log.warn('stream refused', { recording: id, code, reason });
          }
          throw error;
        }
      }
      await sleepUnlessAborted(POLL_MS, signal);
      signal.throwIfAborted();
      current = { ...request, recording: find(id) ?? request.recording };
    }
  }

  async #join(request: RecordingStreamRequest, signal: AbortSignal): Promise<RecordingViewing> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Failure('busy', 'サーバーを終了しています。');
    const opened = await this.#opened(request);
    let release = (): void => {};
    try {
      const recipe = await this.#recipe(request);
      const entry = await this.#entry(request, opened, signal);
      signal.throwIfAborted();
      if (request.codec !== 'raw') release = this.options.slots.take();
      const done = (): void => {
        release();
        opened.close();
      };
      return await this.#open(request, { opened, entry, recipe, done }, signal);
    } catch (error) {
      release();
      opened.close();
      throw error;
    }
  }

  /** @throws NothingYet; Failure not_found without an original stream, busy */
  async #opened({ recording }: RecordingStreamRequest): Promise<OpenRecording> {
    if (!recording.files.some(({ source }) => source === 'ts'))
      throw recording.state === 'recording'
        ? new NothingYet('まだ何も録画されていません。')
        : new Failure('not_found', 'この録画の放送ストリームはありません。');
    try {
      return await this.options.open.open(recording);
    } catch (error) {
      throw error instanceof Failure && error.code === 'not_found' ? new NothingYet(error.message) : error;
    }
  }

  #isRecording(id: RecordingId): boolean {
    return this.options.find(id)?.state === 'recording';
  }

  /** Ends every stream; resolves when no process is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const shared of [...this.#running]) shared.stop();
    await Promise.all(this.#closing);
  }

  #recipe({ recording, codec, audio, mayFallBack = false }: RecordingStreamRequest): Promise<Recipe> {
    const options = audioOptions(recording.audios);
    const choose: EncodedRecipe['audio'] = (layout) => chooseAudio(options, audio, layout.audios.length);
    return chooseRecipe(codec, choose, this.options.encoders, { mayFallBack });
  }

  /** @throws Failure not_found if nothing can be played */
  async #entry(
    request: RecordingStreamRequest,
    opened: OpenRecording,
    signal: AbortSignal,
  ): Promise<RecordingEntry> {
    const behind = await this.#entryBehindChange(request, opened, signal);
    if (behind !== undefined) return behind;
    const { bytes, index } = opened;
    const target = this.#target(request, opened);
    const entry = await findEntry(bytes, index, target);
    if (entry !== undefined) return entry;
    const failure = unreadable(await isScrambledAt(bytes, index, target));
    throw index.duration < CHASE_EDGE ? new NothingYet(failure.message) : failure;
  }

  /** The previous stream ended because the layout changes: begun earlier, this one would end there again. */
  async #entryBehindChange(
    { recording, from, isChase }: RecordingStreamRequest,
    opened: OpenRecording,
    signal: AbortSignal,
  ): Promise<RecordingEntry | undefined> {
    const { clock } = this.options;
    const wanted = from * TICKS_PER_SECOND;
    const change = this.#changes.near(recording.id, wanted, isChase ? CHASE_BEHIND_CHANGE : LEAD_IN);
    if (change === undefined) return undefined;
    const limit = clock() + CHANGE_WAIT_MS;
    for (;;) {
      const entry = await entryBehind(opened.bytes, opened.index, change);
      if (entry !== undefined || !this.#isRecording(recording.id) || clock() > limit) return entry;
      await sleepUnlessAborted(POLL_MS, signal);
      signal.throwIfAborted();
      await opened.renew();
    }
  }

  /** Where the first picture is searched. */
  #target({ recording, from, isChase }: RecordingStreamRequest, { index }: OpenRecording): Media90k {
    const wanted = Math.min(from * TICKS_PER_SECOND, index.duration);
    if (!isChase) return media90k(Math.max(0, wanted - LEAD_IN));
    // The last frames alone are too few for an encoder.
    const edge = this.#isRecording(recording.id) ? CHASE_EDGE : LEAD_IN;
    return media90k(Math.max(0, Math.min(wanted, index.duration - edge)));
  }

  async #open(
    request: RecordingStreamRequest,
    {
      opened,
      entry,
      recipe,
      done,
    }: { opened: OpenRecording; entry: RecordingEntry; recipe: Recipe; done: () => void },
    signal: AbortSignal,
  ): Promise<RecordingViewing> {
    const { isChase, rows = [] } = request;
    const { clock } = this.options;
    const { bytes, index } = opened;
    const zero = media90k(isChase ? entry.media : 0);
    const follow = isChase ? this.#follow(request.recording, opened) : undefined;
    const source = new RecordingSource({
      ...{ bytes, index, entry, follow, zero, clock, rows, onClosed: done },
      onLayoutChange: (change) => this.#changes.note(request.recording.id, change),
    });
    const joined = await this.#shared(source).join(recipe, signal);
    const { codec, audio } = request;
    const audios = audioOptions(request.recording.audios);
    return {
      ...viewingOf(joined, { codec, recipe, audios, audio }),
      start: entry.media / TICKS_PER_SECOND,
      offset: zero / TICKS_PER_SECOND,
      recorded: index.duration / TICKS_PER_SECOND,
      origin: packetOrigin(entry.piece),
      hasData: index.layout.data,
    };
  }

  #follow({ id }: ListedRecording, { renew, breakCount }: OpenRecording): FollowedRecording {
    const { clock } = this.options;
    return { isGrowing: () => this.#isRecording(id), breakCount, renew, clock };
  }

  /** For one viewer, because viewers watch different positions. */
  #shared(source: RecordingSource): SharedSource<RecordingSource> {
    const { encoders, log } = this.options;
    const shared = new SharedSource<RecordingSource>({
      open: async () => source,
      ...{ failures: RECORDING_FAILURES, encoders, log },
      onLost: () => {},
      onOver: () => {
        this.#running.delete(shared);
        const closing = shared.released.finally(() => this.#closing.delete(closing));
        this.#closing.add(closing);
      },
    });
    this.#running.add(shared);
    return shared;
  }
}

/** Nothing of the recording can be played; if it has just begun, there soon will be. */
class NothingYet extends Failure {
  constructor(message: string) {
    super('not_found', message);
  }
}

function unreadable(isScrambled: boolean): Failure {
  const message = isScrambled
    ? 'この位置の映像はスクランブルが解除されていないため、再生できません。'
    : 'この位置には再生できる映像がありません。';
  return new Failure('not_found', message);
}

interface LayoutChange {
  /** Media time of the last picture (or audio frame) before it. */
  readonly media: Media90k;
  /** Octets of the recording, at most one block before it. */
  readonly at: number;
}

/** A client requests the end of its data, which may be some pictures before the change. */
const BEFORE = TICKS_PER_SECOND;
const MAX_RECORDINGS = 64;
/** Limit per recording; a broadcast has a few at a change of programme. */
const MAX_CHANGES = 64;

/** Positions where streams ended because the codec or layout changes there: the next request continues after the change. */
export class LayoutChanges {
  readonly #known = new Map<number, LayoutChange[]>();

  note(recording: number, change: LayoutChange): void {
    const known = this.#known.get(recording) ?? [];
    this.#known.delete(recording);
    this.#known.set(recording, known);
    if (known.every(({ media }) => media !== change.media)) known.push(change);
    if (known.length > MAX_CHANGES) known.shift();
    const oldest = this.#known.keys().next();
    if (this.#known.size > MAX_RECORDINGS && oldest.done !== true) this.#known.delete(oldest.value);
  }

  /** The last change that is just after a time, or at most `behind` ticks before it. */
  near(recording: number, media: number, behind: number): LayoutChange | undefined {
    const near = (this.#known.get(recording) ?? []).filter(
      (change) => media >= change.media - BEFORE && media <= change.media + behind,
    );
    return near.sort((a, b) => a.media - b.media).at(-1);
  }
}
