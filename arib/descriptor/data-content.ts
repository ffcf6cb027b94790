import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Data content descriptor, tag 0xC7: a data component of an event. ARIB STD-B10 Part 2, 6.2.28. */
export interface DataContentDescriptor {
  readonly kind: 'data_content';
  /** data_component_id, as in the data component descriptor. */
  readonly dataComponentId: number;
  /** component_tag to start with. */
  readonly entryComponent: number;
  /** selector_byte, whose layout depends on the id. */
  readonly selector: Uint8Array;
  /** component_tags that are also needed. */
  readonly components: readonly number[];
  readonly language: string;
  readonly text: string;
}

export function parseDataContent(r: Reader): DataContentDescriptor {
  const dataComponentId = r.u16();
  const entryComponent = r.u8();
  const selector = r.take(r.u8());
  const components = [...r.take(r.u8())];
  return {
    kind: 'data_content',
    dataComponentId,
    entryComponent,
    selector,
    components,
    language: r.language(),
    text: readText(r, r.u8()),
  };
}
