import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { ticksAt } from '../clock.ts';
import { guideOf } from '../guide/guide.ts';
import { type Loop, PACKET_SIZE } from '../media/loop.ts';
import type { AudioRecipe, Recipe, VideoRecipe } from '../media/recipes.ts';
import { DEFAULT } from '../scenario/default.ts';
import { MINI } from '../scenario/mini.ts';
import { isPartialReception, type Scenario } from '../scenario/model.ts';
import { firstSoundFrame, GROUP_TICKS, soundPieces } from './part.ts';
import { Rundown } from './rundown.ts';
import { audioPlaylist, Loops, stationFilms, stationSounds, videoPlaylist } from './station-media.ts';

const NOON = broadcastMs(Date.UTC(2026, 10, 21, 3));
const FIRST = Math.floor(ticksAt(NOON) / GROUP_TICKS);
const TWO_DAYS = Math.floor((2 * 86_400 * 90_000) / GROUP_TICKS);

/** Loops without content that identify their recipe. */
function named(recipes: readonly Recipe[]): { loops: Loops; recipeOf: Map<Loop, Recipe> } {
  const loops = new Loops();
  const recipeOf = new Map<Loop, Recipe>();
  for (const recipe of recipes) {
    const numbers = new Int32Array(1);
    const loop: Loop = {
      groupTicks: 1,
      packets: new Uint8Array(PACKET_SIZE),
      groupPacket: new Int32Array([0, 1]),
      groupLead: numbers,
      unitPacket: numbers,
      unitPts: numbers,
      unitDts: numbers,
    };
    loops.add(recipe, loop);
    recipeOf.set(loop, recipe);
  }
  return { loops, recipeOf };
}

test.each([
  ['default', DEFAULT],
  ['mini', MINI],
] as [string, Scenario][])(
  'all media that the stations of %s show in two days were made before',
  (_, scenario) => {
    for (const channel of scenario.channels) {
      for (const station of channel.stations) {
        if (isPartialReception(station)) continue;
        const guide = guideOf(scenario, channel, station);
        const rundown = new Rundown(scenario.seed, station, guide);
        const sounds = station.audios.map((__, index) => stationSounds(station, guide, index));
        const { loops, recipeOf } = named([...stationFilms(station, guide), ...sounds.flat()]);
        const video = videoPlaylist(station, rundown, loops);
        const audios = station.audios.map((__, index) => audioPlaylist(station, index, rundown, loops));
        for (const part of rundown.parts(FIRST, FIRST + TWO_DAYS)) {
          const { loop, from, to } = video(part.to - 1);
          const film = loop && (recipeOf.get(loop) as VideoRecipe);
          expect([station.name, film?.film, film?.cadence, from, to]).toEqual([
            station.name,
            part.kind,
            part.cadence,
            part.from,
            part.to,
          ]);
          for (const [index, playlist] of audios.entries()) {
            for (const piece of soundPieces(part)) {
              const heard = playlist(piece.to - 1);
              const sound = heard.loop && (recipeOf.get(heard.loop) as AudioRecipe);
              const onAir = part.programme === undefined || index < part.programme.audioCount;
              expect([heard.from, heard.to, sound?.sound]).toEqual([
                piece.from,
                piece.to,
                onAir ? piece.sound : undefined,
              ]);
            }
          }
        }
      }
    }
  },
);

test('two sounds are sent in programmes that have them, and not around these', () => {
  const channel = DEFAULT.channels.find(({ channel: name }) => name === 'T25');
  const [station] = channel?.stations ?? [];
  if (channel === undefined || station === undefined) throw new Error('no T25');
  const guide = guideOf(DEFAULT, channel, station);
  const rundown = new Rundown(DEFAULT.seed, station, guide);
  const { loops, recipeOf } = named(stationSounds(station, guide, 0));
  const playlist = audioPlaylist(station, 0, rundown, loops);
  const heard = new Set<string>();
  for (const part of rundown.parts(FIRST, FIRST + TWO_DAYS)) {
    const { loop } = playlist(firstSoundFrame(part.from));
    const mode = loop && (recipeOf.get(loop) as AudioRecipe).mode;
    expect(mode).toBe(part.kind === 'main' ? (part.programme?.sound ?? 'dual') : 'stereo');
    heard.add(`${part.kind} ${mode}`);
  }
  for (const seen of ['main dual', 'main stereo', 'commercial stereo']) expect([...heard]).toContain(seen);
});
