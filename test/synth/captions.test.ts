/**
 * An independent reader finds the captions that the broadcaster's truth lists, over an hour of each station,
 * or a day with --long.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARIBB24JapaneseJIS8Tokenizer, demuxMPEGTS } from 'aribb24.js';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { HABITS } from '../../synth/caption/coder.ts';
import { stationStyle } from '../../synth/caption/script.ts';
import { CaptionTrack } from '../../synth/caption/track.ts';
import { ticksAt } from '../../synth/clock.ts';
import { captionSources } from '../../synth/mux/caption-source.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import type { EventStation } from '../../synth/si/eit.ts';
import { channelTruth } from '../../synth/truth.ts';
import {
  asPeer,
  type CaptionTruth,
  type Cell,
  crc16,
  type Pes,
  pesOf,
  readCells,
  readGroup,
  type TruthPage,
  truthCells,
} from './caption-peer.ts';
import { mediaPids, PACKET, run, synth, type Truth, trimmed } from './tuning.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const HOUR_SECONDS = 3_600;
const SECOND = 90_000;

type Station = CaptionTruth & { serviceId: number; name: string };

interface Sent {
  bytes: Uint8Array;
  /** Times at which the packets leave, 90 kHz. */
  times: number[];
}

/** Only the caption streams of a channel, packet by packet. */
function captionPackets(
  channel: (typeof DEFAULT)['channels'][number],
  from: number,
  seconds: number,
): Map<number, Sent> {
  const streams = new Map<number, Sent>();
  for (const source of captionSources(DEFAULT.seed, eventStations(DEFAULT, channel))) {
    const packets: Uint8Array[] = [];
    const times: number[] = [];
    source.seek(from);
    while (source.due < from + seconds * SECOND) {
      const packet = new Uint8Array(PACKET);
      times.push(source.due);
      source.emit(packet, 0);
      packets.push(packet);
    }
    const pid = (((packets[0]?.[1] ?? 0) & 0x1f) << 8) | (packets[0]?.[2] ?? 0);
    streams.set(pid, { bytes: Buffer.concat(packets), times });
  }
  return streams;
}

function ptsOf(pes: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = pes.subarray(9);
  // The four bits before, and the marker bits between the parts.
  expect([a >> 4, a & 1, c & 1, e & 1]).toEqual([2, 1, 1, 1]);
  return ((a >> 1) & 7) * 2 ** 30 + (((b << 8) | c) >> 1) * 2 ** 15 + (((d << 8) | e) >> 1);
}

/**
 * Flattened for comparison. Positions in vertical writing are omitted, because the reader does not support
 * it.
 */
function comparable(cells: readonly Cell[], vertical: ReadonlySet<number>): string[] {
  return cells.map(({ ticks, what, box, colours, marks }) =>
    [ticks, what, vertical.has(ticks) ? '' : box, colours, marks].join(' '),
  );
}

function truthOf(channel: (typeof DEFAULT)['channels'][number], at: BroadcastMs, seconds: number): Station[] {
  return channelTruth(DEFAULT, channel, at, { schedule: false, seconds, windowSec: seconds })
    .stations as unknown as Station[];
}

const QUARTER_MS = 900_000;

/** The first hour from noon on whose captions have one language and two, if the station has two. */
function hourOf(station: EventStation): BroadcastMs {
  const track = new CaptionTrack(DEFAULT.seed, station);
  const languages = (at: number) => track.languagesAt(ticksAt(broadcastMs(at))).length;
  for (let at: number = AT; at < AT + 86_400_000; at += QUARTER_MS) {
    if (languages(at + QUARTER_MS) !== languages(at + 2 * QUARTER_MS)) return broadcastMs(at);
  }
  return AT;
}

const LONG = process.env.SVC_LONG === '1';
const DAY_HOURS = Array.from({ length: 24 }, (_, hour) => broadcastMs(AT + hour * HOUR_SECONDS * 1000));

