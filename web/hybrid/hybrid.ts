/** Applications that an AIT controls, loaded with the first that is started (`hybrid.mjs`). */
import { ProxyNetwork } from '../bml/proxy-network.ts';
import type { HybridNetwork } from './hybrid-session.ts';

export { VK } from './application-keys.ts';
export { findApplication } from './find-application.ts';
export { HybridSession } from './hybrid-session.ts';

/** The service's proxies. @param changed requests are running, or no longer */
export function openNetwork(base: string, changed: (isRunning: boolean) => void): HybridNetwork {
  const clock = {
    now: () => performance.now(),
    after: (ms: number, run: () => void) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
  const host = { base, fetch: (address: string, init: RequestInit) => fetch(address, init), clock, changed };
  // Documents of recordings start no application.
  return new ProxyNetwork({ ...host, isRecording: false }, { network: true, applications: true });
}
