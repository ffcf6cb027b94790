import { expect, test } from 'bun:test';
import type { Value } from '../script/values.ts';
import { readApplicationStart } from './browser-object.ts';

const NONE = { organisation: undefined, application: undefined, aitUrl: undefined };
const URL = 'https://www.example.jp/ait.xml';

test.each<readonly [Value[], ReturnType<typeof readApplicationStart>]>([
  [[], NONE],
  [[undefined, null, ''], NONE],
  [[18, 7], { organisation: 18, application: 7, aitUrl: undefined }],
  [[18, 7, URL], { organisation: 18, application: 7, aitUrl: URL }],
  [[URL, 18, 7], { organisation: 18, application: 7, aitUrl: URL }],
  [[18, URL, 7], { organisation: 18, application: 7, aitUrl: URL }],
  [['18', '0x07', URL], { organisation: 18, application: 7, aitUrl: URL }],
  [[URL], { ...NONE, aitUrl: URL }],
  // 0xFFFFFFFE as a script has it.
  [[-2, 7], { organisation: 0xffff_fffe, application: 7, aitUrl: undefined }],
  [[18], undefined],
  [[18, 7, 9], undefined],
  [[18, 0x10000], undefined],
  [['99999999999', 7], undefined],
  [['9999999999', 7], undefined],
  [[Number.NaN, 7], undefined],
  [[URL, URL], undefined],
  [['arib-dc://-1.-1.-1/40/0000', 18, 7], undefined],
  [['file:///etc/passwd'], undefined],
  [['javascript:x'], undefined],
  [['http://'], undefined],
  [[`http://example.jp/${'x'.repeat(3000)}`], undefined],
  [[true], undefined],
])('%p', (args, expected) => {
  expect(readApplicationStart(args)).toEqual(expected);
});
