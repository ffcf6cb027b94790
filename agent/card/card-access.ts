/** The agent's access to keys: the card or another agent behind one service, and the share port. */
import type { MonotonicClock, WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Networks } from '../../lib/host/networks.ts';
import type { Card } from '../../lib/wire/agent.ts';
import type { KeySource } from '../descramble/key-source.ts';
import { CardService } from './card-service.ts';
import type { KeyBackend } from './key-backend.ts';
import { ShareClient } from './share-client.ts';
import { ShareServer } from './share-server.ts';

export interface CardAccessOptions {
  /** The card reader of this machine; not used if `url` refers to another agent. */
  reader: KeyBackend;
  /** Address of another agent's share port. */
  url: string | null;
  /** Port on which keys are shared; null: not shared. */
  sharePort: number | null;
  shareNetworks: Networks;
  /** Hop limit of key exchange, 1 to 8. */
  hops: number;
  /** Maximum round-trip time of peers, ms; null: no limit. */
  maxRttMs: number | null;
  clock: MonotonicClock;
  wallClock: WallClock;
  log: Log;
  /** `status` changed. */
  onChange: () => void;
}

export class CardAccess {
  readonly #service: CardService;
  readonly #server: ShareServer | undefined;
  readonly #url: string | null;

  /** @throws Error if it cannot listen on the share port */
  constructor(options: CardAccessOptions) {
    const { reader, url, sharePort, shareNetworks, hops, maxRttMs, clock, wallClock, log, onChange } =
      options;
    this.#url = url;
    this.#service = new CardService({
      backend: url === null ? reader : new ShareClient({ url, hops }),
      isShared: url !== null,
      clock,
      log,
      onChange,
    });
    if (sharePort === null) return;
    this.#server = new ShareServer({
      ...{ port: sharePort, networks: shareNetworks, hops, maxRttMs, log, onChange },
      source: this.#service,
      now: wallClock,
    });
    log.info('sharing keys', { port: this.#server.port, networks: shareNetworks.text });
  }

  get source(): KeySource {
    return this.#service;
  }

  get sharePort(): number | null {
    return this.#server?.port ?? null;
  }

  /** Connects to a card that is not connected yet (rate-limited by `CardService`), so that the result is current. */
  async status(): Promise<Card> {
    if (this.#service.status.caSystemId === null) await this.#service.system().catch(() => {});
    const status = this.#service.status;
    return {
      ...status,
      share: this.#server?.status ?? null,
      upstream: this.#url === null ? null : { url: this.#url, state: status.state, reason: status.failure },
    };
  }

  async close(): Promise<void> {
    this.#server?.close();
    await this.#service.close();
  }
}
