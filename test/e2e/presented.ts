/**
 * Records what a page really presents: picture flashes, sound beeps, text drawn over pictures. Installed
 * before the page's own scripts; reads pixels, decoded samples and canvas calls, not the player's own
 * statistics.
 */
import type { Page } from 'playwright-core';
import { HANG_LIMIT_MS } from '../until.ts';

export interface Presented {
  /** Media times, s. */
  readonly flashes: readonly number[];
  readonly beeps: readonly number[];
  /** Text drawn while a picture was shown, without spaces. */
  readonly captions: readonly { readonly at: number; readonly text: string }[];
  /** Longest media time between two shown pictures, s. */
  readonly widest: number;
  readonly ranges: number;
}

/** Bytes following an init segment, and the offset added to their times, s. */
interface Run {
  readonly parts: Uint8Array[];
  readonly offset: number;
}

interface Spy {
  /** The last two: after a stream broke on a busy machine, the next one is buffered as well. */
  runs: readonly Run[];
  drawn: string;
}

type Spying = Window & { svcSpy: Spy };

/** Runs in the page. Must be self-contained, because it is sent there as text. */
export function spy(): void {
  const held: Spy = { runs: [], drawn: '' };
  (window as unknown as Spying).svcSpy = held;
  const append = SourceBuffer.prototype.appendBuffer;
  SourceBuffer.prototype.appendBuffer = function (data: BufferSource): void {
    const bytes =
      data instanceof ArrayBuffer
        ? new Uint8Array(data.slice(0))
        : new Uint8Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
    const isInit = String.fromCharCode(...bytes.subarray(4, 8)) === 'ftyp';
    if (isInit) held.runs = [...held.runs.slice(-1), { parts: [], offset: this.timestampOffset }];
    held.runs.at(-1)?.parts.push(bytes);
    append.call(this, data);
  };
  const overPicture = (context: CanvasRenderingContext2D): boolean =>
    context.canvas.parentElement?.className.includes('captions') === true;
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box): void {
    if (overPicture(this)) held.drawn = '';
    clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place): void {
    if (overPicture(this)) held.drawn += text;
    fillText.call(this, text, ...place);
  };
}

/** Runs in the page. Must be self-contained. */
async function measure({
  flashes: count,
  limitMs,
}: {
  flashes: number;
  limitMs: number;
}): Promise<Presented> {
  const video = document.querySelector('video');
  const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 9 });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (video === null || context === null) throw new Error('no picture');
  const { svcSpy } = window as unknown as Spying;
  // Of one picture and a half: a busy machine drops pictures, then the begin of a flash is unknown.
  const FOLLOWS_S = 0.05;
  // Text is drawn with its picture or the next one that is shown.
  const NEAR_S = 0.1;
  const flashes: number[] = [];
  const captions: { at: number; text: string }[] = [];
  let [white, last, widest] = [true, Number.NaN, 0];
  await new Promise<void>((done) => {
    const limit = setTimeout(done, limitMs);
    video.addEventListener('ended', () => done(), { once: true });
    const onFrame = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
      // The corner in which the broadcast flashes.
      const [w, h] = [video.videoWidth / 12, video.videoHeight / 12];
      context.drawImage(video, 11 * w, 11 * h, w, h, 0, 0, 16, 9);
      const { data } = context.getImageData(0, 0, 16, 9);
      let sum = 0;
      for (let at = 0; at < data.length; at += 4)
        sum += (data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0);
      const isWhite = sum / (16 * 9 * 3) > 200;
      const since = mediaTime - last;
      if (isWhite && !white && since < FOLLOWS_S) flashes.push(mediaTime);
      white = isWhite;
      if (mediaTime > last) widest = Math.max(widest, mediaTime - last);
      last = mediaTime;
      if (since < NEAR_S) captions.push({ at: mediaTime, text: svcSpy.drawn.replaceAll(/\s/gu, '') });
      if (flashes.length < count) video.requestVideoFrameCallback(onFrame);
      else {
        clearTimeout(limit);
        done();
      }
    };
    video.requestVideoFrameCallback(onFrame);
  });
  return { flashes, beeps: [], captions, widest, ranges: video.buffered.length };
}

