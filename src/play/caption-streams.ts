/**
 * Caption frame streams of recordings, beside their original stream: pages before the requested time at once, then at
 * most at twice the broadcast speed. Follows a running recording to its end.
 */
import { media90k, PTS_MODULUS, type Pts90k, pts90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { ptsDifference } from '../../lib/arib/ts/clock.ts';
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import { sideBody } from '../media/side-body.ts';
import { readRecorded } from '../media/side-row.ts';
import { captionRow } from '../media/side-rows.ts';
import { stampsIn } from '../media/stream-stamps.ts';
import { ViewerQueue } from '../media/viewer-queue.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { OpenRecording, OpenRecordings } from './open-recordings.ts';

interface CaptionStreamsOptions {
  readonly open: Pick<OpenRecordings, 'open'>;
  readonly list: Pick<RecordingListStore, 'find'>;
  readonly log: Log;
  readonly elapsed: MonotonicClock;
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
}

interface CaptionStreamRequest {
  /** s on the playback scale. */
  readonly from: number;
  /** 1 to 8. */
  readonly language: number;
}

interface OpenCaptionStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Time stamp of time 0 of the playback scale, in the stretch where it begins. */
  readonly origin: Pts90k;
}

/** Beyond this the oldest stream of a recording is closed. */
const MAX_STREAMS = 3;
/** A page that is shown at the requested time was sent before it. */
const LEAD = 10 * TICKS_PER_SECOND;
const SPEED = 2;
/** Read ahead, so that a page arrives before its time. */
const AHEAD = 2 * TICKS_PER_SECOND;
/** Rate limit where the stream has no clock: at least a second of a station. */
const FASTEST_BYTES = 3_000_000;
const BLOCK_BYTES = 256 * 1024;
/** 500 pages that the client has not read. */
const MAX_QUEUED_BYTES = 1024 * 1024;
const WAIT_MS = 250;
/** Only the clock is read. */
const NO_STREAMS = { video: null, audios: [], captions: [], data: false };

/** How far a stream was read, by its own clock: jumps of the clock count as no time. */
class StreamProgress {
  #last: Pts90k | undefined;
  ticks = 0;

  take(bytes: Uint8Array): void {
    const { clocks } = stampsIn(bytes, NO_STREAMS);
    if (clocks.length === 0) this.ticks += (bytes.length / FASTEST_BYTES) * TICKS_PER_SECOND;
    for (const { pts } of clocks) {
      const step = this.#last === undefined ? 0 : ptsDifference(pts, this.#last);
      if (step > 0 && step <= LEAD) this.ticks += step;
      this.#last = pts;
    }
  }
}

/** Where reading begins: before the requested time, in the piece of that time. */
async function placeOf(
  index: RecordingIndex,
  seconds: number,
): Promise<{ at: number; origin: Pts90k; lead: number }> {
  const from = media90k(Math.min(Math.round(seconds * TICKS_PER_SECOND), index.duration));
  const begin = media90k(Math.max(0, from - LEAD));
  const place = await index.around(begin);
  const piece = index.pieceOf(from) ?? index.pieces[0];
  const origin =
    piece === undefined ? 0 : (((piece.pts - piece.start) % PTS_MODULUS) + PTS_MODULUS) % PTS_MODULUS;
  const at = place?.before.at ?? 0;
  return { at, origin: pts90k(origin), lead: from - (place?.before.media ?? 0) };
}

export class CaptionStreams {
  /** The oldest first. */
  readonly #streams = new Map<RecordingId, Set<ViewerQueue>>();
  readonly #reading = new Set<Promise<void>>();

  constructor(private readonly options: CaptionStreamsOptions) {}

