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
  network: {
    title: 'サーバーに接続できません',
    next: 'サーバーが動いているか、この端末がネットワークにつながっているかを確認してください。',
  },
  timeout: {
    title: '応答がありません',
    next: 'サーバーとネットワークの状態を確認して、もう一度お試しください。',
  },
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

function saysSame(title: string, sentence: string): boolean {
  const [one, other] = [bare(title), bare(sentence)];
  return (one.endsWith(other) || other.endsWith(one)) && Math.abs(one.length - other.length) <= LONGEST_START;
}

const sentencesOf = (text: string): string[] => text.split(/(?<=。)/u);

/** What the service's own sentences say beyond the title; undefined: nothing. */
export function reasonUnder(title: string, { code, message }: ApiFailure): string | undefined {
  if (SAID.has(code)) return undefined;
  const left = sentencesOf(message).filter((sentence) => !saysSame(title, sentence));
  return left.join('') === '' ? undefined : left.join('');
}

/** Sentences with the same beginning say the same in other words. */
const SAME_BEGIN = 8;

/** What the service's own sentences say beyond the advice, for who wants to know; undefined: nothing. */
export function detailsBeside({ title, next }: Advice, failure: ApiFailure): string | undefined {
  const said = [title, ...sentencesOf(next)].map((sentence) => sentence.slice(0, SAME_BEGIN));
  const reason = reasonUnder(title, failure) ?? '';
  const left = sentencesOf(reason).filter((sentence) => !said.includes(sentence.slice(0, SAME_BEGIN)));
  return left.join('') === '' ? undefined : left.join('');
}

/** Sentences for the words of the `x-svc-notice` header; an unknown word is not shown. */
const NOTICE_SENTENCES: Readonly<Record<LiveNotice, string>> = {
  software_encoder: '映像の変換をソフトウェアで行っています。',
  slow_encoder: 'サーバーが混んでいるため、再生の開始に時間がかかりました。',
  codec_fallback: 'AV1 では再生できないため、H.264 に切り替えました。',
  raw_fallback: '放送画質では再生できないため、変換した映像に切り替えました。',
  audio_fallback: '選んだ音声がないため、主音声で再生しています。',
};

export function noticeText(word: string): string | undefined {
  return (NOTICE_SENTENCES as Readonly<Record<string, string>>)[word];
}
