/** A script machine for tests: the codes of EUC-JP, a clock that moves by hand, and texts of its values. */
import { PLANE_1_ROWS } from '../lib/arib/text/jis-x-0213.ts';
import type { CharacterCodes } from '../web/bml/script/functions.ts';
import { Machine, type MachineOptions, type Outcome, ScriptFault } from '../web/bml/script/machine.ts';
import type { Value } from '../web/bml/script/values.ts';

const codes = new Map<number, number>();
const texts = new Map<number, string>();
for (const [row, cells] of PLANE_1_ROWS)
  [...cells].forEach((character, index) => {
    const code = ((row + 0xa0) << 8) | (index + 0xa1);
    codes.set(character.codePointAt(0) ?? 0, code);
    texts.set(code, character);
  });

const EUC_JP: CharacterCodes = {
  codeOf: (codePoint) => (codePoint < 0x80 ? codePoint : (codes.get(codePoint) ?? 0)),
  textOf: (code) => (code < 0x80 ? String.fromCharCode(code) : (texts.get(code) ?? '')),
};

/** 2026-11-25 20:17:20 in Japan. */
const NOW = Date.UTC(2026, 10, 25, 11, 17, 20);

/** A machine whose clock stands still unless one is given, so that a slice ends with the task. */
export function testMachine(options: Partial<MachineOptions> = {}): Machine {
  return new Machine({
    characters: EUC_JP,
    now: () => NOW,
    clock: () => 0,
    log: () => undefined,
    ...options,
  });
}

/** Runs a script to its end. */
export function runScript(machine: Machine, source: string): Outcome {
  const script = machine.compile(source, 'test.bml');
  if (script instanceof ScriptFault) return { state: 'error', fault: script };
  machine.start(script);
  return machine.run();
}

/** A value as it is written in a script; of an object, its class. */
export function shown(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Object.is(value, -0)) return '-0';
  return typeof value === 'object' && value !== null ? `[${value.className}]` : String(value);
}
