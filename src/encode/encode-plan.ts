/** What all files of a recording have in common: the kept spans, sounds, texts and chapters. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { CaptionsFile } from '../../lib/wire/caption.ts';
import { findEntry, type RecordingEntry } from '../media/entry-search.ts';
import type { OpenOriginal } from '../media/job/recording-context.ts';
import type { EncodeReason } from '../model/encode-reason.ts';
import { type EncodeJob, SOURCE_OF } from '../model/encoding.ts';
import { Failure } from '../model/failure.ts';
import { type CutList, encodedLength } from '../model/recording-time.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { PictureShape } from './encode-command.ts';
import { EncodeFault } from './encode-fault.ts';
import type { EncodeSources } from './encode-sources.ts';
import { type EncodedTrack, encodedTracks } from './encoded-tracks.ts';
import { captionTrack, metadataText } from './file-texts.ts';
import { keptSpans } from './kept-spans.ts';

/** Tolerance between the length in which commercials were detected and that of the index, ms. */
const MAX_OTHER_LENGTH_MS = 2_000;
/** Least share of the recording that must be left after cutting commercials; no limit for a user's own correction. */
const MIN_KEPT_SHARE = 0.5;
/** More than a broadcast has (ARIB TR-B14: eight components of sound). */
const MAX_SOUNDS = 8;
/** Distance in s of the positions at which sounds are probed; each reads a megabyte. */
const PLACE_SECONDS = 120;
const MIN_PLACES = 5;
const MAX_PLACES = 60;

export interface EncodePlan {
  readonly entry: RecordingEntry;
  /** ms. */
  readonly length: number;
  readonly cuts: CutList;
  /** Commercials are known and are not cut. */
  readonly keepsCommercials: boolean;
  /** Reason why its file does not replace the original, Japanese; null: it does. */
  readonly keepsOriginal: EncodeReason | null;
  readonly streams: number;
  readonly tracks: readonly EncodedTrack[];
  /** Paths. */
  readonly metadata: string;
  readonly captions: string | null;
  readonly poster: string | null;
}

interface PlanContext {
  readonly job: EncodeJob;
  readonly recording: ListedRecording;
  readonly sources: EncodeSources;
  readonly original: OpenOriginal;
  /** Folder for texts. */
  readonly folder: string;
  readonly addToLog: (text: string) => void;
}

/** Builds the plan shared by all files of this recording. */
export async function planEncode(context: PlanContext): Promise<EncodePlan> {
  const { recording, sources, original, folder, addToLog } = context;
  const { bytes, index } = original;
  const entry = await findEntry(bytes, index, index.pieces[0]?.start ?? index.duration);
  if (entry === undefined) throw new EncodeFault('final', { code: 'unplayable' });
  const length = (index.duration / TICKS_PER_SECOND) * 1000;
  const known = sources.chapters(recording.id);
  const { cuts, keepsOriginal } = cutsOf(context, known, length);
  const captions = await readCaptions(context);
  const track = captions === null ? undefined : captionTrack(captions, cuts, length);
  const tags = {
    ...{ title: recording.name, station: recording.serviceName, startAt: recording.startAt },
    description: '',
  };
  const metadata = join(folder, 'tags.txt');
  await writeFile(metadata, metadataText(tags, cuts === null));
  if (track !== undefined) await writeFile(join(folder, 'captions.ass'), track);
  const poster = await sources.poster(recording);
  if (poster !== undefined) await writeFile(join(folder, 'cover.jpg'), poster);
  const streams = Math.min(MAX_SOUNDS, await mostSounds(original, entry));
  const tracks = encodedTracks(recording.audios, streams);
  addToLog(
    `${(length / 1000).toFixed(1)} s, ${index.pieces.length} parts, ${tracks.length} sounds, ` +
      `${cuts === null ? 'nothing cut' : `${cuts.length} parts kept`}, ${track === undefined ? 'no captions' : 'captions'}`,
  );
  return {
    keepsCommercials: cuts === null && known?.segments.some(({ kind }) => kind === 'cm') === true,
    ...{ entry, length, cuts, keepsOriginal, streams, tracks, metadata },
    captions: track === undefined ? null : join(folder, 'captions.ass'),
    poster: poster === undefined ? null : join(folder, 'cover.jpg'),
  };
}

