import { expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { CaptionPageSchema, CaptionsFileSchema } from './caption.ts';

const RUN = {
  ...{ x: 170, y: 450, w: 40, h: 60, fx: 2, fy: 12, size: 36, scaleX: 1 },
  text: '字幕',
  fg: '#ffffffff',
  bg: '#00000080',
};
const PAGE = { v: 1, plane: [960, 540], duration: null, runs: [RUN] };

test('a page with every field of a run is accepted', () => {
  const marks = { stroke: '#000000ff', underline: true, box: 13, flash: true, ruby: true, bold: true };
  const drcs = { k: { w: 4, h: 4, depth: 4, bits: 2, data: 'G+Q8QQ==', md5: '0' } };
  const runs = [{ ...RUN, ...marks, italic: true, drcs: 'k', later: 'unknown fields are let through' }];
  expect(Value.Check(CaptionPageSchema, { ...PAGE, duration: 6500, runs, drcs })).toBe(true);
});

test('another version, an incomplete colour and a cell without a width are rejected', () => {
  expect(Value.Check(CaptionPageSchema, PAGE)).toBe(true);
  expect(Value.Check(CaptionPageSchema, { ...PAGE, v: 2 })).toBe(false);
  expect(Value.Check(CaptionPageSchema, { ...PAGE, runs: [{ ...RUN, fg: '#fff' }] })).toBe(false);
  expect(Value.Check(CaptionPageSchema, { ...PAGE, runs: [{ ...RUN, w: 0 }] })).toBe(false);
});

test('a captions file with two languages is accepted', () => {
  const others = [{ index: 2, code: 'eng', label: '英語', pages: [{ at: 1.5, page: PAGE }] }];
  const file = { v: 1, pages: [], language: { index: 1, code: 'jpn', label: '日本語' }, others };
  expect(Value.Check(CaptionsFileSchema, file)).toBe(true);
});
