/** Types of untyped packages: the parts that tools/caption-font.ts uses. */
declare module 'subset-font' {
  interface Options {
    targetFormat?: 'sfnt' | 'woff' | 'woff2';
    /** Requires an empty text. */
    keepAllGlyphs?: boolean;
  }
  export default function subsetFont(font: Uint8Array, text: string, options: Options): Promise<Buffer>;
}

declare module 'fonteditor-core/lib/ttf/svg/path2contours.js' {
  interface Point {
    x: number;
    y: number;
    onCurve: boolean;
  }
  /** The contours of an SVG path; curves become quadratic. */
  export default function path2contours(path: string): Point[][];
}
