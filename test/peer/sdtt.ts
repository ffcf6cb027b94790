/** A reader of the software download trigger table, which no receiver program here needs: what the synthetic one says. */
import { type Descriptor, readDescriptors } from '../../lib/arib/descriptor/index.ts';
import type { NetworkId, ServiceId, TransportStreamId } from '../../lib/arib/ids.ts';
import { Reader } from '../../lib/arib/reader.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Section } from '../../lib/arib/ts/section.ts';

/** A section of the software download trigger table. ARIB STD-B21, 12.2.1.1. */
interface Sdtt {
  /** Upper half of table_id_extension; 0xFF with model 0xFE: data for all receivers, such as logos. */
  readonly makerId: number;
  readonly modelId: number;
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  /** The service with the data. */
  readonly serviceId: ServiceId;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly contents: readonly DownloadContent[];
}

interface DownloadContent {
  /** group, 4 bits. */
  readonly group: number;
  /** 12 bits: the addressed receivers, see `versionIndicator`. */
  readonly targetVersion: number;
  /** 12 bits; for logos: their version. */
  readonly newVersion: number;
  /** download_level, 2 bits: 0 optional for the viewer, 1 forced. */
  readonly downloadLevel: number;
  /** version_indicator, 2 bits: 0 all versions, 1 from the target on, 2 up to it, 3 only it. */
  readonly versionIndicator: number;
  /** schedule_time_shift_information, 4 bits. */
  readonly timeShift: number;
  /** When it is sent; empty: always. */
  readonly schedule: readonly DownloadTime[];
  readonly descriptors: readonly Descriptor[];
}

interface DownloadTime {
  readonly startAt: BroadcastMs | undefined;
  /** Seconds. */
  readonly duration: number | undefined;
}

const SDTT_TABLE_ID = 0xc3;

/** Undefined if the section is not an SDTT, is not current yet, or has a wrong length. */
export function parseSdtt(section: Section): Sdtt | undefined {
  if (section.tableId !== SDTT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const transportStreamId = r.u16() as TransportStreamId;
  const originalNetworkId = r.u16() as NetworkId;
  const serviceId = r.u16() as ServiceId;
  const contents: DownloadContent[] = [];
  for (let left = r.u8(); left > 0 && !r.exhausted; left--) {
    const content = readContent(r);
    if (content === undefined) return undefined;
    contents.push(content);
  }
  if (r.exhausted) return undefined;
  return {
    makerId: section.extension >> 8,
    modelId: section.extension & 0xff,
    transportStreamId,
    originalNetworkId,
    serviceId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    contents,
  };
}

function readContent(r: Reader): DownloadContent | undefined {
  // group 4, target_version 12
  const target = r.u16();
  // new_version 12, download_level 2, version_indicator 2
  const offered = r.u16();
  // content_description_length 12, reserved 4
  const contentLength = r.u16() >> 4;
  // schedule_description_length 12, schedule_time_shift_information 4
  const scheduling = r.u16();
  const scheduleLength = scheduling >> 4;
  if (scheduleLength > contentLength) return undefined;
  const times = r.slice(scheduleLength);
  const schedule: DownloadTime[] = [];
  while (times.remaining > 0) schedule.push({ startAt: times.mjdTime(), duration: times.bcdDuration() });
  const descriptors = readDescriptors(r.slice(contentLength - scheduleLength));
  if (times.exhausted) return undefined;
  return {
    group: target >> 12,
    targetVersion: target & 0x0fff,
    newVersion: offered >> 4,
    downloadLevel: (offered >> 2) & 0x03,
    versionIndicator: offered & 0x03,
    timeShift: scheduling & 0x0f,
    schedule,
    descriptors,
  };
}