const captioned = DEFAULT.channels.flatMap((channel) =>
  eventStations(DEFAULT, channel).flatMap((station, index) => {
    const { captions, plan } = station.place;
    if (captions === null) return [];
    const hours = LONG ? DAY_HOURS : [hourOf(station)];
    return hours.map((at) => ({ name: plan.name, channel, index, at, clock: new Date(at).toISOString() }));
  }),
);

test('commercials, cards and announcements have no captions, and start with a clear screen', () => {
  let interruptions = 0;
  for (const { channel, index, at } of captioned) {
    const truth = channelTruth(DEFAULT, channel, at, {
      schedule: false,
      seconds: HOUR_SECONDS,
      windowSec: HOUR_SECONDS,
    }).stations[index];
    const pages = truth?.captions.filter(({ language }) => language === 'jpn') ?? [];
    for (const part of truth?.rundown.parts ?? []) {
      const from = part.ticks / 90;
      const to = from + (part.frames * 3_003) / 90;
      const begun = (page: (typeof pages)[number]) => ticksAt(broadcastMs(page.at)) / 90;
      if (part.kind === 'main') continue;
      expect(pages.filter((page) => begun(page) >= from && begun(page) < to)).toEqual([]);
      const before = pages.findLast((page) => begun(page) < from);
      if (before === undefined) continue;
      expect([before.clears, before.runs]).toEqual([true, []]);
      interruptions += 1;
    }
  }
  expect(interruptions).toBeGreaterThan(20);
  // Hours of all stations, on a machine that may be busy.
});

test("the stations' encoders use every form of coding", () => {
  const styles = captioned.map(({ channel, index }) =>
    stationStyle(DEFAULT.seed, channel.stations[index]?.serviceId ?? 0),
  );
  expect(new Set(styles.map(({ habit }) => habit)).size).toBe(HABITS.length);
  expect(new Set(styles.map(({ motion }) => motion)).size).toBe(3);
  for (const choice of ['compact', 'outlined', 'halfColours', 'raster'] as const)
    expect(new Set(styles.map((style) => style[choice])).size).toBe(2);
});

/** Languages and groups seen in the management data. */
const announced = new Set<string>();

