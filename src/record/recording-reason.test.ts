import { expect, test } from 'bun:test';
import { GAP_CAUSES as WIRE_CAUSES } from '../../wire/recordings.ts';
import { GAP_CAUSES } from '../model/verdict.ts';
import { recordingReasonText } from './recording-reason.ts';

test('every cause has a Japanese sentence, and the interface knows every cause', () => {
  for (const cause of GAP_CAUSES)
    expect(recordingReasonText({ code: 'missing', cause })).toMatch(/[ぁ-ん]た$/);
  expect([...WIRE_CAUSES]).toEqual([...GAP_CAUSES]);
  expect(recordingReasonText({ code: 'text', text: '前の版の文' })).toBe('前の版の文');
  expect(recordingReasonText(null)).toBeNull();
});
