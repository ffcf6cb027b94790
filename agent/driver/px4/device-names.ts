/**
 * Character devices of drivers with the interface of px4_drv, by their names: the family, and the types of each
 * number. Opening a device powers it and locks others out, so the device itself is not queried.
 */
import { BROADCAST_TYPES, type BroadcastType } from '../../../lib/arib/ids.ts';

export interface CharacterDevice {
  /** The name without its number, such as `px4video`. */
  readonly family: CharacterDeviceFamily;
  readonly types: readonly BroadcastType[];
}

interface Family {
  /** Driver and well-known models, for display. */
  readonly label: string;
  /** Types of the numbers of one card, in order; then it repeats. */
  readonly types: readonly (readonly BroadcastType[])[];
  /**
   * How SET_CHANNEL addresses one of a transponder's streams: drivers before px4_drv only support the relative slot
   * and treat a transport stream id as an invalid index.
   */
  readonly slotOnly: boolean;
  /** One tuner receives both systems, which must be selected. */
  readonly hasSystemMode: boolean;
  /** GET_CNR of satellite reception is the raw value of the TC90522. */
  readonly hasSatelliteCnr: boolean;
}

const GR: readonly BroadcastType[] = ['GR'];
const SATELLITE: readonly BroadcastType[] = ['BS', 'CS'];
const SSTT = [SATELLITE, SATELLITE, GR, GR] as const;

const MULTI = {
  types: [BROADCAST_TYPES],
  slotOnly: false,
  hasSystemMode: true,
  hasSatelliteCnr: true,
} as const;

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

/** Undefined for a path of no driver of this kind. */
export function characterDevice(path: string): CharacterDevice | undefined {
  const [, name = '', digits = ''] = NAME.exec(path) ?? [];
  if (!Object.hasOwn(FAMILIES, name)) return undefined;
  const family = name as CharacterDeviceFamily;
  const sets: readonly (readonly BroadcastType[])[] = FAMILIES[family].types;
  return { family, types: sets[Number(digits) % sets.length] ?? BROADCAST_TYPES };
}
