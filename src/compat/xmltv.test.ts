import { expect, test } from 'bun:test';
import { programmeElement, type XmltvProgram, xmltvHead } from './xmltv.ts';

const PROGRAM: XmltvProgram = {
  ...{
    stationId: 1,
    startAt: Date.UTC(2026, 10, 25, 10),
    endAt: Date.UTC(2026, 10, 25, 11),
    name: '港の朝 第5回[字][再]',
  },
  ...{ description: '<海> & "空"\u001a', genres: [{ lv1: 3, lv2: 0 }], audios: [], videoResolution: '1080i' },
  extended: { 出演者: '【主演】山田太郎、鈴木花子（声）\n【語り】佐藤次郎 ほか', 番組内容: 'あらすじ' },
  series: { episode: 5, repeat: 0 },
};

const element = (more: Partial<XmltvProgram> = {}): string =>
  programmeElement({ ...PROGRAM, ...more }, ({ name }) => (name.includes('#7') ? 7 : undefined));

test('times have their zone, and texts are escaped without controls', () => {
  expect(element()).toStartWith(
    '<programme start="20261125190000 +0900" stop="20261125200000 +0900" channel="1.svc">',
  );
  expect(element()).toContain('&lt;海&gt; &amp; &quot;空&quot;\n\n◇出演者');
  expect(element()).not.toContain('\u001a');
  expect(element({ name: 'a\ud800b' })).toContain('>ab<');
});

test('cast, categories, episode, repeat and captions are what clients look for', () => {
  const text = element();
  expect(text).toContain('<credits><actor>山田太郎</actor><actor>鈴木花子</actor></credits>');
  expect(text).toContain('<category lang="ja">ドラマ</category><category lang="en">Series</category>');
  expect(text).toContain('<episode-num system="xmltv_ns">.4.</episode-num>');
  expect(text).toContain('<previously-shown/>');
  expect(text).toContain('<subtitles type="teletext"/>');
  expect(text).toContain('<title lang="ja">港の朝 第5回</title>');
});

test('an episode may be known from the title, and a new series is marked', () => {
  const text = element({ name: '[新]港の朝 #7', series: null });
  expect(text).toContain('<episode-num system="xmltv_ns">.6.</episode-num>');
  expect(text).toContain('<new/>');
  expect(text).not.toContain('previously-shown');
});

test('elements come in the order of the DTD', () => {
  const order = [
    'title',
    'desc',
    'credits',
    'category',
    'episode-num',
    'video',
    'audio',
    'previously-shown',
    'subtitles',
  ];
  const text = element({
    audios: [{ componentType: 2, componentTag: 16, main: true, languages: [], text: '' }],
  });
  const places = order.map((name) => text.indexOf(`<${name}`));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(Math.min(...places)).toBeGreaterThan(0);
});

test('stations have a name, a number and a picture', () => {
  const head = xmltvHead([{ id: 5, name: 'A&B', number: '1.1', logo: 'http://x/logo/5.png' }]);
  expect(head).toContain(
    '<channel id="5.svc"><display-name lang="ja">A&amp;B</display-name><display-name>1.1</display-name>' +
      '<icon src="http://x/logo/5.png"/></channel>',
  );
});
