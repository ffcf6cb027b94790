import { expect, test } from 'bun:test';
import { GAP_CAUSES } from '../../lib/wire/gap-causes.ts';
import { recordingReasonText } from './recording-answers.ts';

test('every cause has a Japanese sentence', () => {
  for (const cause of GAP_CAUSES)
    expect(recordingReasonText({ code: 'missing', cause })).toMatch(/[ぁ-ん]た$/);
  expect(recordingReasonText({ code: 'text', text: '前の版の文' })).toBe('前の版の文');
  expect(recordingReasonText(null)).toBeNull();
});
