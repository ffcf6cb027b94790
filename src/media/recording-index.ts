/**
 * The time index of a recording: maps times to octets. Built from few samples: the start and end of each uninterrupted
 * run of writing, one place every 64 MB (at least 32), and more where the time stamps do not fit a steady stream, until
 * each jump of the clock is found. Only files of a few MB are read completely.
 */
import type { ServiceId } from '../../lib/arib/ids.ts';
import {
  type BroadcastMs,
  type Media90k,
  media90k,
  type Pts90k,
  TICKS_PER_SECOND,
  unwrapPts,
} from '../../lib/arib/time.ts';
import { ptsDifference } from '../../lib/arib/ts/clock.ts';
import { continues, type Stretch, TimeScale } from '../../lib/arib/ts/time-scale.ts';
import { Failure } from '../model/failure.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import { ProgramTables } from './program-tables.ts';
import type { ByteSource } from './recording-bytes.ts';
import { type Sample, StampSampler } from './stamp-sampler.ts';
import { entryAt, packetsIn } from './stream-stamps.ts';

/** A place where writing was resumed, or another part begins. */
export interface WritingBreak {
  /** Position, octets. */
  readonly at: number;
  /** Broadcast time of the data after it; undefined if unknown. */
  readonly broadcastAt: BroadcastMs | undefined;
}

interface IndexInput {
  readonly source: ByteSource;
  /** In order. */
  readonly breaks: readonly WritingBreak[];
  /** Broadcast time of the first octet. */
  readonly beganAt: BroadcastMs | undefined;
  /** The programme to use if the stream has several. */
  readonly serviceId: ServiceId | undefined;
}

/** A stretch of the time scale and its range of octets. */
export interface IndexPiece {
  /** Octets; `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Time stamp of its first decodable picture (or audio frame). */
  readonly pts: Pts90k;
  readonly start: Media90k;
  /** Duration, ticks. */
  readonly length: number;
}

/** A place with a known time. */
interface TimedPlace {
  readonly at: number;
  readonly media: Media90k;
}

/** The piece that contains an octet; the last one for octets after all pieces, the first one for octets before. */
export function pieceHolding(pieces: readonly IndexPiece[], at: number): IndexPiece | undefined {
  return pieces.findLast(({ from }) => from <= at) ?? pieces[0];
}

/** Like `RecordingIndex.timeOf`, for a worker that has only the pieces. */
export function timeInPieces(pieces: readonly IndexPiece[], pts: Pts90k, at: number): Media90k | undefined {
  const piece = pieceHolding(pieces, at);
  if (piece === undefined) return undefined;
  const share = (at - piece.from) / Math.max(1, piece.to - piece.from);
  const expected = Math.round(Math.min(1, Math.max(0, share)) * piece.length);
  return media90k(piece.start + unwrapPts(pts - piece.pts, expected));
}

const STRIDE_BYTES = 64 * 1024 * 1024;
/** Minimum also for short recordings: with few places a jump could look like a change of the bit rate. */
const MIN_PLACES = 32;
/** Longer than the window read at a place. */
const MIN_STRIDE_BYTES = 256 * 1024;
/** Places at most this far apart are neighbours, with a few pictures at most in between. */
const FINE_BYTES = 64 * 1024;
/** A larger deviation from a steady stream may be a jump: half of the step that `continues` accepts as loss. */
const DEVIATION = 5 * TICKS_PER_SECOND;
/** A shorter interruption of writing lost nothing visible. */
const SEAMLESS = TICKS_PER_SECOND / 2;
/** Limit of samples for finding jumps in a broken stream. */
const MAX_READS = 3_000;
const HEAD_BYTES = 4 * 1024 * 1024;
const BLOCK_BYTES = 512 * 1024;
/** One picture at 29.97 Hz, one audio frame at 48 kHz. */
const PICTURE_TICKS = 3_003;
const SOUND_TICKS = 1_920;

interface Run {
  readonly samples: Sample[];
  readonly from: number;
  readonly to: number;
  readonly broadcastAt: BroadcastMs | undefined;
}

interface RecordingHead {
  readonly layout: StationLayout;
  /** Video is announced but never sent, so `layout` has none. */
  readonly isSoundOnly: boolean;
  readonly tables: Uint8Array<ArrayBuffer>;
  readonly serviceId: ServiceId | undefined;
}

export class RecordingIndex {
  readonly scale: TimeScale;

