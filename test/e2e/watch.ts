/**
 * Measures what a viewer gets in a real browser: picture motion, sound level, flashes and beeps on the media
 * timeline.
 */
import type { Page } from 'playwright-core';

interface Watched {
  /** Distinct pictures among the samples. */
  pictures: number;
  /** Largest RMS of the sound in 50 ms, full scale 1. */
  loudest: number;
  /** Media time that passed, and wall time, in seconds. */
  played: number;
  elapsed: number;
  width: number;
  height: number;
  /** Media times of the first frame of each flash, in seconds. */
  flashes: number[];
  /** Media times of each beep's onset, in seconds. */
  beeps: number[];
  /** From this media time on every beep has an onset, in seconds. */
  beepsFrom: number;
}

/**
 * Installed before the page's own scripts: keeps the data that the player appends, so that its sound can be
 * read.
 */
export function recordAppends(): void {
  const appended: Uint8Array[] = [];
  Object.assign(window, { svcAppended: appended });
  const original = SourceBuffer.prototype.appendBuffer;
  SourceBuffer.prototype.appendBuffer = function (data: BufferSource): void {
    const view =
      data instanceof ArrayBuffer
        ? new Uint8Array(data)
        : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    appended.push(view.slice());
    original.call(this, data);
  };
}

/** A beep is only counted after this much silence, so that it is not counted twice; ms. */
const SILENCE_MS = 300;
/** Flash and beep of a mark are at most this far apart, s. */
const MARK_SECONDS = 0.1;

interface Until {
  /** Watches until this many flashes began … */
  flashes: number;
  /** … and this many different pictures were seen; a busy machine takes longer. */
  pictures: number;
  /** Timeout. */
  limitMs: number;
}

