/** One tuner: its device, its current use, signal quality, and faults. */
import type { Channel, Tuner } from '../../wire/agent.ts';
import type { RecordingId } from '../../wire/ids.ts';
import { KEY_FAILURE_WORDS } from '../../wire/key-failure.ts';
import { currentMs } from '../device/clock.ts';
import { plainReason } from '../query/plain-reason.ts';
import { RUNNING_RECORDINGS } from '../query/queries.ts';
import { useQuery } from '../query/use-query.ts';
import { Icon } from '../ui/icon.tsx';
import { narrow } from '../words/channel.ts';
import { splitTitle } from '../words/title.ts';
import { driverName, errorAdvice, stateWords, TYPE_NAMES, userWords } from '../words/tuner.ts';
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
    <ul class="tuner-users">
      {tuner.users.flatMap((user) =>
        userWords(user.use, channels, nameOf).map((words) => (
          <li key={`${user.use} ${words.text}`}>
            <b>{words.text}</b>
            {words.detail === undefined ? null : <span>{words.detail}</span>}
            {user.lagBytes < LATE_BYTES ? null : (
              <span class="tuner-late numbers">{TEXTS.late(Math.round(user.lagBytes / MEGA))}</span>
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

function Counts({ stats }: { stats: NonNullable<Tuner['stats']> }) {
  return (
    <dl class="counts" title={TEXTS.packets(stats.packets.toLocaleString('ja-JP'))}>
      {COUNTS.map(([key, name]) => (
        <div key={key} class={stats[key] > 0 ? 'count count-bad' : 'count'}>
          <dt>{name}</dt>
          <dd class="numbers">{stats[key].toLocaleString('ja-JP')}</dd>
        </div>
      ))}
    </dl>
  );
}

function Descrambling({ tuner }: { tuner: Tuner }) {
  const failure = tuner.descrambling?.failure ?? null;
  const words = failure === null ? undefined : KEY_FAILURE_WORDS[failure];
  if (words === undefined) return null;
  return (
    <div class="tuner-error">
      <Icon name="lock" />
      <p>
        <b>{words.what}</b>
        {words.next}
      </p>
    </div>
  );
}

export function TunerCard({ tuner, channels }: { tuner: Tuner; channels: readonly Channel[] }) {
  const [text, tone] = stateWords(tuner);
  return (
    <li class="tuner" data-disabled={tuner.disabled ? '' : undefined}>
      <header class="tuner-head">
        <span class="tuner-rank numbers" title={TEXTS.order}>
          {tuner.rank === null ? '–' : tuner.rank + 1}
        </span>
        <span class="tuner-name">
          <b>{tuner.name}</b>
          <small>
            {driverName(tuner.driver)}
            {tuner.device === '' ? null : <span class="tuner-device">{tuner.device}</span>}
            {tuner.types.map((type) => (
              <span key={type} class="type-badge">
                {TYPE_NAMES[type]}
              </span>
            ))}
          </small>
        </span>
        <span class="state" data-tone={tone}>
          {text}
        </span>
      </header>
      <Users tuner={tuner} channels={channels} />
      <SignalBar of={tuner} />
      {tuner.stats === null ? null : <Counts stats={tuner.stats} />}
      <Descrambling tuner={tuner} />
      {tuner.error === null ? null : (
        <div class="tuner-error" role="alert">
          <Icon name="alert" />
          <p>
            <b>{plainReason(tuner.error, TEXTS.unusable)}</b>
            {errorAdvice(tuner, currentMs())}
          </p>
        </div>
      )}
    </li>
  );
}
