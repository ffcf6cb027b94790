/** Why a broadcast cannot be played as it is sent. */
export const TEXTS = {
  tooSlow: 'この端末では放送画質の再生が追いつきません。',
  badSound: 'この番組の音声は放送画質では再生できません。',
  badPicture: 'この局の映像は、このブラウザーでは放送画質で再生できません。',
  lagged: '再生が追いつきませんでした。',
} as const;
