/**
 * Finds exported names that no other file uses, by the text of the sources: imports of a name, of a whole
 * module and dynamic imports count as uses; so does a re-export.
 */
import { dirname, join, normalize } from 'node:path';

interface UnusedExport {
  readonly file: string;
  readonly name: string;
}

/** Compiled to WebAssembly: its exports are used by the names in the binary. */
const EXPORTED_OTHERWISE = /^lib\/wasm\//;

const DECLARED =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const enum|const|let|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}(?! from)/gm;
/** Both `import … from` and `export … from`. */
const NAMED_FROM =
  /(?:^|[\s;])(?:import|export)(?:\s+type)?\s+(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*'([^']+)'/g;
const WHOLE = /(?:\*(?:\s+as\s+[\w$]+)?\s+from\s*|import\(\s*|typeof import\(\s*)'([^']+)'/g;

/** The names in a braced list; `side` 0 is the name before `as`, 1 the one after it. */
function namesOf(list: string, side: 0 | 1): string[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type\s+/, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', alias] = item.split(/\s+as\s+/);
      return side === 1 ? (alias ?? name) : name;
    });
}

/** @param sources text of TypeScript files by path from the root */
export function unusedExports(sources: ReadonlyMap<string, string>): UnusedExport[] {
  const used = new Map<string, Set<string>>();
  const whole = new Set<string>();
  for (const [file, text] of sources) {
    const target = (specifier: string): string => normalize(join(dirname(file), specifier));
    for (const [, list = '', specifier = ''] of text.matchAll(NAMED_FROM)) {
      if (!specifier.startsWith('.')) continue;
      const names = used.get(target(specifier)) ?? new Set();
      for (const name of namesOf(list, 0)) names.add(name);
      used.set(target(specifier), names);
    }
    for (const [, specifier = ''] of text.matchAll(WHOLE)) {
      if (specifier.startsWith('.')) whole.add(target(specifier));
    }
  }
  const found: UnusedExport[] = [];
  for (const [file, text] of sources) {
    if (whole.has(file) || EXPORTED_OTHERWISE.test(file)) continue;
    const names = [
      ...[...text.matchAll(DECLARED)].map(([, name = '']) => name),
      ...[...text.matchAll(LISTED)].flatMap(([, list = '']) => namesOf(list, 1)),
    ];
    for (const name of new Set(names)) {
      if (used.get(file)?.has(name) !== true) found.push({ file, name });
    }
  }
  return found;
}
