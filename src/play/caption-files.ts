/**
 * Captions files of recordings: of a finished one read once and cached, of a running one read as far as it is
 * written. The background worker reads; concurrent requests for the same recording share one reading.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import { WorkerError, type WorkerLink } from '../../lib/host/worker-link.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { captionRow } from '../media/side-rows.ts';
import { Failure } from '../model/failure.ts';
import type { ListedRecording } from '../store/recording-list-store.ts';
import type { OpenRecordings } from './open-recordings.ts';
import type { RecordingCache } from './recording-cache.ts';
import type { BackgroundContract } from './side-file-messages.ts';

interface CaptionFilesOptions {
  readonly cache: RecordingCache;
  readonly open: Pick<OpenRecordings, 'open'>;
  readonly link: Pick<WorkerLink<BackgroundContract>, 'request'>;
  readonly log: Log;
  /** Timeout of a request, ms; the reading continues and fills the cache. */
  readonly waitMs?: number | undefined;
}

interface ReadOptions {
  readonly from?: number;
  readonly isBackground?: boolean;
}

/** The number changes with the content: captions of an earlier version are read again. */
const FILE = 'captions-1.json.gz';
const WAIT_MS = 90_000;
const NONE = 'null';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export class CaptionFiles {
  /** By recording and start time. */
  readonly #readings = new Map<string, Promise<string | null>>();

  constructor(private readonly options: CaptionFilesOptions) {}

  /**
   * A captions file as JSON; null if the recording has no captions.
   * @param from s on the playback scale: only pages from there on, of a running recording; of others all
   * @throws Failure not_found without a readable original stream, busy if reading takes longer
   */
  async json(recording: ListedRecording, from = 0): Promise<string | null> {
    const id = recordingId(recording.id);
    const cached = await this.#cached(id);
    if (cached !== undefined) return cached;
    const { waitMs = WAIT_MS } = this.options;
    return within(waitMs, this.#reading(id, recording, { from }), () => {
      throw new Failure('busy', '字幕を読み取っています。しばらくしてから、もう一度お試しください。');
    });
  }

  /**
   * Prepares captions ahead of any request, at half speed, so that opening the recording does not wait.
   * @throws Failure as `json`
   */
  async prepare(recording: ListedRecording): Promise<void> {
    const id = recordingId(recording.id);
    if ((await this.#cached(id)) === undefined) await this.#reading(id, recording, { isBackground: true });
  }

  #reading(id: RecordingId, recording: ListedRecording, options: ReadOptions): Promise<string | null> {
    const from = recording.state === 'recording' ? (options.from ?? 0) : 0;
    const key = `${id} ${from}`;
    const known = this.#readings.get(key);
    if (known !== undefined) return known;
    const reading = this.#read(id, recording, { ...options, from }).finally(() => this.#readings.delete(key));
    this.#readings.set(key, reading);
    // Its requests may have timed out.
    reading.catch(() => {});
    return reading;
  }

  async #read(
    id: RecordingId,
    recording: ListedRecording,
    { from = 0, isBackground = false }: ReadOptions,
  ): Promise<string | null> {
    const { open } = this.options;
    const grows = recording.state === 'recording';
    const opened = await open.open(recording);
    try {
      const { bytes, index } = opened;
      const paths = bytes.starts.map(({ path }) => path);
      const key = `${id} ${paths[0]}`;
      const { pieces, size, serviceId } = index;
      const ask = { row: captionRow.name, key, paths, size, pieces, serviceId, grows, isBackground, from };
      const { json } = await this.options.link.request('sideFile', ask);
      const text = json === null ? null : new TextDecoder().decode(json);
      if (!grows) await this.#keep(id, text);
      return text;
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (error.kind === 'busy') throw new Failure('busy', 'サーバが混んでいます', { cause: error });
      // The file was removed, or the folder does not respond.
      if (error.kind === 'failed' && error.code !== null) throw new Failure('not_found', error.message);
      throw new Failure('busy', '字幕を読み取れませんでした。もう一度お試しください。', { cause: error });
    } finally {
      opened.close();
    }
  }

  async #cached(id: RecordingId): Promise<string | null | undefined> {
    const packed = await this.options.cache.read(id, FILE);
    if (packed === undefined) return undefined;
    try {
      const text = (await decompress(packed)).toString('utf8');
      return text === NONE ? null : text;
    } catch {
      return undefined;
    }
  }

  /** A full disk does not fail the request: the captions were read. */
  async #keep(id: RecordingId, text: string | null): Promise<void> {
    try {
      await this.options.cache.write(id, FILE, await compress(text ?? NONE));
    } catch (error) {
      this.options.log.warn('captions not stored', { recording: id, error: String(error) });
    }
  }
}
