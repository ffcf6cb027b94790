import type { Reader } from '../reader.ts';

/** Target region descriptor, tag 0xC6: the intended region of an event or stream. ARIB STD-B10 Part 2, 6.2.27. */
export interface TargetRegionDescriptor {
  readonly kind: 'target_region';
  /** region_spec_type: 1 the prefectures of BS; others are not defined. */
  readonly specType: number;
  /**
   * Areas of type 1, ascending: 1 and 2 east and west Hokkaido, 3 to 48 the other prefectures in the order of
   * JIS X 0401, 49 the islands of Tokyo, 50 those of Kagoshima. Empty for other types.
   */
  readonly areas: readonly number[];
  /** target_region_spec as sent. */
  readonly spec: Uint8Array;
}

const PREFECTURE_BITMAP = 1;
const BITMAP_SIZE = 7;

export function parseTargetRegion(r: Reader): TargetRegionDescriptor {
  const specType = r.u8();
  const spec = specType === PREFECTURE_BITMAP ? r.take(BITMAP_SIZE) : r.rest();
  const areas: number[] = [];
  if (specType === PREFECTURE_BITMAP) {
    for (let bit = 0; bit < BITMAP_SIZE * 8; bit++) {
      if ((((spec[bit >> 3] ?? 0) << (bit & 7)) & 0x80) !== 0) areas.push(bit + 1);
    }
  }
  return { kind: 'target_region', specType, areas, spec };
}