/** Runs in the page. Must be self-contained, because it is sent there as text. */
async function measure(
  until: Until & { silenceMs: number },
): Promise<Omit<Watched, 'beeps' | 'beepsFrom'> & { onsets: number[]; audioStart: number }> {
  const video = document.querySelector('video');
  if (video === null) throw new Error('no video element');
  // On the raw path a second element shows the pictures; their times are positions of the sound.
  const shown = document.querySelector<HTMLVideoElement>('video.raw-picture') ?? video;
  const canvas = document.createElement('canvas');
  canvas.width = 64;
  canvas.height = 36;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('no canvas');

  const capture = (video as HTMLVideoElement & { captureStream(): MediaStream }).captureStream();
  const audio = new AudioContext();
  await audio.resume();
  const analyser = audio.createAnalyser();
  analyser.fftSize = 2048;
  audio.createMediaStreamSource(capture).connect(analyser);
  const samples = new Float32Array(analyser.fftSize);

  const pictures = new Set<string>();
  type Sample = { at: number; value: number };
  const brightness: Sample[] = [];
  // A dark picture just before: a busy machine drops pictures, then the begin of a flash is unknown.
  const follows = (at: number, before: Sample | undefined, threshold: number): boolean =>
    before !== undefined && before.value <= threshold && at - before.at < 0.05;
  let loudest = 0;
  let begun = 0;
  const startedAt = performance.now();
  const mediaStart = video.currentTime;
  let watchdog: ReturnType<typeof setInterval> | undefined;
  await new Promise<void>((done) => {
    // No more frames arrive when another path takes over.
    watchdog = setInterval(() => {
      if (!shown.isConnected || performance.now() - startedAt > until.limitMs) done();
    }, 250);
    const onFrame = (_now: number, frame: VideoFrameCallbackMetadata): void => {
      context.drawImage(shown, 0, 0, 64, 36);
      const { data } = context.getImageData(0, 0, 64, 36);
      const greyAt = (i: number): number => (data[i] ?? 0) + (data[i + 1] ?? 0) + (data[i + 2] ?? 0);
      let hash = 0;
      for (let i = 0; i < data.length; i += 4) hash = (hash * 31 + (greyAt(i) >> 4)) | 0;
      pictures.add(String(hash));
      // The corner in which the broadcast flashes: white, or much darker.
      let sum = 0;
      for (let y = 33; y < 36; y += 1) for (let x = 58; x < 64; x += 1) sum += greyAt(4 * (64 * y + x));
      const value = sum / (3 * 6 * 3);
      if (value > 200 && follows(frame.mediaTime, brightness.at(-1), 200)) begun += 1;
      brightness.push({ at: frame.mediaTime, value });
      analyser.getFloatTimeDomainData(samples);
      let square = 0;
      for (const sample of samples) square += sample * sample;
      loudest = Math.max(loudest, Math.sqrt(square / samples.length));
      const enough = begun >= until.flashes && pictures.size >= until.pictures;
      if (enough || performance.now() - startedAt > until.limitMs) done();
      else shown.requestVideoFrameCallback(onFrame);
    };
    shown.requestVideoFrameCallback(onFrame);
  });
  clearInterval(watchdog);
  const played = video.currentTime - mediaStart;
  const elapsed = (performance.now() - startedAt) / 1000;

  const values = brightness.map((one) => one.value).sort((a, b) => a - b);
  const threshold = ((values[Math.floor(values.length / 2)] ?? 0) + (values.at(-1) ?? 255)) / 2;
  const flashes = brightness
    .filter(({ at, value }, index) => value > threshold && follows(at, brightness[index - 1], threshold))
    .map((one) => one.at);

  // The sound appended to the player, decoded by the browser's own decoder.
  const appended = (window as unknown as { svcAppended: Uint8Array[] }).svcAppended;
  const all = new Uint8Array(appended.reduce((size, part) => size + part.length, 0));
  appended.reduce((at, part) => {
    all.set(part, at);
    return at + part.length;
  }, 0);
  const view = new DataView(all.buffer);
  const type = (at: number): string => String.fromCharCode(...all.subarray(at + 4, at + 8));
  const boxes = function* (from: number, to: number): Generator<[string, number, number]> {
    for (let at = from; at + 8 <= to; ) {
      const size = view.getUint32(at);
      if (size < 8) return;
      yield [type(at), at + 8, Math.min(at + size, to)];
      at += size;
    }
  };
  let audioTrack = -1;
  let timescale = 1;
  let audioStart = Number.NaN;
  for (const [name, from, to] of boxes(0, all.length)) {
    if (name === 'moov') {
      for (const [child, a, b] of boxes(from, to)) {
        if (child !== 'trak') continue;
        let id = -1;
        let scale = 1;
        let handler = '';
        for (const [part, c, d] of boxes(a, b)) {
          if (part === 'tkhd') id = view.getUint32(c + (all[c] === 1 ? 20 : 12));
          if (part !== 'mdia') continue;
          for (const [leaf, e] of boxes(c, d)) {
            if (leaf === 'mdhd') scale = view.getUint32(e + (all[e] === 1 ? 20 : 12));
            if (leaf === 'hdlr') handler = String.fromCharCode(...all.subarray(e + 8, e + 12));
          }
        }
        if (handler === 'soun') {
          audioTrack = id;
          timescale = scale;
        }
      }
    }
    if (name !== 'moof' || !Number.isNaN(audioStart)) continue;
    for (const [child, a, b] of boxes(from, to)) {
      if (child !== 'traf') continue;
      let id = -1;
      for (const [leaf, c] of boxes(a, b)) {
        if (leaf === 'tfhd') id = view.getUint32(c + 4);
        if (leaf !== 'tfdt' || id !== audioTrack) continue;
        const ticks = all[c] === 1 ? Number(view.getBigUint64(c + 4)) : view.getUint32(c + 4);
        audioStart = ticks / timescale;
      }
    }
  }
  const decoded = await audio.decodeAudioData(all.buffer);
  const channel = decoded.getChannelData(0);
  const onsets: number[] = [];
  const step = Math.round(decoded.sampleRate / 1000);
  let quietFor = 0;
  for (let at = 0; at + step <= channel.length; at += step) {
    let peak = 0;
    for (let i = at; i < at + step; i += 1) peak = Math.max(peak, Math.abs(channel[i] ?? 0));
    if (peak > 0.1) {
      if (quietFor > until.silenceMs) onsets.push(at / decoded.sampleRate);
      quietFor = 0;
    } else quietFor += 1;
  }
  await audio.close();
  return {
    pictures: pictures.size,
    loudest,
    played,
    elapsed,
    width: shown.videoWidth,
    height: shown.videoHeight,
    flashes,
    onsets,
    audioStart,
  };
}

/** Watches the page's player until enough was seen. The page must already be playing. */
export async function watch(page: Page, until: Until): Promise<Watched> {
  const { onsets, audioStart, ...seen } = await page.evaluate(measure, { ...until, silenceMs: SILENCE_MS });
  const beeps = onsets.map((at) => at + audioStart);
  return { ...seen, beeps, beepsFrom: audioStart + SILENCE_MS / 1000 };
}

/**
 * For each flash with an audible beep the distance to the nearest beep, in seconds. @throws Error if there is
 * none
 */
export function flashToBeep({ flashes, beeps, beepsFrom }: Watched): number[] {
  const heard = flashes.filter((flash) => flash >= beepsFrom + MARK_SECONDS);
  if (heard.length === 0) throw new Error(`no flash after ${beepsFrom} s: ${flashes.join(', ')}`);
  return heard.map((flash) => Math.min(...beeps.map((beep) => Math.abs(beep - flash))));
}
