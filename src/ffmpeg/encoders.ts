/**
 * Finds ffmpeg and tests which of its encoders work on this machine: each is tried once, in the background, after the
 * start. A missing ffmpeg is searched again on request.
 */
import { accessSync, constants } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { WallClock } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Status, SystemFacts } from '../../lib/wire/api.ts';
import type { FfmpegState } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import { run } from './process.ts';
import { trialCommand, VIDEO_ENCODERS, type VideoCodec, type VideoEncoder } from './recipes.ts';

interface FfmpegPlaces {
  /** FFMPEG_PATH or FFPROBE_PATH; if set, nothing else is tried. */
  path: string | undefined;
  /** PATH. */
  searchPath: string;
  /** Folders that are searched, with their parents, for `node_modules` with ffmpeg-static. */
  folders: readonly string[];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function* upwards(folder: string): Generator<string> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    yield current;
    if (dirname(current) === current) return;
  }
}

/**
 * Locates ffmpeg: FFMPEG_PATH, else PATH, else an `ffmpeg-static` that the user installed.
 * An absolute path, or undefined if it was not found.
 */
export function findFfmpeg(places: FfmpegPlaces): string | undefined {
  if (places.path !== undefined) {
    const found = Bun.which(places.path, { PATH: places.searchPath });
    return found ?? (isExecutable(places.path) ? resolve(places.path) : undefined);
  }
  const onPath = Bun.which('ffmpeg', { PATH: places.searchPath });
  if (onPath !== null) return onPath;
  for (const start of places.folders) {
    for (const folder of upwards(start)) {
      const candidate = join(folder, 'node_modules', 'ffmpeg-static', 'ffmpeg');
      if (isExecutable(candidate)) return candidate;
    }
  }
  return undefined;
}

/** Whether it still exists. */
function isThere(path: string): boolean {
  return isExecutable(path);
}

export interface EncodersOptions {
  /** FFMPEG_PATH; undefined: searched on `searchPath`. */
  path: string | undefined;
  /** PATH. */
  searchPath: string;
  log: Log;
  now: WallClock;
  /** Whether the machine is idle, so that a trial measures the real speed. Default: by its load. */
  isIdle?: (() => boolean) | undefined;
  /** Interval of retrying a slow AV1 encoder when the machine is idle, ms. */
  retrialMs?: number | undefined;
  /** Folders that may contain ffmpeg-static; default: the working folder and the executable's. */
  folders?: readonly string[];
}

interface EncoderStatus {
  state: FfmpegState;
  path: string | null;
  version: string | null;
  /** Names of encoders that passed a trial. */
  usable: string[];
  /** Live AV1: the encoder and its measured speed (times real time); null while unknown or impossible. */
  av1: { encoder: string; speed: number; fastEnough: boolean } | null;
}

/** An encoder selected for live. */
export interface EncoderChoice {
  ffmpeg: string;
  encoder: VideoEncoder;
  /** A GPU encoder failed recently and this one replaces it. */
  standIn: boolean;
}

/** Live encoding must keep up with the station while other work runs. */
const AV1_MIN_SPEED = 1.3;
const TRIAL_SECONDS = 2;
const TRIAL_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 10_000;
/** Minimum interval of searching a missing ffmpeg. */
const RETRY_MS = 2_000;
/** How long an encoder that failed is not used. */
const SUSPENSION_MS = 15 * 60_000;
/** An AV1 encoder that was too slow, perhaps because the machine was busy, is retried on request after this. */
const RETRIAL_MS = 10 * 60_000;
/** A viewer who requests AV1 during its trial waits this long, then gets H.264. */
const AV1_WAIT_MS = 15_000;
const NEVER = Number.NEGATIVE_INFINITY;

interface Found {
  path: string;
  version: string;
  /** Encoders that this ffmpeg was built with. */
  listed: ReadonlySet<string>;
}

type Trial = { works: false } | { works: true; speed: number };

