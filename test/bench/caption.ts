/**
 * Captions: statements read per second, by our decoder to finished pages and by aribb24.js to parsed tokens, in
 * alternation in one run. Statements of an hour of every station of the synthetic broadcast. Then the captions file of
 * a recording of 24 Mbit/s, from memory: how many times faster than it was broadcast.
 *
 *   npm run bench caption
 */
import { ARIBB24JapaneseJIS8Tokenizer, ARIBB24Parser, demuxDatagroup, demuxIndependentPES } from 'aribb24.js';
import { CaptionDecoder } from '../../lib/arib/caption/decoder.ts';
import { broadcastMs, type Pts90k, pts90k, unwrapPts } from '../../lib/arib/time.ts';
import { readPes } from '../../lib/arib/ts/pes.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { CaptionTrack } from '../../synth/caption/track.ts';
import { ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { extractCaptions } from '../caption/extract-captions.ts';
import { recording } from '../caption/recording.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const HOUR_TICKS = 3_600 * 90_000;
const ROUNDS = 9;
const WANTED_RATIO = 5;
const RECORDED_SECONDS = 60;
const WANTED_SPEED = 100;

interface Packet {
  payload: Uint8Array;
  pts: Pts90k;
}

/** data_group_id of a statement is not 0 in its lower five bits. */
function isStatement({ payload }: Packet): boolean {
  return (((payload[3] ?? 0) >> 2) & 0x1f) !== 0;
}

function hourOfStatements(): Packet[] {
  const stations = DEFAULT.channels.flatMap((channel) => eventStations(DEFAULT, channel));
  const captioned = stations.filter(({ place }) => place.captions !== null);
  const from = ticksAt(AT);
  return captioned
    .flatMap((station) => new CaptionTrack(DEFAULT.seed, station).transmissions(from, from + HOUR_TICKS))
    .flatMap(({ pes }) => {
      const packet = readPes(pes);
      return packet === undefined ? [] : [{ payload: packet.data.slice(), pts: packet.pts ?? pts90k(0) }];
    })
    .filter(isStatement);
}

/** Number of pages. */
function ours(packets: readonly Packet[]): number {
  const decoder = new CaptionDecoder();
  let pages = 0;
  for (const { payload, pts } of packets) pages += decoder.feed(payload, pts).length;
  return pages;
}

/** Number of tokens. */
function theirs(packets: readonly Packet[]): number {
  let tokens = 0;
  for (const { payload } of packets) {
    const independent = demuxIndependentPES(payload);
    const group = independent === null ? null : demuxDatagroup(independent.data);
    if (group === null) continue;
    const parser = new ARIBB24Parser(undefined, { magnification: 1 });
    tokens += parser.parse(new ARIBB24JapaneseJIS8Tokenizer().tokenize(group)).length;
  }
  return tokens;
}

function rate(read: (packets: readonly Packet[]) => number, packets: readonly Packet[]): number {
  const begun = performance.now();
  if (read(packets) === 0) throw new Error('nothing read');
  return (packets.length / (performance.now() - begun)) * 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

const packets = hourOfStatements();
ours(packets);
theirs(packets);
const own: number[] = [];
const other: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  own.push(rate(ours, packets));
  other.push(rate(theirs, packets));
}
const ratio = median(own.map((value, round) => value / (other[round] ?? 1)));
console.log(`caption statements          ${packets.length}`);
console.log(`caption decoder             ${Math.round(median(own))} statements/s`);
console.log(`aribb24.js                  ${Math.round(median(other))} statements/s`);
console.log(`ratio                       ${ratio.toFixed(1)} (wanted: at least ${WANTED_RATIO})`);

/** Packets of a tenth of a second of a picture, 24 Mbit/s. */
function picture(): Uint8Array {
  const packets = new Uint8Array(188 * 1_600).fill(0x55);
  for (let at = 0; at < packets.length; at += 188) packets.set([0x47, 0x01, 0x11, 0x10], at);
  return packets;
}

/** Recorded seconds that are read per second. */
async function extractionSpeed(): Promise<number> {
  const station = DEFAULT.channels
    .flatMap((channel) => eventStations(DEFAULT, channel))
    .find(({ place }) => place.captions !== null);
  if (station === undefined) throw new Error('no station with captions');
  const from = ticksAt(AT);
  const filler = picture();
  const chunks = [...recording({ seed: DEFAULT.seed, station, from, seconds: RECORDED_SECONDS, filler })];
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  const begun = performance.now();
  const file = await extractCaptions(stream(), { scale: (at) => (unwrapPts(at, from) - from) / 90_000 });
  if ((file?.pages.length ?? 0) < 10) throw new Error('no captions extracted');
  return RECORDED_SECONDS / ((performance.now() - begun) / 1_000);
}

await extractionSpeed();
const speeds: number[] = [];
for (let round = 0; round < 5; round++) speeds.push(await extractionSpeed());
console.log(
  `captions of a recording     ${Math.round(median(speeds))} times as fast (wanted: at least ${WANTED_SPEED})`,
);
if (ratio < WANTED_RATIO || median(speeds) < WANTED_SPEED) process.exitCode = 1;
