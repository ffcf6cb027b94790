import { describe, expect, test } from 'bun:test';
import { TITLE_MARKS } from '../../lib/arib/text/title-marks.ts';
import { splitTitle, wholeEpisodes } from './title.ts';

const faces = (raw: string) => splitTitle(raw).marks.map((mark) => mark.face);

test('numbers of episodes are pieces of their own', () => {
  const episodes = (title: string) =>
    wholeEpisodes(title).flatMap(({ text, isEpisode }) => (isEpisode ? [text] : []));
  const titles = ['灯台守 第10話「港」', '連続ドラマ(3) #12', '第十二回 全国大会', '第一印象'];
  expect(titles.map(episodes)).toEqual([['第10話'], ['#12'], ['第十二回'], []]);
  expect(
    titles.map((title) =>
      wholeEpisodes(title)
        .map(({ text }) => text)
        .join(''),
    ),
  ).toEqual(titles);
});

describe('splitTitle', () => {
  test('takes enclosed characters out of the title', () => {
    const parts = splitTitle('\u{1F21F}\u{1F211}\u{1F213}土曜ドラマ「灯台」第1話');
    expect(parts.title).toBe('土曜ドラマ「灯台」第1話');
    expect(parts.marks.map((mark) => mark.face)).toEqual(['新', '字', 'デ']);
    expect(parts.marks[0]).toEqual({ face: '新', label: '新番組', tone: 'fresh' });
  });

  test('takes bracketed marks of half and full width', () => {
    expect(splitTitle('ニュース7[字][二]').title).toBe('ニュース7');
    expect(faces('ニュース7[字][二]')).toEqual(['字', '二']);
    expect(faces('映画［ＳＳ］［字］')).toEqual(['SS', '字']);
  });

  test('keeps brackets that are no broadcast symbols, and other symbols', () => {
    expect(splitTitle('名曲選[1] ♬ほか').title).toBe('名曲選[1] ♬ほか');
    expect(faces('名曲選[1]')).toEqual([]);
    expect(splitTitle('[東京]夜景').title).toBe('[東京]夜景');
  });

  test('a mark in the middle leaves one space, spaces at the ends go', () => {
    expect(splitTitle('前半\u{1F211}後半　').title).toBe('前半 後半');
  });

  test('writes letters and digits narrow', () => {
    expect(splitTitle('第７話　ＳＯＮＧ').title).toBe('第7話 SONG');
  });

  test('names a repeated mark once', () => {
    expect(faces('\u{1F211}話\u{1F211}[字]')).toEqual(['字']);
  });

  test('㊙ is part of the title; the key is a broadcast symbol with a meaning', () => {
    expect(splitTitle('\u{3299}旅')).toEqual({ title: '\u{3299}旅', marks: [] });
    expect(splitTitle('\u{26BF}深夜劇場').marks).toEqual([
      { face: '年齢制限', label: '年齢制限', tone: 'plain' },
    ]);
  });

  test('every broadcast symbol has a name', () => {
    for (const { character } of TITLE_MARKS)
      expect(splitTitle(`${character}話`).marks[0]?.label).not.toBe('');
  });

  test('a title of symbols alone keeps its name, and has its symbols', () => {
    expect(splitTitle('\u{1F211}').title).toBe('\u{1F211}');
    expect(faces('\u{1F211}')).toEqual(['字']);
    expect(splitTitle('')).toEqual({ title: '', marks: [] });
  });
});
