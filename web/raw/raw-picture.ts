/** Shows the pictures of the raw path over a video element that plays their sound: a video track or a canvas. */

import { RAW_PICTURE } from '../player/picture-of.ts';

interface TrackGenerator extends MediaStreamTrack {
  readonly writable: WritableStream<VideoFrame>;
}

type TrackGeneratorClass = new (init: { kind: 'video' }) => TrackGenerator;

function trackGenerator(): TrackGeneratorClass | undefined {
  return (globalThis as { MediaStreamTrackGenerator?: TrackGeneratorClass }).MediaStreamTrackGenerator;
}

/** Whether this browser can decode and show the original stream. */
export function canPlayRaw(): boolean {
  const shows = trackGenerator() !== undefined ? 'VideoFrame' in globalThis : 'OffscreenCanvas' in globalThis;
  return shows && 'WebAssembly' in globalThis && 'Worker' in globalThis;
}

interface RawPicture {
  /** For the worker, once. */
  readonly transfer: { canvas: OffscreenCanvas } | { track: WritableStream<VideoFrame> };
  remove(): void;
}

/** Lies where the element lies and keeps the shape of the picture, as the element does. */
function place(element: HTMLElement, video: HTMLVideoElement): void {
  element.className = `${video.className} ${RAW_PICTURE}`;
  element.ariaHidden = 'true';
  video.after(element);
}

/** @param video whose place the pictures take while it plays the sound */
export function addRawPicture(video: HTMLVideoElement): RawPicture {
  const Generator = trackGenerator();
  if (Generator !== undefined) {
    const track = new Generator({ kind: 'video' });
    const shown = document.createElement('video');
    shown.muted = true;
    shown.playsInline = true;
    shown.autoplay = true;
    shown.disablePictureInPicture = false;
    place(shown, video);
    shown.srcObject = new MediaStream([track]);
    void shown.play().catch(() => undefined);
    const remove = (): void => {
      track.stop();
      shown.srcObject = null;
      shown.remove();
    };
    return { transfer: { track: track.writable }, remove };
  }
  const canvas = document.createElement('canvas');
  place(canvas, video);
  return { transfer: { canvas: canvas.transferControlToOffscreen() }, remove: () => canvas.remove() };
}
