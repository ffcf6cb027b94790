/**
 * Writes the content of modules: resources as parts of an entity with a header, or one bare resource; compressed or
 * not. ARIB STD-B24 vol. 3; TR-B14 vol. 3.
 */
import { deflateSync } from 'node:zlib';
import { concat, encodeLatin } from '../si/bytes.ts';
import { type Module, moduleCompression, moduleType } from '../si/dsmcc.ts';
import { encodeEuc } from './euc.ts';

export interface Resource {
  /** File name in its module; empty for a bare resource. */
  readonly name: string;
  /** Media type with its parameters. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A module and what it consists of. */
export interface ResourceModule extends Module {
  readonly resources: readonly Resource[];
}

/** `mixed`: several resources with a boundary; `bare`: one resource, named by the Type descriptor. */
type ModuleForm = 'mixed' | 'zlib' | 'bare';

const BOUNDARY = 'X-ARIB-part';
const NEWLINE = '\r\n';

export const MEDIA = {
  document: 'text/X-arib-bml; charset="euc-jp"',
  script: 'text/X-arib-ecmascript; charset="euc-jp"',
  style: 'text/css; charset="euc-jp"',
  png: 'image/X-arib-png',
  mng: 'image/X-arib-mng',
  jpeg: 'image/jpeg',
  aac: 'audio/X-arib-mpeg2-aac',
  aiff: 'audio/X-arib-aiff',
  clut: 'application/X-arib-bmlclut',
  table: 'application/X-arib-btable',
} as const;

export function textResource(name: string, kind: 'document' | 'script' | 'style', text: string): Resource {
  return { name, type: MEDIA[kind], bytes: encodeEuc(text) };
}

function entity(resources: readonly Resource[]): Uint8Array {
  const parts = resources.flatMap(({ name, type, bytes }) => {
    const head = [`--${BOUNDARY}`, `Content-Type: ${type}`, `Content-Location: ${name}`, '', ''];
    return [encodeLatin(head.join(NEWLINE)), bytes, encodeLatin(NEWLINE)];
  });
  const head = `Content-Type: multipart/mixed; boundary="${BOUNDARY}"${NEWLINE}${NEWLINE}`;
  return concat([encodeLatin(head), ...parts, encodeLatin(`--${BOUNDARY}--${NEWLINE}`)]);
}

/** @throws RangeError if a bare module has not exactly one resource */
export function resourceModule(
  id: number,
  version: number,
  form: ModuleForm,
  resources: readonly Resource[],
): ResourceModule {
  const [first] = resources;
  if (form === 'bare') {
    if (first === undefined || resources.length > 1) throw new RangeError('a bare module has one resource');
    return { id, version, bytes: first.bytes, info: moduleType(first.type), resources };
  }
  const plain = entity(resources);
  if (form === 'mixed') return { id, version, bytes: plain, info: new Uint8Array(0), resources };
  const bytes = new Uint8Array(deflateSync(plain, { level: 9 }));
  return { id, version, bytes, info: moduleCompression(plain.length), resources };
}
