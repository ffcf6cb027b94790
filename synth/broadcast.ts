/** Puts a channel of a scenario on the air: its loops, its tables and its clock in one multiplex. */
import { MANAGEMENT_TRACK } from './caption/track.ts';
import { SYSTEM_HZ, TICKS_PER_SECOND } from './clock.ts';
import { dataRate } from './data/resources.ts';
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
import { CaptionSource, captionSources } from './mux/caption-source.ts';
import { STREAM_CYCLE } from './mux/carousels.ts';
import { CLOCK_PERIOD, ClockSource, type NextReference } from './mux/clock-source.ts';
import { Multiplexer } from './mux/multiplexer.ts';
import { PlaylistSource, pesPlaylist } from './mux/playlist-source.ts';
import type { PacketSource } from './mux/source.ts';
import { tableSources } from './mux/tables.ts';
import { GROUP_TICKS } from './rundown/part.ts';
import { Rundown } from './rundown/rundown.ts';
import { Sharing } from './rundown/sharing.ts';
import {
  audioPlaylist,
  Loops,
  splitAudio,
  splitVideo,
  stationFilms,
  stationRecipes,
  stationSounds,
  videoPlaylist,
} from './rundown/station-media.ts';
import { type ChannelPlace, placeChannel, UNREFERENCED_PID } from './scenario/layout.ts';
import { type ChannelPlan, isPartialReception, type Scenario } from './scenario/model.ts';
import type { EventStation } from './si/eit.ts';

/** A scenario that cannot be broadcast as specified. */
export class PlanError extends Error {}

/** The recipes of all media that a channel's stations need. */
export function channelRecipes(scenario: Scenario, channel: ChannelPlan): Recipe[] {
  return eventStations(scenario, channel).flatMap(({ place, guide }) => stationRecipes(place.plan, guide));
}

/** Reserved bit rate: tables take up to 300 000 on a satellite, clock references and captions the rest. */
const TABLE_ALLOWANCE = 400_000;
/** A PES packet of several frames takes whole rounds of the continuity counter: bits of one round. */
const ROUND_BITS = 16 * PACKET_SIZE * 8;

/** The highest bit rate of the loops. */
function peak(recipes: readonly Recipe[], loops: Loops): number {
  return Math.max(0, ...recipes.map((recipe) => loopBitrate(loops.get(recipe))));
}

function videoPeak({ place, guide }: EventStation, loops: Loops, split: boolean): number {
  const { plan } = place;
  const films = stationFilms(plan, guide).filter((film) => (film.plan === plan.pictures?.split) === split);
  return peak(films, loops);
}

/**
 * The highest bit rate of all pictures together: while a branch has its own, the main station's are smaller.
 */
function picturePeak(stations: readonly EventStation[], loops: Loops): number {
  const branches = stations.filter(({ main }) => main !== undefined);
  const others = stations.filter(({ main }) => main === undefined);
  const sum = (list: readonly EventStation[], split: boolean): number =>
    list.reduce((all, station) => {
      const leaves =
        split && station.branch !== undefined && station.place.plan.pictures?.split !== undefined;
      return all + videoPeak(station, loops, leaves);
    }, 0);
  return Math.max(sum(others, false), sum(others, true) + sum(branches, false));
}

function checkCapacity(place: ChannelPlace, stations: readonly EventStation[], loops: Loops): void {
  const channel = place.plan;
  const sounds = stations.flatMap(({ place: { plan, audios }, guide }) =>
    audios.map(({ plan: { framesPerPes = 1 } }, index) => {
      const rate = peak(stationSounds(plan, guide, index), loops);
      if (framesPerPes === 1) return rate;
      const seconds = (framesPerPes * AUDIO_FRAME_TICKS) / TICKS_PER_SECOND;
      return (Math.ceil((rate * seconds) / ROUND_BITS) * ROUND_BITS) / seconds;
    }),
  );
  const data = place.stations.reduce((sum, station) => sum + dataRate(channel, station, STREAM_CYCLE.bml), 0);
  const needed = sounds.reduce(
    (sum, rate) => sum + rate,
    TABLE_ALLOWANCE + data + picturePeak(stations, loops),
  );
  if (needed <= channel.bitrate) return;
  throw new PlanError(
    `${channel.channel}: bitrate ${channel.bitrate} is below the ${Math.ceil(needed)} it needs`,
  );
}

export function eventStations(scenario: Scenario, channel: ChannelPlan): EventStation[] {
  const stations = placeChannel(channel).stations.map((place) => ({
    place,
    guide: guideOf(scenario, channel, place.plan),
  }));
  const [main] = stations;
  const branch = stations.find(({ place }) => place.plan.branch === true && place !== main?.place);
  return stations.map((station): EventStation => {
    if (station === main) return { channel, ...station, ...(branch === undefined ? {} : { branch }) };
    const isBranch = station.place.plan.branch === true && main !== undefined;
    return { channel, ...station, ...(isBranch ? { main } : {}) };
  });
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
  { place, guide, main, branch }: EventStation,
  rundown: Rundown,
  loops: Loops,
  systemPerPacket: number,
): Media {
  const { plan, pcrPid } = place;
  const partial = isPartialReception(plan);
  const groupTicks = partial ? PARTIAL_GROUP_FRAMES * PARTIAL_FRAME_TICKS : GROUP_TICKS;
  const own = main === undefined ? null : new Sharing(guide);
  const pictures = videoPlaylist(
    plan,
    rundown,
    loops,
    branch === undefined ? null : new Sharing(branch.guide),
  );
  const video = new PlaylistSource(
    place.video.pid,
    groupTicks,
    own === null ? pictures : splitVideo(own, pictures),
  );
  const clock = new ClockSource(
    pcrPid,
    systemPerPacket,
    pcrPid === place.video.pid ? () => video.lastCounter : () => 0,
    partial ? CLOCK_PERIOD.partial : CLOCK_PERIOD.main,
    own === null ? undefined : splitReferences(own),
  );
  const audios = place.audios.map(({ pid }, index) => {
    const sound = audioPlaylist(plan, index, rundown, loops);
    const frames = own === null ? sound : splitAudio(own, sound);
    const { framesPerPes = 1 } = plan.audios[index] ?? {};
    if (framesPerPes === 1) return new PlaylistSource(pid, AUDIO_FRAME_TICKS, frames);
    return new PlaylistSource(pid, framesPerPes * AUDIO_FRAME_TICKS, pesPlaylist(frames, framesPerPes));
  });
  return { clocks: [clock], media: [video, ...audios] };
}

/** Clock references of a branch: from a second before it splits off, when its streams begin to arrive. */
function splitReferences(sharing: Sharing): NextReference {
  const lead = TICKS_PER_SECOND;
  return (ticks) => {
    if (sharing.at(Math.floor(ticks / GROUP_TICKS)).split) return ticks;
    const begin = sharing.nextSplit(Math.floor(ticks / GROUP_TICKS)) * GROUP_TICKS;
    return Math.max(ticks, begin - lead);
  };
}

/** @param faults of this channel @throws PlanError, or the errors of making the media */
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
  for (const recipe of channelRecipes(scenario, plan)) loops.add(recipe, await cache.get(recipe));
  checkCapacity(channel, stations, loops);
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
    ...(plan.unreferencedPes === true ? [new CaptionSource(MANAGEMENT_TRACK, UNREFERENCED_PID)] : []),
    ...tables,
  ]);
}
