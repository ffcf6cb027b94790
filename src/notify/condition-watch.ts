/** Watches what no row tells: tuners, the card, the age of the guide, free space, the version. Tells changes once. */
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Card, Tuner } from '../../lib/wire/agent.ts';
import type { NoticeEvent, NoticeKind } from '../../lib/wire/vocabulary.ts';
import { momentText } from '../model/moment-text.ts';
import type { NoticeFacts } from '../model/notice.ts';
import type { NoticeStore } from '../store/notice-store.ts';
import type { Write } from '../store/transaction.ts';

export interface SpaceShortage {
  /** How long one recording could still be written, ms. */
  leftMs: number;
  /** Epoch ms, of running and planned recordings; null: the space just suffices. */
  fullAt: number | null;
}

interface ConditionOptions {
  store: Pick<NoticeStore, 'condition' | 'noteCondition'>;
  /** @throws Failure agent_unavailable */
  tuners: () => Promise<readonly Tuner[]>;
  card: () => Promise<Card>;
  /** null: enough. */
  shortage: () => Promise<SpaceShortage | null>;
  /** Japanese sentence; null: none is known. */
  databaseTrouble: () => string | null;
  /** Epoch ms at which any station's guide was last read; null: never, or it is not collected. */
  guideReadAt: () => number | null;
  /** False: `now` may be wrong, and the guide has no age. */
  isTimeSure: () => boolean;
  version: string;
  checkMs: number;
  write: Write;
  log: Log;
  now: WallClock;
}

interface Condition {
  subject: string;
  kind: NoticeKind;
  state: string;
  /** The event of a change into this state; null: it is not told. */
  event: NoticeEvent | null;
  facts: NoticeFacts;
  /** How long it has been so before it is told. Default: two checks. */
  settleMs?: number;
}

/** A state that is seen in two checks in a row is told: a tuner may be reset, a disk scanned. */
const SEEN = 2;
/** A running recording learns at its end what it lacks: that it cannot be written is told at once. */
const USED_UP_MS = 60_000;
const GUIDE_STALE_MS = 36 * 3_600_000;
/** The guide is old when a machine that was off is started; it is read within some hours. */
const GUIDE_SETTLE_MS = 3 * 3_600_000;

export class ConditionWatch {
  #timer: ReturnType<typeof setInterval> | undefined;
  #checking: Promise<void> | undefined;
  /** States that differ from the last one told, with the number of checks that saw them. */
  readonly #seen = new Map<string, { state: string; times: number }>();

  constructor(private readonly options: ConditionOptions) {}

  start(): void {
    this.#timer = setInterval(() => this.check(), this.options.checkMs);
    this.check();
  }

  /** @returns when it is over */
  check(): Promise<void> {
    this.#checking ??= this.#check()
      .catch((error) => this.options.log.warn('conditions not checked', { error: String(error) }))
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#checking;
  }

  async #check(): Promise<void> {
    const own = [await this.#space(), this.#database(), this.#version()];
    if (this.options.isTimeSure()) own.push(this.#guide());
    const found = [...(await this.#equipment()), ...own];
    for (const condition of found) await this.#note(condition);
  }

  async #note({ subject, kind, state, event, facts, settleMs = 0 }: Condition): Promise<void> {
    const { store, write, now, checkMs } = this.options;
    const before = store.condition(subject);
    if (before === state) {
      this.#seen.delete(subject);
      return;
    }
    const seen = this.#seen.get(subject);
    const times = seen?.state === state ? seen.times + 1 : 1;
    this.#seen.set(subject, { state, times });
    if (times < Math.max(SEEN, settleMs / checkMs) && before !== undefined) return;
    this.#seen.delete(subject);
    const at = now();
    // What is found at the first look is how this home is, not news.
    const notice =
      before === undefined || event === null
        ? null
        : { key: `${event}:${subject}:${at}`, event, kind, subject: subject.replace(/^\w+:/, ''), facts, at };
    await write(() => store.noteCondition(subject, state, notice));
  }

  /** Of an agent that does not answer, that alone is told. */
  async #equipment(): Promise<Condition[]> {
    let tuners: readonly Tuner[];
    let card: Card;
    try {
      [tuners, card] = await Promise.all([this.options.tuners(), this.options.card()]);
    } catch {
      const text = 'チューナーエージェントに接続できません。録画もライブ視聴もできません。';
      return [{ subject: 'agent:agent', kind: 'tuner', state: 'away', event: 'tuner_lost', facts: { text } }];
    }
    const back = 'チューナーエージェントに接続できました。';
    return [
      { subject: 'agent:agent', kind: 'tuner', state: 'ready', event: 'tuner_back', facts: { text: back } },
      ...tuners
        .filter(({ disabled }) => !disabled)
        .map(({ id, state, name }): Condition => {
          const isLost = state === 'error';
          const event = isLost ? 'tuner_lost' : 'tuner_back';
          return {
            subject: `tuner:${id}`,
            kind: 'tuner',
            state: isLost ? 'error' : 'ready',
            event,
            facts: { name },
          };
        }),
      cardCondition(card),
    ];
  }

  #guide(): Condition {
    const { guideReadAt, now } = this.options;
    const at = guideReadAt();
    const isStale = at !== null && now() - at > GUIDE_STALE_MS;
    const state = isStale ? 'stale' : 'fresh';
    const base = { subject: 'guide:guide', kind: 'guide', state, facts: {} } as const;
    return isStale ? { ...base, event: 'guide_stale', settleMs: GUIDE_SETTLE_MS } : { ...base, event: null };
  }

  async #space(): Promise<Condition> {
    const shortage = await this.options.shortage();
    const base = { subject: 'storage:recordings', kind: 'storage' } as const;
    if (shortage === null) return { ...base, state: 'enough', event: null, facts: {} };
    const { leftMs, fullAt } = shortage;
    if (fullAt === null) return { ...base, state: 'low', event: 'disk_low', facts: {} };
    if (leftMs < USED_UP_MS) {
      const facts = { text: '録画先の空き容量がなくなりました。空きを増やすまで録画できません。' };
      return { ...base, state: 'used_up', event: 'disk_low', facts };
    }
    const text = `録画先の空き容量が足りません。このままでは${momentText(fullAt)}ごろから録画できなくなります。`;
    return { ...base, state: 'full', event: 'will_fail', facts: { text } };
  }

  /** It is told once it can be stored; what was stored before is told meanwhile. */
  #database(): Condition {
    const trouble = this.options.databaseTrouble();
    const base = { subject: 'database:database', kind: 'service' } as const;
    if (trouble === null) return { ...base, state: 'well', event: null, facts: {} };
    return { ...base, state: 'trouble', event: 'database_trouble', facts: { text: trouble } };
  }

  #version(): Condition {
    const { version } = this.options;
    const text = `svc をバージョン ${version} に更新しました。`;
    return { subject: 'service:version', kind: 'service', state: version, event: 'update', facts: { text } };
  }
}

/** A home without a card has no condition to lose. */
function cardCondition({ state, failure }: Card): Condition {
  const base = { subject: 'card:card', kind: 'card', facts: {} } as const;
  if (state === 'ready' || state === 'shared') return { ...base, state: 'ready', event: null };
  if (state === 'none' && failure === null) return { ...base, state: 'none', event: null };
  return { ...base, state: 'lost', event: 'card_lost' };
}
