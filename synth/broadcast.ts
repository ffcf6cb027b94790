/** Puts a channel of a scenario on the air: its loops, its tables and its clock in one multiplex. */
import { SYSTEM_HZ } from './clock.ts';
import { disturbance, faulty } from './fault/channel.ts';
import { type Faults, NO_FAULTS } from './fault/model.ts';
import { guideOf } from './guide/guide.ts';
import type { MediaCache } from './media/cache.ts';
import { loopBitrate, PACKET_SIZE } from './media/loop.ts';
import {
  AUDIO_FRAME_TICKS,
  PARTIAL_FRAME_TICKS,
  PARTIAL_GROUP_FRAMES,
  type Recipe,
} from './media/recipes.ts';
import { captionSources } from './mux/caption-source.ts';
import { ClockSource } from './mux/clock-source.ts';
import { Multiplexer } from './mux/multiplexer.ts';
import { PlaylistSource } from './mux/playlist-source.ts';
import type { PacketSource } from './mux/source.ts';
import { tableSources } from './mux/tables.ts';
import { GROUP_TICKS } from './rundown/part.ts';
import { Rundown } from './rundown/rundown.ts';
import {
  audioPlaylist,
  Loops,
  stationFilms,
  stationRecipes,
  stationSounds,
  videoPlaylist,
} from './rundown/station-media.ts';
import { type ChannelPlace, placeChannel } from './scenario/layout.ts';
import { type ChannelPlan, isPartialReception, type Scenario } from './scenario/model.ts';
import type { EventStation } from './si/eit.ts';

/** A scenario that cannot be sent as it is written. */
export class PlanError extends Error {}

/** Everything that a channel's stations need made. */
export function channelRecipes(scenario: Scenario, channel: ChannelPlan): Recipe[] {
  return eventStations(scenario, channel).flatMap(({ place, guide }) => stationRecipes(place.plan, guide));
}

/** Bits a second kept free: tables take up to 300 000 on a satellite, clock references and captions the rest. */
const TABLE_ALLOWANCE = 400_000;

/** The most bits a second that one of the loops takes. */
function peak(recipes: readonly Recipe[], loops: Loops): number {
  return Math.max(0, ...recipes.map((recipe) => loopBitrate(loops.get(recipe))));
}

/** @param streams what each elementary stream may carry. */
function checkCapacity(channel: ChannelPlan, streams: readonly (readonly Recipe[])[], loops: Loops): void {
  const needed = streams.reduce((sum, recipes) => sum + peak(recipes, loops), TABLE_ALLOWANCE);
  if (needed <= channel.bitrate) return;
  throw new PlanError(
    `${channel.channel}: bitrate ${channel.bitrate} is below the ${Math.ceil(needed)} it needs`,
  );
}

export function eventStations(scenario: Scenario, channel: ChannelPlan): EventStation[] {
  return placeChannel(channel).stations.map((place) => ({
    channel,
    place,
    guide: guideOf(scenario, channel, place.plan),
  }));
}

export function rundownOf({ seed }: Scenario, { place, guide }: EventStation): Rundown {
  return new Rundown(seed, place.plan, guide);
}

interface Media {
  clocks: PacketSource[];
  media: PacketSource[];
}

/** Picture, sound and clock of one station. */
function stationSources(
  { place }: EventStation,
  rundown: Rundown,
  loops: Loops,
  systemPerPacket: number,
): Media {
  const { plan, pcrPid } = place;
  const groupTicks = isPartialReception(plan) ? PARTIAL_GROUP_FRAMES * PARTIAL_FRAME_TICKS : GROUP_TICKS;
  const video = new PlaylistSource(place.video.pid, groupTicks, videoPlaylist(plan, rundown, loops));
  const shared = pcrPid === place.video.pid;
  const clock = new ClockSource(pcrPid, systemPerPacket, shared ? () => video.lastCounter : () => 0);
  const audios = place.audios.map(
    ({ pid }, index) =>
      new PlaylistSource(pid, AUDIO_FRAME_TICKS, audioPlaylist(plan, index, rundown, loops)),
  );
  return { clocks: [clock], media: [video, ...audios] };
}

/** @param faults those of this channel. @throws PlanError, and what making the media throws. */
export async function openChannel(
  scenario: Scenario,
  plan: ChannelPlan,
  cache: MediaCache,
  faults: Faults = NO_FAULTS,
): Promise<Multiplexer> {
  const channel: ChannelPlace = placeChannel(plan);
  const systemPerPacket = Math.floor((SYSTEM_HZ * PACKET_SIZE * 8) / plan.bitrate);
  const stations = eventStations(scenario, plan);
  const loops = new Loops();
  const streams = stations.flatMap(({ place, guide }) => [
    stationFilms(place.plan, guide),
    ...place.audios.map((_, index) => stationSounds(place.plan, guide, index)),
  ]);
  for (const recipe of streams.flat()) loops.add(recipe, await cache.get(recipe));
  checkCapacity(plan, streams, loops);
  const sources = stations.map((station) =>
    stationSources(station, rundownOf(scenario, station), loops, systemPerPacket),
  );
  const stationsOf = (other: ChannelPlan) =>
    eventStations(scenario, other).map((station) => (other === plan ? faulty(station, faults) : station));
  const tables = tableSources(scenario, channel, stationsOf, disturbance(faults));
  return new Multiplexer(systemPerPacket, [
    ...sources.flatMap(({ clocks }) => clocks),
    ...sources.flatMap(({ media }) => media),
    ...captionSources(scenario.seed, stations),
    ...tables,
  ]);
}
