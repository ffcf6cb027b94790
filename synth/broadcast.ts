/** Puts a channel of a scenario on the air: its loops, its tables and its clock in one multiplex. */
import { SYSTEM_HZ } from './clock.ts';
import { disturbance, faulty } from './fault/channel.ts';
import { type Faults, NO_FAULTS } from './fault/model.ts';
import { guideOf } from './guide/guide.ts';
import type { MediaCache } from './media/cache.ts';
import { type Loop, loopBitrate, PACKET_SIZE } from './media/loop.ts';
import { AUDIO_FRAME_TICKS, mainFilm, markSound, type Recipe } from './media/recipes.ts';
import { captionSources } from './mux/caption-source.ts';
import { ClockSource } from './mux/clock-source.ts';
import { Multiplexer } from './mux/multiplexer.ts';
import { endless } from './mux/playlist.ts';
import { PlaylistSource } from './mux/playlist-source.ts';
import type { PacketSource } from './mux/source.ts';
import { tableSources } from './mux/tables.ts';
import { type AudioPlace, type ChannelPlace, placeChannel, type StationPlace } from './scenario/layout.ts';
import type { ChannelPlan, Scenario } from './scenario/model.ts';
import type { EventStation } from './si/eit.ts';

/** A scenario that cannot be sent as it is written. */
export class PlanError extends Error {}

export function stationVideo(station: StationPlace): Recipe {
  return mainFilm(station.plan.video, station.plan, 'video');
}

export function stationAudio(audio: AudioPlace): Recipe {
  return markSound(audio.plan, audio.plan.mode);
}

/** Everything that a channel's stations need made, without repetition. */
export function channelRecipes(channel: ChannelPlan): Recipe[] {
  return placeChannel(channel).stations.flatMap((station) => [
    stationVideo(station),
    ...station.audios.map(stationAudio),
  ]);
}

/** Bits a second kept free for tables and clock references. */
const TABLE_ALLOWANCE = 300_000;

function checkCapacity(channel: ChannelPlan, loops: readonly Loop[]): void {
  const needed = loops.reduce((sum, loop) => sum + loopBitrate(loop), TABLE_ALLOWANCE);
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

/** @param faults those of this channel. @throws PlanError, and what making the media throws. */
export async function openChannel(
  scenario: Scenario,
  plan: ChannelPlan,
  cache: MediaCache,
  faults: Faults = NO_FAULTS,
): Promise<Multiplexer> {
  const channel: ChannelPlace = placeChannel(plan);
  const systemPerPacket = Math.floor((SYSTEM_HZ * PACKET_SIZE * 8) / plan.bitrate);
  const clocks: PacketSource[] = [];
  const media: PacketSource[] = [];
  const loops: Loop[] = [];
  for (const station of channel.stations) {
    const videoLoop = await cache.get(stationVideo(station));
    const video = new PlaylistSource(station.video.pid, videoLoop.groupTicks, endless(videoLoop));
    const shared = station.pcrPid === station.video.pid;
    clocks.push(new ClockSource(station.pcrPid, systemPerPacket, shared ? () => video.lastCounter : () => 0));
    media.push(video);
    loops.push(videoLoop);
    for (const audio of station.audios) {
      const audioLoop = await cache.get(stationAudio(audio));
      media.push(new PlaylistSource(audio.pid, AUDIO_FRAME_TICKS, endless(audioLoop)));
      loops.push(audioLoop);
    }
  }
  checkCapacity(plan, loops);
  const stationsOf = (other: ChannelPlan) =>
    eventStations(scenario, other).map((station) => (other === plan ? faulty(station, faults) : station));
  const tables = tableSources(scenario, channel, stationsOf, disturbance(faults));
  const captions = captionSources(scenario.seed, stationsOf(plan));
  return new Multiplexer(systemPerPacket, [...clocks, ...media, ...captions, ...tables]);
}
