/** The films and sounds that a station's rundown needs, and the one that plays at a time. */
import { broadcastMs } from '../../lib/arib/time.ts';
import { STC_ZERO } from '../clock.ts';
import type { Guide, Programme } from '../guide/programme.ts';
import type { Loop } from '../media/loop.ts';
import {
  type AudioRecipe,
  announcementFilm,
  blackFilm,
  COMMERCIALS,
  commercialFilm,
  mainFilm,
  markSound,
  pauseFilm,
  type Recipe,
  silence,
  sponsorFilm,
  tuneSound,
  type VideoRecipe,
} from '../media/recipes.ts';
import { endless, type Playlist } from '../mux/playlist.ts';
import {
  type AudioMode,
  type AudioPlan,
  isPartialReception,
  type StationPlan,
  type VideoPlan,
} from '../scenario/model.ts';
import {
  ANNOUNCEMENT_TUNE,
  firstSoundFrame,
  groupOfSound,
  type Part,
  type SoundPiece,
  SPONSOR_TUNE,
  soundPieces,
} from './part.ts';
import { partVideo, programmeVideo } from './picture.ts';
import type { Rundown } from './rundown.ts';
import type { Sharing } from './sharing.ts';

/** Properties of programmes that a station may have. */
interface Variety {
  cadences: Set<Programme['kind']>;
  /** Modes of the first audio stream. */
  modes: Set<AudioMode>;
  pauses: boolean;
}

/** All programmes of a list: one round of it, or from its first to its last. */
function listedProgrammes(station: StationPlan, guide: Guide): readonly Programme[] {
  if (typeof station.programmes === 'string') return [];
  const starts = station.programmes.flatMap(({ startAt }) => (startAt === undefined ? [] : [startAt]));
  const begin = starts.length === 0 ? STC_ZERO : Math.min(...starts);
  const last = starts.length === 0 ? STC_ZERO : Math.max(...starts);
  const seconds = station.programmes.reduce((sum, { durationSec }) => sum + durationSec, 0);
  return guide.airing(broadcastMs(begin), broadcastMs(last + seconds * 1000));
}

/** Generated programmes are of all kinds; dual sound and surround occur only if the station has them. */
function varietyOf(station: StationPlan, guide: Guide): Variety {
  const own: AudioMode = station.audios[0]?.mode ?? 'stereo';
  if (station.programmes === 'generated') {
    const modes = new Set<AudioMode>([own, 'stereo']);
    if (station.habits?.surround) modes.add('surround');
    return { cadences: new Set(['video', 'film']), modes, pauses: true };
  }
  if (station.programmes === 'none') {
    return { cadences: new Set(['video']), modes: new Set([own]), pauses: false };
  }
  const pauses = station.programmes.some(({ pause }) => pause !== undefined && pause !== false);
  const variety: Variety = { cadences: new Set(), modes: new Set(), pauses };
  for (const { kind, sound } of listedProgrammes(station, guide)) {
    variety.cadences.add(kind);
    variety.modes.add(sound);
  }
  // Between programmes with start times, the station shows its own name.
  if (station.programmes.some(({ startAt }) => startAt !== undefined)) {
    variety.cadences.add('video');
    variety.modes.add(own);
  }
  return variety;
}

/**
 * The mode of an audio stream during a programme's main part. A generated programme from another station does
 * not add that station's second sound.
 */
function soundMode(station: StationPlan, index: number, programme: Programme | undefined): AudioMode {
  const own = station.audios[index]?.mode ?? 'stereo';
  if (index > 0 || programme === undefined || isPartialReception(station)) return own;
  const { sound } = programme;
  if (own !== 'stereo' || station.programmes !== 'generated') return sound;
  return sound === 'surround' && station.habits?.surround ? sound : own;
}

/** @param video of all of them except the commercials */
function breakFilms(station: StationPlan, video: VideoPlan, spotVideo: VideoPlan): VideoRecipe[] {
  const { commercials = 'none' } = station;
  if (commercials === 'none') return [];
  if (commercials === 'announcements') return [blackFilm(video), announcementFilm(video)];
  const spots = Array.from({ length: COMMERCIALS }, (_, number) => commercialFilm(spotVideo, number));
  const films = [blackFilm(video), ...spots];
  if (commercials === 'usual') return [...films, announcementFilm(video), sponsorFilm(video, station)];
  return commercials.sponsorSec > 0 ? [...films, sponsorFilm(video, station)] : films;
}

/** Every film that the station may show. */
export function stationFilms(station: StationPlan, guide: Guide): VideoRecipe[] {
  const { video, pictures = {} } = station;
  if (isPartialReception(station)) return [mainFilm(video, station, 'video')];
  const { cadences, pauses } = varietyOf(station, guide);
  const mains = (split: boolean) =>
    [...cadences].map((cadence) => mainFilm(programmeVideo(station, cadence, split), station, cadence));
  const others = (own: VideoPlan, spots: VideoPlan) => [
    ...(pauses ? [pauseFilm(own)] : []),
    ...breakFilms(station, own, spots),
  ];
  const films = [...mains(false), ...others(video, pictures.commercials ?? video)];
  if (pictures.split === undefined) return films;
  return [...films, ...mains(true), ...others(pictures.split, pictures.split)];
}

