/**
 * Reader `data`: the data broadcast of one station as messages (`lib/wire/data-broadcast.ts`). It follows PAT and PMT, and
 * reads broadcaster and time from the stream itself. The programme is that of the service's guide; present/following of the
 * stream tells which one, and what the guide does not have. Modules are read once the programme is known, because
 * documents ask for it as soon as they start. ARIB STD-B24 Vol. 2 and 3; STD-B10; TR-B14, TR-B15.
 */
import {
  AIT_TABLE_ID,
  applicationsOf,
  HTML5_TYPES,
  parseAit,
} from '../../lib/arib/application/section-ait.ts';
import { parseBxmlInfo } from '../../lib/arib/carousel/bxml-info.ts';
import { findDescriptor } from '../../lib/arib/descriptor/index.ts';
import type { Pid, ServiceId, TransportStreamId } from '../../lib/arib/ids.ts';
import { EIT_PID, type EitEvent, parseEit, parseTot, TOT_PID } from '../../lib/arib/si/eit.ts';
import {
  BIT_PID,
  broadcasterOf,
  parseBit,
  type ServiceBroadcaster,
} from '../../lib/arib/si/service-tables.ts';
import { type BroadcastMs, type Pts90k, plusMs, TICKS_PER_MS } from '../../lib/arib/time.ts';
import { pcrToPts, ptsDifference } from '../../lib/arib/ts/clock.ts';
import { NULL_PID, PACKET_SIZE, PAT_PID, packetPcr, packetPid } from '../../lib/arib/ts/packet.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { type ProgramMap, type ProgramStream, parsePmt } from '../../lib/arib/ts/pmt.ts';
import { type Section, SectionDemux } from '../../lib/arib/ts/section.ts';
import { SubTable } from '../../lib/arib/ts/sub-table.ts';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import {
  type DataComponent as ComponentFacts,
  ENTRY_COMPONENT,
  type PmtMessage,
  type ProgramInfoMessage,
  type ResponseMessage,
} from '../../lib/wire/data-broadcast.ts';
import { DATA_LIMITS, DataComponentReader, type DataShare, TokenBucket } from './data-component.ts';
import { dataItem } from './data-items.ts';
import { defineReader, type ReaderContext, type StreamReader } from './reader-kind.ts';
import type { SideItem, SideReaderOptions, StationGuide } from './side-item.ts';

/** Both clocks drift by less than 1 ms in this time. */
const REFRESH_MS = 60_000;
/** TOT have whole seconds and come a little late: a smaller difference is none of the clocks. */
const JITTER_MS = 500;

/**
 * Maps a stream's clock (PCR) to broadcast time (TOT), for a reader that gets the packets of both. Selecting the packets
 * of a PCR that is sent with the video is expensive, so a pair is taken once and again after REFRESH_MS.
 */
class StreamTime {
  #pcr: Pts90k | undefined;
  #pair: { readonly pcr: Pts90k; readonly at: BroadcastMs; readonly takenAt: MonotonicMs } | undefined;

  constructor(private readonly clock: MonotonicClock) {}

  /** Whether PCR packets are needed. */
  get wantsPcr(): boolean {
    return this.#pair === undefined || this.clock() - this.#pair.takenAt >= REFRESH_MS;
  }

  /** A packet with the PID of the PCR. */
  packet(packets: Uint8Array, offset: number): void {
    const pcr = packetPcr(packets, offset);
    if (pcr !== undefined) this.#pcr = pcrToPts(pcr);
  }

  /** A TOT, in its place among the packets. */
  tot(at: BroadcastMs): void {
    const pcr = this.#pcr;
    this.#pcr = undefined;
    if (pcr === undefined || !this.wantsPcr) return;
    const expected = this.timeOf(pcr);
    const isSteady = expected !== undefined && Math.abs(expected - at) < JITTER_MS;
    this.#pair = { pcr, at: isSteady ? expected : at, takenAt: this.clock() };
  }

  /** Another clock follows. */
  reset(): void {
    this.#pcr = undefined;
    this.#pair = undefined;
  }

