/** Calls about reminders of programmes. */
import type { Reminder, ReminderRequest, Reminders } from '../../lib/wire/reminders.ts';
import { exchange, json } from './api.ts';
import { pathQuery } from './use-query.ts';

export const REMINDERS = pathQuery<Reminders>('api/reminders', ['notices', 'programs']);

export const setReminder = (body: ReminderRequest): Promise<Reminder> =>
  exchange('api/reminders', { method: 'POST', body }, json<Reminder>);
export const cancelReminder = (id: number): Promise<void> =>
  exchange(`api/reminders/${id}`, { method: 'DELETE' }, async () => {});
export const cancelReminderSeries = (id: number): Promise<void> =>
  exchange(`api/reminders/series/${id}`, { method: 'DELETE' }, async () => {});
