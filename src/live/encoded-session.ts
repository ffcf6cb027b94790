/**
 * One encoder on a station, shared by the viewers of the same format and audio. Before its first fragment it
 * may be started anew (another encoder, another layout); afterwards never, because its times would begin again.
 */
import { unlessAborted } from '../../host/deadline.ts';
import type { Log } from '../../host/log.ts';
import type { Notice } from '../../wire/api.ts';
import type { EncoderChoice, Encoders } from '../ffmpeg/encoders.ts';
import { type LiveAudio, type LiveCommand, liveCommand } from '../ffmpeg/recipes.ts';
import { Failure } from '../model/failure.ts';
import type { StationStream } from '../reception/reception-client.ts';
import type { OutputEnd } from '../reception/reception-messages.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import { Audience } from './audience.ts';
import type { AudioChoice } from './audio-choice.ts';
import { Backlog } from './backlog.ts';
import { type Joined, Receipts, type Session } from './session.ts';

export type EncodedFormat = 'h264' | 'av1' | 'audio';

/** 20 s of 6 Mbit/s. */
const MAX_QUEUED = 16 * 1024 * 1024;
/** A GPU that fails, a stream that is announced and not sent, a layout that changes: one of each. */
const MAX_STARTS = 4;

export interface EncodedSessionOptions {
  stream: StationStream;
  /** The station's present layout. */
  layout: () => StationLayout;
  format: EncodedFormat;
  /** Chosen for a layout, since it may have changed at a second start. */
  audio: (layout: StationLayout) => AudioChoice | undefined;
  /** Undefined for audio alone. */
  choice: EncoderChoice | undefined;
  ffmpeg: string;
  encoders: Encoders;
  log: Log;
  /** The session takes no more viewers. Called once. */
  onOver: () => void;
}

export class EncodedSession implements Session {
  readonly #audience: Audience;
  readonly #backlog = new Backlog();
  readonly #ready = Promise.withResolvers<string>();
  /** What every viewer should know of the encoder. */
  readonly #notices = new Set<Notice>();
  #choice: EncoderChoice | undefined;
  #sink: ReturnType<StationStream['encode']> | undefined;
  #mime = '';
  #state: 'starting' | 'live' | 'over' = 'starting';
  #starts = 0;
  /** Announced by the PMT, but not sent, or scrambled. */
  #missing: readonly number[] = [];
  #layoutAtStart: StationLayout | undefined;

  constructor(readonly options: EncodedSessionOptions) {
    this.#choice = options.choice;
    if (options.choice?.standIn === true) this.#notices.add('software_encoder');
    this.#audience = new Audience(MAX_QUEUED, () => this.stop());
    // Nobody may be waiting when it fails.
    this.#ready.promise.catch(() => {});
  }

