/**
 * A recorder as a separate process that tests kill: `bun test/record/recorder-process.ts FOLDER AGENT_URL
 * STATION_JSON OPEN END [ID]`. With an ID it resumes the recording of a killed process. Prints the state of
 * the recording as a line every 100 ms. SIGTERM ends the process, SIGUSR2 the recording. Its programme spans
 * from the first to the last received packet.
 */
import { recordingId } from '../../lib/wire/ids.ts';
import { SessionFixture } from './session-fixture.ts';

const [folder = '', agentUrl = '', station = '', openAt = '', endAt = '', id] = process.argv.slice(2);
const fixture = new SessionFixture(folder, agentUrl);
const request = { station: JSON.parse(station), openAt: Number(openAt), endAt: Number(endAt) };
const session = fixture.record(request, id === undefined ? undefined : recordingId(Number(id)));
const timer = setInterval(() => {
  process.stdout.write(`${JSON.stringify({ id: session.options.id, ...session.state })}\n`);
}, 100);
process.once('SIGTERM', () => void session.close());
process.once('SIGUSR2', () => void session.stop());
const result = await session.done;
clearInterval(timer);
if (result.end !== 'closed') {
  const { stretches } = result.measured;
  const startAt = Math.ceil(stretches[0]?.from ?? Number(openAt));
  await fixture.conclude(session, { startAt, endAt: Math.floor(stretches.at(-1)?.to ?? Number(endAt)) });
}
await fixture.close();
process.exit(0);
