/**
 * The files of the UI: a folder of a development tree, or one embedded in the executable (both read alike). Names
 * with a hash of the content are cached permanently, the rest is revalidated.
 */
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { accepts, matchesEtag } from './route/request.ts';

export interface Assets {
  /**
   * The response for a file; undefined if it does not exist. @param path relative to the root, without a leading slash
   */
  serve(path: string, request: Request): Promise<Response | undefined>;
  /** index.html with its base address filled in; undefined when there is no UI. @param base with a final slash */
  index(base: string, request: Request, status?: number): Promise<Response | undefined>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webp: 'image/webp',
  woff2: 'font/woff2',
};

/** `app-1a2b3c4d.js`: names with a content hash from the bundler. Icons keep their names, whatever those end in. */
const HASHED = /-[a-z0-9]{8}\.(?:css|js|map|wasm|woff2)$/;
const COMPRESSIBLE = /^(?:text\/|application\/json|application\/wasm|image\/svg)/;
/** Below this size compression is not worthwhile. */
const MIN_COMPRESSED = 1024;

const BASE_PLACEHOLDER = '<base href="./">';

interface Loaded {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
  contentType: string;
  /** Created once, on first request. */
  gzip: Uint8Array<ArrayBuffer> | undefined;
  /** The same, on the runtime's thread pool; null: not for this file, whose content depends on the request. */
  brotli: Promise<Uint8Array<ArrayBuffer>> | null | undefined;
  size: number;
  modified: number;
}

/** The system returns errors for a path below a file, or longer than any file name: such files do not exist. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

function fileStat(path: string): Stats | undefined {
  try {
    const stat = statSync(path);
    return stat.isFile() ? stat : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_FILE.has(error.code)) return undefined;
    throw error;
  }
}

/** Whether no step of the path could leave the folder. */
function isPlain(path: string): boolean {
  return path.split('/').every((segment) => /^[\w@+-][\w@.+-]*$/.test(segment));
}

function etagOf(bytes: Uint8Array): string {
  return `"${Bun.hash(bytes).toString(36)}-${bytes.length.toString(36)}"`;
}

class FolderAssets implements Assets {
  readonly #loaded = new Map<string, Loaded>();

  constructor(private readonly folder: string) {}

  async serve(path: string, request: Request): Promise<Response | undefined> {
    if (path === 'index.html' || !isPlain(path)) return undefined;
    const asset = await this.#load(path);
    if (asset === undefined) return undefined;
    const caching = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    return answer(asset, caching, request);
  }

  async index(base: string, request: Request, status = 200): Promise<Response | undefined> {
    const asset = await this.#load('index.html');
    if (asset === undefined) return undefined;
    const html = new TextDecoder().decode(asset.bytes).replace(BASE_PLACEHOLDER, `<base href="${base}">`);
    const bytes = new TextEncoder().encode(html);
    return answer(
      { ...asset, bytes, etag: etagOf(bytes), gzip: undefined, brotli: null },
      'no-cache',
      request,
      status,
    );
  }

  /** Read once, and again when the file changed: a development build is replaced while the service runs. */
  async #load(path: string): Promise<Loaded | undefined> {
    const file = join(this.folder, path);
    const stat = fileStat(file);
    if (stat === undefined) return undefined;
    const known = this.#loaded.get(path);
    if (known !== undefined && known.size === stat.size && known.modified === stat.mtimeMs) return known;
    const bytes = await Bun.file(file).bytes();
    const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
    const loaded: Loaded = {
      bytes,
      etag: etagOf(bytes),
      contentType: CONTENT_TYPES[extension] ?? 'application/octet-stream',
      gzip: undefined,
      brotli: undefined,
      size: stat.size,
      modified: stat.mtimeMs,
    };
    this.#loaded.set(path, loaded);
    return loaded;
  }
}

/** A tenth smaller than with gzip, in a tenth of a second for the decoder; the highest quality would take seconds. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

async function brotli(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await promisify(brotliCompress)(bytes, BROTLI));
}

/** @param status of a response with a body: a revalidated copy keeps its stored status */
async function answer(asset: Loaded, caching: string, request: Request, status = 200): Promise<Response> {
  const headers: Record<string, string> = {
    'content-type': asset.contentType,
    'cache-control': caching,
    // Weak: the same entity is sent with and without compression.
    etag: `W/${asset.etag}`,
  };
  const compressible = COMPRESSIBLE.test(asset.contentType) && asset.bytes.length >= MIN_COMPRESSED;
  if (compressible) headers.vary = 'accept-encoding';
  if (matchesEtag(request.headers.get('if-none-match'), asset.etag)) {
    return new Response(null, { status: 304, headers });
  }
  if (compressible && asset.brotli !== null && accepts(request, 'br')) {
    asset.brotli ??= brotli(asset.bytes);
    const bytes = await asset.brotli;
    return new Response(bytes, { status, headers: { ...headers, 'content-encoding': 'br' } });
  }
  if (compressible && accepts(request, 'gzip')) {
    asset.gzip ??= Bun.gzipSync(asset.bytes);
    return new Response(asset.gzip, { status, headers: { ...headers, 'content-encoding': 'gzip' } });
  }
  return new Response(asset.bytes, { status, headers });
}

/** @param folder null if no UI was built: then nothing is ever found */
export function openAssets(folder: string | null): Assets {
  if (folder !== null) return new FolderAssets(folder);
  const nothing = async (): Promise<undefined> => undefined;
  return { serve: nothing, index: nothing };
}
