/** The properties of a station's PMT that encoders and viewers depend on. */
import type { Pid } from '../../lib/arib/ids.ts';
import type { ProgramMap } from '../../lib/arib/ts/pmt.ts';
import { ENTRY_COMPONENT } from '../../lib/wire/data-broadcast.ts';
import type { VideoKind } from '../model/encoding.ts';

export interface StationLayout {
  video: { pid: Pid; kind: VideoKind } | null;
  /** In the order in which the guide counts audio streams. */
  audios: Pid[];
  captions: Pid[];
  /** It has the component in which a data broadcast starts. */
  data: boolean;
}

/** stream_type values, ISO/IEC 13818-1 table 2-34. */
const VIDEO_KINDS: ReadonlyMap<number, VideoKind> = new Map([
  [0x01, 'mpeg2'],
  [0x02, 'mpeg2'],
  [0x1b, 'h264'],
  [0x24, 'hevc'],
]);
const AUDIO_TYPES: ReadonlySet<number> = new Set([0x03, 0x04, 0x0f, 0x11]);
const PRIVATE_PES = 0x06;
const DATA_CAROUSEL = 0x0d;
/**
 * component_tag of captions and superimposed text, ARIB TR-B14 vol. 2 (0x30..0x37 and 0x38..0x3f, one-segment 0x87,
 * 0x88).
 */
const CAPTION_TAGS: readonly [number, number][] = [
  [0x30, 0x3f],
  [0x87, 0x88],
];

function isCaption(tag: number | null): boolean {
  return tag !== null && CAPTION_TAGS.some(([from, to]) => tag >= from && tag <= to);
}

/** Component tags number the streams of a kind; streams without one keep the order of the PMT. */
function byTag(a: { componentTag: number | null }, b: { componentTag: number | null }): number {
  return (a.componentTag ?? 0x100) - (b.componentTag ?? 0x100);
}

export function layoutOf(map: ProgramMap): StationLayout {
  const streams = [...map.streams].sort(byTag);
  let video: StationLayout['video'] = null;
  const layout: StationLayout = { video, audios: [], captions: [], data: false };
  for (const stream of streams) {
    const kind = VIDEO_KINDS.get(stream.streamType);
    if (kind !== undefined) video ??= { pid: stream.pid, kind };
    else if (AUDIO_TYPES.has(stream.streamType)) layout.audios.push(stream.pid);
    else if (stream.streamType === PRIVATE_PES && isCaption(stream.componentTag)) {
      layout.captions.push(stream.pid);
    } else if (stream.streamType === DATA_CAROUSEL && stream.componentTag === ENTRY_COMPONENT) {
      layout.data = true;
    }
  }
  return { ...layout, video };
}

/** Whether an encoder started for one layout can continue with the other. */
export function sameLayout(a: StationLayout, b: StationLayout): boolean {
  return JSON.stringify({ ...a, data: false }) === JSON.stringify({ ...b, data: false });
}
