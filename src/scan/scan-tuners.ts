/**
 * Which waiting channels a scan may open now: a pure function of the agent's tuners. Uses of a higher
 * priority are not displaced, and one free tuner is left for the next user.
 */
import type { BroadcastType } from '../../arib/ids.ts';
import { PRIORITY, type Tuner } from '../../wire/agent.ts';
import { STREAM_USE } from '../tuner/agent-stream.ts';
import { canServe } from '../tuner/tuner-list.ts';
import type { PhysicalChannel } from './scan-range.ts';

/** Limit for any number of tuners: each survey parses a whole stream. */
export const MOST_AT_ONCE = 8;

/** Has no user of a priority that a scan must not displace. */
function isFree(tuner: Tuner): boolean {
  return tuner.users.every((user) => user.priority < PRIORITY.scan);
}

/** The channel is kept open by another user: sharing its tuning costs nothing. */
function isOpen(tuners: readonly Tuner[], { type, channel }: PhysicalChannel): boolean {
  return tuners.some(
    (tuner) =>
      tuner.tuned?.type === type &&
      tuner.tuned.channel === channel &&
      tuner.users.some((user) => user.priority >= PRIORITY.scan && user.use !== STREAM_USE.scan(channel)),
  );
}

/** @param running current readings; @param waiting in order of preference */
export function startable<Task extends PhysicalChannel>(
  waiting: readonly Task[],
  running: readonly PhysicalChannel[],
  tuners: readonly Tuner[],
): Task[] {
  const free = tuners.filter(isFree);
  const take = (type: BroadcastType): void => {
    const index = free.findIndex((tuner) => canServe(tuner, type));
    if (index >= 0) free.splice(index, 1);
  };
  // Just started: the agent's list does not show them yet, but each occupies a tuner.
  const seen = new Set(tuners.flatMap((tuner) => tuner.users.map((user) => user.use)));
  for (const { type, channel } of running) if (!seen.has(STREAM_USE.scan(channel))) take(type);
  const busy = new Set(running.map(({ type }) => type));
  const start: Task[] = [];
  for (const task of waiting) {
    if (running.length + start.length >= MOST_AT_ONCE) break;
    if (isOpen(tuners, task)) {
      start.push(task);
      continue;
    }
    const able = free.filter((tuner) => canServe(tuner, task.type)).length;
    if (able === 0 || (able === 1 && busy.has(task.type))) continue;
    take(task.type);
    busy.add(task.type);
    start.push(task);
  }
  return start;
}