describe.each(captioned)('an hour of $name from $clock', ({ channel, index, at }) => {
  const from = ticksAt(at);
  let truth: Station | undefined;
  let sent: Sent | undefined;
  let packets: Pes[] = [];

  beforeAll(() => {
    truth = truthOf(channel, at, HOUR_SECONDS)[index];
    const pid = truth?.captionStream?.pid ?? 0;
    // Packets are sent before their presentation: those presented within the hour left a little earlier.
    sent = captionPackets(channel, from - SECOND, HOUR_SECONDS + 1).get(pid);
    packets = pesOf(sent?.bytes ?? new Uint8Array(), pid);
  });

  // A day's captions are too many to hold in memory.
  afterAll(() => {
    [truth, sent, packets] = [undefined, undefined, []];
  });

  /** Unwraps to this hour, even if the stamps wrap in it. */
  const unwrapped = (stamp: number): number => stamp + 2 ** 33 * Math.round((from - stamp) / 2 ** 33);

  test('its packets have the headers of synchronised captions, and the right CRC', () => {
    expect(packets.length).toBeGreaterThan(HOUR_SECONDS - 10);
    for (const { bytes } of packets) {
      // Start code, private_stream_1; aligned, only a PTS, 5 bytes of it; data_identifier and
      // private_stream_id.
      expect([...bytes.subarray(0, 4), ...bytes.subarray(6, 9)]).toEqual([0, 0, 1, 0xbd, 0x84, 0x80, 5]);
      expect([...bytes.subarray(14, 17)]).toEqual([0x80, 0xff, 0xf0]);
      expect(crc16(bytes.subarray(17))).toBe(0);
    }
  });

  test('they leave between half a second and a second before they are presented', () => {
    for (const { ordinal, bytes } of packets) {
      const done = sent?.times[ordinal - 1] ?? 0;
      const ahead = unwrapped(ptsOf(bytes)) - done;
      expect(ahead).toBeWithin(0.5 * SECOND, SECOND + 1);
    }
  });

  test('management data comes every second and names the languages of the statements', () => {
    const times: number[] = [];
    let languages = 0;
    let current = 0;
    for (const { bytes } of packets) {
      const { data } = readGroup(bytes.subarray(14));
      if (data.tag === 'CaptionManagement') {
        times.push(unwrapped(ptsOf(bytes)));
        ({ group: current } = data);
        languages = data.languages.length;
        const codes = data.languages.map(({ iso_639_language_code }) => iso_639_language_code);
        announced.add(`${data.group} ${codes.join(',')}`);
        expect(data).toMatchObject({ timeControlMode: 0, units: [] });
        for (const { displayMode, format, TCS, rollup } of data.languages)
          expect([displayMode, format, TCS, rollup]).toEqual([0b1010, 8, 0, 0]);
      } else {
        expect(data.lang).toBeLessThan(languages);
        expect(data.group === current).toBe(true);
      }
    }
    for (const [number, time] of times.slice(1).entries()) expect(time - (times[number] ?? 0)).toBe(SECOND);
  });

  test.each([0, 1])('language %d reads like the expected captions', (language) => {
    const code = language === 0 ? 'jpn' : 'eng';
    const pages = (truth?.captions ?? []).filter((page) => page.language === code);
    const vertical = new Set(pages.filter((page) => page.vertical).map(({ pts }) => unwrapped(pts)));
    const first = unwrapped(truth?.captions[0]?.pts ?? 0);
    const last = unwrapped(truth?.captions.at(-1)?.pts ?? 0);
    const read = packets.flatMap(({ bytes }) => {
      const pts = unwrapped(ptsOf(bytes));
      const { data } = readGroup(bytes.subarray(14));
      return data.tag === 'CaptionStatement' && data.lang === language ? readCells(data, pts) : [];
    });
    const within = read.filter(({ ticks }) => ticks >= first && ticks <= last);
    const wanted = pages.flatMap((page) => truthCells({ ...page, pts: unwrapped(page.pts) }));
    expect(comparable(within, vertical)).toEqual(comparable(wanted, vertical));
  });
});

test('both groups of management data were seen, with one language and with two', () => {
  expect([...announced].sort()).toEqual(['0 jpn', '1 jpn,eng']);
});

test('a day of all stations shows every size, colour, decoration and place', () => {
  // Five minutes of each hour.
  const hours = Array.from({ length: 24 }, (_, hour) => broadcastMs(AT + hour * 3_600_000));
  const pages = DEFAULT.channels
    .filter(({ type }) => type !== 'CS')
    .flatMap((channel) => hours.flatMap((at) => truthOf(channel, at, 300)))
    .flatMap((station) => station.captions);
  const runs = pages.flatMap((page) => page.runs);
  const seen = (pick: (one: TruthPage['runs'][number]) => unknown): unknown[] =>
    [...new Set(runs.map(pick))].sort();
  expect(seen(({ size }) => size)).toEqual(['large', 'middle', 'normal', 'small', 'tall', 'wide']);
  expect(seen(({ foreground }) => foreground)).toEqual([2, 24, 3, 6, 7]);
  expect(seen(({ background }) => background)).toEqual([65, 8]);
  expect(seen(({ flash }) => flash)).toEqual(['inverted', 'none', 'normal']);
  for (const mark of ['underline', 'boxed', 'inverted', 'outlined'] as const)
    expect(seen((one) => one[mark])).toEqual([false, true]);
  const bitmaps = new Set(
    runs.flatMap(({ drcs }) => drcs.map(({ width, height, levels }) => `${width}x${height}/${levels}`)),
  );
  expect([...bitmaps].sort()).toEqual(['18x18/2', '18x18/4', '18x36/4', '36x36/2', '36x36/4']);
  expect(pages.some(({ vertical }) => vertical)).toBe(true);
  expect(pages.some(({ ruby }) => ruby.length > 0)).toBe(true);
  expect(new Set(pages.map(({ language }) => language))).toEqual(new Set(['jpn', 'eng']));
  // Texts occur in all four quarters of the plane.
  const quarters = new Set(
    runs.map(({ x, y }) => `${x < 480 ? 'left' : 'right'} ${y < 270 ? 'top' : 'bottom'}`),
  );
  expect(quarters.size).toBe(4);
});