  /** @throws Failure not_found without a readable original stream, busy if its folder does not respond */
  async open(
    recording: ListedRecording,
    { from, language }: CaptionStreamRequest,
    signal: AbortSignal,
  ): Promise<OpenCaptionStream> {
    const opened = await this.options.open.open(recording);
    try {
      const place = await placeOf(opened.index, from);
      const viewer = this.#admit(recordingId(recording.id), signal, opened);
      this.#watch(this.#read(recording, opened, viewer, place));
      return { body: sideBody(viewer.queue, { row: captionRow, language }), origin: place.origin };
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /** `origin` of a stream that is not opened. @throws as `open` */
  async origin(recording: ListedRecording, from: number): Promise<Pts90k> {
    const opened = await this.options.open.open(recording);
    try {
      return (await placeOf(opened.index, from)).origin;
    } finally {
      opened.close();
    }
  }

  /** Ends every stream. */
  async close(): Promise<void> {
    for (const streams of this.#streams.values()) for (const stream of [...streams]) stream.leave();
    await Promise.all(this.#reading);
  }

  #admit(id: RecordingId, signal: AbortSignal, opened: OpenRecording): Viewer {
    const streams = this.#streams.get(id) ?? new Set<ViewerQueue>();
    this.#streams.set(id, streams);
    const viewer: Viewer = { isOver: false, isCrowded: false, queue: undefined as never };
    const queue = new ViewerQueue({
      maxBytes: MAX_QUEUED_BYTES,
      signal,
      onLeft: () => {
        viewer.isOver = true;
        opened.close();
        streams.delete(queue);
        if (streams.size === 0 && this.#streams.get(id) === streams) this.#streams.delete(id);
      },
      onCrowded: (isCrowded) => {
        viewer.isCrowded = isCrowded;
      },
    });
    viewer.queue = queue;
    streams.add(queue);
    const [oldest] = streams;
    if (streams.size > MAX_STREAMS) oldest?.end();
    return viewer;
  }

  #watch(reading: Promise<void>): void {
    const watched = reading.finally(() => this.#reading.delete(watched));
    this.#reading.add(watched);
  }

  /** Never rejects. */
  async #read(
    recording: ListedRecording,
    opened: OpenRecording,
    viewer: Viewer,
    { at, lead }: { at: number; lead: number },
  ): Promise<void> {
    const { elapsed, sleep = Bun.sleep, log } = this.options;
    const { queue } = viewer;
    const serviceId = opened.index.serviceId ?? 0;
    const reader = readRecorded(captionRow, { serviceId }, (item) => {
      const { time } = item;
      queue.push({ kind: 'side', row: captionRow, item, ...(time === undefined ? {} : { time }) });
    });
    const framer = new PacketFramer();
    const progress = new StreamProgress();
    const begun = elapsed();
    const allowed = (): number => lead + AHEAD + (SPEED * (elapsed() - begun) * TICKS_PER_SECOND) / 1000;
    let read = at;
    try {
      while (!viewer.isOver) {
        if (viewer.isCrowded || progress.ticks > allowed()) {
          await sleep(WAIT_MS);
          continue;
        }
        const block = await opened.bytes.read(read, BLOCK_BYTES);
        if (block.length === 0) {
          if (!(await this.#hasMore(recording, opened, read))) break;
          await sleep(WAIT_MS);
          continue;
        }
        read += block.length;
        progress.take(block);
        reader.feed(framer.feed(block));
      }
      queue.end();
    } catch (error) {
      log.info('caption stream broken', { recording: recording.id, error: String(error) });
      queue.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Whether there is or will be more data: a running recording is followed. */
  async #hasMore(
    { id }: Pick<ListedRecording, 'id'>,
    { bytes }: OpenRecording,
    read: number,
  ): Promise<boolean> {
    // Checked before the size, so that data written at the end is also read.
    const isGrowing = this.options.list.find(id)?.state === 'recording';
    await bytes.refresh();
    return isGrowing || bytes.size > read;
  }
}

interface Viewer {
  queue: ViewerQueue;
  isOver: boolean;
  isCrowded: boolean;
}
