import { type Descriptor, findDescriptor, readDescriptors } from '../descriptor/index.ts';
import type { Pid, ServiceId } from '../ids.ts';
import { Reader } from '../reader.ts';
import { NULL_PID } from './packet.ts';
import type { Section } from './section.ts';

/** The streams of one programme. ISO/IEC 13818-1 2.4.4.8. */
export interface ProgramMap {
  /** program_number, which equals the service_id in ARIB broadcasts. */
  readonly programNumber: ServiceId;
  readonly version: number;
  /** 0x1fff if no stream has the clock. */
  readonly pcrPid: Pid;
  readonly descriptors: readonly Descriptor[];
  readonly streams: readonly ProgramStream[];
}

export interface ProgramStream {
  /** stream_type, ISO/IEC 13818-1 table 2-34: 0x02 MPEG-2 video, 0x0f AAC in ADTS, 0x06 private PES (captions). */
  readonly streamType: number;
  readonly pid: Pid;
  /** component_tag of the stream_identifier_descriptor; null if there is none. */
  readonly componentTag: number | null;
  readonly descriptors: readonly Descriptor[];
}

export const PMT_TABLE_ID = 0x02;

/** Undefined if the section is not a PMT or one of its loops is truncated. */
export function parsePmt(section: Section): ProgramMap | undefined {
  if (section.tableId !== PMT_TABLE_ID || !section.long) return undefined;
  const r = new Reader(section.body);
  const pcrPid = r.pid();
  const common = r.slice(r.length12());
  const descriptors = readDescriptors(common);
  let cut = common.exhausted;
  const streams: ProgramStream[] = [];
  while (r.remaining > 0) {
    const streamType = r.u8();
    const pid = r.pid();
    const info = r.slice(r.length12());
    const own = readDescriptors(info);
    cut ||= info.exhausted;
    const componentTag = findDescriptor(own, 'stream_identifier')?.componentTag ?? null;
    streams.push({ streamType, pid, componentTag, descriptors: own });
  }
  if (cut || r.exhausted) return undefined;
  const programNumber = section.extension as ServiceId;
  return { programNumber, version: section.version, pcrPid, descriptors, streams };
}

/** The ECM PID in a descriptor; undefined if there is none (0x1fff means "not scrambled"). */
function ecmPid(descriptor: Descriptor): Pid | undefined {
  if (descriptor.kind !== 'conditional_access' && descriptor.kind !== 'access_control') return undefined;
  const { pid } = descriptor;
  return pid === NULL_PID || pid === 0 ? undefined : pid;
}

/** PIDs of the ECMs of the programme and of its streams, each once. ISO/IEC 13818-1 2.6.16. */
export function ecmPids(map: ProgramMap): Pid[] {
  const pids = new Set<Pid>();
  for (const descriptors of [map.descriptors, ...map.streams.map((stream) => stream.descriptors)]) {
    for (const descriptor of descriptors) {
      const pid = ecmPid(descriptor);
      if (pid !== undefined) pids.add(pid);
    }
  }
  return [...pids];
}

/** Every PID of the programme: streams, clock, ECM; without null and 0. Each once. */
export function programPids(map: ProgramMap): Pid[] {
  const pids = [map.pcrPid, ...map.streams.map((stream) => stream.pid), ...ecmPids(map)];
  return [...new Set(pids.filter((pid) => pid !== NULL_PID && pid !== 0))];
}
