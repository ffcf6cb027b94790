/** `native-filter.c` as functions, if a C compiler is installed. */
import { dlopen, FFIType } from 'bun:ffi';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packetPid } from '../../../lib/arib/ts/packet.ts';

const PACKET = 188;
const PIDS = 8192;

interface NativeFilter {
  /** Resets the filter. */
  reset(): void;
  /** @returns the number of kept bytes */
  filter(chunk: Uint8Array): number;
}

/**
 * @param narrowed whole packets: their PIDs are kept @param largest maximum bytes of a chunk @returns
 * undefined if there is no compiler
 */
export function nativeFilter(narrowed: Uint8Array, largest: number): NativeFilter | undefined {
  const compiler = Bun.which('cc');
  if (compiler === null) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-native-'));
  const library = join(folder, 'filter.so');
  const source = join(import.meta.dir, 'native-filter.c');
  const words = [compiler, '-O3', '-march=native', '-shared', '-fPIC', '-o', library, source];
  const built = Bun.spawnSync(words, { stdout: 'inherit', stderr: 'inherit' });
  if (built.exitCode !== 0) throw new Error('the native filter was not built');
  const { symbols } = dlopen(library, {
    reset: { args: [FFIType.ptr], returns: FFIType.void },
    filter: { args: [FFIType.ptr, FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
  });
  rmSync(folder, { recursive: true });
  const kept = new Uint8Array(PIDS);
  for (let at = 0; at + PACKET <= narrowed.length; at += PACKET) kept[packetPid(narrowed, at)] = 1;
  const out = new Uint8Array(largest + PACKET);
  return {
    reset: () => symbols.reset(kept),
    filter: (chunk) => symbols.filter(chunk, chunk.length, out),
  };
}
