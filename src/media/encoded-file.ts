/** Encoded files (Matroska): what they hold, read from their own tables. */
import {
  EncodedPacketSink,
  FilePathSource,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  MATROSKA,
} from 'mediabunny';

/** An encoded file that is being read. */
export interface EncodedFileInput {
  readonly video: InputVideoTrack | null;
  /** In the order of the file. */
  readonly audios: readonly InputAudioTrack[];
  close(): void;
}

/** Of a file whose reading fails without being asked for: the request that needs it fails by itself. */
const IGNORED = (): void => {};
const CACHE_BYTES = 4 * 1024 * 1024;

/** @throws Error when it cannot be read */
export async function openEncodedFile(path: string): Promise<EncodedFileInput> {
  const source = new FilePathSource(path, { maxCacheSize: CACHE_BYTES, handleUnhandledError: IGNORED });
  const input = new Input({ source, formats: [MATROSKA] });
  try {
    const [video] = await input.getVideoTracks();
    const audios = await input.getAudioTracks();
    return { video: video ?? null, audios, close: () => input.dispose() };
  } catch (error) {
    input.dispose();
    throw error;
  }
}

export interface EncodedFileFacts {
  /** s; null: without picture. */
  readonly videoEnd: number | null;
  /** s, of each sound. */
  readonly audioEnds: readonly number[];
  /** RFC 6381, picture first. */
  readonly codecs: string;
}

async function endOf(track: InputVideoTrack | InputAudioTrack): Promise<number> {
  const last = await new EncodedPacketSink(track).getPacket(Number.POSITIVE_INFINITY, { metadataOnly: true });
  return last === null ? 0 : last.timestamp + last.duration;
}

/** @throws Error when it cannot be read */
export async function readEncodedFile(path: string): Promise<EncodedFileFacts> {
  const file = await openEncodedFile(path);
  try {
    const { video, audios } = file;
    const tracks = [video, audios[0]].filter((track) => track !== null && track !== undefined);
    const codecs: (string | null)[] = [];
    for (const track of tracks) codecs.push(await track.getCodecParameterString());
    const audioEnds: number[] = [];
    for (const track of audios) audioEnds.push(await endOf(track));
    return {
      videoEnd: video === null ? null : await endOf(video),
      audioEnds,
      codecs: codecs.filter((codec) => codec !== null).join(','),
    };
  } finally {
    file.close();
  }
}
