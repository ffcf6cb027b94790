import { describe, expect, test } from 'bun:test';
import {
  AT,
  BG,
  CLEAR,
  cells,
  cellsOf,
  hex,
  PRE,
  pagesOf,
  payload,
  statement,
  unit,
} from '../../../test/caption/statement-builder.ts';
import { pts90k } from '../time.ts';
import { CaptionDecoder } from './decoder.ts';
import type { CaptionPage } from './page.ts';

describe('management data', () => {
  test('one language, group A', () => {
    const [event] = new CaptionDecoder().feed(
      // 3F TMD 00 | 01 one language | 1A tag 0, DMF 1010 | jpn | 80 Format 8, TCS 0 | 000000 no units
      hex('80FFF0 0000 0000 0A 3F01 1A6A706E80 000000 B078'),
      AT,
    );
    expect(event).toEqual({
      kind: 'management',
      superimpose: false,
      at: AT,
      languages: [{ index: 1, code: 'jpn', displayMode: 10, format: 8, coding: 'eight-unit', rollUp: false }],
    });
  });

  test('repeated management data changes nothing, another group replaces it', () => {
    const decoder = new CaptionDecoder();
    const one = hex('80FFF0 0000 0000 0A 3F01 1A6A706E80 000000 B078');
    const two = hex('80FFF0 8000 0000 0F 3F02 1A6A706E80 3A656E6780 000000 47B0');
    expect(decoder.feed(one, AT)).toHaveLength(1);
    expect(decoder.feed(one, AT)).toHaveLength(0);
    expect(decoder.feed(two, AT)).toHaveLength(1);
    expect(decoder.languages.map(({ index, code }) => `${index}${code}`)).toEqual(['1jpn', '2eng']);
    const english = decoder.feed(
      hex('80FFF0 8800 0000 1B 3F000017 1F20000012 0C9B3720531C47401B294A0E8948656C6C6F 8F9C'),
      AT,
    );
    const [event] = english;
    if (event?.kind !== 'page') throw new Error('no page');
    expect(event.language).toBe(2);
    expect(cellsOf(event.page)).toEqual(
      cells(
        7,
        8,
        ['H', '[0,420]-[19,479]'],
        ['e', '[20,420]-[39,479]'],
        ['l', '[40,420]-[59,479]'],
        ['l', '[60,420]-[79,479]'],
        ['o', '[80,420]-[99,479]'],
      ),
    );
    expect(event.page.runs[0]).toMatchObject({ size: 36, scaleX: 1, fx: 1, fy: 12 });
  });

  test('offset time is skipped', () => {
    const decoder = new CaptionDecoder();
    decoder.feed(hex('80FFF0 0000 0000 0F BF 010030050F 01 1A6A706E80 000000 1505'), AT);
    expect(decoder.languages.map(({ code }) => code)).toEqual(['jpn']);
  });

  test('a statement in a language that is not listed is dropped, one of another group is shown', () => {
    const decoder = new CaptionDecoder();
    decoder.feed(hex('80FFF0 0000 0000 0A 3F01 1A6A706E80 000000 B078'), AT);
    const text = [unit(0x20, hex('3B7A'))];
    expect(decoder.feed(statement(text, 2), AT)).toHaveLength(0);
    expect(decoder.feed(statement(text, 0x22), AT)).toHaveLength(1);
  });

  test('three minutes without management data clear the screen', () => {
    const decoder = new CaptionDecoder();
    decoder.feed(hex('80FFF0 0000 0000 0A 3F01 1A6A706E80 000000 B078'), AT);
    decoder.feed(statement([unit(0x20, hex('3B7A'))]), AT);
    expect(decoder.expire(pts90k(AT + 179 * 90_000))).toEqual([]);
    expect(pagesOf(decoder.expire(pts90k(AT + 180 * 90_000))).map(({ runs }) => runs)).toEqual([[]]);
    expect(decoder.languages).toEqual([]);
  });
});

describe('groups', () => {
  test('a data group whose CRC is wrong is dropped', () => {
    const decoder = new CaptionDecoder();
    const damaged = hex('80FFF0 0400 0000 0A 3F000006 1F20000001 0C E60F');
    expect(decoder.feed(damaged, AT)).toEqual([]);
    expect(decoder.damagedGroups).toBe(1);
  });

  test('a statement that only clears the screen gives a page without runs', () => {
    const pages = pagesOf(
      new CaptionDecoder().feed(hex('80FFF0 0400 0000 0A 3F000006 1F20000001 0C E60E'), AT),
    );
    expect(pages).toEqual([{ v: 1, plane: [960, 540], duration: null, runs: [] }]);
  });

  test('the presentation time of a statement is skipped', () => {
    const events = new CaptionDecoder().feed(
      hex('80FFF0 0400 0000 0F 7F123456789F 000006 1F20000001 0C 5D5D'),
      AT,
    );
    expect(pagesOf(events)).toHaveLength(1);
  });

  test('superimposed text is distinguished from captions', () => {
    const decoder = new CaptionDecoder();
    const [management] = decoder.feed(hex('81FFF0 0000 0000 0A 3F01 106A706E80 000000 2104'), AT);
    expect(management).toMatchObject({ superimpose: true, languages: [{ displayMode: 0 }] });
    const [event] = decoder.feed(
      hex(`81FFF0 0400 0000 41 3F00003D 1F20000038 0C ${PRE} 1C4040 87 ${BG} 4056 9B302068 B493`),
      AT,
    );
    if (event?.kind !== 'page') throw new Error('no page');
    expect(event.superimpose).toBe(true);
    expect(cellsOf(event.page)).toHaveLength(1);
  });

  test('an undefined unit, a truncated unit and undefined codes do not affect the rest', () => {
    const decoder = new CaptionDecoder();
    const units = [
      unit(0x28, hex('0102')),
      unit(0x20, new Uint8Array(0)),
      unit(0x20, hex('3B7A 8C 9E 9B392070 07 96')),
      Uint8Array.of(0x1f, 0x20, 0, 0, 9, 0x4b, 0x6b),
    ];
    const [page] = pagesOf(decoder.feed(statement(units), AT));
    expect(page?.runs.map(({ text }) => text)).toEqual(['字幕']);
  });
});

