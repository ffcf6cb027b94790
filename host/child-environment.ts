/**
 * The environment of child processes. Ours holds secrets (`OIDC_CLIENT_SECRET`), and what a child has can be read by
 * whoever takes over a decoder: so only what programs need to run, to find a GPU and to print is passed on.
 */
import type { Environment } from './environment.ts';

const ALLOWED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'LD_LIBRARY_PATH'],
  ...['XDG_RUNTIME_DIR', 'XDG_CACHE_HOME', 'FFMPEG_PATH', 'FFPROBE_PATH', 'FFMPEG_DATADIR'],
  // A debugger's, sanitizer's or tracer's library, and faketime's, apply to children too.
  ...['LD_PRELOAD', 'FAKETIME'],
]);

/** GPU drivers (VA-API, oneVPL, CUDA, Vulkan, Mesa), locales, and the test equipment behind `FAKE_TUNE`. */
const ALLOWED_PREFIXES = [
  ...[
    'LC_',
    'LIBVA_',
    'ONEVPL_',
    'MFX_',
    'CUDA_',
    'NVIDIA_',
    'VK_',
    'MESA_',
    'DRI_',
    'FAKE_',
    'SYNTH_',
    'FAKETIME_',
  ],
];

export function childEnvironment(environment: Environment): Record<string, string> {
  const allowed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const isAllowed = ALLOWED.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix));
    if (isAllowed && value !== undefined) allowed[name] = value;
  }
  return allowed;
}
