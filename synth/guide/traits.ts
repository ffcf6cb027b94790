/** Properties derived from a programme's title and genres and from the streams of its station. */
import type { AudioPlan } from '../scenario/model.ts';
import type { Content } from './programme.ts';

type Traits = Omit<Content, 'title' | 'description' | 'items' | 'genres'>;

const CAPTION_MARK = '🈑';
const DRAMA = 0x3;
const CINEMA = 0x6;
const ANIMATION = 0x7;

/** Defaults: all streams of the station are on air. */
export function traitsOf(
  title: string,
  genres: readonly (readonly [number, number])[],
  audios: readonly AudioPlan[],
): Traits {
  const [[level1] = [0xf]] = genres;
  return {
    notes: [],
    kind: level1 === DRAMA || level1 === CINEMA || level1 === ANIMATION ? 'film' : 'video',
    sound: audios[0]?.mode ?? 'stereo',
    audioCount: audios.length,
    captions: title.includes(CAPTION_MARK),
    copyControl: 'once',
    isFree: true,
    pause: false,
    minimumAge: null,
    series: null,
    groups: [],
    borrowed: false,
  };
}
