import { expect, test } from 'bun:test';
import { failureOf } from './api.ts';
import { plainReason } from './plain-reason.ts';

const RAW = [
  'ECONNRESET: The socket connection was closed unexpectedly. For more information, pass verbose: true',
  '500 {"message":"no lock","code":"internal"}',
  "TypeError: undefined is not an object (evaluating 'a.b')\n    at read (/app/svc.js:10:4)",
  'チューナーエージェントに接続できません(ECONNREFUSED)',
  'チューナーエージェントに接続できません(Unable to connect. Is the computer able to access the url?)',
  '/etc/svc/tuners.json を読めません: JSON Parse error: Unexpected token',
  '選局コマンドを起動できません: spawn recdvb ENOENT',
  '選局に失敗しました。{"status":503}',
  'tuner is not locked',
  'EIO',
  '',
];

test('a raw error is replaced by a sentence with a next step', () => {
  for (const raw of RAW) {
    const shown = plainReason(raw);
    expect(shown).not.toMatch(/E[A-Z]{2,}|rror|verbose|[{}"]|undefined|svc\.js|connect|locked|null/u);
    expect(shown).toMatch(/^.+。.*(?:ください|使えます)。$/u);
    // What is shown once is shown as it is again.
    expect(plainReason(shown)).toBe(shown);
  }
});

test('Japanese text before the error stays', () => {
  expect(plainReason(RAW[3] ?? '')).toStartWith('チューナーエージェントに接続できません。接続先が');
  expect(plainReason(RAW[5] ?? '')).toStartWith('/etc/svc/tuners.json を読めません。');
  expect(plainReason(RAW[6] ?? '')).toBe(
    '選局コマンドを起動できません。見つかりません。接続と設定を確認してください。',
  );
  expect(plainReason('EIO', '受信できませんでした')).toStartWith('受信できませんでした。');
});

test('sentences stay as they are, whatever a title or a path in them says', () => {
  for (const sentence of [
    '/dev/px4video1 を開けません。',
    '「Error 404 {the movie}」と重なり、チューナーが足りないため録画できません。',
    'チューナーエージェント（svc-agent）が動いているか、TUNER_AGENT_URL が正しいかを確認してください。',
    'BS15_0 と同じ放送です',
    'サーバーに ffmpeg を入れるか、FFMPEG_PATH で場所を指定してください。',
  ]) {
    expect(plainReason(sentence)).toBe(sentence);
  }
});

test('an answer of the service or of a proxy before it shows no raw error either', async () => {
  const answer = (body: string, status: number) => failureOf(new Response(body, { status }));
  const problem = await answer('{"message":"ECONNRESET, pass verbose: true","code":"internal"}', 500);
  expect(problem.message).toBe(plainReason('ECONNRESET'));
  expect((await answer('<html>Bad Gateway</html>', 502)).message).toBe(
    'サーバーがエラーを返しました（502）。',
  );
});
