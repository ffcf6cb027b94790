/**
 * A section of a small synthetic station as files of a recording, with the content broadcast at every second
 * of them: flashes and beeps by the broadcaster's clock, captions by its script. Independent of the code
 * under test.
 */
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { captionTruth } from '../../synth/caption/truth.ts';
import { MARK_PERIOD, TICKS_PER_SECOND, ticksAt, wrapTicks } from '../../synth/clock.ts';
import { GROUP_TICKS } from '../../synth/rundown/part.ts';
import { Rundown } from '../../synth/rundown/rundown.ts';
import { loadScenario } from '../../synth/scenario/load.ts';
import type { SmallStation } from '../../synth/scenario/small.ts';
import type { EventStation } from '../../synth/si/eit.ts';
import { scenarioFile } from '../synth/scenario-file.ts';
import { tune } from '../synth/tuning.ts';

const CHANNEL = 'T30';
/** Service id of the stand-in agent's first station. */
const SERVICE_ID = 1024;
/** Caption statements are sent at most this long before they are shown. */
const LEAD_TICKS = 2 * TICKS_PER_SECOND;
const FRAME_TICKS = 3_003;
/** Five minutes. */
const SEARCHED_GROUPS = 600;
const FFPROBE = Bun.which('ffprobe') ?? 'ffprobe';

/** A section that was received without a gap. */
export interface Stretch {
  readonly bytes: Uint8Array;
  /** Unwrapped time stamps of its first decodable picture, and of the end of its last one, 90 kHz. */
  readonly from: number;
  readonly to: number;
}

/** Caption text on the screen from a given moment on. */
interface Shown {
  /** Unwrapped 90 kHz. */
  readonly ticks: number;
  readonly texts: readonly Text[];
}

interface Text {
  readonly text: string;
  /** Flashing: drawn half of the time. */
  readonly flashes: boolean;
}

/**
 * Normalises text: spaces draw nothing, DRCS are no letters, and half-width letters may be drawn by codes of
 * their own.
 */
export const letters = (text: string): string => text.normalize('NFKC').replaceAll(/[\s〓]/gu, '');

export class RecordedAir {
  readonly #path: string;

  /**
   * @param station other fields of the station, as in a scenario file @param bitrate of its channel, bit/s
   */
  constructor(station: SmallStation = {}, bitrate?: number) {
    const programmes = [{ durationSec: 1_800, title: '灯台守の日記', captions: true }];
    const stations = [{ serviceId: SERVICE_ID, captions: true, programmes, ...station }];
    const channel = { channel: CHANNEL, stations, ...(bitrate === undefined ? {} : { bitrate }) };
    this.#path = scenarioFile({ seed: 14, channels: [channel] });
  }

