/** Calls about notices and their targets. */
import type { NewTarget, Notice, NoticeDone, Target, TargetChange } from '../../lib/wire/notifications.ts';
import type { NoticeActionName } from '../../lib/wire/vocabulary.ts';
import { exchange, json } from './api.ts';
import { pathQuery } from './use-query.ts';

/** Newest first. */
export const NOTICES = pathQuery<Notice[]>('api/notices', ['notices']);
export const TARGETS = pathQuery<Target[]>('api/notifications', ['notices']);

export const getNoticesBefore = (id: number): Promise<Notice[]> =>
  exchange(`api/notices?before=${id}`, {}, json<Notice[]>);
export const actOn = (id: number, action: NoticeActionName): Promise<NoticeDone> =>
  exchange(`api/notices/${id}/act`, { method: 'POST', body: { action } }, json<NoticeDone>);
export const getPushKey = (): Promise<{ publicKey: string }> =>
  exchange('api/push/key', {}, json<{ publicKey: string }>);
export const addTarget = (body: NewTarget): Promise<Target> =>
  exchange('api/notifications', { method: 'POST', body }, json<Target>);
export const changeTarget = (id: number, body: TargetChange): Promise<Target> =>
  exchange(`api/notifications/${id}`, { method: 'PUT', body }, json<Target>);
export const removeTarget = (id: number): Promise<void> =>
  exchange(`api/notifications/${id}`, { method: 'DELETE' }, async () => {});
/** Takes as long as the target's answer. */
export const testTarget = (id: number): Promise<{ ok: boolean; message: string }> =>
  exchange(`api/notifications/${id}/test`, { method: 'POST' }, json<{ ok: boolean; message: string }>);
