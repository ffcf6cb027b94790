/**
 * The worker of the raw path, served as `/api/live/mpeg2/decoder.mjs`. It opens the live socket itself, so that the
 * stream does not cross the page; `raw-station.ts` is what it does with it. It lives as long as its player, with one
 * session at a time.
 */
import { type WallMs, wallMs } from '../../lib/wire/times.ts';
import { openBody } from '../player/http-feed.ts';
import { LiveConnection, readLive } from '../player/live-connection.ts';
import type { SideItem } from '../player/side-tracks.ts';
import type { StartStep } from '../player/start-steps.ts';
import { Mpeg2Decoder } from './mpeg2-decoder.ts';
import { CanvasSink, type PictureSink, TrackSink } from './picture-sink.ts';
import { type RawRequest, type RawSource, runSession, type WorkerReport } from './raw-session.ts';
import { RawStation } from './raw-station.ts';

type Opening = Extract<RawRequest, { kind: 'open' }>;
type Report = (report: WorkerReport['report']) => void;

/** Twice as often as pictures of 59.94 Hz change. */
const STEP_MS = 8;

const workerWallNow = (): WallMs => wallMs(performance.timeOrigin + performance.now());

interface Session {
  readonly number: number;
  readonly abort: AbortController;
  readonly onStep: (step: StartStep) => void;
  station?: RawStation;
}

let rawConnection: LiveConnection | undefined;
let compiled: Promise<WebAssembly.Module> | undefined;
let current: Session | undefined;

async function compile(address: string): Promise<WebAssembly.Module> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`decoder: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** @throws Error where this device cannot decode or show pictures */
async function startStation(opening: Opening, session: Session, report: Report): Promise<RawStation> {
  compiled ??= compile(opening.wasm);
  compiled.catch(() => {
    compiled = undefined;
  });
  const decoder = await Mpeg2Decoder.create(await compiled);
  const track = opening.track === undefined ? undefined : new TrackSink(opening.track);
  const sink: PictureSink | undefined =
    track ?? (opening.canvas === undefined ? undefined : new CanvasSink(opening.canvas));
  if (sink === undefined) throw new Error('nowhere to show pictures');
  const station = new RawStation({
    decoder,
    audioIndex: opening.audioIndex,
    isHalf: opening.isHalf,
    now: workerWallNow,
    report: (message) => {
      if (message.kind === 'init' && track !== undefined) track.origin = message.origin;
      if (message.kind === 'figures' && rawConnection !== undefined)
        report({ kind: 'received', octets: rawConnection.received });
      report(message);
    },
    show: (picture) => sink.show(picture),
    onStep: session.onStep,
  });
  session.station = station;
  return station;
}

/** Packets of the station; everything else goes to the page. @throws ApiFailure, a network error, the abort */
async function* packetsOf(
  source: RawSource,
  report: Report,
  { abort: { signal }, onStep }: Session,
): AsyncGenerator<Uint8Array> {
  const answered = (): void => {
    onStep('tuned');
    report({ kind: 'tuned' });
  };
  if (source.kind === 'http') {
    const { chunks } = await openBody(source.url, signal);
    answered();
    for await (const chunk of chunks) {
      onStep('data');
      yield chunk;
    }
    return;
  }
  rawConnection ??= new LiveConnection(source.base);
  rawConnection.onStep = onStep;
  const side = {
    begin: answered,
    hear: (item: SideItem) => report({ kind: 'side', item }),
  };
  for await (const part of readLive(rawConnection.watch(source.request, signal), side)) {
    if (part.kind !== 'media') continue;
    onStep('data');
    yield part.payload;
  }
}

function open(opening: Opening): void {
  current?.abort.abort();
  const noted = new Set<StartStep>();
  const onStep = (step: StartStep): void => {
    if (noted.has(step)) return;
    noted.add(step);
    report({ kind: 'step', step, at: workerWallNow() });
  };
  const session: Session = { number: opening.session, abort: new AbortController(), onStep };
  current = session;
  const report: Report = (told) => {
    if (session !== current) return;
    const transfer = told.kind === 'init' || told.kind === 'media' ? [told.bytes.buffer] : [];
    const message: WorkerReport = { session: session.number, report: told };
    postMessage(message, { transfer });
  };
  const ticker = setInterval(() => session.station?.step(), STEP_MS);
  void runSession({
    packets: packetsOf(opening.source, report, session),
    start: () => startStation(opening, session, report),
    report,
  }).finally(() => {
    clearInterval(ticker);
    session.abort.abort();
  });
}

addEventListener('message', ({ data }: MessageEvent<RawRequest>) => {
  switch (data.kind) {
    case 'open':
      open(data);
      return;
    case 'close':
      if (current?.number === data.session) current.abort.abort();
      return;
    case 'tell':
      rawConnection?.tell(data.control);
      return;
    case 'clock':
      current?.station?.clock(data.position, data.at, data.rate);
  }
});
