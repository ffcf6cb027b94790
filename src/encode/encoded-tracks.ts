/** The audio tracks of an encoded file: one per stream of the broadcast, and one per channel of dual mono. Pure. */
import type { AudioSide } from '../../lib/wire/api.ts';
import { type AudioComponent, audioOptions } from '../model/audio.ts';

export interface EncodedTrack {
  /** Id of the Audio option. */
  readonly id: string;
  /** Index of its stream in the layout. */
  readonly stream: number;
  readonly side: AudioSide;
  readonly channels: 1 | 2 | 6;
  /** ISO 639-2; `und` where none is named. */
  readonly language: string;
  readonly title: string;
  readonly isMain: boolean;
}

/** component_type 3/2 and 3/2 + LFE, ARIB STD-B10 Part 2, table 6-43. */
const SURROUND: ReadonlySet<number> = new Set([0x08, 0x09]);
/** More than a broadcast has (ARIB TR-B14: eight components of sound). */
const MAX_TRACKS = 8;

function languageOf(code: string | undefined): string {
  return code !== undefined && /^[a-z]{3}$/i.test(code) && code !== 'etc' ? code.toLowerCase() : 'und';
}

/** @param streams largest number of sound streams found */
export function encodedTracks(components: readonly AudioComponent[], streams: number): EncodedTrack[] {
  const byTag = new Map<number, AudioComponent>();
  for (const component of components)
    if (!byTag.has(component.componentTag)) byTag.set(component.componentTag, component);
  const ordered = [...byTag.values()].sort((a, b) => a.componentTag - b.componentTag);
  const options = audioOptions(components);
  const named = options.filter(({ stream, side }) => {
    const isDual = options.some((one) => one.stream === stream && one.side !== 'both');
    return stream < streams && (!isDual || side !== 'both');
  });
  const tracks = named.map(({ id, stream, side, label, main }): EncodedTrack => {
    const component = ordered[stream];
    const surround = component !== undefined && SURROUND.has(component.componentType);
    return {
      ...{ id, stream, side, title: label, isMain: main === true },
      channels: side === 'both' ? (surround ? 6 : 2) : 1,
      language: languageOf(component?.languages[side === 'sub' ? 1 : 0]),
    };
  });
  // A stream that the guide did not announce is kept as well.
  for (let stream = 0; stream < streams; stream += 1) {
    if (tracks.some((track) => track.stream === stream)) continue;
    const title = `音声${stream + 1}`;
    tracks.push({
      ...{ id: `${stream}:both`, stream, side: 'both', channels: 2 },
      ...{ language: 'und', title, isMain: false },
    });
  }
  const kept = tracks.slice(0, MAX_TRACKS);
  const main = Math.max(
    0,
    kept.findIndex(({ isMain }) => isMain),
  );
  return kept.map((track, index) => ({ ...track, isMain: index === main }));
}
