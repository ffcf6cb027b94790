/**
 * A programme as a transport stream: the loops, clocks and tables of the synthetic broadcaster, with its own
 * running order.
 */
import { open } from 'node:fs/promises';
import { eventStations } from '../../../synth/broadcast.ts';
import { disturbance } from '../../../synth/fault/channel.ts';
import { NO_FAULTS } from '../../../synth/fault/model.ts';
import type { MediaCache } from '../../../synth/media/cache.ts';
import { AUDIO_FRAME_TICKS, FRAME_TICKS, GROUP_FRAMES } from '../../../synth/media/recipes.ts';
import { CLOCK_PERIOD, ClockSource } from '../../../synth/mux/clock-source.ts';
import { Multiplexer } from '../../../synth/mux/multiplexer.ts';
import type { Playlist, Stretch } from '../../../synth/mux/playlist.ts';
import { PlaylistSource } from '../../../synth/mux/playlist-source.ts';
import { tableSources } from '../../../synth/mux/tables.ts';
import { Loops } from '../../../synth/rundown/station-media.ts';
import { placeChannel } from '../../../synth/scenario/layout.ts';
import { MINI } from '../../../synth/scenario/mini.ts';
import type { ChannelPlan } from '../../../synth/scenario/model.ts';
import { AUDIO, allFilms, allSounds, type Programme, VIDEO } from './programme.ts';

const GROUP_TICKS = GROUP_FRAMES * FRAME_TICKS;
/** The clock on a day of 2026: time stamps in a broadcast are large. */
const FIRST_GROUP = 31_000_000;
const EARLY_FRAMES = 2;
const CHUNK_PACKETS = 4_000;

function channelOf(): ChannelPlan {
  const channel = MINI.channels[1];
  const station = channel?.stations[0];
  if (channel === undefined || station === undefined) throw new Error('the scenario has no such station');
  return { ...channel, bitrate: 2_500_000, stations: [{ ...station, video: VIDEO, audios: [AUDIO] }] };
}

export async function loadLoops(cache: MediaCache): Promise<Loops> {
  const loops = new Loops();
  for (const recipe of [...allFilms(), ...allSounds()]) loops.add(recipe, await cache.get(recipe));
  return loops;
}

/** Consecutive sections; the first and the last are extended before and after. */
function playlistOf(stretches: readonly Stretch[]): Playlist {
  return (group) => {
    const index = Math.max(
      0,
      stretches.findIndex(({ to }) => group < to),
    );
    const found = group >= (stretches.at(-1)?.to ?? 0) ? stretches.length - 1 : index;
    const stretch = stretches[found];
    if (stretch === undefined) throw new RangeError('a programme without parts');
    return {
      loop: stretch.loop,
      from: found === 0 ? Number.NEGATIVE_INFINITY : stretch.from,
      to: found === stretches.length - 1 ? Number.POSITIVE_INFINITY : stretch.to,
      phase: stretch.phase,
    };
  };
}

/** Writes a programme; its first picture is that of its half second `from`. */
export async function writeProgramme(path: string, programme: Programme, loops: Loops): Promise<void> {
  const plan = channelOf();
  const scenario = { ...MINI, channels: [plan] };
  const channel = placeChannel(plan);
  const [place] = channel.stations;
  const [sound] = place?.audios ?? [];
  if (place === undefined || sound === undefined) throw new Error('the channel has no station');
  let group = FIRST_GROUP;
  const pictures = programme.shots.map(({ film, groups, shown }) => {
    const from = group;
    group += groups;
    return { loop: loops.get(film), from, to: group, phase: from - shown };
  });
  let seconds = 0;
  const frameAt = (at: number): number =>
    Math.ceil((FIRST_GROUP * GROUP_TICKS + at * 90_000) / AUDIO_FRAME_TICKS) - EARLY_FRAMES;
  const sounds = programme.sounds
    .map(({ recipe, length }) => {
      const from = frameAt(seconds);
      seconds += length;
      return { loop: loops.get(recipe), from, to: frameAt(seconds), phase: from };
    })
    .filter(({ from, to }) => to > from);
  const systemPerPacket = Math.floor((27_000_000 * 188 * 8) / plan.bitrate);
  const video = new PlaylistSource(place.video.pid, GROUP_TICKS, playlistOf(pictures));
  const multiplexer = new Multiplexer(systemPerPacket, [
    new ClockSource(place.pcrPid, systemPerPacket, () => 0, CLOCK_PERIOD.main),
    video,
    new PlaylistSource(sound.pid, AUDIO_FRAME_TICKS, playlistOf(sounds)),
    ...tableSources(scenario, channel, (other) => eventStations(scenario, other), disturbance(NO_FAULTS)),
  ]);
  // A second early: tables come first.
  multiplexer.seek(FIRST_GROUP * GROUP_TICKS - 90_000);
  const file = await open(path, 'w');
  try {
    const end = (FIRST_GROUP + programme.groups) * GROUP_TICKS - 60_000;
    const buffer = new Uint8Array(CHUNK_PACKETS * 188);
    for (let left = multiplexer.packetsUntil(end); left > 0; left = multiplexer.packetsUntil(end)) {
      const count = Math.min(CHUNK_PACKETS, left);
      multiplexer.fill(buffer, count);
      await file.write(buffer.subarray(0, count * 188));
    }
  } finally {
    await file.close();
  }
}

/** 90 kHz, in the scale of its time stamps. */
export function groupStamp(group: number): number {
  return ((FIRST_GROUP + group) * GROUP_TICKS) % 2 ** 33;
}
