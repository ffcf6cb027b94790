/** Resource usage of processes, from /proc (Linux). */
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ of Linux on the processors that this runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process so far, all its threads, s. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident memory, MB: current, peak, and current with shared pages divided among their processes. */
export function memoryOf(pid: number): { now: number; peak: number; proportional: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (text: string, name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024;
  const proportional = of(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss');
  return { now: of(status, 'VmRSS'), peak: of(status, 'VmHWM'), proportional };
}

export function threadsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}

/** Load average of the last minute. */
export function machineLoad(): number {
  return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]);
}
