/**
 * Measures size and speed of each codec and quality on this machine before anything was encoded: pieces of the newest
 * recording are encoded once while the machine is idle, and the results are stored.
 */

import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { broadcastMs, media90k, TICKS_PER_SECOND } from '../../arib/time.ts';
import type { MonotonicMs } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { EncoderChoice } from '../ffmpeg/encoders.ts';
import { findEntry } from '../media/entry-search.ts';
import type { EncodedCodec, EncodeQuality, EncodeResult } from '../model/encoding.ts';
import type { RecordingId } from '../model/ids.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import { encodeCommand } from './encode-command.ts';
import { shapeOf } from './encode-plan.ts';
import type { EncodeSources, OpenOriginal } from './encode-sources.ts';
import { encodedTracks } from './encoded-tracks.ts';
import { metadataText } from './file-texts.ts';
import { RecordingEncode } from './recording-encode.ts';

interface EncodeTrialsOptions {
  readonly sources: Pick<
    EncodeSources,
    'store' | 'encoders' | 'open' | 'workFolder' | 'background' | 'elapsed' | 'stallMs' | 'now'
  >;
  readonly find: (id: RecordingId) => ListedRecording | undefined;
  /** No viewer, no recording, no encode and no commercial detection is running. */
  readonly isIdle: () => boolean;
  readonly log: Log;
  /** Intervals for tests, ms. */
  readonly tickMs?: number | undefined;
  readonly idleMs?: number | undefined;
}

const CODECS: readonly EncodedCodec[] = ['av1', 'h264'];
const QUALITIES: readonly EncodeQuality[] = ['standard', 'small', 'fine'];
const TICK_MS = 10_000;
/** The machine must have been idle for this long. */
const IDLE_MS = 5 * 60_000;
/** Start of each piece as a share of the recording, and its length, s. */
const PLACES = [0.2, 0.5, 0.75];
const PIECE_SECONDS = 6;
/** s; a shorter recording is not representative. */
const LEAST_SECONDS = 10;

export class EncodeTrials {
  #timer: ReturnType<typeof setInterval> | undefined;
  #idleSince: MonotonicMs | undefined;
  #running: Promise<void> | undefined;
  #encode: RecordingEncode | undefined;
  #isClosed = false;
  /** A failed trial is not repeated before the next start. */
  readonly #failed = new Set<string>();

  constructor(private readonly options: EncodeTrialsOptions) {}

  start(): void {
    this.#timer = setInterval(() => this.#tick(), this.options.tickMs ?? TICK_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    void this.#encode?.stop();
    await this.#running;
  }

  #tick(): void {
    const { isIdle, sources, idleMs = IDLE_MS } = this.options;
    const now = sources.elapsed();
    if (!isIdle()) {
      this.#idleSince = undefined;
      void this.#encode?.stop();
      return;
    }
    this.#idleSince ??= now;
    if (this.#running !== undefined || now - this.#idleSince < idleMs) return;
    this.#running = this.#next()
      .catch((error) => this.options.log.warn('trial encode failed', { error: String(error) }))
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #next(): Promise<void> {
    const { sources, find } = this.options;
    const { store, encoders } = sources;
    const known = [...store.results(), ...store.trials()];
    for (const quality of QUALITIES) {
      for (const codec of CODECS) {
        const name = `${codec} ${quality}`;
        if (this.#failed.has(name)) continue;
        const choice = await encoders.file(codec).catch(() => undefined);
        if (choice === undefined) continue;
        const { encoder } = choice;
        const isKnown = known.some(
          (one) => one.codec === codec && one.quality === quality && one.encoder === encoder.name,
        );
        if (isKnown) continue;
        const id = store.newestOriginal(LEAST_SECONDS * 1000);
        const recording = id === undefined ? undefined : find(id);
        if (recording === undefined) return;
        this.#failed.add(name);
        const result = await this.#tried(recording, { codec, quality, choice });
        if (result === 'stopped') this.#failed.delete(name);
        else if (result !== undefined) store.putTrial(result, sources.now());
        return;
      }
    }
  }

  async #tried(
    recording: ListedRecording,
    { codec, quality, choice }: { codec: EncodedCodec; quality: EncodeQuality; choice: EncoderChoice },
  ): Promise<EncodeResult | 'stopped' | undefined> {
    const { sources, log } = this.options;
    const folder = join(sources.workFolder, 'trial');
    const original = await sources.open(recording);
    try {
      await mkdir(folder, { recursive: true });
      const metadata = join(folder, 'tags.txt');
      await writeFile(
        metadata,
        metadataText({ title: '', station: '', description: '', startAt: broadcastMs(0) }, false),
      );
      let [lengthMs, bytes, tookMs] = [0, 0, 0];
      for (const place of PLACES) {
        const piece = await this.#piece(original, place, { quality, choice, folder, metadata });
        if (piece === 'stopped') return 'stopped';
        if (piece === undefined) return undefined;
        lengthMs += piece.lengthMs;
        bytes += piece.bytes;
        tookMs += piece.tookMs;
      }
      const encoder = choice.encoder.name;
      log.info('trial encode', { codec, quality, encoder, lengthMs, bytes, tookMs: Math.round(tookMs) });
      return { codec, quality, encoder, lengthMs, bytes, tookMs: Math.round(tookMs) };
    } finally {
      original.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #piece(
    { bytes, index }: OpenOriginal,
    place: number,
    {
      quality,
      choice,
      folder,
      metadata,
    }: { quality: EncodeQuality; choice: EncoderChoice; folder: string; metadata: string },
  ): Promise<Pick<EncodeResult, 'lengthMs' | 'bytes' | 'tookMs'> | 'stopped' | undefined> {
    const { background, elapsed, stallMs } = this.options.sources;
    const at = Math.max(
      0,
      Math.min(place * index.duration, index.duration - PIECE_SECONDS * TICKS_PER_SECOND),
    );
    const entry = await findEntry(bytes, index, media90k(at));
    if (entry?.layout.video == null || this.#isClosed) return undefined;
    const output = join(folder, 'piece.mkv');
    const { audios, video } = entry.layout;
    const streams = Math.min(1, audios.length);
    const command = encodeCommand({
      ...{ choice, quality, cuts: null, captions: null, poster: null, metadata, output },
      video: { kind: video.kind, material: 'video', shape: shapeOf(entry.format) },
      tracks: encodedTracks([], streams),
    });
    const encode = new RecordingEncode({
      ...{ bytes, index, entry, streams, elapsed, stallMs },
      until: media90k(entry.media + (PIECE_SECONDS - 1) * TICKS_PER_SECOND),
      command: [...background, ...command],
    });
    this.#encode = encode;
    const { code, broken, reached, tookMs } = await encode.outcome;
    this.#encode = undefined;
    if (broken === 'stopped') return 'stopped';
    const lengthMs = Math.round(((reached - entry.media) / TICKS_PER_SECOND) * 1000);
    if (code !== 0 || lengthMs <= 0) return undefined;
    return { lengthMs, bytes: (await stat(output)).size, tookMs };
  }
}
