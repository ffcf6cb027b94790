/** Quality of the encoded path: the viewer's choice on this device, or with 自動 the measured throughput. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { LiveQuality } from '../../lib/wire/api.ts';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { LIVE_QUALITIES } from '../../lib/wire/vocabulary.ts';
import { liveLevel, liveQuality, rawLive } from '../device/preferences.ts';
import { canPlayRaw } from '../raw/raw-feed.ts';
import type { RawFigures, RawProblem } from '../raw/raw-messages.ts';
import type { Shortage } from '../words/quality.ts';

const WINDOW_MS = 5_000;

export class ReceivedRate {
  #samples: readonly { readonly octets: number; readonly at: MonotonicMs }[] = [];

  /** @param octets total received so far */
  note(octets: number, at: MonotonicMs): void {
    this.#samples = [...this.#samples.filter((one) => at - one.at <= WINDOW_MS), { octets, at }];
  }

  /** Another stream begins. */
  clear(): void {
    this.#samples = [];
  }

  /** Undefined without enough samples. */
  get bitRate(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < WINDOW_MS / 2) return undefined;
    return ((last.octets - first.octets) * 8_000) / (last.at - first.at);
  }
}

// Since when there is no picture, and since when data has been coming all the same: a station that pauses sends none, and
// is no slow network. Pure except for its own state.

/** Bits a second; at a lower rate the station sends no data, or the network just stopped. */
const LEAST_FLOW = 50_000;
/** A slow network brings a picture now and then: shorter playing does not end the wait. */
const STEADY_MS = 2_000;

interface StarvationSample {
  readonly at: MonotonicMs;
  /** A picture was asked for and granted, and none plays. */
  readonly isStarved: boolean;
  readonly received: number;
}

interface Starved {
  readonly since: MonotonicMs;
  /** Octets before. */
  readonly received: number;
  readonly fedSince: MonotonicMs | undefined;
}

export class Starvation {
  #starved: Starved | undefined;
  /** Undefined: no picture plays. */
  #playingSince: MonotonicMs | undefined;

  note({ at, isStarved, received }: StarvationSample): void {
    if (!isStarved) {
      this.#playingSince ??= at;
      if (at - this.#playingSince >= STEADY_MS) this.#starved = undefined;
      return;
    }
    this.#playingSince = undefined;
    const before = this.#starved ?? { since: at, received, fedSince: undefined };
    const bits = (received - before.received) * 8;
    const isFed = bits > 0 && bits >= (LEAST_FLOW * (at - before.since)) / 1_000;
    this.#starved = { ...before, fedSince: before.fedSince ?? (isFed ? at : undefined) };
  }

  /** Another stream begins. */
  clear(): void {
    this.#starved = undefined;
    this.#playingSince = undefined;
  }

  /** Undefined: a picture plays, or none is due. */
  get since(): MonotonicMs | undefined {
    return this.#playingSince === undefined ? this.#starved?.since : undefined;
  }

  /** Undefined: no data comes either. */
  get fedSince(): MonotonicMs | undefined {
    return this.#playingSince === undefined ? this.#starved?.fedSince : undefined;
  }
}

/** Further ahead than at best, s: the encoder does not keep up. */
const ENCODER_LAG_S = 2;

/**
 * Tells a slow encoder of the service from a slow network: times of the broadcast are sent past the encoder, so that on a
 * slow network they are as late as the media around them, and before a slow encoder ahead of it.
 */
export class EncoderLag {
  #least = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** @param lead s of a time that has just come over the end of the media that has come */
  note(lead: number): void {
    this.#least = Math.min(this.#least, lead);
    this.#last = lead;
  }

  /** Another stream begins. */
  clear(): void {
    this.#least = Number.POSITIVE_INFINITY;
    this.#last = Number.NEGATIVE_INFINITY;
  }