describe('superimposed text', () => {
  const channel = DEFAULT.channels[0];
  if (channel === undefined) throw new Error('no channel');
  const [truth] = truthOf(channel, AT, HOUR_SECONDS);
  const pid = truth?.superimposeStream?.pid ?? 0;
  const sent = captionPackets(channel, ticksAt(AT), HOUR_SECONDS).get(pid);
  const packets = pesOf(sent?.bytes ?? new Uint8Array(), pid);

  test('comes without a time, on the other stream', () => {
    for (const { bytes } of packets) {
      expect([...bytes.subarray(0, 4)]).toEqual([0, 0, 1, 0xbf]);
      expect([...bytes.subarray(6, 9)]).toEqual([0x81, 0xff, 0xf0]);
      expect(crc16(bytes.subarray(9))).toBe(0);
    }
    const [first] = packets;
    const { data } = readGroup(first?.bytes.subarray(6) ?? new Uint8Array());
    expect(data.tag === 'CaptionManagement' && data.languages[0]?.displayMode === 0).toBe(true);
  });

  test('is a newsflash every ten minutes, erased after twenty seconds', () => {
    const statements = packets.flatMap(({ ordinal, bytes }: Pes) => {
      const { data, tag } = readGroup(bytes.subarray(6));
      expect(tag).toBe('Superimpose');
      const arrived = (sent?.times[ordinal - 1] ?? 0) - ticksAt(AT);
      return data.tag === 'CaptionStatement' ? [{ data, arrived }] : [];
    });
    expect(truth?.superimposed).toHaveLength(12);
    expect(statements).toHaveLength(12);
    for (const [number, { data, arrived }] of statements.entries()) {
      const page = truth?.superimposed[number];
      if (page === undefined) throw new Error('no page');
      // Received within a few packets of its moment.
      expect(arrived / 90 - (page.at - AT)).toBeWithin(0, 100);
      expect(comparable(readCells(data, page.pts), new Set())).toEqual(
        comparable(truthCells(page), new Set()),
      );
      const last = truth?.superimposed[number - 1];
      if (page.runs.length === 0) expect(page.at - (last?.at ?? 0)).toBe(20_000);
      const chimes = new ARIBB24JapaneseJIS8Tokenizer()
        .tokenize(data)
        .filter(({ tag }) => tag === 'BuiltinSoundReplay');
      expect(chimes).toHaveLength(page.runs.length === 0 ? 0 : 1);
    }
  });
});

test('two tunings carry the same statements with the same time stamps', () => {
  const [channel] = DEFAULT.channels;
  if (channel === undefined) throw new Error('no channel');
  const from = ticksAt(AT);
  const read = (begin: number) =>
    [...captionPackets(channel, begin, 60)].flatMap(([pid, { bytes }]) =>
      pesOf(bytes, pid).map((pes) => Buffer.from(pes.bytes).toString('hex')),
    );
  const early = new Set(read(from));
  const late = read(from + 12_345 * 90);
  const both = late.filter((pes) => early.has(pes));
  expect(both.length).toBeGreaterThan(100);
  // Only the twelve seconds after the first one's end are new.
  expect(late.length - both.length).toBeLessThan(60);
});

