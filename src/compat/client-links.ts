/**
 * Links for television software that cannot log in: `/tv/<key>/…`. A key of 128 random bits in the path, because such
 * software appends paths of its own; it opens playlist, guide, logos and streams, and nothing else. Only its hash is
 * stored, and no log contains it.
 */
import { createHash } from 'node:crypto';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Random } from '../../lib/host/random.ts';
import type { ClientLinkStore, StoredClientLink } from '../store/compat-store.ts';
import { databaseFailure } from '../store/database-error.ts';

const KEY_BYTES = 16;
const KEY = /^[\w-]{22}$/;
/** The last use is stored once a minute at most. */
const USED_STEP_MS = 60_000;
export const MAX_LINKS = 100;

interface ClientLinksOptions {
  readonly store: ClientLinkStore;
  readonly random: Random;
  readonly now: WallClock;
  readonly onChanged: () => void;
  readonly log: Log;
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export class ClientLinkService {
  constructor(private readonly options: ClientLinksOptions) {}

  list(): StoredClientLink[] {
    return this.options.store.list();
  }

  /** @returns the link, and its key, which cannot be read again; undefined: there are too many */
  create(name: string): { link: StoredClientLink; key: string } | undefined {
    const { store, random, now, log, onChanged } = this.options;
    if (store.list().length >= MAX_LINKS) return undefined;
    const key = random(KEY_BYTES).toBase64({ alphabet: 'base64url', omitPadding: true });
    const createdAt = now();
    const id = store.add({ hash: hashOf(key), name, createdAt });
    log.info('client link created', { id });
    onChanged();
    return { link: { id, name, createdAt, usedAt: null }, key };
  }

  /** @returns false for an unknown or revoked one */
  revoke(id: number): boolean {
    const { store, now, log, onChanged } = this.options;
    const done = store.revoke(id, now());
    if (done) {
      log.info('client link revoked', { id });
      onChanged();
    }
    return done;
  }

  /** Whether a key is valid; records its use. */
  admits(key: string): boolean {
    if (!KEY.test(key)) return false;
    const link = this.options.store.active(hashOf(key));
    if (link === undefined) return false;
    this.#noteUse(link);
    return true;
  }

  /** A request is answered even if this cannot be written. */
  #noteUse({ id, usedAt }: StoredClientLink): void {
    const { store, now, log, onChanged } = this.options;
    const at = now();
    if (usedAt !== null && Math.abs(at - usedAt) < USED_STEP_MS) return;
    try {
      store.used(id, at);
      onChanged();
    } catch (error) {
      if (databaseFailure(error) === undefined) throw error;
      log.warn('last use of a client link not stored', { id, error: String(error) });
    }
  }
}
