/** For tests: a context that keeps the calls, and everything else that a view needs. */
import { parseDocument } from '../../web/bml/markup/parser.ts';
import { DEFAULT_PALETTE } from '../../web/bml/picture/palette.ts';
import type { DrawingContext, Picture, TextFonts, ViewSources } from '../../web/bml/view/sources.ts';

export const FONTS: TextFonts = { round: 'round', square: 'square', ascent: 0.88 };

/** Calls as texts, colours and fonts where they are used: `fillRect 0,0,960,540 #000000ff`. */
export class Recorder implements DrawingContext {
  readonly calls: string[] = [];
  fillStyle: string = '';
  font = '';

  save(): void {
    this.calls.push('save');
  }

  restore(): void {
    this.calls.push('restore');
  }

  beginPath(): void {}

  rect(...numbers: number[]): void {
    this.calls.push(`rect ${numbers}`);
  }

  clip(): void {
    this.calls.push('clip');
  }

  clearRect(...numbers: number[]): void {
    this.calls.push(`clearRect ${numbers}`);
  }

  fillRect(...numbers: number[]): void {
    this.calls.push(`fillRect ${numbers} ${this.fillStyle}`);
  }

  fillText(text: string, ...numbers: number[]): void {
    this.calls.push(
      `fillText ${text} ${numbers.map((number) => Math.round(number * 100) / 100)} ${this.fillStyle} ${this.font}`,
    );
  }

  drawImage(_image: unknown, ...numbers: number[]): void {
    this.calls.push(`drawImage ${numbers}`);
  }

  /** Calls since the last time. */
  take(): string[] {
    return this.calls.splice(0);
  }
}

/** Nothing of a carousel. */
export const NO_SOURCES: ViewSources = {
  picture: () => null,
  palette: () => DEFAULT_PALETTE,
  glyph: () => null,
};

export function picture(width: number, height: number, isStill: boolean): Picture {
  const image: Partial<ImageBitmap> = { width, height };
  return { image: image as ImageBitmap, width, height, isStill };
}

/** A document of body content and a style sheet. */
export function documentOf(content: string, css = '', body = '') {
  const document = parseDocument(
    `<bml><head><style><![CDATA[${css}]]></style></head><body ${body}>${content}</body></bml>`,
  );
  document.addStyleSheets(() => undefined);
  return document;
}
