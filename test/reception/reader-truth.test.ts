/**
 * What the readers of a received stream post, compared with what was sent: caption pages with their times and
 * durations, superimposed text, and guide sections; for chunks of any size, with and without a station filter,
 * which narrows each chunk in place.
 */
import { expect, test } from 'bun:test';
import { serviceId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { OwnedBytes } from '../../lib/arib/ts/packet.ts';
import { monotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import type { CaptionPage } from '../../lib/wire/caption.ts';
import { type CaptionItem, captionReader } from '../../src/reception/caption-reader.ts';
import { type GuideMessage, guideReader, guideSections } from '../../src/reception/guide-reader.ts';
import type { AnyReaderKind } from '../../src/reception/reader-kind.ts';
import { type OpaqueReaderKind, StationReception } from '../../src/reception/station-reception.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { captionTruth } from '../../synth/caption/truth.ts';
import { momentOf, ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import { recording, SERVICE } from '../caption/recording.ts';
import { comparePages } from '../caption/truth-comparison.ts';
import { Random } from '../fuzz/random.ts';
import { longSection, PACKET, StreamBuilder } from '../stream-builder.ts';
import type { TruthPage } from '../synth/caption-peer.ts';

const SECOND = 90_000;
/** A newsflash is shown for 20 s. */
const SECONDS = 60;
/** Readers find PAT, PMT and captions one after the other, each in a later chunk; the largest have 6 s. */
const LEAD = 20;
const NOON = broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const EIT_PID = 0x12;
const OTHER_STATION = 0x200;
const CHUNKS = [188, 1_000, 16_384, 65_536, 1_000_000];
const CAPTIONS = 1;
const GUIDE = 2;

type Page = Extract<CaptionItem, { kind: 'page' }>;

const station = DEFAULT.channels
  .flatMap((channel) => eventStations(DEFAULT, channel))
  .find(({ place }) => place.superimpose !== null);
if (station === undefined) throw new Error('no station with superimposed text');
const newsflash = (station.place.plan.captions?.newsflashSec ?? 0) * SECOND;

/** Just before a newsflash in a captioned programme. */
function interestingMoment(): BroadcastMs {
  if (station === undefined) throw new Error('no station');
  for (let flash = Math.ceil(ticksAt(NOON) / newsflash) * newsflash; ; flash += newsflash) {
    const at = momentOf(flash - 30 * SECOND);
    if (captionTruth(DEFAULT.seed, station, at, SECONDS).captions.length > 20) return at;
  }
}

/** The sections of a guide, each different, one of them longer than a dozen packets. */
function guideSection(index: number, random: Random): Uint8Array {
  const body = Array.from({ length: 8 + random.below(index % 7 === 0 ? 3_000 : 300) }, () =>
    random.below(256),
  );
  return longSection({ tableId: 0x50, extension: index, version: index & 31, body });
}

/** The broadcast in which the station's packets are scattered among those of another one. */
function broadcast(at: BroadcastMs): { bytes: Uint8Array; sections: string[] } {
  if (station === undefined) throw new Error('no station');
  const random = new Random(20_261_126);
  const sections: string[] = [];
  const builder = new StreamBuilder();
  const parts: Uint8Array[] = [];
  const others = (count: number): Uint8Array => {
    for (let each = 0; each < count; each += 1) {
      builder.packet(OTHER_STATION, { payload: Uint8Array.from({ length: 184 }, () => random.below(256)) });
    }
    return builder.take();
  };
  const stream = recording({
    ...{ seed: DEFAULT.seed, station, from: ticksAt(at) - LEAD * SECOND, seconds: LEAD + SECONDS },
  });
  for (const tenth of stream) {
    for (let packet = 0; packet < tenth.length; packet += PACKET) {
      parts.push(tenth.subarray(packet, packet + PACKET), others(random.below(8)));
    }
    const section = guideSection(sections.length, random);
    sections.push(Buffer.from(section).toString('hex'));
    builder.sections(EIT_PID, section);
    parts.push(builder.take(), others(10 + random.below(60)));
  }
  // The framer needs further packets to confirm the last ones.
  parts.push(others(8));
  return { bytes: new Uint8Array(Buffer.concat(parts)), sections };
}

/** What both readers post about a stream that arrives in chunks of this size. */
async function received(bytes: Uint8Array, chunkBytes: number, isFiltered: boolean) {
  const captions: CaptionItem[] = [];
  const sections: string[] = [];
  const dropped: number[] = [];
  const reception = new StationReception({
    stream: 1,
    serviceId: isFiltered ? serviceId(SERVICE) : null,
    clock: () => monotonicMs(performance.now()),
    wall: systemWallClock,
    whyEnded: async () => 'ended',
    post: (event) => {
      if (event.kind === 'readerEnded') dropped.push(event.end.dropped);
      if (event.kind !== 'value') return;
      captions.push(event.value as CaptionItem);
    },
    read: async ({ opened, data }, signal) => {
      opened(null);
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        data(new OwnedBytes(bytes.slice(at, at + chunkBytes)));
        // A chunk is read in one turn of the event loop; small ones come in series.
        if (at % 16_384 < chunkBytes) await new Promise((resolve) => setImmediate(resolve));
      }
      done.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    },
  });
  const done = Promise.withResolvers<void>();
  const { port1, port2 } = new MessageChannel();
  const guideEnded = new Promise<void>((resolve) => {
    port1.onmessage = (event) => {
      const message: GuideMessage = event.data;
      if (message.kind === 'end') return resolve();
      for (const section of guideSections(message.batch.bytes))
        sections.push(Buffer.from(section.bytes).toString('hex'));
    };
  });
  const read = (part: number, kind: AnyReaderKind, options: unknown): void =>
    reception.reader(part, kind as unknown as OpaqueReaderKind, options);
  read(CAPTIONS, captionReader, { serviceId: SERVICE });
  read(GUIDE, guideReader, { port: port2 });
  reception.start();
  await done.promise;
  await reception.close();
  await guideEnded;
  port1.close();
  expect(dropped).toEqual([0, 0]);
  return { captions, sections };
}

function pagesOf(captions: readonly CaptionItem[], superimpose: boolean, language: number) {
  return captions
    .filter((value): value is Page => value.kind === 'page')
    .filter((page) => page.superimpose === superimpose && page.language === language)
    .map(({ time, json }) => ({ at: time, page: JSON.parse(json) as CaptionPage }));
}

const at = interestingMoment();
const sent = broadcast(at);
const truth = captionTruth(DEFAULT.seed, station, at, SECONDS);

for (const isFiltered of [true, false]) {
  for (const chunkBytes of CHUNKS) {
    const name = `chunks of ${chunkBytes} octets, ${isFiltered ? 'with' : 'without'} a filter`;
    test(`captions, superimposed text and guide as sent: ${name}`, async () => {
      const { captions, sections } = await received(sent.bytes, chunkBytes, isFiltered);
      const first = Math.min(...truth.captions.map(({ pts }) => pts));
      for (const [language, code] of ['jpn', 'eng'].entries()) {
        const pages = truth.captions.filter((page) => page.language === code) as TruthPage[];
        const shown = pagesOf(captions, false, language + 1);
        const compared = comparePages(pages, shown, 0);
        if (pages.length > 0) expect(compared).toBeGreaterThan(5);
        const times = new Set(pages.map(({ pts }) => pts));
        const last = pages.at(-1)?.pts ?? 0;
        expect(shown.filter((page) => page.at >= first && page.at <= last && !times.has(page.at))).toEqual(
          [],
        );
      }
      const flashes = truth.superimposed as TruthPage[];
      expect(flashes.length).toBeGreaterThan(1);
      expect(comparePages(flashes, pagesOf(captions, true, 1), SECOND / 10)).toBeGreaterThan(0);
      // The languages are announced once: a damaged repetition would announce others.
      const announced = captions.flatMap((value) => (value.kind === 'track' ? [JSON.stringify(value)] : []));
      expect(announced.length).toBe(new Set(announced).size);
      expect(sections).toEqual(sent.sections);
    });
  }
}