  constructor(
    private readonly head: RecordingHead,
    /** One for each stretch of the time scale. */
    readonly pieces: readonly IndexPiece[],
    /** Broadcast time of each piece. */
    times: readonly (BroadcastMs | undefined)[],
    private readonly places: readonly (readonly TimedPlace[])[],
    private readonly sampler: StampSampler,
    /** Number of octets covered by the index. */
    readonly size: number,
  ) {
    const stretches = pieces.map(({ pts, length }, index): Stretch => ({ pts, length, at: times[index] }));
    this.scale = TimeScale.of(stretches);
  }

  /** Layout at the head. */
  get layout(): StationLayout {
    return this.head.layout;
  }

  /** PAT and PMT at the head, as packets. */
  get tables(): Uint8Array<ArrayBuffer> {
    return this.head.tables;
  }

  get serviceId(): ServiceId | undefined {
    return this.head.serviceId;
  }

  /** The playable streams of a layout within the recording: without video that is announced but never sent. */
  sentOf(layout: StationLayout): StationLayout {
    return this.head.isSoundOnly ? withoutPicture(layout) : layout;
  }

  get duration(): Media90k {
    return this.scale.duration;
  }

  /** The piece that contains an octet; the last one for octets written since. */
  pieceAt(at: number): IndexPiece | undefined {
    return pieceHolding(this.pieces, at);
  }

  /** The piece that contains a time; the first or last one for times outside. */
  pieceOf(media: Media90k): IndexPiece | undefined {
    return this.pieces.findLast(({ start }) => start <= media) ?? this.pieces[0];
  }

  /** Time of a time stamp read at an octet. May be outside of its piece, because audio begins before video. */
  timeOf(pts: Pts90k, at: number): Media90k | undefined {
    return timeInPieces(this.pieces, pts, at);
  }

  /**
   * Two places in one piece around a time, at most about a second apart if the stream has time stamps there. The first
   * is not after the time, unless there is no place before it.
   */
  async around(
    media: Media90k,
  ): Promise<{ before: TimedPlace; after: TimedPlace; piece: IndexPiece } | undefined> {
    const piece = this.pieceOf(media);
    if (piece === undefined) return undefined;
    const places = this.places[this.pieces.indexOf(piece)] ?? [];
    let before: TimedPlace = places.findLast((place) => place.media <= media) ?? {
      at: piece.from,
      media: piece.start,
    };
    let after: TimedPlace = places.find((place) => place.media > media) ?? {
      at: piece.to,
      media: media90k(piece.start + piece.length),
    };
    for (let tries = 0; tries < 24; tries += 1) {
      if (after.at - before.at <= FINE_BYTES || after.media - before.media <= TICKS_PER_SECOND) break;
      const share = (media - before.media) / (after.media - before.media);
      // Never at an edge, so that each read makes the interval smaller.
      const fraction = tries % 3 === 2 ? 0.5 : Math.min(0.9, Math.max(0.1, share));
      const wanted = before.at + Math.floor((after.at - before.at) * fraction);
      const sample = await this.sampler.at(wanted, after.at);
      const time = sample === undefined ? undefined : this.timeOf(sample.pts, sample.at);
      if (sample === undefined || time === undefined || time < before.media || time > after.media) {
        after = { at: wanted, media: after.media };
      } else if (time <= media) before = { at: sample.at, media: time };
      else after = { at: wanted, media: time };
    }
    return { before, after, piece };
  }
}

/** Keeps its samples, so that the index of a growing recording is updated by reading only its end. */
export class RecordingIndexer {
  #head: { tables: ProgramTables; layout: StationLayout } | undefined;
  #sampler: StampSampler | undefined;
  /** Used if the announced video is never sent. */
  #soundSampler: StampSampler | undefined;
  readonly #entries = new Map<number, Sample>();

  /** @throws Failure not_found if it is not a playable stream; errors of reading */
  async index(input: IndexInput): Promise<RecordingIndex> {
    const { source, serviceId } = input;
    this.#head ??= await readHead(source, serviceId);
    const { tables, layout: announced } = this.#head;
    const size = source.size;
    const { runs, sampler, isSoundOnly } = await this.#readRuns(input, announced, size);
    const layout = isSoundOnly ? withoutPicture(announced) : announced;
    const parts: Run[] = [];
    for (const run of runs) parts.push(...(await splitAtJumps(sampler, run)));
    const joined = joinSeamless(parts);
    if (joined.length === 0) throw UNPLAYABLE();
    const pieces: IndexPiece[] = [];
    const times: (BroadcastMs | undefined)[] = [];
    const places: TimedPlace[][] = [];
    let start = 0;
    for (const part of joined) {
      const first = await this.#entry(source, part, layout, isSoundOnly);
      const { piece, timed } = placed(part, first, media90k(start), layout.video !== null);
      pieces.push(piece);
      times.push(part.broadcastAt);
      places.push(timed);
      start += piece.length;
    }
    const { packets, serviceId: followed } = tables;
    const head = { layout, isSoundOnly, tables: packets, serviceId: followed };
    return new RecordingIndex(head, pieces, times, places, sampler, size);
  }