function breakTunes({ commercials = 'none' }: StationPlan): number[] {
  if (commercials === 'none') return [];
  if (commercials === 'announcements') return [ANNOUNCEMENT_TUNE];
  const spots = Array.from({ length: COMMERCIALS }, (_, number) => number);
  return [...spots, ANNOUNCEMENT_TUNE, SPONSOR_TUNE];
}

/** Every sound that one of the station's audio streams may carry. */
export function stationSounds(station: StationPlan, guide: Guide, index: number): AudioRecipe[] {
  const plan = station.audios[index];
  if (plan === undefined) return [];
  if (isPartialReception(station)) return [markSound(plan, plan.mode)];
  const { modes, pauses } = varietyOf(station, guide);
  const marks = (index === 0 ? [...modes] : [plan.mode]).map((mode) => markSound(plan, mode));
  const tunes = breakTunes(station);
  const quiet = tunes.length > 0 || pauses ? [silence(plan)] : [];
  return [...marks, ...quiet, ...tunes.map((number) => tuneSound(plan, number))];
}

/** All media of a station. */
export function stationRecipes(station: StationPlan, guide: Guide): Recipe[] {
  const sounds = station.audios.flatMap((_, index) => stationSounds(station, guide, index));
  return [...stationFilms(station, guide), ...sounds];
}

function filmOf(station: StationPlan, part: Part, split: boolean): VideoRecipe {
  const video = partVideo(station, part, split);
  switch (part.kind) {
    case 'main':
      return mainFilm(video, station, part.cadence);
    case 'sponsor':
      return sponsorFilm(video, station);
    case 'commercial':
      return commercialFilm(video, part.number);
    case 'announcement':
      return announcementFilm(video);
    case 'black':
      return blackFilm(video);
    case 'pause':
      return pauseFilm(video);
  }
}

/** The sound of one of the station's audio streams; undefined if the programme has fewer of them. */
export function soundOf(
  station: StationPlan,
  plan: AudioPlan,
  index: number,
  part: Part,
  piece: SoundPiece,
): AudioRecipe | undefined {
  if (part.programme !== undefined && index >= part.programme.audioCount) return undefined;
  switch (piece.sound) {
    case 'marks':
      return markSound(plan, soundMode(station, index, part.programme));
    case 'tune':
      return tuneSound(plan, piece.number);
    case 'silence':
      return silence(plan);
  }
}

/** Finished loops by their recipes. */
export class Loops {
  readonly #loops = new Map<string, Loop>();

  add(recipe: Recipe, loop: Loop): void {
    this.#loops.set(JSON.stringify(recipe), loop);
  }

  /** @throws RangeError for an unexpected recipe */
  get(recipe: Recipe): Loop {
    const loop = this.#loops.get(JSON.stringify(recipe));
    if (loop === undefined) throw new RangeError(`no loop of ${JSON.stringify(recipe)}`);
    return loop;
  }
}

/** Marks are at absolute times; anything else begins with its part. */
function phaseOf(part: Part, from: number): number {
  return part.kind === 'main' ? 0 : from;
}

/** @param sharing of the branch station that needs bit rate from this one's pictures; null: none */
export function videoPlaylist(
  station: StationPlan,
  rundown: Rundown,
  loops: Loops,
  sharing: Sharing | null = null,
): Playlist {
  if (isPartialReception(station)) return endless(loops.get(mainFilm(station.video, station, 'video')));
  const splits = station.pictures?.split === undefined ? null : sharing;
  return (group) => {
    const part = rundown.partAt(group);
    const around = splits?.at(group) ?? { from: part.from, to: part.to, split: false };
    const from = Math.max(part.from, around.from);
    const to = Math.min(part.to, around.to);
    return {
      loop: loops.get(filmOf(station, part, around.split)),
      from,
      to,
      phase: phaseOf(part, part.from),
    };
  };
}

/** A branch station's pictures: only while it shows another programme than its main station. */
export function splitVideo(sharing: Sharing, own: Playlist): Playlist {
  return (group) => {
    const { from, to, split } = sharing.at(group);
    return split ? own(group) : { loop: undefined, from, to, phase: 0 };
  };
}

/** Like `splitVideo`, for frames of sound. */
export function splitAudio(sharing: Sharing, own: Playlist): Playlist {
  return (frame) => {
    const { from, to, split } = sharing.at(groupOfSound(frame));
    if (split) return own(frame);
    return { loop: undefined, from: firstSoundFrame(from), to: firstSoundFrame(to), phase: 0 };
  };
}

export function audioPlaylist(station: StationPlan, index: number, rundown: Rundown, loops: Loops): Playlist {
  const plan = station.audios[index];
  if (plan === undefined) throw new RangeError(`no audio stream ${index}`);
  if (isPartialReception(station)) return endless(loops.get(markSound(plan, plan.mode)));
  return (frame) => {
    const part = rundown.partAt(groupOfSound(frame));
    const piece = soundPieces(part).find(({ to }) => frame < to);
    if (piece === undefined) throw new RangeError(`no sound has frame ${frame}`);
    const { from, to } = piece;
    const recipe = soundOf(station, plan, index, part, piece);
    return { loop: recipe && loops.get(recipe), from, to, phase: phaseOf(part, from) };
  };
}