/**
 * Runs in the page. Must be self-contained. Beeps of the appended data, in media time, decoded by the
 * browser.
 */
async function listen(index: number): Promise<number[]> {
  const run = (window as unknown as Spying).svcSpy.runs.at(index);
  if (run === undefined) return [];
  const all = new Uint8Array(run.parts.reduce((size, part) => size + part.length, 0));
  run.parts.reduce((at, part) => {
    all.set(part, at);
    return at + part.length;
  }, 0);
  const view = new DataView(all.buffer);
  const boxes = (from: number, to: number): { name: string; from: number; to: number }[] => {
    const found = [];
    for (let at = from; at + 8 <= to; ) {
      const size = view.getUint32(at);
      if (size < 8) break;
      const name = String.fromCharCode(...all.subarray(at + 4, at + 8));
      found.push({ name, from: at + 8, to: Math.min(at + size, to) });
      at += size;
    }
    return found;
  };
  const inside = (box: { from: number; to: number } | undefined, name: string) =>
    box === undefined ? [] : boxes(box.from, box.to).filter((one) => one.name === name);
  const top = boxes(0, all.length);
  let [track, scale, start] = [-1, 1, Number.NaN];
  for (const trak of inside(
    top.find(({ name }) => name === 'moov'),
    'trak',
  )) {
    const [tkhd] = inside(trak, 'tkhd');
    const [mdia] = inside(trak, 'mdia');
    const [mdhd] = inside(mdia, 'mdhd');
    const [hdlr] = inside(mdia, 'hdlr');
    if (tkhd === undefined || mdhd === undefined || hdlr === undefined) continue;
    if (String.fromCharCode(...all.subarray(hdlr.from + 8, hdlr.from + 12)) !== 'soun') continue;
    track = view.getUint32(tkhd.from + (all[tkhd.from] === 1 ? 20 : 12));
    scale = view.getUint32(mdhd.from + (all[mdhd.from] === 1 ? 20 : 12));
  }
  for (const traf of top.filter(({ name }) => name === 'moof').flatMap((moof) => inside(moof, 'traf'))) {
    const [tfhd] = inside(traf, 'tfhd');
    const [tfdt] = inside(traf, 'tfdt');
    if (tfhd === undefined || tfdt === undefined || view.getUint32(tfhd.from + 4) !== track) continue;
    const ticks =
      all[tfdt.from] === 1 ? Number(view.getBigUint64(tfdt.from + 4)) : view.getUint32(tfdt.from + 4);
    start = ticks / scale;
    break;
  }
  // Ended before its first sound.
  if (Number.isNaN(start)) return [];
  const context = new OfflineAudioContext(1, 1, 48_000);
  const channel = (await context.decodeAudioData(all.buffer)).getChannelData(0);
  const beeps: number[] = [];
  let quiet = 300;
  for (let at = 0; at + 48 <= channel.length; at += 48) {
    let peak = 0;
    for (let sample = at; sample < at + 48; sample += 1)
      peak = Math.max(peak, Math.abs(channel[sample] ?? 0));
    if (peak > 0.1 && quiet >= 300) beeps.push(run.offset + start + at / 48_000);
    quiet = peak > 0.1 ? 0 : quiet + 1;
  }
  return beeps;
}

/**
 * Watches until this many flashes were seen to begin: a busy machine drops the pictures of some. The page must be playing.
 */
export async function presented(page: Page, flashes: number, limitMs = HANG_LIMIT_MS): Promise<Presented> {
  const seen = await page.evaluate(measure, { flashes, limitMs });
  return { ...seen, beeps: [...(await page.evaluate(listen, -2)), ...(await page.evaluate(listen, -1))] };
}