  async #readRuns(
    input: IndexInput,
    layout: StationLayout,
    size: number,
  ): Promise<{ runs: Run[]; sampler: StampSampler; isSoundOnly: boolean }> {
    const { source } = input;
    this.#sampler ??= new StampSampler(source, layout);
    this.#sampler.source = source;
    const runs = await readRuns(this.#sampler, input, size);
    if (!(await this.#sampler.isSoundOnly(size))) {
      // Video started after audio, so the entries found before are audio entries.
      if (this.#soundSampler !== undefined) this.#entries.clear();
      this.#soundSampler = undefined;
      return { runs, sampler: this.#sampler, isSoundOnly: false };
    }
    this.#soundSampler ??= new StampSampler(source, withoutPicture(layout));
    this.#soundSampler.source = source;
    const sampler = this.#soundSampler;
    return { runs: await readRuns(sampler, input, size), sampler, isSoundOnly: true };
  }

  /** The first decodable picture of a part; its first time stamp if none is found. */
  async #entry(source: ByteSource, part: Run, layout: StationLayout, isSoundOnly: boolean): Promise<Sample> {
    const [fallback] = part.samples;
    if (fallback === undefined) throw new Error('a part has a sample');
    const known = this.#entries.get(part.from);
    if (known !== undefined) return known;
    const end = Math.min(part.to, part.from + HEAD_BYTES);
    const tables = new ProgramTables(undefined);
    for (let at = part.from; at < end; at += BLOCK_BYTES) {
      const bytes = await source.read(at, Math.min(BLOCK_BYTES, end - at));
      for (const offset of packetsIn(bytes)) {
        tables.feed(bytes, offset);
        const here = isSoundOnly ? layout : (tables.layout ?? layout);
        const entry = entryAt(bytes, offset, here);
        if (entry === undefined) continue;
        // A time stamp inconsistent with its neighbours is damaged.
        if (!continues(0, ptsDifference(entry.pts, fallback.pts))) continue;
        const sample = { at: at + offset, pts: entry.pts };
        this.#entries.set(part.from, sample);
        return sample;
      }
    }
    if (end < part.to) this.#entries.set(part.from, fallback);
    return fallback;
  }
}

const UNPLAYABLE = (): Failure => new Failure('not_found', 'この録画には再生できる映像や音声がありません。');

async function readHead(
  source: ByteSource,
  serviceId: ServiceId | undefined,
): Promise<{ tables: ProgramTables; layout: StationLayout }> {
  const tables = new ProgramTables(serviceId);
  for (let at = 0; at < Math.min(source.size, 4 * HEAD_BYTES); at += BLOCK_BYTES) {
    const bytes = await source.read(at, BLOCK_BYTES);
    for (const offset of packetsIn(bytes)) {
      tables.feed(bytes, offset);
      const { layout } = tables;
      if (layout !== undefined && (layout.video !== null || layout.audios.length > 0))
        return { tables, layout };
    }
  }
  throw UNPLAYABLE();
}

function withoutPicture(layout: StationLayout): StationLayout {
  return { ...layout, video: null };
}

async function readRuns(sampler: StampSampler, input: IndexInput, size: number): Promise<Run[]> {
  const runs: Run[] = [];
  const stride = strideOf(size);
  for (const { from, to, broadcastAt } of writingRuns(input, size)) {
    const samples = await readRun(sampler, from, to, stride);
    if (samples.length > 0) runs.push({ samples, from, to, broadcastAt });
  }
  return runs;
}

function* writingRuns({ breaks, beganAt }: IndexInput, size: number): Generator<Omit<Run, 'samples'>> {
  let from = 0;
  let broadcastAt = beganAt;
  for (const one of [...breaks].sort((a, b) => a.at - b.at)) {
    if (one.at <= from || one.at >= size) continue;
    yield { from, to: one.at, broadcastAt };
    from = one.at;
    broadcastAt = one.broadcastAt;
  }
  if (size > from) yield { from, to: size, broadcastAt };
}

/** Halved until there are enough places, so that the places of a growing recording stay the same. */
function strideOf(size: number): number {
  let stride = STRIDE_BYTES;
  while (stride > MIN_STRIDE_BYTES && size / stride < MIN_PLACES) stride /= 2;
  return stride;
}

/** The first and last time stamp of a run and one at each stride; empty if it has none. */
async function readRun(sampler: StampSampler, from: number, to: number, stride: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let at = from; at < to; at += stride) {
    const sample = await sampler.at(at, to);
    if (sample !== undefined && sample.at > (samples.at(-1)?.at ?? -1)) samples.push(sample);
  }
  const last = await sampler.last(from, to);
  if (last !== undefined && last.at > (samples.at(-1)?.at ?? -1)) samples.push(last);
  return samples;
}

async function splitAtJumps(sampler: StampSampler, run: Run): Promise<Run[]> {
  const { samples } = run;
  const rates = samples.slice(1).map((sample, index) => {
    const before = samples[index] as Sample;
    return ptsDifference(sample.pts, before.pts) / (sample.at - before.at);
  });
  const median = [...rates].sort((a, b) => a - b)[rates.length >> 1] ?? 0;
  const parts: Run[] = [];
  let from = run.from;
  let { broadcastAt } = run;
  let open: Sample[] = samples.slice(0, 1);
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1];
    if (before === undefined) continue;
    const ticks = ptsDifference(sample.pts, before.pts);
    const isSteady = Math.abs(ticks - median * (sample.at - before.at)) <= DEVIATION;
    const isSure = samples.length > 3 && isSteady && ticks >= 0;
    const jumps = isSure ? [] : await findJumps(sampler, before, sample, 0);
    for (const [last, first] of jumps) {
      if (last.at > (open.at(-1)?.at ?? -1)) open.push(last);
      parts.push({ samples: open, from, to: first.at, broadcastAt });
      // The broadcast time is unknown after a jump.
      broadcastAt = undefined;
      from = first.at;
      open = [first];
    }
    if (sample.at > (open.at(-1)?.at ?? -1)) open.push(sample);
  }
  parts.push({ samples: open, from, to: run.to, broadcastAt });
  return parts;
}

