/** Explanation of a failure for the viewer of a station, with the next step. Automatic retries are shown by a countdown. */
import type { LiveCodec } from '../../lib/wire/api.ts';
import type { ApiFailure, FailureCode } from '../query/api.ts';
import { type Advice, adviceFor, reasonUnder } from '../words/advice.ts';

const ADVICE: Partial<Record<FailureCode, Advice>> = {
  no_tuner: {
    title: 'チューナーがすべて使われています',
    next: '録画やほかの視聴が終わると見られます。誰かが見ているチャンネルなら、一緒に見られます。',
  },
  no_signal: {
    title: '放送を受信できません',
    next: '放送休止中でなければ、アンテナ線がつながっているかを確認してください。',
  },
  agent_unavailable: {
    title: 'チューナーに接続できません',
    next: 'チューナーをつないだ機器の電源とネットワークを確認してください。',
  },
  agent_misconfigured: {
    title: 'チューナーの設定に誤りがあります',
    next: '「チューナー」画面で設定を確認してください。',
  },
  ffmpeg_unavailable: {
    title: '映像を変換できません',
    next: 'サーバーに変換用のソフトウェア（ffmpeg）を入れると見られます。',
  },
  busy: { title: 'サーバーが混んでいます', next: 'ほかの視聴や変換が終わると見られます。' },
  internal: { title: '再生できませんでした', next: '続くときは、サーバーのログを確認してください。' },
  decode: { title: '映像を再生できませんでした', next: '受信の状態が悪いのかもしれません。' },
  interrupted: {
    title: '映像が途切れました',
    next: '続くときは、アンテナとサーバー、ネットワークの状態を確認してください。',
  },
  timeout: { title: '映像が届きません', next: 'サーバーの負荷が高いか、ネットワークが混んでいます。' },
  suspended: { title: '放送を休止しています', next: '番組表で次の放送の時刻を確認してください。' },
  encoder_failed: { title: '映像を変換できませんでした', next: 'サーバーの負荷が高いのかもしれません。' },
  ended: { title: '配信が終わりました', next: '' },
};

const OTHER_FORMAT = '映像の形式を H.264 にすると、見られることがあります。';
const CHOOSE_ANOTHER = 'ほかの局を選んでください。';

/** Their sentence names the cause, then what helps. */
const SELF_EXPLAINED: readonly FailureCode[] = ['card_unavailable', 'not_subscribed', 'raw_fallback'];

/** The first sentence as the title, the rest as the next step. */
function ofSentences(message: string): Advice {
  const [title = '', ...rest] = message.split('。');
  return { title, next: rest.join('。') };
}

/** @param codec that was asked for */
export function liveAdvice(failure: ApiFailure, codec?: LiveCodec): Advice {
  const { code, message } = failure;
  const advice = ADVICE[code] ?? adviceFor(failure);
  if (code === 'encoder_failed' && codec === 'av1') return { ...advice, next: OTHER_FORMAT };
  if (SELF_EXPLAINED.includes(code) && message !== '') return ofSentences(message);
  // A station that is known and has nothing to show.
  const other = code === 'not_found' ? reasonUnder(advice.title, failure) : undefined;
  return other === undefined ? advice : { title: other.replace(/。$/u, ''), next: CHOOSE_ANOTHER };
}
