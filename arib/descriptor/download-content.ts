import type { Reader } from '../reader.ts';
import { readText } from '../text/text.ts';

/** Download content descriptor, tag 0xC9, of an SDTT. ARIB STD-B21, 12.2.1.1. */
export interface DownloadContentDescriptor {
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
