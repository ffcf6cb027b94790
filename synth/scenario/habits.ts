/** Exceptional events on the stations of the default region; any two days contain all of them. */
import { serviceId } from '../../arib/ids.ts';
import { BS_NETWORK, INVENTED_REGION, terrestrialNetwork, terrestrialService } from './identity.ts';
import type { Habits, StationReference } from './model.ts';

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
const ODD_DAYS = [1, 3, 5];
const EVEN_DAYS = [0, 2, 4, 6];

function terrestrial(broadcaster: number): StationReference {
  return {
    networkId: terrestrialNetwork(INVENTED_REGION, broadcaster),
    serviceId: terrestrialService(INVENTED_REGION, broadcaster, 'tv', 0),
  };
}

export const HABITS: Readonly<Record<string, Habits>> = {
  ひばり放送: {
    sports: [
      {
        weekdays: EVEN_DAYS,
        end: 'punctual',
        relayTo: { serviceId: terrestrialService(INVENTED_REGION, 0, 'tv', 1) },
      },
    ],
    cancels: ODD_DAYS,
    soundByProgramme: true,
  },
  ひばり教育: { nightPause: 'listed' },
  あさぎりテレビ: {
    sports: [{ weekdays: ODD_DAYS, end: 'open' }],
    cancels: EVEN_DAYS,
    soundByProgramme: true,
  },
  かわせみテレビ: { sports: [{ weekdays: EVEN_DAYS, end: 'overrun' }], nightPause: 'listed' },
  こもれび放送: {
    sports: [
      {
        weekdays: ODD_DAYS,
        end: 'punctual',
        relayTo: { networkId: BS_NETWORK, serviceId: serviceId(331) },
      },
    ],
    nightPause: 'silent',
    surround: true,
  },
  ＢＳひばり: {
    repeats: [
      { from: terrestrial(0), daysLater: 0, weekdays: EVERY_DAY },
      { from: terrestrial(0), daysLater: 3, weekdays: EVERY_DAY },
      { from: terrestrial(1), daysLater: 1, weekdays: ODD_DAYS },
    ],
  },
  ＢＳあさぎり: {
    repeats: [{ from: terrestrial(2), daysLater: 2, weekdays: EVERY_DAY }],
    soundByProgramme: true,
  },
  ＢＳかわせみ: { repeats: [{ from: terrestrial(3), daysLater: 1, weekdays: EVERY_DAY }] },
  星空シネマ: { surround: true },
  スポーツ広場: {
    sports: [
      { weekdays: ODD_DAYS, end: 'punctual', relayTo: { serviceId: serviceId(432) } },
      { weekdays: EVEN_DAYS, end: 'overrun' },
    ],
  },
};
