/**
 * Fictitious dialogues and their English, for half a minute each. Markup of the Japanese: a ruby is ｜漢字《かんじ》,
 * a decoration [letter:text] (u underlined, f flashing, i flashing inverted, b boxed, p inverted colours;
 * sizes m half-width, s small, w wide, t tall, l large), {n} the n-th character drawn as a bitmap.
 */

type Mood = 'news' | 'talk' | 'drama' | 'anime' | 'music' | 'sports' | 'nature';

/** The speaker determines the colour and the position. */
export type Voice =
  | 'first'
  | 'second'
  | 'third'
  | 'fourth'
  | 'narrator'
  | 'sound'
  | 'song'
  | 'note'
  | 'vertical';

export interface Line {
  voice: Voice;
  ja: string;
  en: string;
}

export interface Scene {
  mood: Mood;
  lines: readonly Line[];
}

const line = (voice: Voice, ja: string, en: string): Line => ({ voice, ja, en });

export const SCENES: readonly Scene[] = [
  {
    mood: 'news',
    lines: [
      line(
        'first',
        'こんばんは。６時になりました。\nニュースをお伝えします。',
        "Good evening. It is six o'clock. Here is the news.",
      ),
      line('first', 'ひばり市の港では けさ早く➡', 'Early this morning at the port of Hibari,'),
      line(
        'first',
        '➡今年初めての\n｜秋刀魚《さんま》の水揚げがありました。',
        'the first saury of the year were landed.',
      ),
      line(
        'second',
        '（漁師）去年の[u:およそ３倍]です。\nいや〜 うれしいね。',
        'Fisherman: About three times last year. What a relief!',
      ),
      line('narrator', '水揚げ量：[m:48.5]トン\n（ひばり漁協調べ）', 'Landed: 48.5 tons'),
      line('first', '続いて 天気です。', 'Next, the weather.'),
    ],
  },
  {
    mood: 'news',
    lines: [
      line(
        'second',
        '新しい橋の名前が\n「こもれび大橋」に決まりました。',
        'The new bridge will be called the Komorebi Bridge.',
      ),
      line(
        'first',
        '応募は[m:1,204]件。\n最も多かった案だそうです。',
        'Of 1,204 proposals it was the most frequent one.',
      ),
      line(
        'third',
        '（市長）末永く\n｜親《した》しまれる橋にしたい。',
        'Mayor: May people cherish it for a long time.',
      ),
      line('narrator', '[b:開通は来年３月]', 'Opening next March'),
      line('second', '[f:交通情報]です。\n環状線は[u:通行止め]です。', 'Traffic: the ring road is closed.'),
      line('first', '以上 お伝えしました。', 'That was the news.'),
    ],
  },
  {
    mood: 'talk',
    lines: [
      line('first', 'さあ きょうのゲストは\nこの方です！', "And here is today's guest!"),
      line('sound', '[b:拍手]', 'Applause'),
      line('second', 'どうも〜 よろしくお願いします。', 'Hello everyone, nice to be here.'),
      line('first', 'さっそくですが\n｜得意料理《とくいりょうり》は？', 'So, what do you like to cook?'),
      line('second', 'えっと… オムライスですかね。', 'Well, omelette rice, I suppose.'),
      line('third', '[w:ええ〜っ!!]', 'What!!'),
      line('sound', '（笑い声）', '(Laughter)'),
    ],
  },
  {
    mood: 'talk',
    lines: [
      line('narrator', '[l:問題]\n日本一短い川は何メートル？', 'Question: how long is the shortest river?'),
      line('third', '[m:100]メートルくらい？', 'About 100 meters?'),
      line('fourth', 'いやいや もっと短いって。\n[t:１０]メートル！', 'No, no, shorter. 10 meters!'),
      line('sound', '[m:ピンポンピンポーン]', 'Ding-dong!'),
      line('first', '正解は[i:１３．５メートル]でした。', 'The answer is 13.5 meters.'),
      line('fourth', 'くやし〜い！', 'So close!'),
    ],
  },
  {
    mood: 'talk',
    lines: [
      line('first', '商店街を歩いていると➡', 'As we walk along the arcade,'),
      line('first', '➡いい香りがしてきましたよ。', 'something smells delicious.'),
      line(
        'second',
        '焼きたてのコロッケ １個[m:90]円。\n安いでしょ。',
        'Fresh croquettes, 90 yen each. Cheap!',
      ),
      line('first', 'サクサクして ｜絶品《ぜっぴん》です。', 'Crisp. Superb!'),
      line('note', '※価格は取材時のものです', 'Price at the time of filming'),
      line('third', 'ＢＧＭが懐かしいですね♪', 'That tune takes me back.'),
    ],
  },
  {
    mood: 'drama',
    lines: [
      line('sound', '（携帯電話の着信音）', '(Cell phone ringing)'),
      line('first', '[m:{7}]もしもし… ｜霧島野《きりしまの》です。', 'Hello, this is Kirishimano.'),
      line('second', '{0}今どこにいる？{1}', 'Where are you now?'),
      line(
        'first',
        '{2}駅前の喫茶店です。\nコーヒーを飲んでいます。',
        'At the cafe by the station, having coffee.',
      ),
      line('second', '{0}そこを動くな！{1}', "Don't move!"),
      line('sound', '[w:ガシャーン！]', 'Crash!'),
      line('first', 'え？ 何…。', 'Huh? What was that?'),
    ],
  },
  {
    mood: 'drama',
    lines: [
      line('third', '先生 傷は｜深《ふか》いんですか？', 'Doctor, is the wound deep?'),
      line(
        'fourth',
        '心配いりません。\n２〜３日で退院できますよ。',
        "Don't worry. A few days and you can go home.",
      ),
      line('third', 'よかった…。', 'Thank goodness.'),
      line('narrator', '[s:それから]\n５年の月日が流れた', 'Five years went by.'),
      line(
        'first',
        '父さん 俺 やっぱり\n｜料理人《りょうりにん》になるよ。',
        'Father, I will become a chef after all.',
      ),
      line('second', '… [u:好きにしろ]。', 'Do as you like.'),
      line('sound', '（扉が閉まる音）', '(Door closes)'),
    ],
  },
  {
    mood: 'drama',
    lines: [
      line('vertical', '春はあけぼの\nようよう白く\nなりゆく山ぎわ', 'In spring it is the dawn.'),
      line('first', 'これが ｜祖母《そぼ》の手紙です。', "This is my grandmother's letter."),
      line('second', 'ずいぶん ていねいな字ですね。', 'What careful handwriting.'),
      line('first', 'ええ。毎年 ３月に\n届いていたんです。', 'Yes. It came every March.'),
      line('second', '最後の一通を読んでも？', 'May I read the last one?'),
      line('sound', '（鳥の声）', '(Birds)'),
    ],
  },
  {
    mood: 'anime',
    lines: [
      line('third', 'くらえ！ ｜必殺《ひっさつ》\n[l:流星パンチ]！', 'Take this! Meteor Punch!'),
      line('sound', '[w:ドカーン!!]', 'Kaboom!!'),
      line('fourth', 'ま… まだだ！\n俺は負けない！', "Not yet! I won't lose!"),
      line('second', 'フフフ… [p:その程度か]。', 'Heh heh. Is that all?'),
      line('third', 'みんなの力を\n｜僕《ぼく》に貸してくれ〜！', 'Everyone, lend me your strength!'),
      line('narrator', 'つづく➡', 'To be continued'),
    ],
  },
  {
    mood: 'anime',
    lines: [
      line('second', 'ねえねえ 宿題やった？', 'Hey, did you do the homework?'),
      line('first', '宿題って 何の？', 'What homework?'),
      line('second', '自由研究だよ〜。\nカブトムシの｜観察《かんさつ》！', 'The project. Watching beetles!'),
      line('first', 'わ… [t:忘れてた]〜っ！', 'I forgot!'),
      line('sound', '[m:ミーンミンミンミン]', 'Chirr chirr'),
      line('third', '（先生）廊下に立ってなさい。', 'Teacher: Out in the corridor.'),
    ],
  },
  {
    mood: 'music',
    lines: [
      line('song', '♬〜', 'Music'),
      line('song', '♪遠い山の向こうへ', 'Beyond the distant hills'),
      line('song', '♪続いていく 一本道', 'runs a single road'),
      line('song', '♪｜風《かぜ》が呼んでいるから', 'because the wind is calling'),
      line('song', '♪今 歩き出そう', 'let us set out now'),
      line('sound', '[b:拍手と歓声]', 'Applause and cheers'),
      line('first', 'ありがとうございました！{5}', 'Thank you very much!'),
    ],
  },
  {
    mood: 'music',
    lines: [
      line('first', '続いては[m:1975]年の大ヒット曲。', 'Next, the hit song of 1975.'),
      line('second', '｜昭和《しょうわ》の名曲ですねえ。', 'A classic of its time.'),
      line('song', '♪さよなら さよなら 港町', 'Farewell, farewell, harbour town'),
      line('song', '♪[s:{4}]あなたの汽笛が聞こえる', 'I hear your whistle blow'),
      line('song', '♬〜（間奏[s:{6}]）', '(Interlude)'),
      line('song', '♪カモメも泣いている', 'Even the seagulls weep'),
    ],
  },
  {
    mood: 'sports',
    lines: [
      line('first', '９回裏 ツーアウト満塁！', 'Bottom of the ninth, two outs, bases loaded!'),
      line('second', 'ここは ｜勝負《しょうぶ》でしょうね。', 'They have to pitch to him.'),
      line('first', '打った！ 大きい 大きい…', 'A hit! It is going, going...'),
      line('sound', '[w:大歓声]{3}', 'Roar of the crowd'),
      line('first', '[f:逆転サヨナラ]満塁ホームラン！', 'A grand slam to win it!'),
      line('narrator', '[m:Hibari 5 - 4 Asagiri]', 'Hibari 5 - 4 Asagiri'),
      line('third', '最高で〜す！', 'Fantastic!'),
    ],
  },
  {
    mood: 'nature',
    lines: [
      line(
        'narrator',
        '標高[m:2,400]ｍの高原に\n短い夏がやってきた。',
        'A short summer on a plateau 2,400 m up.',
      ),
      line(
        'narrator',
        '雪の下から顔を出す\n｜福寿草《ふくじゅそう》。',
        'Spring flowers push up through the snow.',
      ),
      line('sound', '（せせらぎの音）', '(A brook)'),
      line(
        'narrator',
        'ここには およそ①３０種の鳥と\n②１２種の獣が暮らす。',
        'Thirty birds and twelve beasts live here.',
      ),
      line('first', 'あそこ！ ほら ライチョウです。', 'Look there! A ptarmigan.'),
      line('second', '[s:静かに]… ヒナもいますよ。', 'Quiet. There are chicks, too.'),
      line('note', '撮影：５月〜８月', 'Filmed May to August'),
    ],
  },
  {
    mood: 'nature',
    lines: [
      line('narrator', '列車は｜峠《とうげ》を越え➡', 'The train crosses the pass'),
      line('narrator', '➡海沿いの町へと下っていく。', 'and descends to a town by the sea.'),
      line('first', '♨温泉まで あと５分！', 'Five minutes to the hot spring!'),
      line('second', '駅弁 食べすぎました…。', 'I ate too much on the train.'),
      line('sound', '（汽笛）', '(Steam whistle)'),
      line('narrator', '片道[m:640]円・所要[m:1]時間[m:20]分', 'One way 640 yen, 1 hour 20 minutes'),
    ],
  },
];

/** The moods of a programme by its genre, content_nibble_level_1; the last for all others. */
export const MOODS: readonly (readonly Mood[])[] = [
  ['news'],
  ['sports'],
  ['talk', 'nature'],
  ['drama'],
  ['music'],
  ['talk'],
  ['drama'],
  ['anime'],
  ['nature', 'news'],
  ['drama', 'music'],
  ['talk', 'nature'],
];

/** Superimposed newsflashes: a heading and what happened. */
export const NEWSFLASHES: readonly (readonly string[])[] = [
  ['ひばり放送 ニュース速報', '架空鉄道 全線で運転再開'],
  ['ニュース速報', 'あさぎり町の新庁舎', '名称は「あさぎりの森」に決定'],
  ['交通情報', 'こもれび大橋 強風のため通行止め', '解除は未定'],
  ['開票速報', '星空高原村長選 見本一歩氏 当選確実'],
];
