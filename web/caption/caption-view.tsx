/** The captions over a video element: follows the position of its picture and shows the page for each moment. */
import { useEffect, useRef } from 'preact/hooks';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { captionSettings } from './caption-choice.ts';
import { CaptionLayer, loadCaptionFont } from './caption-layer.ts';
import { textExtent } from './draw-page.ts';

interface CaptionViewProps {
  readonly video: { readonly current: HTMLVideoElement | null };
  /** The page at a time of the element, s; the same object as long as it is the same page. */
  readonly pageAt: (seconds: number) => CaptionPage | undefined;
  /** The canvas, for screenshots; undefined on unmount. */
  readonly onLayer?: (layer: CaptionLayer | undefined) => void;
}

/** Covers the picture of the element, which keeps its shape within it. */
function cover(frame: HTMLElement, video: HTMLVideoElement): void {
  const { clientWidth: width, clientHeight: height } = video;
  const shape = video.videoHeight === 0 ? 16 / 9 : video.videoWidth / video.videoHeight;
  const pictureWidth = Math.min(width, height * shape);
  const pictureHeight = Math.min(height, width / shape);
  const { style } = frame;
  style.left = `${(width - pictureWidth) / 2}px`;
  style.top = `${(height - pictureHeight) / 2}px`;
  style.width = `${pictureWidth}px`;
  style.height = `${pictureHeight}px`;
}

/** Parts of the picture's height: text that reaches beyond would be covered by the controls of a player. */
const LOW_PART = 0.72;
const HIGH_PART = 0.25;

/** Says where the text stands, as it is drawn, so that it can move away from the controls without leaving the picture. */
function markPlace(frame: HTMLElement, page: CaptionPage | undefined): void {
  const { clientWidth: width, clientHeight: height, offsetTop } = frame;
  const extent = page === undefined ? undefined : textExtent(page, width, height, captionSettings.peek());
  const isLow = extent !== undefined && extent.bottom > height * LOW_PART;
  const isHigh = extent !== undefined && !isLow && extent.top < height * HIGH_PART;
  frame.toggleAttribute('data-low', isLow);
  frame.toggleAttribute('data-high', isHigh);
  if (extent === undefined) return;
  frame.style.setProperty('--above', `${Math.max(0, offsetTop + extent.top)}px`);
  frame.style.setProperty('--below', `${Math.max(0, offsetTop + height - extent.bottom)}px`);
}

/** Calls back with every picture, and after a seek. Returns the function that stops it. */
function eachPicture(video: HTMLVideoElement, show: () => void): () => void {
  let stopped = false;
  let handle = 0;
  let hasFrames = false;
  const follow = (): void => {
    if (stopped) return;
    show();
    // An element that plays sound alone has no frames: its pictures are another's (the raw path).
    hasFrames = 'requestVideoFrameCallback' in video && (video.videoHeight > 0 || video.readyState === 0);
    handle = hasFrames ? video.requestVideoFrameCallback(follow) : requestAnimationFrame(follow);
  };
  follow();
  video.addEventListener('seeked', show);
  // A page that ends, or one that arrives, while the picture stands.
  const timer = setInterval(() => {
    show();
    if (!hasFrames || video.videoHeight > 0 || video.readyState === 0) return;
    video.cancelVideoFrameCallback(handle);
    follow();
  }, 500);
  return () => {
    stopped = true;
    clearInterval(timer);
    video.removeEventListener('seeked', show);
    if (hasFrames) video.cancelVideoFrameCallback(handle);
    else cancelAnimationFrame(handle);
  };
}

export function CaptionView({ video, pageAt, onLayer }: CaptionViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const layer = useRef<CaptionLayer | undefined>(undefined);
  const page = useRef(pageAt);
  page.current = pageAt;
  const settings = captionSettings.value;
  useEffect(() => {
    const [element, place] = [video.current, frame.current];
    if (element === null || place === null) return undefined;
    const drawn = new CaptionLayer(place);
    layer.current = drawn;
    onLayer?.(drawn);
    // Without it the device's own letters are drawn.
    loadCaptionFont().catch(() => undefined);
    let shown: CaptionPage | undefined;
    const mark = (): void => markPlace(place, shown);
    const fit = (): void => {
      cover(place, element);
      mark();
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    element.addEventListener('resize', fit);
    const stop = eachPicture(element, () => {
      const next = page.current(element.currentTime);
      drawn.show(next);
      if (next === shown) return;
      shown = next;
      mark();
    });
    const unmark = captionSettings.subscribe(mark);
    return () => {
      unmark();
      stop();
      observer.disconnect();
      element.removeEventListener('resize', fit);
      onLayer?.(undefined);
      drawn.close();
      layer.current = undefined;
    };
  }, []);
  useEffect(() => {
    if (layer.current !== undefined) layer.current.settings = settings;
  }, [settings]);
  return <div class="stage-captions absolute no-pointer" ref={frame} aria-hidden="true" />;
}