  /** Called once, after construction. */
  start(): void {
    try {
      this.#launch();
    } catch (error) {
      this.#giveUp(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async join(signal: AbortSignal): Promise<Joined> {
    const release = this.#audience.hold();
    try {
      const mime = await unlessAborted(this.#ready.promise, signal);
      const viewer = this.#audience.admit(signal);
      for (const piece of this.#backlog.pieces()) viewer.push(piece);
      return { viewer, mime, notices: [...this.#notices] };
    } finally {
      release();
    }
  }

  /** Its encoder has begun and is not to be changed any more. */
  get isLive(): boolean {
    return this.#state === 'live';
  }

  stop(): void {
    this.#giveUp(new Failure('no_tuner', '放送の受信が途切れました'));
  }

  #launch(): void {
    const { stream, format, ffmpeg } = this.options;
    this.#starts += 1;
    const layout = this.options.layout();
    this.#layoutAtStart = layout;
    const video = format === 'audio' ? null : this.#video(layout);
    const audio = this.#audio(layout);
    if (video === null && audio === null) throw this.#nothingToEncode();
    const command = liveCommand({ ffmpeg: this.#choice?.ffmpeg ?? ffmpeg, video, audio });
    const pids = [video?.pid, audio?.pid].filter((pid) => pid !== undefined);
    const receipts = new Receipts((bytes) => this.#sink?.taken(bytes));
    this.#sink = stream.encode(command, pids, video !== null, {
      init: (piece) => {
        receipts.add(piece.bytes.length);
        this.#mime = piece.mime;
        this.#backlog.setInit(piece.bytes);
      },
      fragment: (piece) => {
        receipts.add(piece.bytes.length);
        this.#take(piece);
      },
      ended: (end) => this.#ended(end),
    });
  }

  #video(layout: StationLayout): LiveCommand['video'] {
    if (layout.video === null || this.#choice === undefined) return null;
    if (this.#missing.includes(layout.video.pid)) return null;
    return { ...layout.video, encoder: this.#choice.encoder };
  }

  #audio(layout: StationLayout): LiveAudio | null {
    const choice = this.options.audio(layout);
    const pid = choice === undefined ? undefined : layout.audios[choice.stream];
    if (choice === undefined || pid === undefined || this.#missing.includes(pid)) return null;
    return { pid, side: choice.side, codec: this.options.format === 'av1' ? 'opus' : 'aac' };
  }

  #nothingToEncode(): Failure {
    if (this.#missing.length === 0) return new Failure('not_found', 'この局は音声を放送していません');
    return new Failure('no_tuner', '放送が届いていないか、スクランブルが解除されていません', {
      cause: `nothing readable on PIDs ${this.#missing.join(', ')}`,
    });
  }

  #take(piece: { bytes: Uint8Array; sync: boolean }): void {
    if (this.#state === 'over') return;
    this.#backlog.add(piece.bytes, piece.sync);
    this.#audience.push(piece.bytes);
    if (this.#state !== 'starting' || !this.#backlog.ready) return;
    this.#state = 'live';
    this.#ready.resolve(this.#mime);
  }

  #ended(end: OutputEnd): void {
    if (this.#state === 'over') return;
    if (this.#state === 'live') this.#finish(end);
    else void this.#restart(end);
  }

  /** What was sent so far is all of this session: regular only where the client is to ask again at once. */
  #finish(end: OutputEnd): void {
    if (end.cause === 'encoder') {
      this.options.log.warn('encoder failed', { reason: end.reason });
      // Whoever asks again gets one that is easier on the machine.
      const encoder = this.#choice?.encoder;
      if (encoder?.codec === 'av1') this.options.encoders.suspend(encoder);
    }
    this.#audience.dismiss(end.cause === 'layout' ? undefined : new Error(`live stream ended: ${end.cause}`));
    this.#close();
  }

  async #restart(end: OutputEnd): Promise<void> {
    try {
      if (this.#starts >= MAX_STARTS) throw encoderFailure(end);
      if (end.cause === 'encoder') await this.#reconsider(end);
      else if (end.cause !== 'layout') throw new Failure('no_tuner', '放送の受信が途切れました');
      if (this.#state === 'starting') this.#launch();
    } catch (error) {
      this.#giveUp(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Changes what made the encoder end before its first fragment. @throws Failure when nothing is left to change. */
  async #reconsider(end: Extract<OutputEnd, { cause: 'encoder' }>): Promise<void> {
    const { encoders, log, layout } = this.options;
    const choice = this.#choice;
    log.warn('encoder gave nothing', { encoder: choice?.encoder.name ?? 'aac', reason: end.reason });
    if (this.#layoutAtStart !== layout()) return;
    const missing = end.missing.filter((pid) => !this.#missing.includes(pid));
    if (missing.length > 0) {
      this.#missing = [...this.#missing, ...missing];
      return;
    }
    // A Failure of its own when ffmpeg itself went away.
    await encoders.ffmpeg();
    if (choice === undefined || choice.encoder.name === 'libx264') throw encoderFailure(end);
    encoders.suspend(choice.encoder);
    if (choice.encoder.kind === 'gpu') this.#notices.add('software_encoder');
    this.#choice = choice.encoder.codec === 'av1' ? await encoders.av1() : await encoders.h264();
    if (this.#choice !== undefined) return;
    this.#choice = await encoders.h264();
    this.#notices.add('codec_fallback');
  }

  #giveUp(reason: Error): void {
    if (this.#state === 'over') return;
    this.#ready.reject(reason);
    this.#audience.dismiss(reason);
    this.#close();
  }

  #close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#sink?.stop();
    this.options.onOver();
  }
}

function encoderFailure(end: OutputEnd): Failure {
  const cause = end.cause === 'encoder' ? end.reason : end.cause;
  return new Failure('internal', '映像の変換を始められませんでした', { cause });
}
