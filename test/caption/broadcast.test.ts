/** Captions decoded from the synthetic broadcast match the list of the broadcaster (its truth). */
import { describe, expect, test } from 'bun:test';
import { CaptionDecoder, type CaptionEvent } from '../../lib/arib/caption/decoder.ts';
import { type BroadcastMs, broadcastMs, pts90k } from '../../lib/arib/time.ts';
import { readPes } from '../../lib/arib/ts/pes.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { PartialCaptionTrack, partialCaptionTruth } from '../../synth/caption/partial.ts';
import { CaptionTrack, SuperimposeTrack, type Track } from '../../synth/caption/track.ts';
import { captionTruth } from '../../synth/caption/truth.ts';
import { ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import type { EventStation } from '../../synth/si/eit.ts';
import type { TruthPage } from '../synth/caption-peer.ts';
import { comparePages } from './truth-comparison.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const HOUR_SECONDS = 3_600;
const QUARTER_MS = 900_000;
const SECOND = 90_000;

type PageEvent = Extract<CaptionEvent, { kind: 'page' }>;

/** The first hour from noon on that has captions in one language and in two, if the station has two. */
function hourOf(station: EventStation): BroadcastMs {
  const track = new CaptionTrack(DEFAULT.seed, station);
  const languages = (at: number) => track.languagesAt(ticksAt(broadcastMs(at))).length;
  for (let at: number = AT; at < AT + 86_400_000; at += QUARTER_MS) {
    if (languages(at + QUARTER_MS) !== languages(at + 2 * QUARTER_MS)) return broadcastMs(at);
  }
  return AT;
}

const stations = DEFAULT.channels
  .flatMap((channel) => eventStations(DEFAULT, channel))
  .filter(({ place }) => place.captions !== null);

/** Reads everything sent in a time range, and what is sent in advance for it. */
function read(track: Track, from: number, to: number, decoder: CaptionDecoder): PageEvent[] {
  return track.transmissions(from - 2 * SECOND, to).flatMap(({ due, pes }) => {
    const packet = readPes(pes);
    if (packet === undefined) throw new Error('no PES packet');
    return decoder.feed(packet.data, packet.pts ?? pts90k(due)).filter((event) => event.kind === 'page');
  });
}

describe.each(stations.map((station) => ({ name: station.place.plan.name, station })))(
  'an hour of $name',
  ({ station }) => {
    const at = hourOf(station);
    const from = ticksAt(at);
    const truth = captionTruth(DEFAULT.seed, station, at, HOUR_SECONDS);

    test('captions', () => {
      const decoder = new CaptionDecoder();
      const events = read(
        new CaptionTrack(DEFAULT.seed, station),
        from,
        from + HOUR_SECONDS * SECOND,
        decoder,
      );
      expect(decoder.damagedGroups).toBe(0);
      for (const [language, code] of ['jpn', 'eng'].entries()) {
        const pages = truth.captions.filter((page) => page.language === code);
        const own = events.filter((event) => event.language === language + 1);
        const compared = comparePages(pages as TruthPage[], own, 0);
        if (pages.length > 0) expect(compared).toBeGreaterThan(10);
        // Every page with text is in the truth.
        const times = new Set(pages.map(({ pts }) => pts));
        const first = pages[0]?.pts ?? 0;
        const last = pages.at(-1)?.pts ?? 0;
        const strange = own.filter((event) => event.at >= first && event.at <= last && !times.has(event.at));
        expect(strange).toEqual([]);
      }
    });

    test.skipIf(truth.superimposeStream === null)('superimposed text', () => {
      const events = read(
        new SuperimposeTrack(DEFAULT.seed, station),
        from,
        from + HOUR_SECONDS * SECOND,
        new CaptionDecoder(),
      );
      expect(events.every(({ superimpose }) => superimpose)).toBe(true);
      expect(comparePages(truth.superimposed as TruthPage[], events, SECOND / 10)).toBeGreaterThan(5);
    });
  },
);

test('one-segment: the text of the main station, as lines at the bottom of a small plane', () => {
  const channel = DEFAULT.channels.find(({ channel: name }) => name === 'T27');
  if (channel === undefined) throw new Error('no channel');
  const all = eventStations(DEFAULT, channel);
  const main = all.find(({ place }) => place.captions !== null);
  if (main === undefined) throw new Error('no station with captions');
  const at = hourOf(main);
  const decoder = new CaptionDecoder('C');
  const from = ticksAt(at);
  const to = from + HOUR_SECONDS * SECOND;
  const events = read(new PartialCaptionTrack(DEFAULT.seed, all), from, to, decoder);
  expect(decoder.damagedGroups).toBe(0);
  const { partialCaptions } = partialCaptionTruth(DEFAULT.seed, all, at, HOUR_SECONDS);
  const spoken = partialCaptions.filter(({ lines }) => lines.length > 0);
  expect(spoken.length).toBeGreaterThan(100);
  for (const { pts, lines } of spoken) {
    const page = events.find((event) => event.at === pts)?.page;
    expect(page?.plane).toEqual([320, 180]);
    const rows = new Map<number, string>();
    for (const run of page?.runs ?? []) rows.set(run.y, (rows.get(run.y) ?? '') + run.text);
    expect([...rows.values()]).toEqual([...lines]);
    const bottom = Math.max(...(page?.runs ?? []).map(({ y, h }) => y + h));
    expect(bottom).toBe(180 - 8);
  }
  // The texts are those of the main station at the same moments.
  const truth = captionTruth(DEFAULT.seed, main, at, HOUR_SECONDS).captions;
  for (const { pts, lines } of spoken) {
    const said = truth.find((page) => page.pts === pts && page.language === 'jpn')?.text ?? '';
    const wide = said.normalize('NFKC');
    expect(wide).toContain((lines[0] ?? '').normalize('NFKC').slice(0, 3));
  }
});
