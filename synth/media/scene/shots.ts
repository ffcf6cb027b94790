/** Which scenes a film shows one after the other. */
import { Random } from '../../random.ts';
import type { Theme } from '../../scenario/model.ts';
import { announcement, bars, black, nameCard, product, sponsors } from './cards.ts';
import { classroom, kitchen, newsDesk, weatherMap } from './information.ts';
import type { Scene } from './scene.ts';
import { boardGame, stadium, stage, talkStudio } from './shows.ts';
import { animeFace, lake, livingRoom, railway, street } from './stories.ts';

const SCENES = {
  news: newsDesk,
  weather: weatherMap,
  lesson: classroom,
  cooking: kitchen,
  drama: livingRoom,
  anime: animeFace,
  lake,
  railway,
  street,
  talk: talkStudio,
  music: stage,
  sports: stadium,
  board: boardGame,
  announcement,
  sponsors,
  bars,
  black,
} as const;

export type SceneName = keyof typeof SCENES | 'product' | 'name-card';

type Shots = readonly SceneName[];

/** Of stations with programmes of all kinds; a station has the same ones every day. */
const GENERAL: readonly Shots[] = [
  ['talk', 'cooking', 'talk'],
  ['news', 'weather', 'street'],
  ['sports', 'news', 'sports'],
  ['cooking', 'street', 'lake'],
  ['lake', 'talk', 'weather'],
  ['music', 'talk', 'street'],
];
const GENERAL_FILM: readonly Shots[] = [
  ['drama', 'street', 'drama'],
  ['anime', 'lake', 'anime'],
];
const OF_THEME: Record<Exclude<Theme, 'general'>, Shots> = {
  film: ['drama', 'lake', 'street'],
  drama: ['drama', 'lake', 'drama'],
  anime: ['anime', 'lake', 'anime'],
  sports: ['sports', 'talk', 'sports'],
  travel: ['railway', 'lake', 'street'],
  music: ['music', 'talk', 'music'],
  hobby: ['lake', 'board', 'lake'],
  learning: ['lesson', 'cooking', 'lesson'],
};

/** The shots of a station's programmes. @param isFilm whether they are films, not video */
export function programmeShots(name: string, theme: Theme, isFilm: boolean): Shots {
  if (theme !== 'general') return OF_THEME[theme];
  return new Random('scenes', name).pick(isFilm ? GENERAL_FILM : GENERAL);
}

/** @param number of a commercial */
export function sceneOf(shot: SceneName, hue: number, number: number): Scene {
  if (shot === 'product') return product(hue, number);
  if (shot === 'name-card') return nameCard(hue, number);
  return SCENES[shot](hue, new Random('scene', shot, hue));
}
