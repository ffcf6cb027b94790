/** One tuner: its device, its current use, signal quality, and faults. */
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { KEY_FAILURE_WORDS } from '../../lib/wire/key-failure.ts';
import { currentMs } from '../device/clock.ts';
import { RUNNING_RECORDINGS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { narrow } from '../words/channel.ts';
import { splitTitle } from '../words/title.ts';
import { driverName, errorAdvice, TYPE_NAMES, tunerStateWords, userWords } from '../words/tuner.ts';
import { SignalBar } from './signal-bar.tsx';
import { TEXTS } from './texts.ts';

/** Further behind than this a user of a tuning is in trouble: it is cut at 64 MB. */
const LATE_BYTES = 8_000_000;
const MEGA = 1_000_000;

function Users({ tuner, channels }: { tuner: Tuner; channels: readonly Channel[] }) {
  const running = useQuery(RUNNING_RECORDINGS).value ?? [];
  const nameOf = (id: RecordingId): string | undefined => {
    const found = running.find((recording) => recording.id === id);
    return found && TEXTS.program(splitTitle(found.name).title, narrow(found.serviceName));
  };
  if (tuner.users.length === 0) return null;
  return (
    <ul class="stack gap-25">
      {tuner.users.flatMap((user) =>
        userWords(user.use, channels, nameOf).map((words) => (
          <li class="flex wrap align-baseline gap-text" key={`${user.use} ${words.text}`}>
            <b>{words.text}</b>
            {words.detail === undefined ? null : <span class="muted">{words.detail}</span>}
            {user.lagBytes < LATE_BYTES ? null : (
              <span class="numbers bold text-danger">{TEXTS.late(Math.round(user.lagBytes / MEGA))}</span>
            )}
          </li>
        )),
      )}
    </ul>
  );
}

const COUNTS = [
  ['continuityErrors', TEXTS.drops],
  ['transportErrors', TEXTS.errors],
  ['syncErrors', TEXTS.syncErrors],
  ['scrambled', TEXTS.scrambled],
] as const;

function TunerCounts({ stats }: { stats: NonNullable<Tuner['stats']> }) {
  const sum = COUNTS.reduce((all, [key]) => all + stats[key], 0);
  return (
    <details class="text-xs muted">
      <summary class="press">
        {TEXTS.disturbed}
        <b class={sum > 0 ? 'pad-x numbers text-danger' : 'pad-x'}>
          {sum === 0 ? TEXTS.none : sum.toLocaleString('ja-JP')}
        </b>
      </summary>
      <dl class="flex wrap gap-text" title={TEXTS.packets(stats.packets.toLocaleString('ja-JP'))}>
        {COUNTS.map(([key, name]) => (
          <div key={key} class={stats[key] > 0 ? 'count flex text-danger gap-40' : 'count flex gap-40'}>
            <dt>{name}</dt>
            <dd class="numbers bold">{stats[key].toLocaleString('ja-JP')}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Descrambling({ tuner }: { tuner: Tuner }) {
  const failure = tuner.descrambling?.failure ?? null;
  const words = failure === null ? undefined : KEY_FAILURE_WORDS[failure];
  if (words === undefined) return null;
  return (
    <div class="alert">
      <Icon name="lock" />
      <p>
        <b class="block-level">{words.what}</b>
        {words.next}
      </p>
    </div>
  );
}

interface TunerCardProps {
  readonly tuner: Tuner;
  /** In the order of use, from 1; undefined: not used. */
  readonly number: number | undefined;
  readonly channels: readonly Channel[];
}

export function TunerCard({ tuner, number, channels }: TunerCardProps) {
  const [text, tone] = tunerStateWords(tuner);
  return (
    <li
      class="tuner stack round-m bordered ground pad-3 gap-50"
      data-disabled={tuner.disabled ? '' : undefined}
    >
      <header class="tuner-head hstack gap-75">
        <span class="tuner-rank sign numbers" title={TEXTS.order}>
          {number ?? '–'}
        </span>
        <span class="tuner-name stack grow min-0 line-tight">
          <b>{tuner.name}</b>
          <small class="cluster muted gap-40">
            {driverName(tuner.driver)}
            {tuner.device === '' ? null : <span>{tuner.device}</span>}
            {tuner.types.map((type) => (
              <span key={type} class="fill-quiet badge">
                {TYPE_NAMES[type]}
              </span>
            ))}
          </small>
        </span>
        <span class="state text-s bold" data-tone={tone}>
          {text}
        </span>
      </header>
      <Users tuner={tuner} channels={channels} />
      <SignalBar of={tuner} />
      {tuner.stats === null ? null : <TunerCounts stats={tuner.stats} />}
      <Descrambling tuner={tuner} />
      {tuner.error === null ? null : (
        <div class="alert" role="alert">
          <Icon name="alert" />
          <p>
            <b class="block-level">{tuner.error}</b>
            {errorAdvice(tuner, currentMs())}
          </p>
        </div>
      )}
    </li>
  );
}
