/**
 * Requests keys from a share port like an agent, in the network namespace in which it is started:
 * `share-asker.ts URL HOPS`. Prints `keys` or the code of the failure.
 */
import { ShareClient } from '../../agent/card/share-client.ts';
import { KeyFailure } from '../../agent/descramble/key-source.ts';
import { ecmMessage } from '../scrambled-stream.ts';

const [url = '', hops = '1'] = process.argv.slice(2);
const client = new ShareClient({ url, hops: Number(hops) });
const LIMIT_MS = 3_000;
const signal = AbortSignal.timeout(LIMIT_MS);
const answer = await client.connect(signal).then(
  async () => {
    await client.ecm(ecmMessage(1, 1), signal);
    return 'keys';
  },
  (error: unknown) => (error instanceof KeyFailure ? error.code : String(error)),
);
console.log(answer);
process.exit(0);
