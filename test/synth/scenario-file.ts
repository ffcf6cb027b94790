/** Writes a scenario of a test as a file, in a folder that is removed with the test's process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SmallScenario, smallScenario } from '../../synth/scenario/small.ts';

export function scenarioFile(sketch: SmallScenario): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-scenario-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'scenario.json');
  writeFileSync(path, JSON.stringify(smallScenario(sketch)));
  return path;
}
