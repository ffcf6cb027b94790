/** Explanation of a failure for the viewer of a recording, with the next step. */
import type { ApiFailure, FailureCode } from '../query/api.ts';
import { type Advice, adviceFor } from '../words/advice.ts';

const INTERRUPTED: Advice = {
  title: '再生が途切れました',
  next: '何度も途切れるときは、サーバーとネットワークの状態を確認してください。',
};

const ADVICE: Partial<Record<FailureCode, Advice>> = {
  not_found: {
    title: 'この録画は再生できません',
    next: '削除されたか、ファイルがなくなっています。録画の一覧で確認してください。録画先のディスクが外れているときは、つなぎ直すと再生できます。',
  },
  busy: {
    title: 'サーバーが混んでいます',
    next: '同時に変換できる数に達しています。ほかの人の視聴や変換が終わると、自動で再生を始めます。',
  },
  // The service stopped before the end of the recording.
  ended: INTERRUPTED,
  interrupted: INTERRUPTED,
  decode: {
    title: '映像を再生できません',
    next: '録画のこの部分が壊れているのかもしれません。少し先へ進めてみてください。',
  },
  timeout: {
    title: '映像が届きません',
    next: 'サーバーの負荷が高いか、録画先のディスクが応答していません。しばらく待ってから、もう一度お試しください。',
  },
  internal: {
    title: '再生できませんでした',
    next: '録画のファイルが壊れているか、変換に失敗しました。少し先から再生するか、元のファイルを保存してほかのプレーヤーでお試しください。',
  },
};

/** Where there is another quality, it may be intact. */
const OTHER_QUALITY =
  '録画のこの部分が壊れているのかもしれません。少し先へ進めてみるか、別の画質を選んでください。';

/** @param several there is more than one quality */
export function watchAdvice(failure: ApiFailure, several: boolean): Advice {
  const advice = ADVICE[failure.code] ?? adviceFor(failure);
  return failure.code === 'decode' && several ? { ...advice, next: OTHER_QUALITY } : advice;
}