describe('time', () => {
  test('waits add up; an erasure after them is the duration', () => {
    const events = new CaptionDecoder().feed(
      hex(
        `80FFF0 0400 0000 50 3F00004C ${CLEAR} 1F20000035 ${PRE} 1C4740 87 ${BG} 3B7A4B6B 1F20000007 9D207F9D20420C 49CE`,
      ),
      AT,
    );
    expect(events).toHaveLength(1);
    expect(pagesOf(events)[0]).toMatchObject({ duration: 6500 });
    expect(events[0]).toMatchObject({ at: AT });
  });

  test('text after a wait is a separate page that keeps the earlier text', () => {
    const events = new CaptionDecoder().feed(
      statement([unit(0x20, hex('0C 3B7A 9D2054 4B6B'))]),
      pts90k(2 ** 33 - 90_000),
    );
    expect(events.map((event) => (event.kind === 'page' ? Number(event.at) : 0))).toEqual([
      2 ** 33 - 90_000,
      90_000,
    ]);
    expect(pagesOf(events).map(({ duration, runs }) => [duration, runs[0]?.text])).toEqual([
      [2000, '字'],
      [null, '字幕'],
    ]);
  });

  test('a statement without an erasure adds to the screen', () => {
    const decoder = new CaptionDecoder();
    decoder.feed(statement([unit(0x20, hex('0C 1C4040 3B7A'))]), AT);
    const [page] = pagesOf(decoder.feed(statement([unit(0x20, hex('1C4140 4B6B'))]), pts90k(AT + 90_000)));
    expect(page?.runs.map(({ text }) => text)).toEqual(['字', '幕']);
  });

  test('a new statement cancels the rest of one that is still waiting', () => {
    const decoder = new CaptionDecoder();
    decoder.feed(statement([unit(0x20, hex('0C 1C4040 3B7A 9D207F 0C'))]), AT);
    const [page] = pagesOf(decoder.feed(statement([unit(0x20, hex('1C4140 4B6B'))]), pts90k(AT + 90_000)));
    expect(page?.runs.map(({ text }) => text)).toEqual(['字', '幕']);
    // The next statement clears it, although the first one's own end was never reached.
    const [empty] = pagesOf(decoder.feed(statement([unit(0x20, hex('0C'))]), pts90k(AT + 180_000)));
    expect(empty?.runs).toEqual([]);
  });

  test('repeated clearing gives one page', () => {
    const decoder = new CaptionDecoder();
    const clear = statement([unit(0x20, hex('0C'))]);
    const events = [0, 1, 2].map((second) => decoder.feed(clear, pts90k(AT + second * 90_000)));
    expect(events.map(({ length }) => length)).toEqual([1, 0, 0]);
  });

  test('roll-up moves the lines up instead of starting at the top', () => {
    const decoder = new CaptionDecoder();
    // Format 8, roll-up 01.
    decoder.feed(payload(0, hex('3F01 1A6A706E81 000000')), AT);
    const body = hex(`${PRE} 1C4740 3B7A 0D 4B6B`);
    const [page] = pagesOf(decoder.feed(statement([unit(0x20, body)]), AT));
    expect(cellsOf(page as CaptionPage)).toEqual(
      cells(7, 8, ['字', '[170,390]-[209,449]'], ['幕', '[170,450]-[209,509]']),
    );
  });
});

test('one-segment captions: DRCS-1 left, kanji right, at the bottom of their own plane', () => {
  const decoder = new CaptionDecoder('C');
  const pattern = new Uint8Array(36).fill(0x41);
  const drcs = unit(0x30, Uint8Array.of(...hex('01 4121 01 00 00 10 12'), ...pattern));
  const body = unit(0x20, hex('0C 87 BBFA CBEB 21 0D B2BB B3DA'));
  const [page] = pagesOf(decoder.feed(statement([drcs, body]), AT));
  expect(page?.plane).toEqual([320, 180]);
  // Three cells of 20 by 24 in two lines: 60 dots, centred, 8 dots above the lower edge.
  expect(page?.runs.map(({ text, x, y, w, h, size }) => [text, x, y, w, h, size])).toEqual([
    ['字幕', 130, 124, 20, 24, 18],
    ['〓', 170, 124, 20, 24, 18],
    ['音楽', 130, 148, 20, 24, 18],
  ]);
});
