/**
 * EIT: ARIB STD-B10 Part 2, 5.2.7; segments of the schedule by ARIB TR-B14 vol. 4 and TR-B15: eight tables of
 * four days, a day of eight segments of three hours, a segment of up to eight sections.
 */
import { type BroadcastMs, broadcastMs, jstDayStart } from '../../lib/arib/time.ts';
import { DAY_MS, type Guide, type Programme } from '../guide/programme.ts';
import { programmeVideo } from '../rundown/picture.ts';
import { isSplitOff } from '../rundown/sharing.ts';
import type { StationPlace } from '../scenario/layout.ts';
import type { ChannelPlan, VideoPlan } from '../scenario/model.ts';
import { ByteWriter } from './bytes.ts';
import { audioComponent, component, copyControl, extendedEvent, shortEvent } from './descriptors.ts';
import {
  captionInfo,
  content,
  dataContent,
  eventGroup,
  parentalRating,
  series,
} from './event-descriptors.ts';
import { encodeJstTime, toBcd } from './jst-time.ts';
import { longSection, MAX_BODY } from './section.ts';

const DAYS_PER_TABLE = 4;
const SEGMENTS_PER_DAY = 8;
const SEGMENT_MS = DAY_MS / SEGMENTS_PER_DAY;
const SECTIONS_PER_SEGMENT = 8;

export type EitKind = 'actual' | 'other';
export type ScheduleKind = 'basic' | 'extended';

/** A station's events, with everything that their tables refer to. */
export interface EventStation {
  channel: ChannelPlan;
  place: StationPlace;
  guide: Guide;
  /** For a branch: the station whose streams it lists while both show the same. Absent: none. */
  main?: StationEvents;
  /**
   * For a main station: the branch whose pictures reduce the bit rate of its own when it splits off. Absent:
   * none.
   */
  branch?: StationEvents;
}

interface StationEvents {
  place: StationPlace;
  guide: Guide;
}

const PRESENT_FOLLOWING_ID = { actual: 0x4e, other: 0x4f } as const;
const SCHEDULE_ID = {
  actual: { basic: 0x50, extended: 0x58 },
  other: { basic: 0x60, extended: 0x68 },
} as const;

/** component_type by lines and aspect ratio, ARIB STD-B10 Part 2, table 6-5: 16:9 without pan vectors. */
function componentType({ height, aspect }: VideoPlan): number {
  if (height >= 1080) return 0xb3;
  if (height >= 480) return aspect === '4:3' ? 0x01 : 0x03;
  return height === 180 ? 0xf3 : 0xd3;
}

/** Whether the branch of a main station shows another programme at a moment. */
function isSplitAt({ branch, place }: EventStation, at: BroadcastMs): boolean {
  if (branch === undefined || place.plan.pictures?.split === undefined) return false;
  return branch.guide.airing(at, broadcastMs(at + 1)).some(isSplitOff);
}

const STREAM_CONTENT = { mpeg2: 1, h264: 5 } as const;
const AUDIO_TYPE = { dual: 0x02, stereo: 0x03, surround: 0x09 } as const;

/** Picture and sounds that are on air with a programme. */
function componentDescriptors(station: EventStation, programme: Programme): Uint8Array[] {
  const { sound, audioCount, borrowed } = programme;
  const place = borrowed && station.main !== undefined ? station.main.place : station.place;
  const { componentTag } = place.video;
  const plan = programmeVideo(place.plan, programme.kind, isSplitAt(station, programme.startAt));
  const video = component(STREAM_CONTENT[plan.codec], componentType(plan), componentTag, '');
  const audios = place.audios.slice(0, audioCount).map((audio, index) => {
    const mode = index === 0 ? sound : audio.plan.mode;
    const asPlanned = mode === audio.plan.mode;
    return audioComponent({
      type: AUDIO_TYPE[mode],
      tag: audio.componentTag,
      streamType: audio.streamType,
      main: index === 0,
      languages: asPlanned ? audio.plan.languages : audio.plan.languages.slice(0, 1),
      text: asPlanned ? audio.plan.label : '',
    });
  });
  return [video, ...audios];
}

const CAPTIONS = 0x0008;
const DOCUMENTS = { GR: 0x000c, BS: 0x0007, CS: 0x000b } as const;

function dataDescriptors({ place, channel }: EventStation, programme: Programme): Uint8Array[] {
  const { captions, carousel } = place;
  const list: Uint8Array[] = [];
  if (captions !== null && programme.captions) {
    const selector = captionInfo(captions.plan.languages);
    list.push(dataContent({ dataComponentId: CAPTIONS, entry: captions.componentTag, selector, text: '' }));
  }
  if (carousel !== null && !programme.pause) {
    const entry = { dataComponentId: DOCUMENTS[channel.type], entry: carousel.componentTag };
    list.push(dataContent({ ...entry, selector: new Uint8Array(0), text: '' }));
  }
  return list;
}

