import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Component group descriptor, tag 0xD9: streams that are shown together. ARIB STD-B10 Part 2, 6.2.37. */
export interface ComponentGroupDescriptor {
  readonly kind: 'component_group';
  /** component_group_type, 3 bits: 0 multi-view television. */
  readonly type: number;
  readonly groups: readonly ComponentGroup[];
}

interface ComponentGroup {
  /** component_group_id, 4 bits: 0 the main group. */
  readonly id: number;
  readonly units: readonly ComponentUnit[];
  /** Bits a second. */
  readonly totalBitRate: number | undefined;
  readonly text: string;
}

interface ComponentUnit {
  /** CA_unit_id, 4 bits: 0 free, 1 charged with the event's default components, 2 on others. */
  readonly caUnitId: number;
  /** component_tags. */
  readonly components: readonly number[];
}

const BIT_RATE_UNIT = 250_000;

export function parseComponentGroup(r: Reader): ComponentGroupDescriptor {
  // component_group_type 3, total_bit_rate_flag 1, num_of_group 4
  const head = r.u8();
  const hasBitRate = (head & 0x10) !== 0;
  const groups: ComponentGroup[] = [];
  for (let left = head & 0x0f; left > 0; left--) groups.push(readGroup(r, hasBitRate));
  return { kind: 'component_group', type: head >> 5, groups };
}

function readGroup(r: Reader, hasBitRate: boolean): ComponentGroup {
  // component_group_id 4, num_of_CA_unit 4
  const head = r.u8();
  const units: ComponentUnit[] = [];
  for (let left = head & 0x0f; left > 0; left--) {
    // CA_unit_id 4, num_of_component 4
    const unit = r.u8();
    units.push({ caUnitId: unit >> 4, components: [...r.take(unit & 0x0f)] });
  }
  return {
    id: head >> 4,
    units,
    totalBitRate: hasBitRate ? r.u8() * BIT_RATE_UNIT : undefined,
    text: readText(r, r.u8()),
  };
}
