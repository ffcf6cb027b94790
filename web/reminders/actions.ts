/** Setting and cancelling reminders: each says what came of it, with a way back. */
import type { Reminder, ReminderRequest } from '../../lib/wire/reminders.ts';
import { asFailure } from '../query/api.ts';
import { cancelReminder, cancelReminderSeries, REMINDERS, setReminder } from '../query/reminders.ts';
import { entryOf } from '../query/use-query.ts';
import { showToast, type ToastAction } from '../ui/toast.tsx';
import { quoted } from '../words/recording.ts';
import { splitTitle } from '../words/title.ts';
import { beforeText, TEXTS } from './texts.ts';

const ABOUT = 'reminder';

async function change(act: () => Promise<string>, undo?: ToastAction): Promise<void> {
  try {
    const sentence = await act();
    await entryOf(REMINDERS).renew();
    showToast(sentence, undo, ABOUT);
  } catch (error) {
    showToast(asFailure(error).message, undefined, ABOUT);
  }
}

export function remind(name: string, request: ReminderRequest): Promise<void> {
  return change(async () => {
    await setReminder(request);
    const title = quoted(splitTitle(name).title);
    const before = beforeText(request.minutes);
    return request.series === true ? TEXTS.doneSeries(title, before) : TEXTS.done(title, before);
  });
}

export function cancelOne({ id, name, programId, minutes }: Reminder): Promise<void> {
  const undo = { label: TEXTS.undo, run: () => void remind(name, { programId, minutes }) };
  return change(async () => {
    await cancelReminder(id);
    return TEXTS.cancelled;
  }, undo);
}

export function cancelSeries(id: number): Promise<void> {
  return change(async () => {
    await cancelReminderSeries(id);
    return TEXTS.cancelled;
  });
}
