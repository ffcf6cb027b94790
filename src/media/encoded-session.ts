/**
 * One encoder on a source, shared by the viewers of the same recipe. It may be restarted before its first fragment
 * (with another encoder or layout), but not afterwards, because its times would start again: a changed layout ends it
 * cleanly, after all that was received, and its clients connect again.
 */
import { unlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { LiveNotice } from '../../lib/wire/api.ts';
import type { EncoderChoice, Encoders } from '../ffmpeg/encoders.ts';
import type { LiveAudio } from '../ffmpeg/recipes.ts';
import { Failure } from '../model/failure.ts';
import { Audience, dismiss } from './audience.ts';
import { Backlog } from './backlog.ts';
import type { Frame } from './frame.ts';
import type { Joined, MediaSession } from './media-session.ts';
import type { EncodedRecipe } from './recipe.ts';
import type { SessionFailures } from './session-failures.ts';
import type { EncodeOrder, MediaLayout, MediaSource, OutputEnd, SourceOutput } from './source.ts';
import { StreamBroken } from './viewer-queue.ts';

/** 20 s at 6 Mbit/s. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** Restarts: one each for a failing GPU, a slow start, a missing announced stream, and a changed layout. */
const MAX_STARTS = 5;

const NOT_STARTED = '映像の変換を始められませんでした';
const SLOW =
  'サーバが混んでいて、映像の変換を時間内に始められませんでした。少し待ってから、もう一度お試しください。';

type EncoderEnd = Extract<OutputEnd, { cause: 'encoder' }>;

interface EncodedSessionOptions {
  readonly source: MediaSource;
  readonly layout: () => MediaLayout;
  readonly recipe: EncodedRecipe;
  readonly encoders: Encoders;
  readonly failures: SessionFailures;
  readonly log: Log;
  /** Called once, when the session accepts no more viewers. */
  readonly onOver: () => void;
}

export class EncodedSession implements MediaSession {
  readonly #audience: Audience;
  readonly #backlog = new Backlog();
  readonly #ready = Promise.withResolvers<void>();
  readonly #notices: Set<LiveNotice>;
  #choice: EncoderChoice | undefined;
  #output: SourceOutput | undefined;
  #mime = '';
  #state: 'starting' | 'live' | 'over' = 'starting';
  /** Set at the end; the reason is undefined after a complete transmission. */
  #ending: { readonly reason: Error | undefined } | undefined;
  #starts = 0;
  /** The same encoder was started again because it had been too slow. */
  #isSecondTry = false;
  /** PIDs of the layout that are not sent, or scrambled. */
  #missing: readonly number[] = [];
  #layoutAtStart: MediaLayout | undefined;

  constructor(private readonly options: EncodedSessionOptions) {
    const { choice, notices } = options.recipe;
    this.#choice = choice;
    this.#notices = new Set(notices);
    if (choice?.standIn === true) this.#notices.add('software_encoder');
    this.#audience = new Audience({
      maxBytes: MAX_QUEUED_BYTES,
      onEmpty: () => this.stop(),
      onCrowded: (isCrowded) => this.#output?.hold?.(isCrowded),
      side: () => this.#output?.side,
    });
    // Avoids an unhandled rejection while no viewer waits.
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
      await unlessAborted(this.#ready.promise, signal);
      const viewer = this.#audience.admit(signal);
      const side = this.#output?.side?.current('always') ?? [];
      for (const frame of this.#backlog.frames(side)) viewer.push(frame);
      // A short recording may already be encoded completely.
      if (this.#ending !== undefined) dismiss(viewer, this.#ending.reason);
      return { viewer, mime: this.#mime, notices: [...this.#notices] };
    } finally {
      release();
    }
  }

  /** Before the first fragment, a layout change only restarts the encoder. */
  get endsWithLayout(): boolean {
    return this.#state === 'live';
  }

  stop(): void {
    this.#giveUp(this.options.failures.interrupted());
  }

  #launch(): void {
    const { source, recipe } = this.options;
    this.#starts += 1;
    const layout = this.options.layout();
    this.#layoutAtStart = layout;
    const video = recipe.format === 'audio' ? null : this.#video(layout);
    const audio = this.#audio(layout);
    if (video === null && audio === null) throw this.#nothingToEncode();
    const order = { ffmpeg: this.#choice?.ffmpeg ?? recipe.ffmpeg, video, audio };
    this.#output = source.encode(order, {
      frame: (frame) => this.#take(frame),
      ended: (end) => this.#ended(end),
    });
  }

  #video(layout: MediaLayout): EncodeOrder['video'] {
    if (layout.video === null || this.#choice === undefined) return null;
    if (this.#missing.includes(layout.video.pid)) return null;
    const { quality } = this.options.recipe;
    return { ...layout.video, encoder: this.#choice.encoder, quality };
  }

  #audio(layout: MediaLayout): LiveAudio | null {
    const { audio, format } = this.options.recipe;
    const choice = audio(layout);
    const pid = choice === undefined ? undefined : layout.audios[choice.stream];
    if (choice === undefined || pid === undefined || this.#missing.includes(pid)) return null;
    return { pid, side: choice.side, codec: format === 'av1' ? 'opus' : 'aac' };
  }

  #nothingToEncode(): Failure {
    const { failures } = this.options;
    return this.#missing.length === 0 ? failures.empty() : failures.unreadable(this.#missing);
  }

  #take(frame: Frame): void {
    if (this.#state === 'over') return;
    if (frame.kind === 'init') this.#mime = frame.mime;
    this.#backlog.keep(frame);
    this.#audience.push(frame);
    if (this.#state !== 'starting' || !this.#backlog.isReady) return;
    this.#state = 'live';
    this.#ready.resolve();
  }

  #ended(end: OutputEnd): void {
    if (this.#state === 'over') return;
    if (this.#state === 'live') this.#finish(end);
    else void this.#restart(end);
  }

  /** The end is regular only if everything was sent, or if the client should reconnect at once. */
  #finish(end: OutputEnd): void {
    if (end.cause === 'encoder') {
      this.options.log.warn('encoder failed', { reason: end.reason });
      // The next request gets a less demanding encoder.
      const encoder = this.#choice?.encoder;
      if (encoder?.codec === 'av1') this.options.encoders.suspend(encoder);
    }
    const isRegular = end.cause === 'layout' || end.cause === 'finished';
    this.#ending = { reason: isRegular ? undefined : new StreamBroken(end.cause) };
    this.#audience.dismiss(this.#ending.reason);
    this.#close();
  }

  async #restart(end: OutputEnd): Promise<void> {
    try {
      if (this.#starts >= MAX_STARTS) throw encoderFailure(end);
      if (end.cause === 'encoder') await this.#reconsider(end);
      else if (end.cause !== 'layout') throw this.options.failures.interrupted();
      if (this.#state === 'starting') this.#launch();
    } catch (error) {
      this.#giveUp(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Adapts the recipe after an encoder that ended before its first fragment. @throws Failure if none is left */
  async #reconsider(end: EncoderEnd): Promise<void> {
    const { encoders, log, layout } = this.options;
    const choice = this.#choice;
    log.warn('encoder produced nothing', { encoder: choice?.encoder.name ?? 'aac', reason: end.reason });
    if (this.#layoutAtStart !== layout()) return;
    const missing = end.missing.filter((pid) => !this.#missing.includes(pid));
    if (missing.length > 0) {
      this.#missing = [...this.#missing, ...missing];
      return;
    }
    // Throws a separate Failure if ffmpeg itself is missing.
    await encoders.ffmpeg();
    if (choice === undefined || choice.encoder.name === 'libx264') this.#tryOnceMore(end);
    else await this.#replace(choice, end);
  }

  /** No other encoder is left. @throws Failure unless it was only slow, for the first time */
  #tryOnceMore(end: EncoderEnd): void {
    if (this.#isSecondTry || end.isSlow !== true) throw encoderFailure(end);
    this.#isSecondTry = true;
    this.#notices.add('slow_encoder');
  }

  /** @throws Failure if no other encoder may be used */
  async #replace({ encoder }: EncoderChoice, end: EncoderEnd): Promise<void> {
    const { encoders, recipe } = this.options;
    encoders.suspend(encoder);
    if (encoder.kind === 'gpu') this.#notices.add('software_encoder');
    const other = encoder.codec === 'av1' ? await encoders.av1() : await encoders.h264();
    if (other === undefined && !recipe.mayFallBack) throw encoderFailure(end);
    this.#choice = other ?? (await encoders.h264());
    if (other === undefined) this.#notices.add('codec_fallback');
  }

  #giveUp(reason: Error): void {
    if (this.#state === 'over') return;
    this.#ready.reject(reason);
    this.#ending = { reason };
    this.#audience.dismiss(reason);
    this.#close();
  }

  #close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#output?.stop();
    this.options.onOver();
  }
}

function encoderFailure(end: OutputEnd): Failure {
  if (end.cause !== 'encoder') return new Failure('internal', NOT_STARTED, { cause: end.cause });
  if (end.isSlow !== true) return new Failure('internal', NOT_STARTED, { cause: end.reason });
  return new Failure('busy', SLOW, { cause: end.reason });
}
