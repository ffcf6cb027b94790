/** Composition of pairing: the codes, the tokens of paired devices, and their routes. */
import type { Database } from 'bun:sqlite';
import type { WallClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { Random } from '../../host/random.ts';
import type { Hub } from '../hub/hub.ts';
import type { AddRoutes } from '../route/add-routes.ts';
import { PairingStore } from '../store/pairing-store.ts';
import { TokenStore } from '../store/token-store.ts';
import { whenWritable } from '../store/transaction.ts';
import { addDevicePageRoutes } from './device-page-routes.ts';
import { type Attempts, addDeviceRoutes } from './device-routes.ts';
import { FormGuard } from './form-guard.ts';
import { PairingService } from './pairing-service.ts';
import { TokenService } from './token-service.ts';

interface PairingNeeds {
  database: Database;
  hub: Hub;
  /** Epoch ms. */
  now: WallClock;
  random: Random;
  /** Interval of deleting expired codes. */
  purgeIntervalMs: number;
  limitAttempts: (limits: { burst: number; refillMs: number }) => Attempts;
  log: Log;
}

/** Limit per address, beside its places: requests that are refused cost little, those that are not a write each. */
const CODE_LIMITS = { burst: 60, refillMs: 10_000 };
/** Some twenty devices behind one address, each polling every 5 s. */
const POLL_LIMITS = { burst: 120, refillMs: 250 };

export function createPairing(needs: PairingNeeds) {
  const { database, hub, now, random, purgeIntervalMs, limitAttempts, log } = needs;
  const store = new TokenStore(database);
  const onChanged = (): void => hub.changed('tokens');
  const tokens = new TokenService({ tokens: store, now, onChanged, log });
  const onPaired = (): void => {
    onChanged();
    hub.changed('paired');
  };
  const pairing = new PairingService({
    ...{ codes: new PairingStore(database), tokens: store, now, random, purgeIntervalMs, onPaired, log },
    write: (act) => whenWritable(database, act),
  });
  const guard = new FormGuard(random);
  const routes: AddRoutes = (app) => {
    addDeviceRoutes(app, {
      ...{ pairing, tokens },
      codeAttempts: limitAttempts(CODE_LIMITS),
      pollAttempts: limitAttempts(POLL_LIMITS),
    });
    addDevicePageRoutes(app, { pairing, guard });
  };
  return { pairing, tokens, routes };
}
