/**
 * A recording of a synthetic station with its data broadcast: the tables and carousels that it sends, and a clock and
 * intra pictures ten times a second, so that it can be played.
 */
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import { ticksAt } from '../../synth/clock.ts';
import { placeChannel, type StationPlace } from '../../synth/scenario/layout.ts';
import { findChannel, loadScenario } from '../../synth/scenario/load.ts';
import { AT, tableBeats } from '../peer/sent.ts';
import { adaptation, pesPacket, StreamBuilder, TINY_PICTURE } from '../stream-builder.ts';

const scenario = loadScenario('default');
export const CHANNEL = findChannel(scenario, 'GR', 'T27');
export const STATION = placeChannel(CHANNEL).stations[0] as StationPlace;
/** Two cycles of the carousel before the news change at `AT`. */
export const BEGIN = plusMs(AT, -15_000);
export const BEAT_MS = 100;
const WRAP = 2 ** 33;

interface RecordingOptions {
  readonly seconds: number;
  readonly at?: BroadcastMs;
  /** Added to the station's clock, 90 kHz. */
  readonly clock?: number;
  /** Of a later stream, so that the numbers of its packets do not continue. */
  readonly counter?: number;
}

/** Packets of each tenth of a second. */
export function* dataBeats({
  seconds,
  at = BEGIN,
  clock = 0,
  counter = 0,
}: RecordingOptions): Generator<Uint8Array> {
  const builder = new StreamBuilder();
  const { pcrPid, video } = STATION;
  builder.setCounter(video.pid, counter);
  let ms = 0;
  for (const tables of tableBeats(scenario, CHANNEL, seconds, { at, ticks: BEAT_MS * 90 })) {
    const ticks = (ticksAt(plusMs(at, ms)) + clock) % WRAP;
    builder.packet(pcrPid, { adaptation: adaptation({ pcr: ticks * 300 }) });
    const data = [...TINY_PICTURE];
    builder.pes(
      video.pid,
      pesPacket({ streamId: 0xe0, pts: (ticks + PICTURE_DELAY * 90_000) % WRAP, unbounded: true, data }),
    );
    yield Buffer.concat([builder.take(), tables]);
    ms += BEAT_MS;
  }
}

/** s from the first clock of a recording to its first picture. */
export const PICTURE_DELAY = 0.5;

export function dataRecording(options: RecordingOptions): Uint8Array {
  return Buffer.concat([...dataBeats(options)]);
}