function basicDescriptors(station: EventStation, programme: Programme): Uint8Array[] {
  const { minimumAge, groups } = programme;
  return [
    shortEvent(programme.title, programme.description),
    ...componentDescriptors(station, programme),
    content(programme.genres, programme.notes),
    copyControl(programme.copyControl),
    ...dataDescriptors(station, programme),
    ...(minimumAge === null ? [] : [parentalRating(minimumAge)]),
    ...(programme.series === null ? [] : [series(programme.series)]),
    ...groups.map(eventGroup),
  ];
}

/** An unknown start or duration, ARIB STD-B10 Part 2, 5.2.7. */
const UNKNOWN_START = [0xff, 0xff, 0xff, 0xff, 0xff];
const UNKNOWN_DURATION = [0xff, 0xff, 0xff];

function bcdDuration(ms: number): number[] {
  const seconds = Math.floor(ms / 1000);
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(toBcd);
}

function eventBytes(programme: Programme, loop: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter();
  for (const part of loop) writer.bytes(part);
  const { eventId, startAt, durationMs, openStart, openEnd, isFree } = programme;
  return (
    new ByteWriter()
      .u16(eventId)
      .bytes(openStart ? UNKNOWN_START : encodeJstTime(startAt))
      .bytes(openEnd ? UNKNOWN_DURATION : bcdDuration(durationMs))
      // running_status 0: broadcasters leave it undefined; free_CA_mode.
      .counted12(isFree ? 0 : 1, writer.done())
      .done()
  );
}

interface EitHeader {
  tableId: number;
  lastTableId: number;
  version: number;
  number: number;
  lastNumber: number;
  segmentLast: number;
}

function eitSection(station: EventStation, header: EitHeader, events: readonly Uint8Array[]): Uint8Array {
  const body = new ByteWriter()
    .u16(station.channel.transportStreamId)
    .u16(station.channel.networkId)
    .u8(header.segmentLast)
    .u8(header.lastTableId);
  for (const event of events) body.bytes(event);
  const { tableId, version, number, lastNumber } = header;
  const extension = station.place.plan.serviceId;
  return longSection({ tableId, extension, version, number, lastNumber }, body.done());
}

function versionOf(changes: number): number {
  return ((changes % 32) + 32) % 32;
}

/** Sections 0 (present) and 1 (following) at a moment; the version increases with every change. */
export function presentFollowing(station: EventStation, kind: EitKind, at: BroadcastMs): Uint8Array[] {
  const tableId = PRESENT_FOLLOWING_ID[kind];
  const present = station.guide.present(at);
  const following = station.guide.following(at);
  const version = versionOf(station.guide.presentChanges(at));
  return [present, following].map((programme, number) => {
    const header = {
      tableId,
      lastTableId: tableId,
      version,
      number,
      lastNumber: 1,
      segmentLast: 1,
    };
    if (programme === undefined) return eitSection(station, header, []);
    const items = programme.borrowed ? [] : extendedEvent(programme.items);
    const loop = [...basicDescriptors(station, programme), ...items];
    return eitSection(station, header, [eventBytes(programme, loop)]);
  });
}

/** Events distributed over as few sections as possible; what does not fit into eight is omitted. */
function splitSections(events: readonly Uint8Array[]): Uint8Array[][] {
  const limit = MAX_BODY - 6;
  const sections: Uint8Array[][] = [[]];
  let room = limit;
  for (const event of events) {
    if (event.length > room) {
      if (sections.length === SECTIONS_PER_SEGMENT) break;
      sections.push([]);
      room = limit;
    }
    sections.at(-1)?.push(event);
    room -= event.length;
  }
  return sections;
}

/** The position of a segment in the current schedule. */
export interface Segment {
  /** 0 for today. */
  day: number;
  /** 0..7, three hours each. */
  index: number;
}

/** The segments sent at a moment, for this many days: those of today that are over are no longer sent. */
export function liveSegments(at: BroadcastMs, days: number): Segment[] {
  const segments: Segment[] = [];
  const current = Math.floor((at - jstDayStart(at)) / SEGMENT_MS);
  for (let day = 0; day < days; day++) {
    for (let index = day === 0 ? current : 0; index < SEGMENTS_PER_DAY; index++)
      segments.push({ day, index });
  }
  return segments;
}

/** A guide of one day contains short programmes. */
const SHORT_LIST_SECTIONS = 2;
/**
 * Interval at which past programmes are removed from such a list, ms: a segment has more of them than it can
 * hold.
 */
