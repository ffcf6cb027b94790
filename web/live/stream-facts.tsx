/** Facts of the current stream: format, bit rate, delay, buffer, dropped pictures, and the tuner's reception. */
import { useEffect, useState } from 'preact/hooks';
import type { BroadcastMs } from '../../arib/time.ts';
import type { Tuner } from '../../wire/agent.ts';
import { TUNERS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Sheet } from '../ui/sheet.tsx';
import { QUALITY_WORDS } from '../words/quality.ts';
import type { LivePlayer } from './live-player.ts';

const EVERY_MS = 1_000;

interface FactsProps {
  readonly player: LivePlayer;
  readonly onClose: () => void;
}

const CODECS: Readonly<Record<string, string>> = { h264: 'H.264', av1: 'AV1', raw: '無変換（MPEG-2）' };

const JST_OFFSET_MS = 9 * 3_600_000;

/** `21:05:07`, Japan Standard Time. @param at epoch ms */
function timeOfDay(at: BroadcastMs): string {
  return new Date(at + JST_OFFSET_MS).toISOString().slice(11, 19);
}

function seconds(value: number | undefined): string {
  return value === undefined ? '—' : `${value.toFixed(1)} 秒`;
}

function signalText(tuner: Tuner | undefined): string {
  const { cnr = null, strength = null } = tuner?.signal ?? {};
  const parts = [
    cnr === null ? undefined : `CN 比 ${cnr.toFixed(1)} dB`,
    strength === null ? undefined : `${strength.toFixed(1)} dBm`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? '—' : parts.join('、');
}

export function StreamFacts({ player, onClose }: FactsProps) {
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
    ['映像', [CODECS[tuned?.codec ?? ''] ?? '—', facts.size].filter((part) => part !== '').join('、')],
    ['画質', tuned?.quality === undefined ? '—' : QUALITY_WORDS[tuned.quality].name],
    ['通信量', facts.bitRate === undefined ? '—' : `${(facts.bitRate / 1_000_000).toFixed(1)} Mbps`],
    ['放送からの遅れ', seconds(player.behind.value)],
    ['放送の時刻', facts.broadcastAt === undefined ? '—' : timeOfDay(facts.broadcastAt)],
    ['バッファー', `${seconds(facts.ahead)}（目標 ${facts.target.toFixed(1)} 秒）`],
    ['表示できなかったコマ', `${facts.dropped} / ${facts.frames}`],
    ['チューナー', tuner?.name ?? '—'],
    ['受信', signalText(tuner)],
    ['パケットの欠落', tuner?.stats == null ? '—' : String(tuner.stats.continuityErrors)],
  ];
  return (
    <Sheet title="配信の状態" onClose={onClose}>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd class="numbers">{value}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
