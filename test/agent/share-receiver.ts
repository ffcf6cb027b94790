/**
 * A viewer of an agent, in the network namespace in which it is started: `share-receiver.ts AGENT_URL
 * CLEAR_FILE TAIL_BYTES`. Prints how much of the stream arrived, and whether it, or its last part, equals the
 * clear original.
 */
export {};

const [url = '', path = '', tailBytes = '0'] = process.argv.slice(2);
/** The framer holds back less than this until more arrives. */
const HELD_BYTES = 1_000;
const PACKET = 188;

const clear = await Bun.file(path).bytes();
const parts: Uint8Array[] = [];
let bytes = 0;
try {
  const response = await fetch(`${url}/agent/stream?type=GR&channel=T27&use=test`);
  for await (const part of response.body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > clear.length - HELD_BYTES) break;
  }
} catch {
  // The exit of the command counts as a failure of the tuning and aborts the stream.
}
const received = Buffer.concat(parts);
const isSame = (from: number): boolean =>
  received.compare(clear, from, received.length, from, received.length) === 0;
const tail = Math.max(0, Math.floor((received.length - Number(tailBytes)) / PACKET) * PACKET);
console.log(
  JSON.stringify({
    missing: clear.length - received.length,
    whole: isSame(0),
    tail: isSame(tail),
    card: await (await fetch(`${url}/agent/card`)).json(),
  }),
);
process.exit(0);
