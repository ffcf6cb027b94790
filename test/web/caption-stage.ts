/** Runs in the browser: draws caption pages as the player does and compares pictures. */
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { CaptionLayer } from '../../web/caption/caption-layer.ts';
import type { CaptionSettings } from '../../web/caption/caption-settings.ts';
import { DrcsPictures, drawPage } from '../../web/caption/draw-page.ts';

export interface Scene {
  readonly page: CaptionPage;
  readonly width: number;
  readonly height: number;
  readonly settings: CaptionSettings;
  readonly lit: boolean;
}

interface Difference {
  /** Mean difference over all channels of all pixels, 0 to 255. */
  readonly mean: number;
  /** Fraction of the pixels with a channel that differs by more than a quarter. */
  readonly far: number;
}

const FAR = 64;
const pictures = new DrcsPictures();
let mounted: CaptionLayer | undefined;

function paper(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('no canvas');
  return context;
}

/** Draws over grey, so that transparency is visible. */
function draw({ page, width, height, settings, lit }: Scene): CanvasRenderingContext2D {
  const layer = paper(width, height);
  drawPage({ context: layer, width, height, settings, pictures, lit }, page);
  const context = paper(width, height);
  context.fillStyle = '#4a6a8a';
  context.fillRect(0, 0, width, height);
  context.drawImage(layer.canvas, 0, 0);
  return context;
}

const stage = {
  async useFont(base64: string): Promise<void> {
    const font = new FontFace('svc-font', `url(data:font/woff2;base64,${base64})`);
    document.fonts.add(await font.load());
  },

  /** Mounts the player's layer over a picture of this size. @returns the size of the canvas */
  async mount(page: CaptionPage, width: number, height: number): Promise<readonly [number, number]> {
    const frame = document.createElement('div');
    frame.style.cssText = `position: relative; width: ${width}px; height: ${height}px`;
    document.body.replaceChildren(frame);
    mounted?.close();
    mounted = new CaptionLayer(frame);
    mounted.show(page);
    // The layer receives its size after the next layout.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    return [mounted.canvas.width, mounted.canvas.height];
  },

  /** Number of pixels of the layer that are not transparent. */
  inked(): number {
    const { canvas } = mounted ?? {};
    const context = canvas?.getContext('2d');
    if (canvas === undefined || context === null || context === undefined) return 0;
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) count++;
    return count;
  },

  unmount(): number {
    mounted?.close();
    return document.querySelectorAll('canvas').length;
  },

  /** A PNG, base64. */
  picture(scene: Scene): string {
    return draw(scene)
      .canvas.toDataURL('image/png')
      .replace(/^[^,]*,/, '');
  },

  async compare(scene: Scene, golden: string): Promise<Difference> {
    const image = new Image();
    image.src = `data:image/png;base64,${golden}`;
    await image.decode();
    if (image.width !== scene.width || image.height !== scene.height) return { mean: 255, far: 1 };
    const expected = paper(scene.width, scene.height);
    expected.drawImage(image, 0, 0);
    const a = draw(scene).getImageData(0, 0, scene.width, scene.height).data;
    const b = expected.getImageData(0, 0, scene.width, scene.height).data;
    let sum = 0;
    let far = 0;
    for (let at = 0; at < a.length; at += 4) {
      let most = 0;
      for (let channel = 0; channel < 3; channel++) {
        const difference = Math.abs((a[at + channel] ?? 0) - (b[at + channel] ?? 0));
        sum += difference;
        most = Math.max(most, difference);
      }
      if (most > FAR) far++;
    }
    return { mean: sum / (a.length * 0.75), far: far / (a.length / 4) };
  },
};

type Stage = typeof stage;

declare global {
  interface Window {
    stage: Stage;
  }
}

window.stage = stage;
