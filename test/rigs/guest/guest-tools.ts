/**
 * Shared by the scenarios in the guest: results on standard output, waiting, parameters of the kernel module.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { ScanStatus } from '../../../lib/wire/api.ts';

const MODULE = '/sys/module/isdbsim/parameters';
const LIMIT_MS = 120_000;
const SCAN_LIMIT_MS = 300_000;

function say(step: string, findings: object): void {
  process.stdout.write(`RIG ${JSON.stringify({ step, ...findings })}\n`);
}

export const parameter = (name: string): string => readFileSync(`${MODULE}/${name}`, 'utf8').trim();

export const setParameter = (name: string, value: string): void => writeFileSync(`${MODULE}/${name}`, value);

/** @returns the result of `look` once it is neither undefined nor false */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined> | T | undefined,
  limitMs = LIMIT_MS,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`did not happen: ${what}`);
    await Bun.sleep(20);
  }
}

/** Runs the steps one after another; a failed step is reported and does not stop the others. */
export async function runSteps(steps: Readonly<Record<string, () => Promise<object>>>): Promise<void> {
  for (const [step, run] of Object.entries(steps)) {
    const startedAt = performance.now();
    try {
      const findings = await run();
      say(step, { ...findings, tookMs: Math.round(performance.now() - startedAt) });
    } catch (error) {
      say(step, { error: String(error) });
    }
  }
}

/** Scans the terrestrial channels to the end. @param serviceUrl with `/api` */
export async function scanTerrestrial(serviceUrl: string): Promise<ScanStatus> {
  const started = await fetch(`${serviceUrl}/scan`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ types: ['GR'] }),
  });
  if (!started.ok) throw new Error(await started.text());
  return await until(
    'the end of the scan',
    async () => {
      const status = (await (await fetch(`${serviceUrl}/scan`)).json()) as ScanStatus;
      return status.state === 'running' ? undefined : status;
    },
    SCAN_LIMIT_MS,
  );
}
