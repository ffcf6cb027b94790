import type { Reader } from '../reader.ts';
import { type RawDescriptor, rawDescriptor } from './raw.ts';

/**
 * Carousel compatible composite descriptor, tag 0xF7: descriptors for a data carousel's modules, whose tags have
 * other meanings than in tables. ARIB STD-B10 Part 2, 6.2.48.
 */
export interface CarouselCompatibleCompositeDescriptor {
  readonly kind: 'carousel_compatible_composite';
  readonly parts: readonly RawDescriptor[];
}

export function parseCarouselCompatibleComposite(r: Reader): CarouselCompatibleCompositeDescriptor {
  const parts: RawDescriptor[] = [];
  while (r.remaining > 0) parts.push(rawDescriptor(r.u8(), r.take(r.u8())));
  return { kind: 'carousel_compatible_composite', parts };
}
