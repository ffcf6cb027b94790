/**
 * Data broadcast: reading one station's carousels of about 2 Mbit/s (and its tables) as a share of a core, and how long
 * the whole state takes from memory to a client that joins: ordered, taken from the queue and encoded.
 *
 *   npm run bench carousel
 */
import { PacketFramer } from '../../lib/arib/ts/framer.ts';
import { SIDE_ROWS } from '../../src/media/side-rows.ts';
import { SideState } from '../../src/media/side-state.ts';
import { SocketEncoder } from '../../src/media/socket-frames.ts';
import { ViewerQueue } from '../../src/media/viewer-queue.ts';
import { findChannel, loadScenario } from '../../synth/scenario/load.ts';
import { DataReading } from '../data/reading.ts';
import { tablePackets } from '../peer/sent.ts';
import { Figures, quantile } from './guide/figures.ts';

const SECONDS = 60;
const ROUNDS = 5;
const WANTED_PERCENT = 2;
const WANTED_JOIN_MS = 200;
const PACKET = 188;

const figures = new Figures();

const scenario = loadScenario('default');
const channel = findChannel(scenario, 'GR', 'T27');
const [station] = channel.stations;
const row = SIDE_ROWS.find(({ name }) => name === 'data');
if (station === undefined || row === undefined) throw new Error('no station with data');

/** What the reader selects of the stream. */
function selectedPackets(): Uint8Array {
  const all = new PacketFramer().feed(tablePackets(scenario, channel, SECONDS)).slice();
  const first = new DataReading({ serviceId: station?.serviceId ?? 0 });
  first.feed(all, 0);
  const pids = new Set(first.selected);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < all.length; at += PACKET) {
    const pid = (((all[at + 1] ?? 0) & 0x1f) << 8) | (all[at + 2] ?? 0);
    if (pids.has(pid)) parts.push(all.subarray(at, at + PACKET));
  }
  return Buffer.concat(parts);
}

const packets = selectedPackets();
const state = new SideState(row.maxBytes);
const shares: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const reading = new DataReading({ serviceId: station.serviceId });
  const { user, system } = process.cpuUsage();
  reading.feed(packets, SECONDS * 1000);
  const used = process.cpuUsage();
  shares.push((used.user + used.system - user - system) / 1e6 / SECONDS);
  if (round === 0) for (const item of reading.items) state.keep({ kind: 'side', row, item });
}
const rate = (packets.length * 8) / SECONDS / 1e6;
figures.limited(
  `reading ${rate.toFixed(2)} Mbit/s of data broadcast and tables`,
  quantile(shares, 0.5) * 100,
  '% of a core',
  WANTED_PERCENT,
);

const joins: number[] = [];
let octets = 0;
for (let round = 0; round < ROUNDS; round++) {
  const begin = performance.now();
  const signal = new AbortController().signal;
  const viewer = new ViewerQueue({ maxBytes: 1, signal, onLeft: () => {}, demanded: () => state.frames() });
  const encoder = new SocketEncoder(1, () => '');
  viewer.demand(true);
  viewer.end();
  octets = 0;
  for (let frame = await viewer.next(); frame !== undefined; frame = await viewer.next())
    for (const message of encoder.encode(frame)) octets += message.length;
  joins.push(performance.now() - begin);
}
figures.limited(
  `a client that joins: ${(octets / 1e6).toFixed(2)} MB, median`,
  quantile(joins, 0.5),
  'ms',
  WANTED_JOIN_MS,
);
if (figures.failed) process.exitCode = 1;
