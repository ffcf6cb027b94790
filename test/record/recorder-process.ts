/**
 * A recorder as a process of its own, to be killed: `bun test/record/recorder-process.ts FOLDER AGENT_URL STATION_JSON OPEN END
 * [ID]`. With an ID it goes on with what a killed one left. Prints the state of the recording as a line every 100 ms.
 */
import { SessionFixture } from './session-fixture.ts';

const [folder = '', agentUrl = '', station = '', openAt = '', endAt = '', id] = process.argv.slice(2);
const desk = new SessionFixture(folder, agentUrl);
const wish = { station: JSON.parse(station), openAt: Number(openAt), endAt: Number(endAt) };
const session = desk.record(wish, id === undefined ? undefined : Number(id));
const timer = setInterval(() => {
  process.stdout.write(`${JSON.stringify({ id: session.options.id, ...session.state })}\n`);
}, 100);
process.once('SIGTERM', () => void session.close());
const result = await session.done;
clearInterval(timer);
if (result.end !== 'closed') {
  await desk.conclude(session, { startAt: Number(openAt) + 5000, endAt: Number(endAt) - 500 });
}
await desk.close();
process.exit(0);
