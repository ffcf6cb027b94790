/**
 * An event for guide and recorder: the descriptors of an EIT event combined. Pure. ARIB STD-B10 Part 2; operation by
 * TR-B14 Vol. 4 and TR-B15 Vol. 4.
 */
import { type DigitalCopyControlDescriptor, forbidsRecording } from '../descriptor/access.ts';
import type { AudioComponentDescriptor, ComponentDescriptor } from '../descriptor/components.ts';
import {
  type ContentGenre,
  type EventGroupDescriptor,
  type ExtendedEventDescriptor,
  joinExtendedEvents,
  type SeriesDescriptor,
  type ShortEventDescriptor,
} from '../descriptor/events.ts';
import type { EventId } from '../ids.ts';
import type { BroadcastMs } from '../time.ts';
import type { EitEvent } from './eit.ts';

export interface BroadcastEvent {
  readonly eventId: EventId;
  /** Undefined: undecided. */
  readonly startAt: BroadcastMs | undefined;
  /** Milliseconds; undefined: undecided. */
  readonly durationMs: number | undefined;
  /** As broadcast, marks included; empty if the event has no short_event (extended schedules). */
  readonly name: string;
  readonly text: string;
  /** Headings and bodies in order; a heading occurs once. */
  readonly extended: readonly (readonly [heading: string, body: string])[];
  readonly genres: readonly ContentGenre[];
  readonly video: EventVideo | undefined;
  /** In order of component_tag. */
  readonly audios: readonly EventAudio[];
  readonly isFree: boolean;
  /** Recording is forbidden. The guide is only a prediction: the PMT on air decides. */
  readonly copyNever: boolean;
  readonly series: SeriesDescriptor | undefined;
  readonly groups: readonly EventGroupDescriptor[];
}

interface EventVideo {
  readonly componentTag: number;
  readonly componentType: number;
  readonly codec: VideoCodec | undefined;
  /** Lines and scan; undefined for a reserved code. */
  readonly resolution: string | undefined;
}

type VideoCodec = 'mpeg2' | 'h.264' | 'h.265';

interface EventAudio {
  /** Index of the event's audio stream, from 0. Streams are sorted by component_tag, which is the order of the PMT. */
  readonly stream: number;
  readonly componentTag: number;
  /** 2 dual mono, 3 stereo, see `AudioComponentDescriptor`. */
  readonly componentType: number;
  /** One, or those of both channels of dual mono. */
  readonly langs: readonly string[];
  readonly main: boolean;
  /** Hz; undefined for a reserved code. */
  readonly samplingRate: number | undefined;
  readonly text: string;
}

/** stream_content of video, ARIB STD-B10 Part 2, table 6-5. */
const VIDEO_CODECS = new Map<number, VideoCodec>([
  [1, 'mpeg2'],
  [5, 'h.264'],
  [9, 'h.265'],
]);

/** High nibble of a video's component_type, ARIB STD-B10 Part 2, table 6-5. */
const RESOLUTIONS = new Map<number, string>([
  [0x0, '480i'],
  [0x8, '4320p'],
  [0x9, '2160p'],
  [0xa, '480p'],
  [0xb, '1080i'],
  [0xc, '720p'],
  [0xd, '240p'],
  [0xe, '1080p'],
  [0xf, '180p'],
]);

/** Never fails: fields without a descriptor are empty, undefined or, for copyNever, false. */
export function broadcastEvent(event: EitEvent): BroadcastEvent {
  let short: ShortEventDescriptor | undefined;
  let video: ComponentDescriptor | undefined;
  let copying: DigitalCopyControlDescriptor | undefined;
  let series: SeriesDescriptor | undefined;
  const texts: ExtendedEventDescriptor[] = [];
  const genres: ContentGenre[] = [];
  const audios: AudioComponentDescriptor[] = [];
  const groups: EventGroupDescriptor[] = [];
  // One pass, because a guide has a hundred thousand events.
  for (const descriptor of event.descriptors) {
    switch (descriptor.kind) {
      case 'short_event':
        short ??= descriptor;
        break;
      case 'extended_event':
        texts.push(descriptor);
        break;
      case 'content':
        for (const genre of descriptor.genres) genres.push(genre);
        break;
      case 'component':
        if (VIDEO_CODECS.has(descriptor.streamContent)) video ??= descriptor;
        break;
      case 'audio_component':
        audios.push(descriptor);
        break;
      case 'digital_copy_control':
        copying ??= descriptor;
        break;
      case 'series':
        series ??= descriptor;
        break;
      case 'event_group':
        groups.push(descriptor);
        break;
    }
  }
  return {
    eventId: event.eventId,
    startAt: event.startAt,
    durationMs: event.duration === undefined ? undefined : event.duration * 1000,
    name: short?.name ?? '',
    text: short?.text ?? '',
    extended: texts.length === 0 ? [] : (joinExtendedEvents(texts)[0]?.items ?? []),
    genres,
    video: video === undefined ? undefined : eventVideo(video),
    audios: eventAudios(audios),
    isFree: !event.pay,
    copyNever: copying !== undefined && forbidsRecording(copying),
    series,
    groups,
  };
}

function eventVideo(component: ComponentDescriptor): EventVideo {
  return {
    componentTag: component.componentTag,
    componentType: component.componentType,
    codec: VIDEO_CODECS.get(component.streamContent),
    resolution: RESOLUTIONS.get(component.componentType >> 4),
  };
}

function eventAudios(components: readonly AudioComponentDescriptor[]): EventAudio[] {
  const ordered =
    components.length < 2 ? components : components.toSorted((a, b) => a.componentTag - b.componentTag);
  return ordered.map((audio, stream) => ({
    stream,
    componentTag: audio.componentTag,
    componentType: audio.componentType,
    langs: audio.language2 === undefined ? [audio.language] : [audio.language, audio.language2],
    main: audio.main,
    samplingRate: audio.samplingRate,
    text: audio.text,
  }));
}
