/** Explanation of a failure for the viewer, with the next step. The server's own message is shown beside it. */
import type { LiveNotice } from '../../lib/wire/vocabulary.ts';
import type { ApiFailure, FailureCode } from '../query/api.ts';

export interface Advice {
  readonly title: string;
  readonly next: string;
}

const GENERAL: Advice = {
  title: 'うまくいきませんでした',
  next: 'しばらく待ってから、もう一度お試しください。続くときはサーバーのログを確認してください。',
};

const ADVICE: Partial<Record<FailureCode, Advice>> = {
  no_tuner: {
    title: '現在受信できません',
    next: 'いま誰かが見ているチャンネルなら、一緒に見られます。チューナーが空くと、自動で再接続します。',
  },
  busy: { title: 'サーバーが混んでいます', next: 'しばらく待ってから、もう一度お試しください。' },
  no_signal: {
    title: '放送を受信できません',
    next: '放送休止中でなければ、アンテナ線がつながっているか、「チューナー」画面の受信状態はどうかを確認してください。',
  },
  agent_misconfigured: {
    title: 'チューナーの設定に誤りがあります',
    next: '「チューナー」画面で、チューナーとチャンネルの設定を確認してください。直すと自動で接続します。',
  },
  agent_unavailable: {
    title: 'チューナーに接続できません',
    next: 'チューナーエージェント（svc-agent）が動いているか、TUNER_AGENT_URL が正しいかを確認してください。',
  },
  card_unavailable: {
    title: 'スクランブルを解除できません',
    next: 'カードの状態は「チューナー」画面で確認できます。直ると、もう一度お試しいただくだけで見られます。',
  },
  not_subscribed: {
    title: '契約していないチャンネルです',
    next: '契約しているカードが入っているかを確認してください。契約したばかりのときは、有効になるまで時間がかかることがあります。',
  },
  ffmpeg_unavailable: {
    title: '映像を変換できません',
    next: 'サーバーに ffmpeg を入れるか、FFMPEG_PATH で場所を指定すると、自動で使えるようになります。',
  },
  not_found: { title: 'この局は見つかりません', next: '局の一覧から選び直してください。' },
  unauthorized: { title: 'ログインが必要です', next: '画面を開き直すと、ログインに進みます。' },
  unsupported: {
    title: 'このブラウザーでは再生できません',
    next: '新しい Chrome、Edge、Firefox、Safari（iPhone は iOS 17.1 以降）でお試しください。',
  },
  decode: { title: '映像が乱れました', next: '受信の状態が悪いのかもしれません。再接続します。' },
  network: {
    title: 'サーバーに接続できません',
    next: 'サーバーが動いているか、この端末がネットワークにつながっているかを確認してください。',
  },
  interrupted: {
    title: '映像が途切れました',
    next: '再接続しています。続くときは、アンテナとサーバー、ネットワークの状態を確認してください。',
  },
  timeout: {
    title: '応答がありません',
    next: 'サーバーやアンテナの状態を確認して、もう一度お試しください。',
  },
  suspended: {
    title: '放送を休止しています',
    next: '番組表で次の放送の時刻を確認してください。放送が始まると自動で接続します。',
  },
  encoder_failed: {
    title: '映像を変換できませんでした',
    next: 'もう一度お試しください。続くときは、設定の「映像の形式」を H.264 にして、サーバーのログを確認してください。',
  },
  no_socket: {
    title: '視聴の接続ができません',
    next: '間にあるプロキシが WebSocket を通すように設定されているかを確認してください。',
  },
  ended: { title: '配信が終わりました', next: '再接続しています。' },
};

export function adviceFor(failure: ApiFailure): Advice {
  return ADVICE[failure.code] ?? GENERAL;
}

/** Their title and next step contain all that the service's sentence says. */
const SAID: ReadonlySet<FailureCode> = new Set(['network', 'suspended']);
/** As far as one of two sentences may begin earlier (この, サーバーから) and still say the same. */
const LONGEST_START = 6;

/** Without what differs between two ways to say the same. */
const bare = (sentence: string): string =>
  sentence.replace(/。$/u, '').replaceAll('サーバー', 'サーバ').replaceAll('は', 'が');

/** The service's own sentence, to be shown under the title; undefined where that says the same. */
export function reasonUnder(title: string, { code, message }: ApiFailure): string | undefined {
  if (SAID.has(code) || message === '') return undefined;
  const [one, other] = [bare(title), bare(message)];
  const isSame =
    (one.endsWith(other) || other.endsWith(one)) && Math.abs(one.length - other.length) <= LONGEST_START;
  return isSame ? undefined : message;
}

/** Sentences for the words of the `x-svc-notice` header; an unknown word is not shown. */
const NOTICES: Readonly<Record<LiveNotice, string>> = {
  software_encoder: '映像の変換をソフトウェアで行っています。',
  slow_encoder: 'サーバーが混んでいるため、再生の開始に時間がかかりました。',
  codec_fallback: 'AV1 では再生できないため、H.264 に切り替えました。',
  raw_fallback: '無変換では再生できないため、変換した映像に切り替えました。',
  audio_fallback: '選んだ音声がないため、主音声で再生しています。',
};

export function noticeText(word: string): string | undefined {
  return (NOTICES as Readonly<Record<string, string>>)[word];
}
