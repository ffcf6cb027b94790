/** Streams of encoded files: remuxed if a file has the codec, else converted in one of the slots. */
import type { MonotonicClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { LiveNotice } from '../../lib/wire/api.ts';
import type { Encoders } from '../ffmpeg/encoders.ts';
import { FfmpegProcess } from '../ffmpeg/process.ts';
import { EncodedFileSource } from '../media/encoded-file-source.ts';
import { httpBody } from '../media/http-body.ts';
import { chooseRecipe } from '../media/recipe.ts';
import { RECORDING_FAILURES } from '../media/session-failures.ts';
import { SharedSource } from '../media/shared-source.ts';
import { audioOptions } from '../model/audio.ts';
import type { EncodedFile } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { ConversionSlots } from './conversion-slots.ts';

export interface EncodedStreamRequest {
  readonly recording: ListedRecording;
  /** Its encoded files, preferred first. */
  readonly files: readonly EncodedFile[];
  readonly codec: 'h264' | 'av1';
  /** s of the encoded file. */
  readonly from: number;
  /** Id of an Audio option. */
  readonly audio: string | undefined;
}

interface EncodedStream {
  readonly mime: string;
  readonly notices: readonly LiveNotice[];
  /** s of the first picture. */
  readonly start: number;
  readonly body: ReadableStream<Uint8Array>;
}

interface EncodedStreamsOptions {
  readonly encoders: Encoders;
  readonly slots: ConversionSlots;
  readonly clock: MonotonicClock;
  readonly log: Log;
}

const ABANDONED_MS = 300_000;
/** A stream must not begin after the end. */
const END_EDGE = 1;

const NO_FILE = () => new Failure('not_found', 'この録画のファイルはありません。');

export class EncodedStreams {
  readonly #sessions = new Set<{ stop(): void; closed: Promise<void> }>();

  constructor(private readonly options: EncodedStreamsOptions) {}

  /** @throws Failure; the abort's reason */
  async start(request: EncodedStreamRequest, signal: AbortSignal): Promise<EncodedStream> {
    const { recording, codec } = request;
    const same = recording.files.find((file) => file.source !== 'ts' && file.codec === codec);
    return same === undefined
      ? this.#convert(request, signal)
      : this.#rewrap(request, same.path, same.source);
  }

  /**
   * Only the main audio of an encoded file, AAC in ADTS: copied if it is AAC, else converted, which is cheap.
   * @throws Failure not_found without audio, ffmpeg_unavailable
   */
  async sound(
    recording: ListedRecording,
    { source, facts }: EncodedFile,
  ): Promise<ReadableStream<Uint8Array>> {
    const path = recording.files.find((file) => file.source === source)?.path;
    if (path === undefined || facts.tracks.length === 0) throw NO_FILE();
    const track = trackOf(recording, facts.tracks, undefined);
    const codec = /\bmp4a\b/.test(facts.codecs) ? ['copy'] : ['aac', '-b:a', '160k'];
    const ffmpeg = await this.options.encoders.ffmpeg();
    const process = new FfmpegProcess(
      [
        ...[ffmpeg, '-v', 'error', '-nostdin', '-i', path, '-map', `0:a:${track}`],
        ...['-c:a', ...codec, '-f', 'adts', 'pipe:1'],
      ],
      1,
    );
    process.finish();
    const running = { stop: () => void process.stop(), closed: process.ended.then(() => {}) };
    this.#sessions.add(running);
    void process.ended.finally(() => this.#sessions.delete(running));
    return processBody(process);
  }

  /** Ends every conversion; resolves when no process is left. */
  async close(): Promise<void> {
    const running = [...this.#sessions];
    for (const { stop } of running) stop();
    await Promise.all(running.map(({ closed }) => closed));
  }

  async #rewrap(
    { recording, files, from, audio }: EncodedStreamRequest,
    path: string,
    source: string,
  ): Promise<EncodedStream> {
    const facts = files.find((file) => file.source === source)?.facts;
    try {
      const options = { from, audio: trackOf(recording, facts?.tracks ?? [], audio) };
      // Loaded when it is needed, which halves the start of the service.
      const { rewrapFile } = await import('../media/encoded-file-rewrap.ts');
      return { notices: [], ...(await rewrapFile(path, { ...options, abandonedAfterMs: ABANDONED_MS })) };
    } catch (error) {
      this.options.log.warn('encoded file not readable', { recording: recording.id, error: String(error) });
      throw new Failure('not_found', 'この録画のファイルを読み取れません。', { cause: error });
    }
  }

  async #convert(request: EncodedStreamRequest, signal: AbortSignal): Promise<EncodedStream> {
    const { recording, files, codec, audio } = request;
    const { encoders, slots, clock, log } = this.options;
    const [preferred] = files;
    const file = recording.files.find(({ source }) => source === preferred?.source);
    if (preferred === undefined || file === undefined) throw NO_FILE();
    const { facts } = preferred;
    const length = (file.durationMs ?? 0) / 1000;
    const from = Math.max(0, Math.min(request.from, length - END_EDGE));
    const stream = trackOf(recording, facts.tracks, audio);
    const recipe = await chooseRecipe(codec, () => ({ stream, side: 'both' }), encoders, {
      mayFallBack: false,
    });
    if (recipe.kind !== 'encoded') throw NO_FILE();
    const release = slots.take();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const source = new EncodedFileSource({
      ...{ path: file.path, from, clock, hasVideo: facts.hasVideo, sounds: facts.tracks.length },
      onClosed: () => {
        release();
        resolve();
      },
    });
    const shared = new SharedSource({
      open: async () => source,
      ...{ failures: RECORDING_FAILURES, encoders, log },
      onLost: () => {},
      onOver: () => this.#sessions.delete(running),
    });
    const running = { stop: () => shared.stop(), closed };
    this.#sessions.add(running);
    const { viewer, mime, notices } = await shared.join(recipe, signal);
    return {
      ...{ mime, start: from, notices },
      body: httpBody(viewer, { keepsTimes: true, abandonedAfterMs: ABANDONED_MS }),
    };
  }
}

/** The output of a process, read with backpressure. Errors if the process fails. */
function processBody(process: FfmpegProcess): ReadableStream<Uint8Array> {
  const reader = process.output.getReader();
  let untaken: ReturnType<typeof setTimeout> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(untaken);
        const { done, value } = await reader.read();
        if (done) {
          const { code, stderr } = await process.ended;
          if (code === 0) controller.close();
          else controller.error(new Error(stderr));
          return;
        }
        controller.enqueue(value);
        untaken = setTimeout(() => void process.stop(), ABANDONED_MS);
        untaken.unref();
      },
      async cancel() {
        clearTimeout(untaken);
        await process.stop();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Index of an audio track in a file: the requested one, else the main one, else the first. */
function trackOf(
  { audios }: Pick<ListedRecording, 'audios'>,
  tracks: readonly string[],
  asked: string | undefined,
): number {
  const wanted = tracks.indexOf(asked ?? '');
  if (wanted >= 0) return wanted;
  const main = audioOptions(audios).find((option) => option.main === true);
  return Math.max(0, tracks.indexOf(main?.id ?? ''));
}
