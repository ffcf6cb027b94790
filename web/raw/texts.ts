/** Why a broadcast cannot be played as it is sent. */
export const TEXTS = {
  tooSlow: 'この端末では放送画質の再生が追いつきません。',
  badSound: 'この番組の音声は放送画質では再生できません。',
  badPicture: 'この局の映像は、このブラウザーでは放送画質で再生できません。',
  late: '放送画質のデータが間に合いません。',
  lagged: '再生が追いつきませんでした。',

  // Beside the converted picture that follows
  slowNotice: 'この端末の処理が間に合わないため、変換した映像に切り替えました',
  soundNotice: 'この番組の音声は放送画質では再生できないため、変換した映像に切り替えました',
  pictureNotice: 'この端末では放送画質で再生できないため、変換した映像に切り替えました',
  lateNotice: '放送画質のデータが間に合わないため、変換した映像に切り替えました',
} as const;
