/**
 * A descriptor whose tag has no parser here, or whose body is too short for its own fields. ISO/IEC 13818-1 2.6
 * (descriptor_tag, descriptor_length).
 */
export interface RawDescriptor {
  readonly kind: 'raw';
  /** descriptor_tag, 8 bits. */
  readonly tag: number;
  /** Everything after descriptor_length: a view of the section's bytes. */
  readonly data: Uint8Array;
}

export function rawDescriptor(tag: number, data: Uint8Array): RawDescriptor {
  return { kind: 'raw', tag, data };
}