  get isSlow(): boolean {
    return this.#last - this.#least >= ENCODER_LAG_S;
  }
}

// Adaptive quality of a live stream. A stream does not show how much more the network could carry, so a higher quality
// is tried now and then, with backoff after each failed attempt. Pure except for its own state.

/** From the lowest. */
const QUALITIES: readonly LiveQuality[] = LIVE_QUALITIES.toReversed();

/** Bits a second that a stream takes in the long run, sound included. */
const NEEDED: Readonly<Record<LiveQuality, number>> = {
  least: 290_000,
  low: 850_000,
  middle: 2_000_000,
  high: 4_300_000,
};

/** Without a picture for this long, though the service sends, the quality is lowered. */
const STARVED_MS = 3_000;
/** Without data the station pauses, or the network just stopped: only a long wait distinguishes the two. */
const SILENT_MS = 10_000;
/** This many interruptions within the time are caused by the network, not by a single event. */
const STUMBLES = 3;
const STUMBLES_WITHIN_MS = 30_000;
/** After this long without stalls the next higher quality is tried. */
const FIRST_TRY_MS = 10_000;
const LATEST_TRY_MS = 600_000;
/** A higher quality that is given up within this time did not pass. */
const TRIAL_MS = 60_000;

interface NetworkSample {
  readonly at: MonotonicMs;
  /** Bits a second that arrive; undefined while that is not known. */
  readonly bitRate: number | undefined;
  /** No picture since, though it was asked for and granted; undefined: it plays. */
  readonly starvedSince: MonotonicMs | undefined;
  /** Since when data comes all the same; undefined: none comes. */
  readonly fedSince: MonotonicMs | undefined;
}

export class QualityLadder {
  #level: LiveQuality;
  #tryAfterMs = FIRST_TRY_MS;
  #calmSince: MonotonicMs | undefined;
  #raisedAt: MonotonicMs | undefined;
  #wasStarved = false;
  #stumbles: readonly MonotonicMs[] = [];

  constructor(level: LiveQuality) {
    this.#level = level;
  }

  get level(): LiveQuality {
    return this.#level;
  }

  /** The next sample is that of another stream. */
  restart(): void {
    this.#calmSince = undefined;
    this.#wasStarved = false;
    this.#stumbles = [];
  }

