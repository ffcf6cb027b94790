/** What can be done about a notice with one press, and doing it. Whether it can is read anew each time. */
import type { Database } from 'bun:sqlite';
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RecordingId, ReservationId } from '../../lib/wire/ids.ts';
import type { NoticeAction, NoticeDone } from '../../lib/wire/notifications.ts';
import type { NoticeActionName } from '../../lib/wire/vocabulary.ts';
import { Failure } from '../model/failure.ts';
import { momentText } from '../model/moment-text.ts';
import type { StoredNotice } from '../model/notice.ts';
import { quotedTitle } from '../model/quoted-title.ts';
import { isWaiting, programFacts, recordingFacts } from '../store/notice-subjects.ts';

/** A later airing of the same title. */
interface Airing {
  id: ProgramId;
  /** As broadcast. */
  name: string;
  serviceName: string;
  startAt: BroadcastMs;
}

/** What the other features do. */
export interface NoticeDeeds {
  reservations: {
    /** The next one that is not booked. @param name as broadcast */
    nextAiring(name: string): Airing | undefined;
    /** @throws Failure */
    reserve(order: {
      programId: ProgramId;
    }): Promise<{ id: ReservationId; state: string; reason: string | null }>;
    /** @throws Failure not_found */
    cancel(reservation: ReservationId): Promise<void>;
  };
  encodes: { enqueueMany(which: { ids: RecordingId[] }): number };
  retention: {
    binned(): { count: number; bytes: number };
    emptyBin(): Promise<{ count: number; bytes: number; isRemoved: boolean }>;
  };
}

interface NoticeActionOptions extends NoticeDeeds {
  database: Database;
  now: () => BroadcastMs;
}

type Subject = Pick<StoredNotice, 'event' | 'kind' | 'subject' | 'facts'>;

const LABELS: Readonly<Record<NoticeActionName, string>> = {
  watch: '見る',
  book_next: '次の放送を予約',
  record: '録画を予約',
  cancel: '予約を取り消す',
  encode: 'もう一度変換',
  empty_bin: 'ごみ箱を空にする',
};

const act = (action: NoticeActionName): NoticeAction => ({ action, label: LABELS[action], path: null });
const watch = (path: string, label = LABELS.watch): NoticeAction => ({ action: 'watch', label, path });

export class NoticeActions {
  constructor(private readonly options: NoticeActionOptions) {}

  /** The likeliest first; of a push the browser shows two. */
  of(notice: Subject): NoticeAction[] {
    const { database } = this.options;
    const { event, kind, subject, facts } = notice;
    const found: NoticeAction[] = [];
    if (this.#isMissed(notice) && this.#next(facts.name) !== undefined) found.push(act('book_next'));
    if (kind === 'recording') found.push(...this.#ofRecording(notice));
    if ((event === 'reserved' || event === 'rebooked') && isWaiting(database, Number(subject)))
      found.push(act('cancel'));
    if (kind === 'program') found.push(...this.#ofProgram(Number(subject)));
    if (kind === 'storage' && this.options.retention.binned().count > 0) found.push(act('empty_bin'));
    return found;
  }

  /** @throws Failure conflict: it cannot be done any more; those of the features */
  async act(notice: Subject, action: NoticeActionName): Promise<NoticeDone> {
    const isOffered = this.of(notice).some((one) => one.action === action && one.path === null);
    if (!isOffered) throw new Failure('conflict', 'この操作は、もう必要ないか、できなくなっています。');
    const { reservations, encodes, retention } = this.options;
    switch (action) {
      case 'book_next':
        return await this.#book(this.#next(notice.facts.name));
      case 'record':
        return await this.#book({
          ...{ id: Number(notice.subject) as ProgramId, name: notice.facts.name ?? '' },
          ...{ serviceName: notice.facts.station ?? '', startAt: (notice.facts.startAt ?? 0) as BroadcastMs },
        });
      case 'cancel':
        await reservations.cancel(Number(notice.subject) as ReservationId);
        return {
          message: `${quotedTitle(notice.facts.name ?? '')}の予約を取り消しました。`,
          path: 'reservations',
        };
      case 'encode':
        encodes.enqueueMany({ ids: [Number(notice.subject) as RecordingId] });
        return {
          message: `${quotedTitle(notice.facts.name ?? '')}をもう一度変換します。`,
          path: `recordings?recording=${notice.subject}`,
        };
      case 'empty_bin': {
        const { count, bytes, isRemoved } = await retention.emptyBin();
        const gigabytes = (bytes / 1e9).toFixed(1);
        const message = isRemoved
          ? `ごみ箱の${count}件を削除し、${gigabytes} GB を空けました。`
          : `ごみ箱の${count}件を削除しました。保存先のファイルを消し終えると、${gigabytes} GB が空きます。`;
        return { message, path: 'recordings' };
      }
      case 'watch':
        throw new Failure('conflict', 'この操作は、画面を開いて行います。');
    }
  }

  /** It was not recorded, or not whole, or will not be. */
  #isMissed({ event, facts: { verdict } }: Subject): boolean {
    if (event === 'finished') return verdict != null && verdict.level !== 'complete';
    return event === 'failed' || event === 'conflict' || event === 'will_fail';
  }

  #next(name: string | undefined): Airing | undefined {
    return name === undefined ? undefined : this.options.reservations.nextAiring(name);
  }

  #ofRecording({ event, subject }: Subject): NoticeAction[] {
    const facts = recordingFacts(this.options.database, Number(subject));
    if (facts === undefined) return [];
    if (event === 'encode_failed' && facts.hasOriginal) return [act('encode'), watch(`watch/${subject}`)];
    if (facts.isRunning) return [watch(`chase/${subject}`, '追いかけて見る')];
    return facts.hasFile ? [watch(`watch/${subject}`)] : [];
  }

  #ofProgram(id: number): NoticeAction[] {
    const facts = programFacts(this.options.database, id, this.options.now());
    if (facts === undefined) return [];
    return [
      watch(`live/${facts.stationId}`, facts.isOn ? LABELS.watch : 'このチャンネルを見る'),
      ...(facts.isBooked || facts.copyNever ? [] : [act('record')]),
    ];
  }

  async #book(airing: Airing | undefined): Promise<NoticeDone> {
    if (airing === undefined) throw new Failure('not_found', 'この番組の次の放送は、番組表にありません。');
    const { id, state, reason } = await this.options.reservations.reserve({ programId: airing.id });
    const path = `reservations?reservation=${id}`;
    const place = [airing.serviceName, momentText(airing.startAt)].filter((part) => part !== '').join(' ');
    const name = `${quotedTitle(airing.name)}（${place}）`;
    if (state === 'conflict')
      return { message: `${name}を予約しましたが、このままでは録画されません。${reason ?? ''}`, path };
    return { message: `${name}を予約しました。`, path };
  }
}
