/** Certificate and key of https, from files that another program renews. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Log } from '../../lib/host/log.ts';

export interface TlsPaths {
  certPath: string;
  keyPath: string;
}

export interface Tls {
  cert: string;
  key: string;
}

/** @throws Error naming the variable whose file is unusable */
export function readTls(paths: TlsPaths): Tls {
  const read = (variable: string, path: string, check: (text: string) => unknown): string => {
    try {
      const text = readFileSync(path, 'utf8');
      check(text);
      return text;
    } catch (error) {
      throw new Error(`${variable} ${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const cert = read('TLS_CERT', paths.certPath, (text) => new X509Certificate(text));
  const key = read('TLS_KEY', paths.keyPath, (text) => createPrivateKey(text));
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error('TLS_KEY is not the key of TLS_CERT');
  }
  return { cert, key };
}

interface WatchOptions {
  paths: TlsPaths;
  /** Currently used. */
  tls: Tls;
  intervalMs: number;
  /** @throws Error if the new ones are unusable; the call is repeated later */
  use: (tls: Tls) => void;
  log: Log;
}

/**
 * Reads both files periodically: they may be links that are replaced, on any file system. A pair that does not match,
 * for instance while one of the two is written, is retried and logged once.
 */
export class TlsWatch {
  readonly #timer: ReturnType<typeof setInterval>;
  #current: Tls;
  #trouble = '';

  constructor(private readonly options: WatchOptions) {
    this.#current = options.tls;
    this.#timer = setInterval(() => this.#check(), options.intervalMs);
  }

  /** Idempotent. */
  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const { paths, use, log } = this.options;
    try {
      const tls = readTls(paths);
      if (tls.cert === this.#current.cert && tls.key === this.#current.key) return;
      use(tls);
      this.#current = tls;
      this.#trouble = '';
      log.info('certificate replaced', { until: new X509Certificate(tls.cert).validTo });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#trouble) log.warn('certificate not replaced, the previous one stays', { reason });
      this.#trouble = reason;
    }
  }
}