export class Encoders {
  #found: Found | undefined;
  #looking: Promise<Found | undefined> | undefined;
  #lookedAt = NEVER;
  #trying: Promise<void> | undefined;
  #triedAt = NEVER;
  /** By encoder name; for the ffmpeg in `#found`. */
  #trials = new Map<string, Trial>();
  readonly #suspended = new Map<string, number>();
  readonly #abort = new AbortController();
  #retrial: ReturnType<typeof setInterval> | undefined;
  /** One trial on an idle machine is conclusive. */
  #triedWhenIdle = false;

  constructor(readonly options: EncodersOptions) {}

  /** Begins probing in the background. */
  start(): void {
    void this.#search();
  }

  status(): EncoderStatus {
    const usable = VIDEO_ENCODERS.filter((encoder) => this.#trials.get(encoder.name)?.works === true);
    const isLooking = this.#looking !== undefined || this.#lookedAt === NEVER;
    const state = this.#found === undefined ? 'missing' : this.#trying === undefined ? 'ready' : 'probing';
    const av1 = this.#fastestAv1();
    return {
      state: isLooking ? 'probing' : state,
      path: this.#found?.path ?? null,
      version: this.#found?.version ?? null,
      usable: usable.map((encoder) => encoder.name),
      av1:
        av1 === undefined
          ? null
          : { encoder: av1.encoder.name, speed: av1.speed, fastEnough: av1.speed >= AV1_MIN_SPEED },
    };
  }

  /** Probes if that was not done yet and waits for the end, for `svc check`. */
  async settled(): Promise<EncoderStatus> {
    await this.#search();
    await this.#trying;
    return this.status();
  }

  /** The path of ffmpeg. @throws Failure ffmpeg_unavailable */
  async ffmpeg(): Promise<string> {
    return (await this.#need()).path;
  }

  /**
   * The H.264 encoder for live. Until the trials are finished, the software encoder is used.
   * @throws Failure ffmpeg_unavailable
   */
  async h264(): Promise<EncoderChoice> {
    const found = await this.#need();
    let standIn = false;
    for (const encoder of VIDEO_ENCODERS) {
      if (encoder.codec !== 'h264' || !found.listed.has(encoder.name)) continue;
      const trial = this.#trials.get(encoder.name);
      if (trial === undefined ? encoder.kind === 'gpu' : !trial.works) continue;
      if (this.#isSuspended(encoder.name)) standIn = true;
      else return { ffmpeg: found.path, encoder, standIn };
    }
    throw new Failure('ffmpeg_unavailable', 'この ffmpeg には H.264 エンコーダがありません');
  }

  /**
   * The AV1 encoder for live; undefined if none is fast enough here. Waits for the trials, up to a limit.
   * @throws Failure ffmpeg_unavailable
   */
  async av1(): Promise<EncoderChoice | undefined> {
    const found = await this.#need();
    if (this.#trying !== undefined) await settlesWithin(AV1_WAIT_MS, this.#trying);
    const best = this.#fastestAv1();
    if (best === undefined || best.speed < AV1_MIN_SPEED) {
      this.#tryAgain(found);
      return undefined;
    }
    const standIn = VIDEO_ENCODERS.some((one) => one.codec === 'av1' && this.#isSuspended(one.name));
    return { ffmpeg: found.path, encoder: best.encoder, standIn };
  }

  /** Whether `av1` would return an encoder now; false during the trials. */
  get hasAv1(): boolean {
    const best = this.#trying === undefined ? this.#fastestAv1() : undefined;
    return best !== undefined && best.speed >= AV1_MIN_SPEED;
  }

  /**
   * The encoder for files: hardware that passed its trial and did not fail recently, else software, however slow.
   * @throws Failure ffmpeg_unavailable
   */
  async file(codec: VideoCodec): Promise<EncoderChoice> {
    const found = await this.#need();
    if (this.#trying !== undefined) await settlesWithin(AV1_WAIT_MS, this.#trying);
    let standIn = false;
    for (const encoder of VIDEO_ENCODERS) {
      if (encoder.codec !== codec || !found.listed.has(encoder.name)) continue;
      const trial = this.#trials.get(encoder.name);
      if (encoder.kind === 'gpu' && trial?.works !== true) continue;
      if (encoder.kind === 'gpu' && this.#isSuspended(encoder.name)) standIn = true;
      else return { ffmpeg: found.path, encoder, standIn };
    }
    const name = codec === 'av1' ? 'AV1' : 'H.264';
    throw new Failure('ffmpeg_unavailable', `この ffmpeg には ${name} エンコーダがありません`);
  }

  /** An encoder produced no picture, or was too slow. Software H.264 has no replacement and is never suspended. */
  suspend(encoder: VideoEncoder): void {
    if (encoder.kind === 'software' && encoder.codec === 'h264') return;
    this.options.log.warn('encoder suspended', { encoder: encoder.name, minutes: SUSPENSION_MS / 60_000 });
    this.#suspended.set(encoder.name, this.options.now() + SUSPENSION_MS);
  }

  async close(): Promise<void> {
    clearInterval(this.#retrial);
    this.#abort.abort();
    await this.#looking;
    await this.#trying;
  }

  #isSuspended(name: string): boolean {
    return (this.#suspended.get(name) ?? 0) > this.options.now();
  }

  #fastestAv1(): { encoder: VideoEncoder; speed: number } | undefined {
    let best: { encoder: VideoEncoder; speed: number } | undefined;
    for (const encoder of VIDEO_ENCODERS) {
      const trial = this.#trials.get(encoder.name);
      if (encoder.codec !== 'av1' || trial?.works !== true || this.#isSuspended(encoder.name)) continue;
      if (best === undefined || trial.speed > best.speed) best = { encoder, speed: trial.speed };
    }
    return best;
  }

  async #need(): Promise<Found> {
    if (this.#found !== undefined && !isThere(this.#found.path)) this.#found = undefined;
    const found = this.#found ?? (await this.#search());
    if (found !== undefined) return found;
    throw new Failure('ffmpeg_unavailable', 'ffmpeg が見つからないため、映像を変換できません');
  }

  /** Searches ffmpeg, unless that was just done. */
  async #search(): Promise<Found | undefined> {
    if (this.#looking !== undefined) return this.#looking;
    const { now, log } = this.options;
    if (this.#found !== undefined || this.#abort.signal.aborted) return this.#found;
    if (now() - this.#lookedAt < RETRY_MS) return undefined;
    this.#lookedAt = now();
    this.#looking = this.#query().catch((error: unknown) => {
      log.warn('ffmpeg does not answer', { reason: error instanceof Error ? error.message : String(error) });
      return undefined;
    });
    const found = await this.#looking;
    this.#looking = undefined;
    if (found === undefined) return undefined;
    this.#found = found;
    log.info('ffmpeg found', { path: found.path, version: found.version });
    this.#trials = new Map();
    this.#startTrials(found, VIDEO_ENCODERS);
    return found;
  }

  #startTrials(found: Found, encoders: readonly VideoEncoder[]): void {
    this.#triedAt = this.options.now();
    this.#trying = this.#try(found, encoders).finally(() => {
      this.#trying = undefined;
      this.#retryWhenIdle();
    });
  }

  /** The first trial may have run while the machine was busy with the start: that alone does not rule out AV1. */
  #retryWhenIdle(): void {
    clearInterval(this.#retrial);
    const { isIdle = isMachineIdle, retrialMs = RETRIAL_MS } = this.options;
    const best = this.#fastestAv1();
    if (best === undefined || best.speed >= AV1_MIN_SPEED) return;
    if (this.#triedWhenIdle || this.#abort.signal.aborted) return;
    this.#retrial = setInterval(() => {
      if (this.#found === undefined || !isIdle()) return;
      this.#triedWhenIdle = true;
      this.#tryAgain(this.#found, 0);
    }, retrialMs);
    this.#retrial.unref();
  }

  /** Prepares another trial for the next viewer who requests it. */
  #tryAgain(found: Found, pauseMs = RETRIAL_MS): void {
    if (this.#trying !== undefined || this.options.now() - this.#triedAt < pauseMs) return;
    const working = (encoder: VideoEncoder): boolean => this.#trials.get(encoder.name)?.works === true;
    const slow = VIDEO_ENCODERS.filter((encoder) => encoder.codec === 'av1' && working(encoder));
    if (slow.length > 0) this.#startTrials(found, slow);
  }

  async #query(): Promise<Found | undefined> {
    const folders = this.options.folders ?? [process.cwd(), dirname(process.execPath)];
    const path = findFfmpeg({ path: this.options.path, searchPath: this.options.searchPath, folders });
    if (path === undefined) return undefined;
    const limits = { timeoutMs: QUERY_TIMEOUT_MS, signal: this.#abort.signal };
    const [version, encoders] = await Promise.all([
      run([path, '-hide_banner', '-version'], limits),
      run([path, '-v', 'error', '-hide_banner', '-encoders'], limits),
    ]);
    const name = /^ffmpeg version (\S+)/.exec(version.stdout)?.[1];
    if (name === undefined || encoders.code !== 0) throw new Error(version.stderr || encoders.stderr);
    // " V....D libx264   description"
    const listed = new Set([...encoders.stdout.matchAll(/^ [VAS][A-Z.]{5} (\S+)/gm)].map((m) => m[1] ?? ''));
    return { path, version: name, listed };
  }

  /** One encoder after the other, at the lowest priority. */
  async #try(found: Found, encoders: readonly VideoEncoder[]): Promise<void> {
    for (const encoder of encoders) {
      if (!found.listed.has(encoder.name) || this.#abort.signal.aborted) continue;
      const trial = await this.#tryOne(found.path, encoder);
      this.#trials.set(encoder.name, trial);
      this.options.log.info('encoder tried', {
        encoder: encoder.name,
        works: trial.works,
        speed: trial.works ? Number(trial.speed.toFixed(2)) : undefined,
      });
    }
  }

  async #tryOne(ffmpeg: string, encoder: VideoEncoder): Promise<Trial> {
    // Only AV1 needs a speed measurement; for the others a few pictures show whether they work.
    const seconds = encoder.codec === 'av1' ? TRIAL_SECONDS : 0.2;
    try {
      const result = await run(trialCommand(ffmpeg, encoder, seconds), {
        timeoutMs: TRIAL_TIMEOUT_MS,
        background: true,
        signal: this.#abort.signal,
      });
      // A software encoder that reached the time limit works; the machine is busy, which its speed shows.
      const late = result.elapsedMs >= TRIAL_TIMEOUT_MS && encoder.kind === 'software';
      if (result.code !== 0 && !late) return { works: false };
      return { works: true, speed: (seconds * 1000) / result.elapsedMs };
    } catch {
      return { works: false };
    }
  }
}

/** Load of the last minute below a quarter of the processors. */
function isMachineIdle(): boolean {
  return (loadavg()[0] ?? 0) < availableParallelism() / 4;
}

const MISSING =
  'ffmpeg が見つかりません。インストールするか、環境変数 FFMPEG_PATH で場所を指定してください。';

/** State of ffmpeg and its encoders in the format of the API. */
export function encoderFacts({ usable }: EncoderStatus): SystemFacts['ffmpeg']['encoders'] {
  return VIDEO_ENCODERS.map(({ name, kind }) => ({
    name,
    hardware: kind === 'gpu',
    usable: usable.includes(name),
  }));
}

export function ffmpegFacts(status: EncoderStatus): SystemFacts['ffmpeg'] {
  const { state, path, version } = status;
  return { state, path, version, encoders: encoderFacts(status) };
}

export function ffmpegStatus({ state, version, usable }: EncoderStatus): Status['ffmpeg'] {
  return { state, version, encoders: usable, message: state === 'missing' ? MISSING : null };
}