const SHORT_LIST_STEP = 900_000;

/** Segments of the schedule as announced at a moment. */
interface ScheduleMoment {
  kind: EitKind;
  schedule: ScheduleKind;
  at: BroadcastMs;
}

/**
 * A branch's entry for a programme of its main station is an event group; present/following have the texts
 * too.
 */
function scheduleDescriptors(station: EventStation, kind: ScheduleKind, programme: Programme): Uint8Array[] {
  if (kind === 'extended') return programme.borrowed ? [] : extendedEvent(programme.items);
  return programme.borrowed ? programme.groups.map(eventGroup) : basicDescriptors(station, programme);
}

/** Steps of a day at whose ends programmes were removed from such a list; 0 for lists of more days. */
function stepsOver({ guide }: EventStation, at: BroadcastMs): number {
  return guide.days === 1 ? Math.floor((at - jstDayStart(at)) / SHORT_LIST_STEP) : 0;
}

/** Encoded events of one segment and kind. */
function segmentEvents(
  station: EventStation,
  { schedule, at }: ScheduleMoment,
  { day, index }: Segment,
): Uint8Array[] {
  const dayStart = jstDayStart(at);
  const from = broadcastMs(dayStart + day * DAY_MS + index * SEGMENT_MS);
  const over = dayStart + stepsOver(station, at) * SHORT_LIST_STEP;
  const events: Uint8Array[] = [];
  let room = (station.guide.days === 1 ? SHORT_LIST_SECTIONS : SECTIONS_PER_SEGMENT) * MAX_BODY;
  for (const programme of station.guide.starting(from, broadcastMs(from + SEGMENT_MS), at)) {
    if (programme.startAt + programme.durationMs <= over) continue;
    const loop = scheduleDescriptors(station, schedule, programme);
    if (loop.length === 0) continue;
    const event = eventBytes(programme, loop);
    if (event.length > room) break;
    room -= event.length;
    events.push(event);
  }
  return events;
}

/** Revisions of the near future are all in the first table; the others change at midnight only. */
export function scheduleVersion(station: EventStation, { day }: Segment, at: BroadcastMs): number {
  const midnights = Math.floor(jstDayStart(at) / DAY_MS);
  const revisions = day < DAYS_PER_TABLE ? station.guide.revisions(at) : 0;
  return versionOf(midnights + revisions + stepsOver(station, at));
}

/** By station, then by schedule, last day of the table, current day and version. */
const lastCounts = new WeakMap<EventStation, Map<string, number>>();

/**
 * Number of sections of a table's last segment, on which every section of the table depends: counted once per
 * version.
 */
function lastSections(station: EventStation, moment: ScheduleMoment, last: Segment): number {
  const version = scheduleVersion(station, last, moment.at);
  const key = [moment.schedule, last.day, jstDayStart(moment.at), version].join();
  const counts = lastCounts.get(station) ?? new Map<string, number>();
  lastCounts.set(station, counts);
  const known = counts.get(key);
  if (known !== undefined) return known;
  const { length } = splitSections(segmentEvents(station, moment, last));
  counts.set(key, length);
  return length;
}

/** All sections of one segment as sent at a moment. */
export function scheduleSections(
  station: EventStation,
  moment: ScheduleMoment,
  segment: Segment,
): Uint8Array[] {
  const first = SCHEDULE_ID[moment.kind][moment.schedule];
  const table = Math.floor(segment.day / DAYS_PER_TABLE);
  const tableOf = (day: number) => Math.floor(day / DAYS_PER_TABLE);
  const inTable = (segment.day % DAYS_PER_TABLE) * SEGMENTS_PER_DAY + segment.index;
  const firstNumber = inTable * SECTIONS_PER_SEGMENT;
  const sections = splitSections(segmentEvents(station, moment, segment));
  // last_section_number needs the length of the table's last segment, which may be this one.
  const lastDay = Math.min(station.guide.days, (table + 1) * DAYS_PER_TABLE) - 1;
  const last = { day: lastDay, index: SEGMENTS_PER_DAY - 1 };
  const lastInTable = (lastDay % DAYS_PER_TABLE) * SEGMENTS_PER_DAY + last.index;
  const lastCount = lastInTable === inTable ? sections.length : lastSections(station, moment, last);
  return sections.map((events, k) =>
    eitSection(
      station,
      {
        tableId: first + table,
        lastTableId: first + tableOf(station.guide.days - 1),
        version: scheduleVersion(station, segment, moment.at),
        number: firstNumber + k,
        lastNumber: lastInTable * SECTIONS_PER_SEGMENT + lastCount - 1,
        segmentLast: firstNumber + sections.length - 1,
      },
      events,
    ),
  );
}
