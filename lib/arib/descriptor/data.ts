/** Descriptors of data broadcasts, downloads and their contents; those without a parser. */
import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

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

/** Data component descriptor, tag 0xFD. ARIB STD-B10 Part 2, 6.2.20. */
interface DataComponentDescriptor {
  readonly kind: 'data_component';
  /** data_component_id, 16 bits: 0x0008 caption, 0x0012 one-segment caption, 0x0007/0x000C/0x000D BML. */
  readonly dataComponentId: number;
  /** additional_data_component_info, whose layout depends on the id. */
  readonly additionalInfo: Uint8Array;
}

export function parseDataComponent(r: Reader): DataComponentDescriptor {
  return { kind: 'data_component', dataComponentId: r.u16(), additionalInfo: r.rest() };
}

/** Data content descriptor, tag 0xC7: a data component of an event. ARIB STD-B10 Part 2, 6.2.28. */
interface DataContentDescriptor {
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

/**
 * Application signalling descriptor, tag 0x6F: which AITs a stream carries. ETSI TS 102 809, 5.3.5.1;
 * ARIB STD-B24 Vol. 4.
 */
interface ApplicationSignallingDescriptor {
  readonly kind: 'application_signalling';
  readonly applications: readonly SignalledApplication[];
}

interface SignalledApplication {
  /** application_type, 15 bits: 0x0010 or 0x0011 for HTML5 applications. */
  readonly applicationType: number;
  /** AIT_version_number, 5 bits. */
  readonly aitVersion: number;
}

export function parseApplicationSignalling(r: Reader): ApplicationSignallingDescriptor {
  const applications: SignalledApplication[] = [];
  while (r.remaining > 0) {
    // reserved 1, application_type 15; reserved 3, AIT_version_number 5
    applications.push({ applicationType: r.u16() & 0x7fff, aitVersion: r.u8() & 0x1f });
  }
  return { kind: 'application_signalling', applications };
}

/** Download content descriptor, tag 0xC9, of an SDTT. ARIB STD-B21, 12.2.1.1. */
interface DownloadContentDescriptor {
  readonly kind: 'download_content';
  /** Whether the receiver restarts after the download. */
  readonly reboot: boolean;
  /** add_on: is added to existing software; otherwise replaces it. */
  readonly addOn: boolean;
  /** Octets of all modules. */
  readonly componentSize: number;
  readonly downloadId: number;
  /** time_out_value_DII, in milliseconds. */
  readonly diiTimeout: number;
  /** leak_rate, 22 bits, in units of 50 octets a second. */
  readonly leakRate: number;
  readonly componentTag: number;
  /** compatibilityDescriptor() after its length, as sent. */
  readonly compatibility: Uint8Array | undefined;
  readonly modules: readonly DownloadModule[];
  readonly privateData: Uint8Array;
  readonly text: DownloadText | undefined;
}

interface DownloadModule {
  readonly id: number;
  /** Octets. */
  readonly size: number;
  /** module_info: descriptors of the data carousel. */
  readonly info: Uint8Array;
}

interface DownloadText {
  readonly language: string;
  readonly text: string;
}

export function parseDownloadContent(r: Reader): DownloadContentDescriptor {
  // reboot 1, add_on 1, compatibility_flag 1, module_info_flag 1, text_info_flag 1, reserved 3
  const flags = r.u8();
  return {
    kind: 'download_content',
    reboot: (flags & 0x80) !== 0,
    addOn: (flags & 0x40) !== 0,
    componentSize: r.u32(),
    downloadId: r.u32(),
    diiTimeout: r.u32(),
    leakRate: r.u24() >> 2, // reserved 2
    componentTag: r.u8(),
    compatibility: (flags & 0x20) !== 0 ? r.take(r.u16()) : undefined,
    modules: (flags & 0x10) !== 0 ? readModules(r) : [],
    privateData: r.take(r.u8()),
    text: (flags & 0x08) !== 0 ? { language: r.language(), text: readText(r, r.u8()) } : undefined,
  };
}

function readModules(r: Reader): DownloadModule[] {
  const modules: DownloadModule[] = [];
  for (let left = r.u16(); left > 0 && !r.exhausted; left--) {
    modules.push({ id: r.u16(), size: r.u32(), info: r.take(r.u8()) });
  }
  return modules;
}
