/** Programmes made from the seed. */
import { Random } from '../random.ts';
import type { StationPlan } from '../scenario/model.ts';
import { listedGuide } from './listed.ts';
import type { Guide } from './programme.ts';

export function timetable(seed: number, station: StationPlan): Guide {
  const random = new Random(seed, station.serviceId);
  const list = [30, 60, 25, 5, 120].map((minutes, index) => ({
    durationSec: minutes * 60,
    title: `${station.name}の時間　第${index + 1}部🈑`,
    description: '架空の番組です。',
    items: [{ heading: '出演者', text: '架空太郎' }],
    genres: [[random.below(11), 0]] as [number, number][],
  }));
  return listedGuide(list);
}
