/** The worker of the raw path, served as `/api/live/mpeg2/decoder.mjs`; `raw-station.ts` is what it does. */
import { type WallMs, wallMs } from '../../wire/times.ts';
import { Mpeg2Decoder } from './mpeg2-decoder.ts';
import { CanvasSink, type PictureSink, TrackSink } from './picture-sink.ts';
import type { RawReport, RawRequest } from './raw-messages.ts';
import { RawStation } from './raw-station.ts';

/** Twice as often as pictures of 59.94 Hz change. */
const STEP_MS = 8;
/** Packets that come before the decoder is ready: 4 s of the fastest station. */
const MAX_EARLY_BYTES = 12 << 20;

const wallNow = (): WallMs => wallMs(performance.timeOrigin + performance.now());

function report(message: RawReport): void {
  const transfer = message.kind === 'init' || message.kind === 'media' ? [message.bytes.buffer] : [];
  postMessage(message, { transfer });
}

let station: RawStation | undefined;
let early: Uint8Array[] = [];
let earlyBytes = 0;

function keepEarly(bytes: Uint8Array): void {
  earlyBytes += bytes.length;
  if (earlyBytes <= MAX_EARLY_BYTES) early.push(bytes);
}

async function start(request: Extract<RawRequest, { kind: 'start' }>): Promise<void> {
  try {
    const response = await fetch(request.wasm);
    if (!response.ok) throw new Error(`decoder: ${response.status}`);
    const decoder = await Mpeg2Decoder.create(await WebAssembly.compile(await response.arrayBuffer()));
    const track = request.track === undefined ? undefined : new TrackSink(request.track);
    const sink: PictureSink | undefined =
      track ?? (request.canvas === undefined ? undefined : new CanvasSink(request.canvas));
    if (sink === undefined) throw new Error('nowhere to show pictures');
    let shape: unknown;
    const begun = new RawStation({
      decoder,
      audioIndex: request.audioIndex,
      isHalf: request.isHalf,
      now: wallNow,
      report: (message) => {
        if (message.kind === 'init' && track !== undefined) track.origin = message.origin;
        report(message);
      },
      show: (picture) => {
        if (picture.shape !== shape) {
          shape = picture.shape;
          const { width, height, aspect } = picture.shape;
          report({ kind: 'shape', width, height, aspect });
        }
        sink.show(picture);
      },
    });
    station = begun;
    for (const bytes of early) begun.packets(bytes);
    early = [];
    setInterval(() => begun.step(), STEP_MS);
  } catch {
    report({ kind: 'problem', problem: 'unsupported' });
  }
}

addEventListener('message', ({ data }: MessageEvent<RawRequest>) => {
  switch (data.kind) {
    case 'start':
      void start(data);
      return;
    case 'packets':
      if (station !== undefined) station.packets(data.bytes);
      else keepEarly(data.bytes);
      return;
    case 'clock':
      station?.clock(data.position, data.at, data.rate);
  }
});
