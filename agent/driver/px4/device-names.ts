/**
 * Character devices of the drivers that are controlled as px4_drv is, by their names: which family, and what each number
 * receives. Opening one powers it and locks others out, so nothing is asked of the device itself.
 */
import type { BroadcastType } from '../../../arib/ids.ts';

export interface CharacterDevice {
  /** The name without its number, such as `px4video`. */
  readonly family: CharacterDeviceFamily;
  readonly types: readonly BroadcastType[];
}

interface Family {
  /** Driver and well-known models, for people. */
  readonly label: string;
  /** What the numbers of one card receive, in order; then it begins again. */
  readonly types: readonly (readonly BroadcastType[])[];
  /**
   * How SET_CHANNEL names one of a transponder's streams: drivers before px4_drv know the relative slot only and take a
   * transport stream id for an index that does not exist.
   */
  readonly slotOnly: boolean;
  /** One tuner receives both systems, and has to be told which. */
  readonly hasSystemMode: boolean;
  /** GET_CNR of satellite reception is the raw value of the TC90522. */
  readonly hasSatelliteCnr: boolean;
}

const GR: readonly BroadcastType[] = ['GR'];
const SATELLITE: readonly BroadcastType[] = ['BS', 'CS'];
const BOTH: readonly BroadcastType[] = ['GR', 'BS', 'CS'];
const SSTT = [SATELLITE, SATELLITE, GR, GR] as const;

const MULTI = { types: [BOTH], slotOnly: false, hasSystemMode: true, hasSatelliteCnr: true } as const;

export const FAMILIES = {
  px4video: {
    label: 'px4_drv (PX-W3U4, PX-Q3U4, PX-W3PE4 ほか)',
    types: SSTT,
    slotOnly: false,
    hasSystemMode: false,
    hasSatelliteCnr: true,
  },
  pxmlt5video: { label: 'px4_drv (PX-MLT5PE)', ...MULTI },
  pxmlt8video: { label: 'px4_drv (PX-MLT8PE)', ...MULTI },
  isdb2056video: { label: 'px4_drv (DTV02-1T1S-U)', ...MULTI },
  isdb6014video: { label: 'px4_drv (DTV02A-4TS-P)', ...MULTI },
  pxm1urvideo: { label: 'px4_drv (PX-M1UR)', ...MULTI },
  pxs1urvideo: { label: 'px4_drv (PX-S1UR)', ...MULTI, types: [GR], hasSystemMode: false },
  pt3video: {
    label: 'pt3_drv (PT3)',
    types: SSTT,
    slotOnly: true,
    hasSystemMode: false,
    hasSatelliteCnr: true,
  },
  pt1video: {
    label: 'pt1_drv (PT1, PT2)',
    types: SSTT,
    slotOnly: true,
    hasSystemMode: false,
    hasSatelliteCnr: false,
  },
} as const satisfies Record<string, Family>;

type CharacterDeviceFamily = keyof typeof FAMILIES;

const NAME = /^\/dev\/([a-z0-9]*[a-z])(\d{1,4})$/;

/** Undefined for a path that no driver of this kind makes. */
export function characterDevice(path: string): CharacterDevice | undefined {
  const [, name = '', digits = ''] = NAME.exec(path) ?? [];
  if (!Object.hasOwn(FAMILIES, name)) return undefined;
  const family = name as CharacterDeviceFamily;
  const sets: readonly (readonly BroadcastType[])[] = FAMILIES[family].types;
  return { family, types: sets[Number(digits) % sets.length] ?? BOTH };
}
