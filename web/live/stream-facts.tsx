/** Facts of the current stream: format, bit rate, delay, buffer, dropped pictures, the tuner's reception, and the data broadcast. */
import { useEffect, useState } from 'preact/hooks';
import { type BroadcastMs, JST_OFFSET_MS } from '../../lib/arib/time.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { LiveCodec } from '../../lib/wire/vocabulary.ts';
import type { DataBroadcast } from '../data/data-broadcast.ts';
import { DataFacts } from '../data/data-facts.tsx';
import type { StartSteps } from '../player/start-steps.ts';
import { TUNERS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Sheet } from '../ui/sheet.tsx';
import { QUALITY_WORDS } from '../words/quality.ts';
import type { LivePlayer } from './live-player.ts';
import { TEXTS } from './texts.ts';

const EVERY_MS = 1_000;
const LEAST_STEP_MS = 5;

interface FactsProps {
  readonly player: LivePlayer;
  readonly data: DataBroadcast | undefined;
  readonly onClose: () => void;
}

const CODECS: Readonly<Record<LiveCodec, string>> = { h264: 'H.264', av1: 'AV1', raw: TEXTS.unconverted };

/** `21:05:07`, Japan Standard Time. */
function timeOfDay(at: BroadcastMs): string {
  return new Date(at + JST_OFFSET_MS).toISOString().slice(11, 19);
}

function seconds(value: number | undefined): string {
  return value === undefined ? '—' : TEXTS.seconds(value.toFixed(1));
}

function signalText(tuner: Tuner | undefined): string {
  const { cnr = null, strength = null } = tuner?.signal ?? {};
  const parts = [
    cnr === null ? undefined : TEXTS.cnr(cnr.toFixed(1)),
    strength === null ? undefined : `${strength.toFixed(1)} dBm`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '—' : parts.join('、');
}

/** From the press to the picture, with the steps that took a noticeable part of it. */
function startText({ durations }: StartSteps): string {
  if (durations.length === 0) return '—';
  const total = durations.reduce((sum, [, ms]) => sum + ms, 0);
  const inSeconds = (ms: number): string => (ms / 1000).toFixed(2);
  const steps = durations
    .filter(([, ms]) => ms >= LEAST_STEP_MS)
    .map(([step, ms]) => TEXTS.startStep(TEXTS.startSteps[step], inSeconds(ms)));
  return TEXTS.startTotal(inSeconds(total), steps.join('、'));
}

export function StreamFacts({ player, data, onClose }: FactsProps) {
  const [, renew] = useState(0);
  const { value: tuners, renew: read } = useQuery(TUNERS);
  useEffect(() => {
    const timer = setInterval(() => {
      renew((count) => count + 1);
      void read();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const facts = player.facts();
  const tuned = player.tuned.value;
  const tuner = tuners?.find(({ id }) => id === tuned?.tuner);
  const rows: readonly (readonly [string, string])[] = [
    [
      TEXTS.streamVideo,
      [tuned === undefined ? '—' : CODECS[tuned.codec], facts.size].filter((part) => part !== '').join('、'),
    ],
    [TEXTS.streamQuality, tuned?.quality === undefined ? '—' : QUALITY_WORDS[tuned.quality].name],
    [TEXTS.rate, facts.bitRate === undefined ? '—' : `${(facts.bitRate / 1_000_000).toFixed(1)} Mbps`],
    [TEXTS.start, startText(player.steps)],
    [TEXTS.lag, seconds(player.behind.value)],
    [TEXTS.airTime, facts.broadcastAt === undefined ? '—' : timeOfDay(facts.broadcastAt)],
    [TEXTS.buffer, TEXTS.bufferTarget(seconds(facts.ahead), facts.target.toFixed(1))],
    [TEXTS.lostFrames, `${facts.dropped} / ${facts.frames}`],
    [TEXTS.tuner, tuner?.name ?? '—'],
    [TEXTS.reception, signalText(tuner)],
    [TEXTS.lostPackets, tuner?.stats == null ? '—' : String(tuner.stats.continuityErrors)],
  ];
  return (
    <Sheet title={TEXTS.stream} onClose={onClose}>
      <dl class="facts bordered clip round-m">
        {rows.map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd class="numbers">{value}</dd>
          </div>
        ))}
      </dl>
      {data === undefined ? null : <DataFacts data={data} />}
    </Sheet>
  );
}