/** Pairs of neighbouring places between which the clock jumps. A steady stream has none. */
async function findJumps(
  sampler: StampSampler,
  before: Sample,
  after: Sample,
  depth: number,
): Promise<[Sample, Sample][]> {
  const ticks = ptsDifference(after.pts, before.pts);
  const bytes = after.at - before.at;
  const verdict = (): [Sample, Sample][] => (continues(0, ticks) ? [] : [[before, after]]);
  if (bytes <= FINE_BYTES || depth > 32 || sampler.reads > MAX_READS) return verdict();
  const middle = await sampler.at(before.at + (bytes >> 1), after.at);
  if (middle === undefined || middle.at <= before.at) return verdict();
  const found: [Sample, Sample][] = [];
  for (const [a, b] of [
    [before, middle],
    [middle, after],
  ] as const) {
    const part = ptsDifference(b.pts, a.pts);
    const expected = (ticks * (b.at - a.at)) / bytes;
    const isSteady = part >= -TICKS_PER_SECOND && Math.abs(part - expected) <= DEVIATION;
    // A long range without a jump is steady in every part; a long time step over few octets is a jump.
    const isShort = part <= 10 * TICKS_PER_SECOND;
    const isPlain = isSteady && (isShort || b.at - a.at > 8 * FINE_BYTES);
    if (!isPlain) found.push(...(await findJumps(sampler, a, b, depth + 1)));
  }
  return found;
}

/** Joins contiguous parts: recording continued in another folder without a loss. */
function joinSeamless(parts: readonly Run[]): Run[] {
  const out: Run[] = [];
  for (const part of parts) {
    const before = out.at(-1);
    const last = before?.samples.at(-1);
    const [first] = part.samples;
    const step = last === undefined || first === undefined ? undefined : ptsDifference(first.pts, last.pts);
    if (before !== undefined && step !== undefined && Math.abs(step) <= SEAMLESS) {
      out[out.length - 1] = { ...before, to: part.to, samples: [...before.samples, ...part.samples] };
    } else out.push(part);
  }
  return out;
}

function placed(
  part: Run,
  first: Sample,
  start: Media90k,
  isVideo: boolean,
): { piece: IndexPiece; timed: TimedPlace[] } {
  // Summed from sample to sample, because a part may be longer than the range of time stamps.
  let last = first;
  let offset = 0;
  let length = 0;
  const timed: TimedPlace[] = [{ at: first.at, media: start }];
  for (const sample of part.samples) {
    offset += ptsDifference(sample.pts, last.pts);
    last = sample;
    length = Math.max(length, offset);
    if (sample.at > first.at && offset > (timed.at(-1)?.media ?? 0) - start)
      timed.push({ at: sample.at, media: media90k(start + offset) });
  }
  length += isVideo ? PICTURE_TICKS : SOUND_TICKS;
  return { piece: { from: part.from, to: part.to, pts: first.pts, start, length }, timed };
}
