import { expect, test } from 'bun:test';
import { readDescriptors } from '../descriptor/index.ts';
import type { EventId } from '../ids.ts';
import { Reader } from '../reader.ts';
import { broadcastMs } from '../time.ts';
import type { EitEvent } from './eit.ts';
import { broadcastEvent } from './event.ts';

function descriptors(table: string): EitEvent['descriptors'] {
  return readDescriptors(new Reader(Uint8Array.fromHex(table.replace(/\/\/.*/g, '').replace(/\s/g, ''))));
}

function event(table: string, more: Partial<EitEvent> = {}): EitEvent {
  return {
    eventId: 0x0edd as EventId,
    startAt: broadcastMs(1_586_080_800_000),
    duration: 1800,
    runningStatus: 0,
    pay: false,
    descriptors: descriptors(table),
    ...more,
  };
}

test('an event is assembled from its descriptors', () => {
  const read = broadcastEvent(
    event(`
      4D 0A 6A 70 6E 02 30 21 03 A2 0D A4 // short event: 亜, あ APR い
      4E 0B 01 6A 70 6E 05 01 A2 02 30 21 00 // extended 0 of 1: あ, 亜 (1 + 1 + 1 + 2 octets)
      4E 0A 11 6A 70 6E 04 00 02 30 22 00 // extended 1 of 1: continues with 唖
      50 06 F1 B3 00 6A 70 6E // MPEG-2 1080i
      54 04 71 FF E0 01 // two genres
      C1 01 84 // one generation
      C4 0B F2 03 11 0F FF 2F 6A 70 6E A2 A4 // second audio, stereo, not main
      C4 0C F2 02 10 0F FF EF 6A 70 6E 65 6E 67 // first audio, dual mono, main
      D5 08 12 34 14 00 00 00 30 0C // series
      D6 05 11 48 01 0E DD // shared with another service
    `),
  );
  expect(read as unknown).toEqual({
    eventId: 0x0edd,
    startAt: 1_586_080_800_000,
    durationMs: 1_800_000,
    name: '亜',
    text: 'あ\nい',
    extended: [['あ', '亜唖']],
    genres: [
      { lv1: 7, lv2: 1, user1: 15, user2: 15 },
      { lv1: 14, lv2: 0, user1: 0, user2: 1 },
    ],
    video: { componentTag: 0, componentType: 0xb3, codec: 'mpeg2', resolution: '1080i' },
    audios: [
      {
        stream: 0,
        componentTag: 0x10,
        componentType: 2,
        langs: ['jpn', 'eng'],
        main: true,
        samplingRate: 48_000,
        text: '',
      },
      {
        stream: 1,
        componentTag: 0x11,
        componentType: 3,
        langs: ['jpn'],
        main: false,
        samplingRate: 48_000,
        text: 'あい',
      },
    ],
    isFree: true,
    copyNever: false,
    series: {
      kind: 'series',
      seriesId: 0x1234,
      repeatLabel: 1,
      pattern: 2,
      expireDate: undefined,
      episodeNumber: 3,
      lastEpisodeNumber: 12,
      name: '',
    },
    groups: [
      {
        kind: 'event_group',
        group: 'shared',
        events: [{ serviceId: 0x4801, eventId: 0x0edd }],
        otherNetworkEvents: [],
      },
    ],
  });
});

test('a pay event without descriptors and times has every field empty', () => {
  const read = broadcastEvent(event('', { startAt: undefined, duration: undefined, pay: true }));
  expect(read).toEqual({
    eventId: 0x0edd as EventId,
    startAt: undefined,
    durationMs: undefined,
    name: '',
    text: '',
    extended: [],
    genres: [],
    video: undefined,
    audios: [],
    isFree: false,
    copyNever: false,
    series: undefined,
    groups: [],
  });
});

test('video components are recognised, with codec and resolution from stream_content and component_type', () => {
  // Stream content 3 (a caption of other systems) before H.264 180p.
  expect(broadcastEvent(event('50 06 F3 01 30 6A 70 6E 50 06 F5 F2 81 6A 70 6E')).video as unknown).toEqual({
    componentTag: 0x81,
    componentType: 0xf2,
    codec: 'h.264',
    resolution: '180p',
  });
  expect(broadcastEvent(event('50 06 F1 13 00 6A 70 6E')).video?.resolution).toBeUndefined();
});

test('only the digital copy control descriptor forbids recording', () => {
  expect(broadcastEvent(event('C1 01 C4')).copyNever).toBe(true);
  expect(broadcastEvent(event('C1 01 84')).copyNever).toBe(false);
  expect(broadcastEvent(event('C1 01 04')).copyNever).toBe(false);
  // One-segment: one generation of an undefined type.
  expect(broadcastEvent(event('C1 01 88')).copyNever).toBe(false);
  expect(broadcastEvent(event('52 01 00')).copyNever).toBe(false);
});
