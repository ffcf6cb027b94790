import { expect, test } from 'bun:test';
import { KEY_FAILURE_WORDS } from '../../lib/wire/key-failure.ts';
import { ApiFailure, type FailureCode } from '../query/api.ts';
import { detailsBeside } from '../words/advice.ts';
import { liveAdvice } from './live-advice.ts';

const failure = (code: FailureCode, message = '') => new ApiFailure(code, message);

test('a missing card is the title, and what helps the next step, without further details', () => {
  const { what, next } = KEY_FAILURE_WORDS.no_card;
  const told = failure('card_unavailable', `${what}${next}`);
  const advice = liveAdvice(told);
  expect(advice).toEqual({ title: what.replace('。', ''), next });
  expect(detailsBeside(advice, told)).toBeUndefined();
});

test('another format is advised only where it is another one', () => {
  expect(liveAdvice(failure('encoder_failed'), 'av1').next).toContain('H.264');
  expect(liveAdvice(failure('encoder_failed'), 'h264').next).not.toContain('H.264');
});

test('a station without sound or picture is not called unknown', () => {
  expect(liveAdvice(failure('not_found', '局が見つかりません。')).title).toBe('この局は見つかりません');
  expect(liveAdvice(failure('not_found', 'この局は音声を放送していません')).title).toBe(
    'この局は音声を放送していません',
  );
});

test('a missing answer blames no antenna', () => {
  const { title, next } = liveAdvice(failure('timeout'));
  expect(title + next).not.toContain('アンテナ');
});