/**
 * All files of one recording share one time scale, so an existing file decides. Commercials are not cut when they are
 * uncertain, are more than half, or were detected in a stream of another length (part of it is lost since). The
 * original stays where an existing file is cut differently than requested now, or where commercials may still be cut
 * after a correction.
 */
function cutsOf(
  { job, recording, sources, addToLog }: PlanContext,
  known: ReturnType<EncodeSources['chapters']>,
  length: number,
): Pick<EncodePlan, 'cuts' | 'keepsOriginal'> {
  const { files } = sources;
  const remade = (job.codecs === 'both' ? (['encoded', 'alt'] as const) : [SOURCE_OF[job.codecs]]).filter(
    (source) => !files.isMadeSince(recording.id, source, job.createdAt, sources.now()),
  );
  const other = files.of(recording.id).find(({ source }) => !remade.includes(source));
  const segments = known?.segments ?? [];
  const isOfThis = Math.abs((segments.at(-1)?.endMs ?? 0) - length) <= MAX_OTHER_LENGTH_MS;
  const spans = keptSpans(segments, length);
  const isLikely = known?.isCorrected === true || encodedLength(length, spans) >= length * MIN_KEPT_SHARE;
  const isCertain = known?.reliable === true && isOfThis && isLikely;
  const isCut = job.commercials === 'cut';
  const requested = isCut && isCertain ? spans : null;
  const cuts = other === undefined ? requested : other.cuts;
  // Without a successful detection, no part is known to be free of commercials.
  const isDoubtful =
    isCut && !isCertain && (segments.length === 0 || segments.some(({ kind }) => kind === 'cm'));
  if (isDoubtful) addToLog('the commercials are not certain: nothing is cut');
  const isOtherwise = JSON.stringify(cuts) !== JSON.stringify(requested);
  const why = isDoubtful ? 'commercials' : isOtherwise ? 'otherwise' : null;
  return { cuts, keepsOriginal: why === null ? null : { code: why } };
}

async function readCaptions({ recording, sources, addToLog }: PlanContext): Promise<CaptionsFile | null> {
  try {
    const text = await sources.captions(recording);
    if (text === null) return null;
    sources.files.putCaptions(recording.id, Bun.gzipSync(text));
    return JSON.parse(text) as CaptionsFile;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    addToLog(`captions: ${error.message}`);
    throw new EncodeFault(error.code === 'busy' ? 'later' : 'failed', { code: 'captions' }, error.message);
  }
}

/** Interlacing by the sequence header, ISO/IEC 13818-2 6.3.3. */
export function shapeOf(format: string | null): PictureShape | undefined {
  const match = format === null ? null : /^(\d+)x(\d+)\/(\d+)$/.exec(format);
  const [width, height, code] = (match?.slice(1) ?? []).map(Number);
  if (width === undefined || height === undefined || code === undefined) return undefined;
  const aspect = [0, width / height, 4 / 3, 16 / 9, 2.21][code];
  return aspect && width >= 16 && height >= 16 ? { width, height, aspect } : undefined;
}

/**
 * The margin before a programme may have fewer sounds than the programme: several positions are probed.
 * @throws EncodeFault when it begins without video and has video later
 */
async function mostSounds({ bytes, index }: OpenOriginal, first: RecordingEntry): Promise<number> {
  let most = first.layout.audios.length;
  const places = Math.ceil(index.duration / TICKS_PER_SECOND / PLACE_SECONDS);
  const count = Math.min(MAX_PLACES, Math.max(MIN_PLACES, places));
  for (let place = 0; place < count; place += 1) {
    const at = Math.round((index.duration * (place + 0.5)) / count) as typeof index.duration;
    const entry = await findEntry(bytes, index, at);
    if (entry === undefined) continue;
    if (first.layout.video === null && entry.layout.video !== null)
      throw new EncodeFault('final', { code: 'codec' });
    most = Math.max(most, entry.layout.audios.length);
  }
  return most;
}
