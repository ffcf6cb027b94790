/** The picture format of a station at a time. */
import type { Cadence } from '../media/recipes.ts';
import type { StationPlan, VideoPlan } from '../scenario/model.ts';
import type { Part } from './part.ts';

/** The format of the pictures of a programme, as announced in a map and an event. */
export function programmeVideo(station: StationPlan, cadence: Cadence, split: boolean): VideoPlan {
  const { video, pictures = {} } = station;
  if (split && pictures.split !== undefined) return pictures.split;
  return (cadence === 'film' ? pictures.film : undefined) ?? video;
}

/** The format of the pictures of a part. */
export function partVideo(station: StationPlan, { kind, cadence }: Part, split: boolean): VideoPlan {
  const { video, pictures = {} } = station;
  if (kind === 'main') return programmeVideo(station, cadence, split);
  if (split && pictures.split !== undefined) return pictures.split;
  return (kind === 'commercial' ? pictures.commercials : undefined) ?? video;
}
