/**
 * SVT-AV1 gives its threads real-time priority (SCHED_FIFO, 99) if permitted, as under root: nothing else on the
 * machine, including recordings, would then get a processor before they finish, whatever the niceness of the process.
 * Without CAP_SYS_NICE (capabilities(7)) it uses ordinary threads.
 */
import { readFileSync } from 'node:fs';

const ENCODER = 'libsvtav1';
const CAP_SETPCAP = 1n << 8n;
const CAP_SYS_NICE = 1n << 23n;

/** Of this process, as a bit mask; 0 if the system does not report them. */
function effectiveCapabilities(): bigint {
  try {
    const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return BigInt(`0x${mask ?? '0'}`);
  } catch {
    return 0n;
  }
}

/** The command, run through `setpriv` (util-linux) if it would otherwise get real-time priority. */
export function withoutRealTimePriority(
  command: readonly string[],
  capabilities: bigint = effectiveCapabilities(),
  which: (name: string) => string | null = Bun.which,
): string[] {
  // Dropping the capability requires the permission to change the bounding set.
  const needed = CAP_SYS_NICE | CAP_SETPCAP;
  if (!command.includes(ENCODER) || (capabilities & needed) !== needed) return [...command];
  const setpriv = which('setpriv');
  if (setpriv === null) return [...command];
  return [setpriv, '--bounding-set=-sys_nice', '--inh-caps=-sys_nice', ...command];
}