  /** The output of a tuner in these seconds. */
  async stretch(at: BroadcastMs, seconds: number): Promise<Stretch> {
    const bytes = await tune({ scenario: this.#path, type: 'GR', channel: CHANNEL, at, seconds });
    return { bytes, ...(await pictureSpan(bytes, ticksAt(at))) };
  }

  /** Captions, including those shown shortly before the start. */
  shown(at: BroadcastMs, seconds: number): Shown[] {
    const { seed } = loadScenario(this.#path);
    const station = this.#station();
    const begin = broadcastMs(at - 60_000);
    const pages = captionTruth(seed, station, begin, seconds + 60).captions;
    let texts: Text[] = [];
    return pages.map(({ at: moment, clears, runs }) => {
      if (clears) texts = [];
      const added = runs.map(({ text, flash }) => ({ text: letters(text), flashes: flash !== 'none' }));
      texts = [...texts, ...added].filter(({ text }) => text !== '');
      return { ticks: ticksAt(moment), texts };
    });
  }

  /** The first complete commercial break from a moment on, with the black at its ends; unwrapped 90 kHz. */
  firstBreak(at: BroadcastMs): { from: number; to: number } {
    const { seed } = loadScenario(this.#path);
    const { place, guide } = this.#station();
    const rundown = new Rundown(seed, place.plan, guide);
    const from = Math.ceil(ticksAt(at) / GROUP_TICKS);
    const parts = rundown.parts(from, from + SEARCHED_GROUPS);
    const first = parts.findIndex(({ kind }, index) => kind !== 'main' && parts[index - 1]?.kind === 'main');
    const end = parts.findIndex(({ kind }, index) => index > first && kind === 'main');
    const [begin, behind] = [parts[first], parts[end]];
    if (begin === undefined || behind === undefined) throw new Error('no break');
    return { from: begin.from * GROUP_TICKS, to: behind.from * GROUP_TICKS };
  }

  #station(): EventStation {
    const scenario = loadScenario(this.#path);
    const [channel] = scenario.channels;
    if (channel === undefined) throw new Error('no channel');
    const found = eventStations(scenario, channel).find(({ place }) => place.plan.serviceId === SERVICE_ID);
    if (found === undefined) throw new Error('no station');
    return found;
  }
}

/** The time stamps of the first picture and of the end of the last one, as read by ffprobe. */
async function pictureSpan(bytes: Uint8Array, near: number): Promise<{ from: number; to: number }> {
  const entries = ['-show_entries', 'packet=pts,flags', '-of', 'csv=p=0'];
  const child = Bun.spawn([FFPROBE, '-v', 'quiet', '-select_streams', 'v', ...entries, '-'], {
    stdin: bytes,
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const rows = (await new Response(child.stdout).text()).split('\n').map((line) => line.split(','));
  const base = near - wrapTicks(near);
  const stamps = rows.map(([pts]) => Number(pts)).filter((pts) => pts > 0);
  const key = Number(rows.find(([, flags]) => flags?.startsWith('K'))?.[0]);
  return { from: base + key, to: base + Math.max(...stamps) + FRAME_TICKS };
}

/** The timeline of a file, on which sections follow each other without gaps. */
export class AirLine {
  constructor(
    private readonly stretches: readonly Stretch[],
    private readonly captions: readonly Shown[],
  ) {}

  get seconds(): number {
    return this.stretches.reduce((sum, { from, to }) => sum + (to - from), 0) / TICKS_PER_SECOND;
  }

  /** Positions in seconds at which a section follows another. */
  get joins(): number[] {
    return this.stretches.slice(1).map(({ from }) => this.secondsOf(from));
  }

  secondsOf(ticks: number): number {
    let before = 0;
    for (const { from, to } of this.stretches) {
      if (ticks >= from && ticks <= to) return (before + ticks - from) / TICKS_PER_SECOND;
      before += to - from;
    }
    return Number.NaN;
  }

  #ticksOf(seconds: number): number {
    let rest = seconds * TICKS_PER_SECOND;
    for (const { from, to } of this.stretches) {
      if (rest < to - from) return from + rest;
      rest -= to - from;
    }
    return Number.NaN;
  }

  /** Positions in seconds at which flashes and beeps begin. */
  get marks(): number[] {
    return this.stretches.flatMap(({ from, to }) => {
      const first = Math.ceil(from / MARK_PERIOD);
      const count = Math.max(0, Math.ceil(to / MARK_PERIOD) - first);
      return Array.from({ length: count }, (_, index) => this.secondsOf((first + index) * MARK_PERIOD));
    });
  }

  /** Texts on the screen; undefined if so close to a change that either is acceptable. */
  textsAt(seconds: number, slack: number): readonly Text[] | undefined {
    const at = this.#ticksOf(seconds);
    const near = slack * TICKS_PER_SECOND;
    if (!Number.isFinite(at)) return undefined;
    if (this.joins.some((join) => Math.abs(join - seconds) < slack)) return undefined;
    if (this.captions.some(({ ticks }) => Math.abs(ticks - at) < near)) return undefined;
    const stretch = this.stretches.find(({ from, to }) => at >= from && at < to);
    const last = this.captions.findLast(({ ticks }) => ticks <= at);
    if (stretch === undefined || last === undefined || last.ticks < stretch.from) return [];
    // Sent before it is shown: it is unknown whether the first texts were received.
    return last.ticks < stretch.from + LEAD_TICKS ? undefined : last.texts;
  }
}