  /** The quality to change to; undefined: the present one stays. @param most the highest that is wanted */
  next({ at, bitRate, starvedSince, fedSince }: NetworkSample, most: LiveQuality): LiveQuality | undefined {
    if (starvedSince === undefined) {
      this.#wasStarved = false;
      return this.#rise(at, most);
    }
    this.#calmSince = undefined;
    if (!this.#wasStarved) {
      this.#stumbles = [...this.#stumbles, at].filter((one) => at - one < STUMBLES_WITHIN_MS);
    }
    this.#wasStarved = true;
    const flows = bitRate !== undefined && bitRate >= LEAST_FLOW;
    const isFed = fedSince !== undefined && at - fedSince >= STARVED_MS;
    const isSilent = at - starvedSince >= SILENT_MS;
    const tooSlow = isFed || isSilent || (flows && this.#stumbles.length >= STUMBLES);
    return tooSlow ? this.#fall(flows ? bitRate : undefined) : undefined;
  }

  #rise(at: MonotonicMs, most: LiveQuality): LiveQuality | undefined {
    this.#calmSince ??= at;
    if (this.#raisedAt !== undefined && at - this.#raisedAt > TRIAL_MS) {
      this.#raisedAt = undefined;
      this.#tryAfterMs = FIRST_TRY_MS;
    }
    const index = QUALITIES.indexOf(this.#level);
    if (at - this.#calmSince < this.#tryAfterMs || index >= QUALITIES.indexOf(most)) return undefined;
    this.#raisedAt = at;
    return this.#change(QUALITIES[index + 1]);
  }

  /** @param bitRate undefined: by one */
  #fall(bitRate: number | undefined): LiveQuality | undefined {
    const index = QUALITIES.indexOf(this.#level);
    if (index === 0) return undefined;
    if (this.#raisedAt !== undefined) this.#tryAfterMs = Math.min(LATEST_TRY_MS, this.#tryAfterMs * 3);
    this.#raisedAt = undefined;
    const lower = QUALITIES.slice(0, index);
    if (bitRate === undefined) return this.#change(lower.at(-1));
    return this.#change(lower.findLast((quality) => NEEDED[quality] <= bitRate) ?? 'least');
  }

  #change(level: LiveQuality | undefined): LiveQuality | undefined {
    if (level !== undefined) this.#level = level;
    this.restart();
    return level;
  }
}

const STOOD_WITHIN_MS = 30_000;
/** Samples, two a second. */
const MOST_STOOD = 20;
/** Part of a frame's duration that its decoding takes. */
const SLOW_LOAD = 0.8;

/** Chooses between the raw and the encoded path: the viewer's setting, the browser's capabilities, recent failures. */
export class RawChoice {
  /** Why the encoded path plays instead. */
  #problem: RawProblem | undefined;
  readonly #figures = signal<RawFigures | undefined>(undefined);
  /** Samples without a moving picture. */
  #stood: readonly MonotonicMs[] = [];

  get isOn(): boolean {
    return rawLive.value && this.#problem === undefined && canPlayRaw();
  }

  /** The decoder's report, once a second; undefined on the encoded path. */
  get figures(): ReadonlySignal<RawFigures | undefined> {
    return this.#figures;
  }

  /** Undefined: the raw path plays, or was not asked for. */
  get problem(): RawProblem | undefined {
    return this.#problem;
  }

  /** True when data comes, but so late that the picture stood for a third of the last half minute. */
  isLate({ at, bitRate = 0, starvedSince }: NetworkSample): boolean {
    const recent = this.#stood.filter((one) => at - one < STOOD_WITHIN_MS);
    this.#stood = starvedSince === undefined ? recent : [...recent, at];
    if (this.#stood.length < MOST_STOOD || bitRate < LEAST_FLOW) return false;
    // A decoder that is behind is late with the sound as well.
    this.#problem = (this.#figures.value?.load ?? 0) > SLOW_LOAD ? 'slow' : 'late';
    return true;
  }

  /** The viewer chose. */
  choose(isRaw: boolean): void {
    rawLive.value = isRaw;
    this.#problem = undefined;
  }

  /** Another station: what the last one lacked it may have. A slow device stays slow. */
  forget(): void {
    if (this.#problem !== 'slow') this.#problem = undefined;
  }

  /** The handlers of a feed that begins. */
  begin() {
    this.#figures.value = undefined;
    this.#stood = [];
    return {
      onFigures: (figures: RawFigures): void => {
        this.#figures.value = figures;
      },
      onProblem: (problem: RawProblem): void => {
        this.#problem = problem;
      },
    };
  }

  /** After a decoder that did not even load. */
  fail(): void {
    this.#problem ??= 'unsupported';
    this.#figures.value = undefined;
  }
}

/** Default on a device with data saving. */
const SAVING: LiveQuality = 'low';

interface Connected {
  readonly connection?: { readonly saveData?: boolean };
}

/** The highest that 自動 takes on this device. */
function mostWanted(): LiveQuality {
  return (navigator as Connected).connection?.saveData === true ? SAVING : 'high';
}

function lowerOf(a: LiveQuality, b: LiveQuality): LiveQuality {
  return QUALITIES.indexOf(a) < QUALITIES.indexOf(b) ? a : b;
}

/** Another quality is asked for from now on. */
export interface QualityChange {
  readonly quality: LiveQuality;
  /** Of a lower one. */
  readonly why: Shortage | undefined;
}

export class QualityChoice {
  #ladder = new QualityLadder(lowerOf(liveLevel.peek(), mostWanted()));
  readonly #shortage = signal<Shortage | undefined>(undefined);
  readonly #encoder = new EncoderLag();

  /** To be asked for. */
  get wanted(): LiveQuality {
    const chosen = liveQuality.value;
    return chosen === 'auto' ? this.#ladder.level : chosen;
  }

  /** Why data comes too late, when no lower quality is left or wanted. */
  get shortage(): ReadonlySignal<Shortage | undefined> {
    return this.#shortage;
  }

  /** The viewer chose. */
  choose(quality: LiveQuality | 'auto'): void {
    liveQuality.value = quality;
    this.#ladder = new QualityLadder(mostWanted());
    this.#shortage.value = undefined;
  }

  /** Another stream begins. */
  restart(): void {
    this.#ladder.restart();
    this.#encoder.clear();
    this.#shortage.value = undefined;
  }

  /** A time of the broadcast has come. @param lead s over the end of the media that has come */
  noteClock(lead: number): void {
    this.#encoder.note(lead);
  }

  /** Undefined: it stays as it is. */
  follow(sample: NetworkSample): QualityChange | undefined {
    const before = this.#ladder.level;
    const isAuto = liveQuality.peek() === 'auto';
    const quality = isAuto ? this.#ladder.next(sample, mostWanted()) : undefined;
    const { at, bitRate = 0, fedSince = at } = sample;
    const isFed = sample.fedSince !== undefined || bitRate >= LEAST_FLOW;
    const why: Shortage = this.#encoder.isSlow ? 'encoder' : isFed ? 'network' : 'silence';
    const isShort = at - fedSince >= STARVED_MS;
    this.#shortage.value = isShort && quality === undefined ? why : undefined;
    if (quality === undefined) return undefined;
    liveLevel.value = quality;
    const isLower = QUALITIES.indexOf(quality) < QUALITIES.indexOf(before);
    return { quality, why: isLower ? why : undefined };
  }
}
