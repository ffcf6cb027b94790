/** The captions file of a recording of the synthetic broadcast. */
import { describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import type { ServiceId } from '../../lib/arib/ids.ts';
import { broadcastMs, type Pts90k, unwrapPts } from '../../lib/arib/time.ts';
import { CaptionsFileSchema, type TimedCaptionPage } from '../../lib/wire/caption.ts';
import { eventStations } from '../../synth/broadcast.ts';
import { captionTruth } from '../../synth/caption/truth.ts';
import { ticksAt } from '../../synth/clock.ts';
import { DEFAULT } from '../../synth/scenario/default.ts';
import type { TruthPage } from '../synth/caption-peer.ts';
import { extractCaptions } from './extract-captions.ts';
import { addTruth, pageCells } from './page-cells.ts';
import { recording, SERVICE } from './recording.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 20, 12, 0, 0));
const SECONDS = 600;
const FEW_SECONDS = 60;
const SECOND = 90_000;
const from = ticksAt(AT);

const stations = DEFAULT.channels
  .flatMap((channel) => eventStations(DEFAULT, channel))
  .filter(({ place }) => place.captions !== null);
const bilingual = stations.find(({ place }) => place.captions?.plan.languages.length === 2);
const station = bilingual ?? stations[0];
if (station === undefined) throw new Error('no station with captions');

const scale = (at: Pts90k): number => (unwrapPts(at, from) - from) / SECOND;

/** Split at sizes that do not align with packets. */
async function* pieces(stream: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const bytes of stream) {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
  }
}

function extract(seconds: number, serviceId?: number) {
  const stream = pieces(recording({ seed: DEFAULT.seed, station: station as never, from, seconds }));
  return extractCaptions(
    stream,
    serviceId === undefined ? { scale } : { scale, serviceId: serviceId as ServiceId },
  );
}

/** Every page of the truth is shown at its time. */
function compare(truth: readonly TruthPage[], pages: readonly TimedCaptionPage[]): number {
  const screen = new Map<string, string>();
  let compared = 0;
  for (const page of truth) {
    addTruth(screen, page);
    const at = scale(page.pts as Pts90k);
    if (at > SECONDS - 2) break;
    const shown = pages.findLast((one) => one.at <= at + 0.001);
    const { duration } = shown?.page ?? { duration: null };
    const over = shown !== undefined && duration !== null && at >= shown.at + duration / 1000 - 0.001;
    expect(shown === undefined || over ? [] : pageCells(shown.page)).toEqual([...screen.values()].sort());
    compared++;
  }
  return compared;
}

describe('captions of a recording', () => {
  const truth = captionTruth(DEFAULT.seed, station, broadcastMs(AT + 1_000), SECONDS - 1);

  test('every page at its time, language by language', async () => {
    const file = await extract(SECONDS, SERVICE);
    expect(Value.Errors(CaptionsFileSchema, file).First()).toBeUndefined();
    expect(file?.language).toEqual({ index: 1, code: 'jpn', label: '日本語' });
    const ofLanguage = (code: string) =>
      truth.captions.filter(({ language }) => language === code) as TruthPage[];
    expect(compare(ofLanguage('jpn'), file?.pages ?? [])).toBeGreaterThan(20);
    const english = ofLanguage('eng');
    if (english.length > 0) {
      expect(file?.others?.map(({ index, label }) => [index, label])).toEqual([[2, '英語']]);
      expect(compare(english, file?.others?.[0]?.pages ?? [])).toBeGreaterThan(20);
    }
    const times = file?.pages.map(({ at }) => at) ?? [];
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('a single station is found without its number, an unknown number gives none', async () => {
    expect((await extract(FEW_SECONDS))?.pages.length).toBeGreaterThan(2);
    expect(await extract(FEW_SECONDS, SERVICE + 1)).toBeNull();
  });

  test('pages before the start are shown from the start on, pages before the first position never', async () => {
    const of = (scaled: number | undefined) => {
      const stream = recording({ seed: DEFAULT.seed, station: station as never, from, seconds: FEW_SECONDS });
      return extractCaptions(pieces(stream), { scale: () => scaled });
    };
    expect((await of(-5))?.pages.map(({ at }) => at)).toEqual([0]);
    expect(await of(undefined)).toBeNull();
    expect(await of(Number.NaN)).toBeNull();
  });
});
