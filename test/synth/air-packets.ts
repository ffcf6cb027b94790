/** Packets of a synthetic channel, made in this process as fast as the machine can. */
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { openChannel } from '../../synth/broadcast.ts';
import { momentOf, ticksAt } from '../../synth/clock.ts';
import { channelFaults, openLine } from '../../synth/fault/channel.ts';
import { NO_FAULTS } from '../../synth/fault/model.ts';
import { MediaCache } from '../../synth/media/cache.ts';
import { findFfmpeg } from '../../synth/media/ffmpeg.ts';
import { parseScenario } from '../../synth/scenario/file.ts';
import { type SmallChannel, smallScenario } from '../../synth/scenario/small.ts';
import { PACKET } from './tuning.ts';

const CACHE = process.env.SYNTH_CACHE ?? join(import.meta.dir, '..', '..', '.cache', 'synth');
const TICKS_PER_SECOND = 90_000;

export interface AirFault {
  kind: string;
  /** Seconds of the stream; absent: always. */
  during?: readonly [number, number];
  [field: string]: unknown;
}

interface AirOptions {
  /** Epoch ms. */
  at: number;
  seconds: number;
  faults?: readonly AirFault[];
}

/** The stream of a channel of a small scenario. */
export async function airPackets(
  channel: Partial<SmallChannel>,
  { at, seconds, faults = [] }: AirOptions,
): Promise<Uint8Array> {
  const written = faults.map(({ during, ...fault }) => ({
    ...fault,
    ...(during === undefined ? {} : { from: at + during[0] * 1000, to: at + during[1] * 1000 }),
  }));
  const small = smallScenario({ channels: [{ channel: 'T30', ...channel }], faults: written });
  const scenario = parseScenario(JSON.parse(JSON.stringify(small)));
  const [plan] = scenario.channels;
  if (plan === undefined) throw new Error('no channel');
  const active = channelFaults(scenario.faults, NO_FAULTS, plan);
  const cache = new MediaCache(CACHE, findFfmpeg(process.env));
  const multiplexer = await openChannel(scenario, plan, cache, active);
  const begin = ticksAt(broadcastMs(at));
  multiplexer.seek(begin);
  const count = multiplexer.packetsUntil(begin + seconds * TICKS_PER_SECOND);
  const bytes = new Uint8Array(count * PACKET);
  const first = multiplexer.packet;
  multiplexer.fill(bytes, count);
  const { length } = openLine(plan, active).pass(bytes, first, (packet) =>
    momentOf(multiplexer.ticksOf(packet)),
  );
  return bytes.subarray(0, length);
}
