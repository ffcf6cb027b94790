/**
 * Builds caption statements from bytes, and lists the cells of the resulting pages (ARIB STD-B24 Volume 1,
 * Part 3).
 */
import { crc16 } from '../../lib/arib/caption/data-group.ts';
import { CaptionDecoder, type CaptionEvent } from '../../lib/arib/caption/decoder.ts';
import { colourName } from '../../lib/arib/caption/look.ts';
import type { CaptionPage } from '../../lib/arib/caption/page.ts';
import type { CaptionProfile } from '../../lib/arib/caption/writer.ts';
import { pts90k } from '../../lib/arib/time.ts';

export function hex(text: string): Uint8Array {
  return Uint8Array.fromHex(text.replace(/\s/g, ''));
}

/** SWF 7, SDP 170;30, SDF 620;480, SSM 36;36, SHS 4, SVS 24. */
export const PRE = '9B372053 9B3137303B3330205F 9B3632303B3438302056 9B33363B33362057 9B342058 9B32342059';
/** Palette 4, background 1: index 65. */
export const BG = '90204490 51';
export const CLEAR = '1F20000001 0C';

export function unit(parameter: number, data: Uint8Array): Uint8Array {
  return Uint8Array.of(0x1f, parameter, data.length >> 16, data.length >> 8, data.length, ...data);
}

/** A whole payload: header, group with its CRC. @param id data_group_id */
export function payload(id: number, data: Uint8Array): Uint8Array {
  const group = Uint8Array.of(id << 2, 0, 0, data.length >> 8, data.length, ...data);
  const crc = crc16(group);
  return Uint8Array.of(0x80, 0xff, 0xf0, ...group, crc >> 8, crc);
}

export function statement(units: readonly Uint8Array[], id = 1): Uint8Array {
  const loop = units.flatMap((one) => [...one]);
  const { length } = loop;
  return payload(id, Uint8Array.of(0x3f, length >> 16, length >> 8, length, ...loop));
}

export const AT = pts90k(900_000);

export function pagesOf(events: readonly CaptionEvent[]): CaptionPage[] {
  return events.flatMap((event) => (event.kind === 'page' ? [event.page] : []));
}

/** The only page that results from a statement body. */
export function bodyPage(body: string, profile: CaptionProfile = 'A'): CaptionPage {
  const [page, ...more] = pagesOf(new CaptionDecoder(profile).feed(statement([unit(0x20, hex(body))]), AT));
  if (page === undefined || more.length > 0) throw new Error('not one page');
  return page;
}

function indexOf(colour: string): number {
  return Array.from({ length: 128 }, (_, index) => index).findIndex((index) => colourName(index) === colour);
}

/** `text [x0,y0]-[x1,y1] fgN bgN`: cells with the inclusive coordinates of their corners. */
export function cellsOf(page: CaptionPage): string[] {
  return page.runs.flatMap(({ x, y, w, h, text, fg, bg }) =>
    [...text].map((character, index) => {
      const left = x + index * w;
      const box = `[${left},${y}]-[${left + w - 1},${y + h - 1}]`;
      return `${character} ${box} fg${indexOf(fg)} bg${indexOf(bg)}`;
    }),
  );
}

/** Expected cells by text and corners, with one pair of colours. */
export function cells(fg: number, bg: number, ...list: readonly (readonly [string, string])[]): string[] {
  return list.map(([text, box]) => `${text} ${box} fg${fg} bg${bg}`);
}