const SCENARIO = {
  name: 'captioned',
  seed: 3,
  channels: [
    {
      type: 'GR',
      channel: 'T30',
      networkId: 32_610,
      transportStreamId: 32_610,
      bitrate: 3_000_000,
      stations: [
        {
          serviceId: 9_232,
          name: '字幕局',
          video: { codec: 'mpeg2', width: 320, height: 240, bitrate: 1_000_000 },
          audios: [{}],
          captions: { languages: ['jpn'], newsflashSec: 60 },
          programmes: [{ durationSec: 60, title: 'ドラマ🈑', genres: [[3, 0]] }],
        },
      ],
    },
  ],
};

describe('a whole channel', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'captions-'));
  const file = join(folder, 'captioned.json');
  await Bun.write(file, JSON.stringify(SCENARIO));
  const options = [
    '--scenario',
    file,
    '--type',
    'GR',
    '--channel',
    'T30',
    '--at',
    String(AT),
    '--duration',
    '40',
  ];
  const stream = (await synth(...options, '--speed', '0')).stdout;
  const output = JSON.parse(new TextDecoder().decode((await synth('--truth', ...options)).stdout)) as {
    stations: Station[];
  };
  rmSync(folder, { recursive: true });
  const [truth] = output.stations;

  test('ffprobe detects ARIB captions of profile A and their times', async () => {
    const { video, audio } = mediaPids(output as unknown as Truth);
    const probed = await run(
      ['ffprobe', '-v', 'error', '-of', 'json', '-show_streams', '-show_packets', '-i', 'pipe:0'],
      trimmed(stream, video, audio),
    );
    expect(probed.stderr).toBe('');
    const { streams, packets } = JSON.parse(new TextDecoder().decode(probed.stdout)) as {
      streams: { index: number; id: string; codec_name: string; profile?: string }[];
      packets: { stream_index: number; pts: number }[];
    };
    const found = streams.find(({ id }) => Number(id) === truth?.captionStream?.pid);
    expect(found).toMatchObject({ codec_name: 'arib_caption', profile: 'Profile A' });
    expect(streams.some(({ id }) => Number(id) === truth?.superimposeStream?.pid)).toBe(true);
    const times = new Set(
      packets.filter(({ stream_index }) => stream_index === found?.index).map(({ pts }) => pts),
    );
    // Those that the end of the stream cuts off have not been sent yet.
    const expectedPages = (truth?.captions ?? []).filter(({ at }) => at < AT + 39_000);
    expect(expectedPages.length).toBeGreaterThan(5);
    const waited = expectedPages.filter(({ pts }) => !times.has(pts));
    // Only text that a statement shows after a wait of its own has no packet of its own.
    expect(
      waited.every(({ pts }) => expectedPages.some((page) => page.pts < pts && times.has(page.pts))),
    ).toBe(true);
    expect(waited.length).toBeLessThan(expectedPages.length / 2);
  });

  test('the other reader finds both streams by the map', async () => {
    const offered = () => new Response(stream).body as ReadableStream<Uint8Array>;
    for (const type of ['Caption', 'Superimpose'] as const) {
      const statements: string[] = [];
      for await (const { tag, data } of demuxMPEGTS(offered(), { type, serviceId: 9_232 })) {
        expect(tag).toBe(type);
        if (data.tag !== 'CaptionStatement') continue;
        const tokens = new ARIBB24JapaneseJIS8Tokenizer().tokenize(data);
        statements.push(tokens.map((token) => (token.tag === 'Character' ? token.character : '')).join(''));
      }
      expect(statements.length).toBeGreaterThan(0);
      const pages = type === 'Caption' ? truth?.captions : truth?.superimposed;
      for (const page of pages?.filter(({ at }) => at > AT + 1_000 && at < AT + 38_000) ?? []) {
        const [run] = page.runs;
        if (run === undefined || run.drcs.length > 0) continue;
        const wanted = [...run.text].map(asPeer).join('').replaceAll('　', '');
        expect(statements.some((statement) => statement.includes(wanted))).toBe(true);
      }
    }
  });
});
