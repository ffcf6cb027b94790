import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { DEFAULT } from '../scenario/default.ts';
import { extendedEvent } from '../si/descriptors.ts';
import { encodeText } from '../text/encode.ts';
import { guideOf } from './guide.ts';
import { partOf, STYLE_COUNT, written } from './numbering.ts';
import { DAY_MS } from './programme.ts';

test('every form of numbering by which episodes are compared', () => {
  const forms = Array.from({ length: STYLE_COUNT }, (_, style) => written(style, partOf(13), '旅立ち'));
  expect(forms.map(({ title, description }) => `${title}|${description}`)).toEqual([
    ' #2「旅立ち」|',
    '　＃２「旅立ち」|',
    '　第2話「旅立ち」|',
    '　第二回「旅立ち」|',
    '（２）「旅立ち」|',
    '(2)|',
    ' Chapter 14　旅立ち|',
    ' Episode.2「旅立ち」|',
    '　EP14「旅立ち」|',
    '　シーズン2 第2話「旅立ち」|',
    '　2ndシーズン　＃２「旅立ち」|',
    '　港町編（２）旅立ち|',
    '|第２回「旅立ち」。',
    '|＃１４「旅立ち」　',
    '「旅立ち」|',
    '|',
  ]);
});

test('parts are counted in seasons of twelve and over all of them', () => {
  expect(partOf(0)).toEqual({ part: 1, season: 1, running: 1 });
  expect(partOf(11)).toEqual({ part: 12, season: 1, running: 12 });
  expect(partOf(12)).toEqual({ part: 1, season: 2, running: 13 });
  expect(partOf(48)).toEqual({ part: 1, season: 1, running: 49 });
  expect(partOf(-1)).toEqual({ part: 12, season: 4, running: 400 });
});

/** Length of headings and texts in extended event descriptors. ARIB STD-B10 Part 2, 6.2.7 */
function itemBytes(descriptors: readonly Uint8Array[]): number {
  return descriptors.reduce((sum, bytes) => {
    let count = 0;
    for (let at = 7; at < 7 + (bytes[6] ?? 0); at += 1 + (bytes[at] ?? 0)) count += bytes[at] ?? 0;
    return sum + count;
  }, 0);
}

test('eight days of the region show all forms, marks, copy controls, nearly all genres and long texts', () => {
  const from = broadcastMs(Date.UTC(2026, 10, 19, 15));
  const programmes = DEFAULT.channels.flatMap((channel) =>
    channel.stations.flatMap((station) =>
      guideOf(DEFAULT, channel, station).starting(from, broadcastMs(from + 8 * DAY_MS), from),
    ),
  );
  const titles = programmes.map(({ title }) => title).join('\n');
  const forms = [
    / #\d/,
    /＃[０-９]/,
    /第\d+話/,
    /第[一二三四五六七八九十]+回/,
    /（[０-９]+）/,
    /\(\d+\)/,
    / Chapter \d/,
    / Episode\.\d/,
    /EP\d/,
    /シーズン\d 第\d+話/,
    /\d(st|nd|rd|th)シーズン/,
    /編（/,
  ];
  expect(forms.filter((form) => !form.test(titles))).toEqual([]);
  expect(programmes.some(({ description }) => /^第[０-９]+回「/.test(description))).toBe(true);
  expect([...'🈑🈓🈔🈖🅂🅍🈗🈘🈙🈚🈞🈟🈠🈡🈢🈣🈤🈥🈐'].filter((mark) => !titles.includes(mark))).toEqual([]);
  const genres = new Set(programmes.flatMap((programme) => programme.genres.map(String)));
  // 12 kinds, two of which are reserved, with 103 subdivisions.
  expect(genres.size).toBeGreaterThan(95);
  const having = (wanted: (programme: (typeof programmes)[number]) => boolean) =>
    programmes.filter(wanted).length;
  for (const control of ['free', 'once', 'never'] as const) {
    expect([control, having(({ copyControl }) => copyControl === control) > 5]).toEqual([control, true]);
  }
  expect(having(({ sound }) => sound === 'dual')).toBeGreaterThan(50);
  expect(having(({ audioCount }) => audioCount > 1)).toBeGreaterThan(50);
  expect(having(({ isFree }) => !isFree)).toBeGreaterThan(100);
  expect(having(({ minimumAge }) => minimumAge !== null)).toBeGreaterThan(5);
  const itemsOf = programmes.flatMap(({ items }) => items);
  expect(Math.max(...itemsOf.map(({ text }) => encodeText(text).length))).toBeWithin(400, 441);
  expect(Math.max(...itemsOf.map(({ heading }) => encodeText(heading).length))).toBeLessThanOrEqual(16);
  expect(
    having(({ items }) => items.filter(({ heading }) => heading.startsWith('番組内容')).length > 4),
  ).toBeGreaterThan(50);
  const lengths = programmes.map(({ items }) =>
    extendedEvent(items).reduce((sum, one) => sum + one.length, 0),
  );
  expect(lengths.filter((length) => length > 2_000).length).toBeGreaterThan(20);
  const texts = (wanted: (length: number) => boolean) => lengths.filter(wanted).length;
  // Everything fits: an event has space for thirteen descriptors.
  expect(texts((length) => length > 13 * 250)).toBe(0);
  const said = ({ items }: (typeof programmes)[number]) =>
    items.reduce((sum, { heading, text }) => sum + encodeText(heading).length + encodeText(text).length, 0);
  expect(programmes.filter((one) => said(one) > itemBytes(extendedEvent(one.items)))).toEqual([]);
});
