/**
 * Jobs that measure size and speed of each codec and quality on this machine before anything was encoded: pieces of the
 * newest recording are encoded once while the machine is idle, and the results are stored.
 */
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { broadcastMs, media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { unlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import {
  ENCODE_QUALITIES,
  ENCODED_CODECS,
  type EncodedCodec,
  type EncodeQuality,
} from '../../lib/wire/vocabulary.ts';
import type { EncoderChoice } from '../ffmpeg/encoders.ts';
import { findEntry } from '../media/entry-search.ts';
import { JOB_PRIORITY, type JobKind } from '../media/job/job-kind.ts';
import type { JobRun } from '../media/job/job-run.ts';
import type { OpenOriginal } from '../media/job/recording-context.ts';
import type { EncodeResult } from '../model/encoding.ts';
import type { Excluded } from '../store/query.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import { encodeCommand } from './encode-command.ts';
import { shapeOf } from './encode-plan.ts';
import type { EncodeSources } from './encode-sources.ts';
import { encodedTracks } from './encoded-tracks.ts';
import { metadataText } from './file-texts.ts';
import { RecordingEncode } from './recording-encode.ts';

interface EncodeTrialsOptions {
  readonly sources: Pick<
    EncodeSources,
    'store' | 'encoders' | 'open' | 'workFolder' | 'background' | 'elapsed' | 'stallMs' | 'now'
  >;
  readonly find: (id: RecordingId) => ListedRecording | undefined;
  readonly log: Log;
  /** Interval for tests, ms. */
  readonly pollMs?: number | undefined;
}

interface EncodeTrial {
  readonly id: string;
  readonly codec: EncodedCodec;
  readonly quality: EncodeQuality;
  readonly choice: EncoderChoice;
  readonly recording: ListedRecording;
}

/** The default quality first. */
const QUALITIES: readonly EncodeQuality[] = [
  'standard',
  ...ENCODE_QUALITIES.filter((quality) => quality !== 'standard'),
];
const POLL_MS = 10_000;
/** Start of each piece as a share of the recording, and its length, s. */
const PLACES = [0.2, 0.5, 0.75];
const PIECE_SECONDS = 6;
/** s; a shorter recording is not representative. */
const LEAST_SECONDS = 10;

interface PieceOptions extends Pick<EncodeTrial, 'quality' | 'choice'> {
  readonly folder: string;
  readonly metadata: string;
  readonly run: JobRun;
}

export class EncodeTrials implements JobKind<EncodeTrial> {
  readonly name = 'trials of encoders';
  readonly priority = JOB_PRIORITY.trials;
  readonly needs = 'idle';
  readonly pollMs: number;
  readonly restMs: number;
  /** A failed trial is not repeated before the next start. */
  readonly retry = { attempts: 1, firstMs: 0, maxMs: 0, laterMs: Number.POSITIVE_INFINITY };

  constructor(private readonly options: EncodeTrialsOptions) {
    this.pollMs = options.pollMs ?? POLL_MS;
    this.restMs = this.pollMs;
  }

  async next(excluded: Excluded<string>): Promise<EncodeTrial | undefined> {
    const { sources, find } = this.options;
    const { store, encoders } = sources;
    const known = [...store.results(), ...store.trials()];
    for (const quality of QUALITIES) {
      for (const codec of ENCODED_CODECS) {
        const id = `${codec} ${quality}`;
        if (excluded.has(id)) continue;
        const choice = await encoders.file(codec).catch(() => undefined);
        if (choice === undefined) continue;
        const { name } = choice.encoder;
        const isKnown = known.some(
          (one) => one.codec === codec && one.quality === quality && one.encoder === name,
        );
        if (isKnown) continue;
        const newest = store.newestOriginal(LEAST_SECONDS * 1000);
        const recording = newest === undefined ? undefined : find(newest);
        return recording === undefined ? undefined : { id, codec, quality, choice, recording };
      }
    }
    return undefined;
  }

  async run({ codec, quality, choice, recording }: EncodeTrial, run: JobRun): Promise<void> {
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
        const piece = await this.#piece(original, place, { quality, choice, folder, metadata, run });
        lengthMs += piece.lengthMs;
        bytes += piece.bytes;
        tookMs += piece.tookMs;
      }
      const encoder = choice.encoder.name;
      const result = { codec, quality, encoder, lengthMs, bytes, tookMs: Math.round(tookMs) };
      log.info('trial encode', result);
      sources.store.putTrial(result, sources.now());
    } finally {
      original.close();
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #piece(
    { bytes, index }: OpenOriginal,
    place: number,
    { quality, choice, folder, metadata, run: { signal } }: PieceOptions,
  ): Promise<Pick<EncodeResult, 'lengthMs' | 'bytes' | 'tookMs'>> {
    const { sources } = this.options;
    const at = Math.max(
      0,
      Math.min(place * index.duration, index.duration - PIECE_SECONDS * TICKS_PER_SECOND),
    );
    const entry = await unlessAborted(findEntry(bytes, index, media90k(at)), signal);
    if (entry?.layout.video == null) throw new Error('no picture at this place');
    const output = join(folder, 'piece.mkv');
    const { audios, video } = entry.layout;
    const streams = Math.min(1, audios.length);
    const command = encodeCommand({
      ...{ choice, quality, cuts: null, captions: null, poster: null, metadata, output },
      video: { kind: video.kind, material: 'video', shape: shapeOf(entry.format) },
      tracks: encodedTracks([], streams),
    });
    const encode = new RecordingEncode({
      ...sources,
      ...{ bytes, index, entry, streams, signal },
      until: media90k(entry.media + (PIECE_SECONDS - 1) * TICKS_PER_SECOND),
      command: [...sources.background, ...command],
    });
    const { code, reached, tookMs } = await encode.outcome;
    signal.throwIfAborted();
    const lengthMs = Math.round(((reached - entry.media) / TICKS_PER_SECOND) * 1000);
    if (code !== 0 || lengthMs <= 0) throw new Error(`ffmpeg ended with ${code}`);
    return { lengthMs, bytes: (await stat(output)).size, tookMs };
  }
}
