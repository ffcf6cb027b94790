/** The reasons for missing keys, each explained to users in Japanese: the problem and the next step. */

interface KeyFailureWords {
  readonly what: string;
  readonly next: string;
}

export const KEY_FAILURE_WORDS = {
  // PC/SC is not installed, or its daemon does not run.
  no_library: {
    what: 'カードを読むためのソフトウェアがサーバーに入っていません。',
    next: 'pcscd と libpcsclite1 をインストールしてください。',
  },
  no_daemon: {
    what: 'カードを読むためのソフトウェア（pcscd）が動いていません。',
    next: 'サーバーで pcscd を起動してください（systemctl enable --now pcscd.socket）。起動しているのに直らないときは、サーバーで svc-agent check を実行すると、カードの利用を許可する方法が分かります。',
  },
  no_reader: {
    what: 'カードリーダーが見つかりません。',
    next: 'サーバーにカードリーダーをつないでください。',
  },
  no_card: {
    what: 'カードが入っていません。',
    next: 'カードリーダーに B-CAS カードを差し込んでください。',
  },
  unsuitable_card: {
    what: '入っているカードはこの放送に使えません。',
    next: 'B-CAS カードを、向きを確かめて差し込んでください。',
  },
  not_subscribed: {
    what: '入っているカードでは契約されていないチャンネルです。',
    next: '契約しているカードが入っているかを確かめてください。契約したばかりのときは、しばらく受信したままにすると有効になります。',
  },
  // An invalid response of the card, or none in time.
  card_error: {
    what: 'カードが正しく応答しません。',
    next: 'カードを抜き差しするか、別のカードリーダーでお試しください。',
  },
  timeout: {
    what: 'カードが時間内に応答しません。',
    next: 'カードとカードリーダーの接続を確かめてください。',
  },
  // The other agent cannot be reached, does not respond, has no share port there, or refuses.
  unreachable: {
    what: 'カードを共有している相手（CARD_URL）につながりません。',
    next: '相手の svc-agent が動いているか、アドレスが正しいかを確かめてください。',
  },
  no_answer: {
    what: 'カードを共有している相手（CARD_URL）から応答がありません。',
    next: '同じ家のネットワークにある機器か確かめてください。ルーターの先にある相手とは、CARD_TTL を両方で増やさないとつながりません。',
  },
  not_shared: {
    what: '相手（CARD_URL）のそのポートでは、カードが共有されていません。',
    next: '相手の CARD_SHARE_PORT と、CARD_URL のポート番号を合わせてください。',
  },
  refused: {
    what: 'カードを共有している相手（CARD_URL）に断られました。',
    next: '相手の設定画面の「断った相手」に理由が出ています。CARD_SHARE_NETWORKS にこのサーバーのアドレスが入っているか、CARD_SHARE_MAX_RTT が短すぎないかを確かめてください。',
  },
} as const satisfies Record<string, KeyFailureWords>;

/** Why there is no key. */
export type KeyFailureCode = keyof typeof KEY_FAILURE_WORDS;
export const KEY_FAILURES = Object.keys(KEY_FAILURE_WORDS) as readonly KeyFailureCode[];