  /** Undefined before the first pair. */
  timeOf(stc: Pts90k): BroadcastMs | undefined {
    if (this.#pair === undefined) return undefined;
    return plusMs(this.#pair.at, Math.round(ptsDifference(stc, this.#pair.pcr) / TICKS_PER_MS));
  }
}

/** table_id of present and following events of this transport stream; the present one is in section 0. */
const PRESENT_FOLLOWING = 0x4e;
const FIXED_PIDS: readonly Pid[] = [PAT_PID, EIT_PID, TOT_PID, BIT_PID];
/** stream_type of event messages and data carousels, ISO/IEC 13818-6. */
const DATA_STREAM_TYPES: readonly number[] = [0x0b, 0x0c, 0x0d];
/** Operated: at most ten or so. */
const MAX_COMPONENTS = 16;
/** EIT present/following comes every 2 s at most; a station without it has modules nevertheless. */
const PROGRAMME_WAIT_MS = 3_000;
/** Documents show clocks with seconds. */
const TIME_MS = 1_000;
/** A table that changes with each section would flood the viewers. */
const AIT_MS = 500;
/** A whole carousel at once, then four times the rate of a real station's. */
const INFLATING = { burst: 6 * 1024 * 1024, perSecond: 1024 * 1024 };

export const dataReader = defineReader<SideReaderOptions, never, SideItem>({
  name: 'data',
  start: (options, context) => new DataReader(options, context),
  transfer: ({ frame }) => (frame === undefined ? [] : [frame.buffer]),
});

/** The stream with the applications of the station. */
interface ApplicationStream {
  readonly pid: Pid;
  readonly table: SubTable;
  /** Its table, complete, until it is sent. */
  unsent: readonly Section[] | undefined;
  sentAt: MonotonicMs | undefined;
}

interface OpenComponent {
  readonly pid: Pid;
  readonly reader: DataComponentReader;
}

class DataReader implements StreamReader<never> {
  readonly #serviceId: ServiceId;
  readonly #demux = new SectionDemux();
  readonly #time: StreamTime;
  readonly #share: DataShare;
  readonly #startedAt: MonotonicMs;
  #selected = '';
  #tables = new Set<Pid>();
  #pmtPid: Pid | undefined;
  #pcrPid: Pid = NULL_PID;
  #transportStreamId: TransportStreamId | undefined;
  readonly #components = new Map<number, OpenComponent>();
  #pmt: Section | undefined;
  #applications: ApplicationStream | undefined;
  /** The programme on air, once its EIT was received; `event` is undefined in a pause. */
  #present: { readonly networkId: number; readonly event: EitEvent | undefined } | undefined;
  #broadcaster: ServiceBroadcaster | undefined;
  readonly #guide: StationGuide | undefined;
  /** What was sent last, by key. */
  readonly #sent = new Map<string, string>();
  /** Time of the last TOT and its arrival. */
  #tot: { readonly at: BroadcastMs; readonly takenAt: MonotonicMs } | undefined;
  #timeSentAt: MonotonicMs | undefined;

  constructor(
    options: SideReaderOptions,
    private readonly context: ReaderContext<SideItem>,
  ) {
    const { clock } = context;
    this.#serviceId = options.serviceId as ServiceId;
    this.#startedAt = clock();
    this.#time = new StreamTime(clock);
    this.#share = {
      clock,
      blocks: { used: 0, most: DATA_LIMITS.stationBlocks },
      messages: { used: 0, most: DATA_LIMITS.stationMessages },
      inflating: new TokenBucket({ ...INFLATING, clock }),
      post: (item) => context.post(item),
      timeOf: (stc) => this.#time.timeOf(stc),
    };
    this.#broadcaster = options.broadcaster;
    this.#guide = options.guide;
    this.#select();
  }

  feed(packets: Uint8Array): void {
    for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
      const pid = packetPid(packets, offset);
      if (pid === this.#pcrPid) this.#time.packet(packets, offset);
      if (!this.#demux.has(pid)) continue;
      for (const section of this.#demux.feed(packets.subarray(offset, offset + PACKET_SIZE)))
        this.#section(pid, section);
    }
    this.#select();
  }

  check(): void {
    const { clock } = this.context;
    const now = clock();
    if (!this.#hasProgramme && now - this.#startedAt >= PROGRAMME_WAIT_MS) this.#sendProgramme();
    this.#sendApplications(now);
    if (this.#timeSentAt === undefined || now - this.#timeSentAt >= TIME_MS) this.#sendTime(now);
  }

  #section(pid: Pid, section: Section): void {
    switch (pid) {
      case PAT_PID:
        this.#pat(section);
        return;
      case EIT_PID:
        this.#eit(section);
        return;
      case TOT_PID: {
        const at = parseTot(section)?.time;
        if (at === undefined) return;
        this.#time.tot(at);
        const now = this.context.clock();
        this.#tot = { at, takenAt: now };
        this.#sendTime(now);
        return;
      }
      case BIT_PID: {
        const bit = parseBit(section);
        this.#broadcaster = (bit && broadcasterOf(bit, this.#serviceId)) ?? this.#broadcaster;
        this.#sendBroadcaster();
        return;
      }
    }
    if (pid === this.#pmtPid) {
      // Repetitions are the same object.
      const map = section === this.#pmt ? undefined : parsePmt(section);
      if (map?.programNumber !== this.#serviceId) return;
      this.#pmt = section;
      this.#map(map);
      return;
    }
    if (pid === this.#applications?.pid) this.#ait(section, this.#applications);
    if (!this.#hasProgramme) return;
    for (const component of this.#components.values())
      if (component.pid === pid) component.reader.feed(section);
  }

  #pat(section: Section): void {
    const pat = parsePat(section);
    if (pat === undefined) return;
    this.#transportStreamId = pat.transportStreamId;
    const own = pat.programs.find(({ programNumber }) => programNumber === this.#serviceId);
    if (own === undefined || own.pid === this.#pmtPid) return;
    this.#pmtPid = own.pid;
    this.#select();
  }

  #map(map: ProgramMap): void {
    if (map.pcrPid !== this.#pcrPid) this.#time.reset();
    this.#pcrPid = map.pcrPid;
    const components: PmtMessage['components'] = map.streams.flatMap((stream) => factsOf(stream) ?? []);
    const read = components
      .filter(({ streamType }) => DATA_STREAM_TYPES.includes(streamType))
      .sort(
        (one, other) =>
          Number(other.componentId === ENTRY_COMPONENT) - Number(one.componentId === ENTRY_COMPONENT),
      )
      .slice(0, MAX_COMPONENTS);
    for (const [id, { pid, reader }] of this.#components) {
      if (read.some(({ componentId, pid: now }) => componentId === id && now === pid)) continue;
      reader.close();
      this.#components.delete(id);
    }
    this.#tell('pmt', { type: 'pmt', components });
    this.#followApplications(map.streams.find(signalsApplications)?.pid);
    this.#sendBroadcaster();
    if (this.#present !== undefined || (this.#guide?.present ?? null) !== null) this.#sendProgramme();
    for (const { componentId, pid } of read) {
      if (this.#components.has(componentId)) continue;
      this.#components.set(componentId, {
        pid: pid as Pid,
        reader: new DataComponentReader(componentId, this.#share),
      });
    }
    this.#select();
  }

  #followApplications(pid: Pid | undefined): void {
    if (pid === this.#applications?.pid) return;
    this.#applications =
      pid === undefined ? undefined : { pid, table: new SubTable(), unsent: undefined, sentAt: undefined };
    if (pid === undefined && this.#sent.has('ait')) this.#tell('ait', { type: 'ait', applications: [] });
  }

  #ait(section: Section, stream: ApplicationStream): void {
    if (section.tableId !== AIT_TABLE_ID || !HTML5_TYPES.includes(section.extension)) return;
    stream.unsent = stream.table.add(section) ?? stream.unsent;
    this.#sendApplications(this.context.clock());
  }

  #sendApplications(now: MonotonicMs): void {
    const stream = this.#applications;
    if (stream?.unsent === undefined || this.#pmt === undefined) return;
    if (stream.sentAt !== undefined && now - stream.sentAt < AIT_MS) return;
    const applications = applicationsOf(stream.unsent.flatMap((section) => parseAit(section) ?? []));
    stream.unsent = undefined;
    stream.sentAt = now;
    this.#tell('ait', { type: 'ait', applications });
  }

  #eit(section: Section): void {
    if (
      section.tableId !== PRESENT_FOLLOWING ||
      section.extension !== this.#serviceId ||
      section.number !== 0
    )
      return;
    const eit = parseEit(section);
    if (eit === undefined) return;
    this.#present = { networkId: eit.originalNetworkId, event: eit.events[0] };
    this.#sendProgramme();
  }

  get #hasProgramme(): boolean {
    return this.#sent.has('programInfo');
  }

  #sendProgramme(): void {
    if (this.#transportStreamId === undefined || this.#pmt === undefined) return;
    this.#tell('programInfo', {
      type: 'programInfo',
      networkId: this.#present?.networkId ?? this.#guide?.networkId ?? null,
      transportStreamId: this.#transportStreamId,
      serviceId: this.#serviceId,
      ...this.#programme(),
    });
  }

  /** Times that present/following states are newer than those of the guide. */
  #programme(): Pick<ProgramInfoMessage, 'eventId' | 'startAt' | 'durationMs' | 'name'> {
    const event = this.#present?.event;
    const onAir = this.#present === undefined ? this.#guide?.present : event?.eventId;
    const known = this.#guide?.programmes.find(({ eventId }) => eventId === onAir);
    const name = event && findDescriptor(event.descriptors, 'short_event')?.name;
    return {
      eventId: event?.eventId ?? known?.eventId ?? null,
      startAt: event?.startAt ?? known?.startAt ?? null,
      durationMs: event?.duration === undefined ? (known?.durationMs ?? null) : event.duration * 1000,
      name: known?.name ?? (event === undefined ? null : (name ?? '')),
    };
  }

  #sendBroadcaster(): void {
    if (this.#broadcaster === undefined || this.#pmt === undefined) return;
    const { affiliations, ...broadcaster } = this.#broadcaster;
    this.#tell('bit', { type: 'bit', ...broadcaster, affiliations: [...affiliations] });
  }

  /** Only what differs from before. */
  #tell(key: string, message: ResponseMessage): void {
    const json = JSON.stringify(message);
    if (this.#sent.get(key) === json) return;
    this.#sent.set(key, json);
    this.context.post(dataItem(key, message));
  }

  #sendTime(now: MonotonicMs): void {
    if (this.#tot === undefined || !this.#hasProgramme) return;
    this.#timeSentAt = now;
    const at = plusMs(this.#tot.at, Math.round(now - this.#tot.takenAt));
    this.context.post(dataItem('currentTime', { type: 'currentTime', at }));
  }

  /** Selects the PIDs of the moment; those of the clock only while NPT need it. */
  #select(): void {
    const needsClock =
      this.#time.wantsPcr && [...this.#components.values()].some(({ reader }) => reader.hasNpt);
    // A hostile map may name one PID twice, or that of a table.
    const tables = new Set([
      ...FIXED_PIDS,
      ...(this.#pmtPid === undefined ? [] : [this.#pmtPid]),
      ...(this.#applications === undefined ? [] : [this.#applications.pid]),
      ...Array.from(this.#components.values(), ({ pid }) => pid),
    ]);
    const pids = [...tables, ...(needsClock && this.#pcrPid !== NULL_PID ? [this.#pcrPid] : [])];
    const selected = pids.join();
    if (selected === this.#selected) return;
    this.#selected = selected;
    for (const pid of this.#tables) if (!tables.has(pid)) this.#demux.remove(pid);
    for (const pid of tables) this.#demux.add(pid);
    this.#tables = tables;
    this.context.select(pids);
  }
}

function signalsApplications({ descriptors }: ProgramStream): boolean {
  const signalled = findDescriptor(descriptors, 'application_signalling')?.applications ?? [];
  return signalled.some(({ applicationType }) => HTML5_TYPES.includes(applicationType));
}

/** Undefined for a stream without a component_tag, to which nothing can refer. */
function factsOf({ pid, streamType, componentTag, descriptors }: ProgramStream): ComponentFacts | undefined {
  if (componentTag === null) return undefined;
  const data = findDescriptor(descriptors, 'data_component');
  return {
    pid,
    componentId: componentTag,
    streamType,
    dataComponentId: data?.dataComponentId ?? null,
    bxmlInfo: data === undefined ? null : (parseBxmlInfo(data.dataComponentId, data.additionalInfo) ?? null),
  };
}
