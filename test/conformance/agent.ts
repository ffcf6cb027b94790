/**
 * The agent's contract, statement by statement, against any agent: `bun test/conformance/agent.ts --help`.
 */
import { parseArgs } from 'node:util';
import { splitWords } from '../../agent/driver/command-line.ts';
import { MachineLateness } from '../machine-lateness.ts';
import { type Launched, launchAgent, OWN_FAKE_TUNE } from './launch.ts';
import type { Rule } from './rule.ts';
import { isRunning } from './rules-ending.ts';
import { definitionOf, Subject, tuner } from './subject.ts';
import { type Outcome, RULES, run } from './suite.ts';

const HELP = `Looks whether a tuner agent keeps its contract, and names every sentence of it.

  bun test/conformance/agent.ts --start 'dist/svc-agent'           starts agents of its own
  bun test/conformance/agent.ts --agent http://127.0.0.1:25252     an agent that runs

  --start COMMAND     how to start the agent (environment: AGENT_PORT, TUNERS_FILE, CHANNELS_FILE, FAKE_TUNE)
  --agent URL         the agent must have been started with the FAKE_TUNE of --print-fake-tune. Its tuners and
                      channels are replaced while the rules are looked at and put back afterwards (files that
                      were absent exist then); refused while anybody uses a tuner
  --fake-tune LINE    FAKE_TUNE, when it is not the suite's own: a line that ends in the suite's source all the same
                      (through ssh, in a container)
  --print-fake-tune   prints the suite's own FAKE_TUNE
  --lanes N           rules looked at side by side, each on an agent of its own; with --start only (4)
  --long              also what takes more than half a minute (keep-alive)
  --only TEXT         only sentences that have this text
  --list              prints the sentences

Every line begins with ok, FAILED or skipped. Ends with 0 when none failed, 1 otherwise, 2 when it cannot begin.
`;

const { values } = parseArgs({
  options: {
    start: { type: 'string' },
    agent: { type: 'string' },
    'fake-tune': { type: 'string', default: OWN_FAKE_TUNE },
    'print-fake-tune': { type: 'boolean', default: false },
    lanes: { type: 'string', default: '4' },
    long: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function leave(code: number, ...lines: string[]): never {
  for (const line of lines) console.log(line);
  process.exit(code);
}

if (values.help) leave(0, HELP);
if (values['print-fake-tune']) leave(0, OWN_FAKE_TUNE);
if (values.list) leave(0, ...RULES.map(({ sentence }) => sentence));
if ((values.start === undefined) === (values.agent === undefined)) leave(2, HELP);

const counts = { ok: 0, failed: 0, skipped: 0 };
const WORDS = { ok: 'ok', failed: 'FAILED', skipped: 'skipped' } as const;

function report(rule: Rule, outcome: Outcome, seconds: number): void {
  counts[outcome.kind] += 1;
  console.log(`${WORDS[outcome.kind].padEnd(7)} ${rule.sentence} (${seconds.toFixed(1)} s)`);
  if (outcome.kind !== 'ok') console.log(`        ${outcome.reason}`);
}

/** Whether the agent runs this suite's source, on this machine or another. @throws Error if it does not */
async function sourceIsLocal(subject: Subject): Promise<boolean> {
  try {
    await subject.define(tuner('probe', 'GR'));
    const stream = await subject.open('GR/T20');
    return isRunning(stream.process);
  } catch (error) {
    const line = `FAKE_TUNE of the agent has to be\n  ${OWN_FAKE_TUNE}`;
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${line}`);
  } finally {
    subject.leaveAll();
  }
}

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());

async function againstOwn(command: readonly string[]): Promise<number> {
  const launch = (options = {}): Promise<Launched> => launchAgent(command, values['fake-tune'], options);
  const agents: Launched[] = [];
  try {
    const wanted = Math.max(1, Number(values.lanes) || 1);
    for (let lane = 0; lane < wanted; lane += 1) agents.push(await launch());
    const lanes = agents.map(({ url }) => new Subject(url));
    const isLocal = await sourceIsLocal(lanes[0] ?? new Subject(''));
    const { long, only } = values;
    using lateness = await MachineLateness.start();
    return await run({ lanes, launch, isLocal, lateness, long, only, report, signal: stopping.signal });
  } finally {
    await Promise.all(agents.map((agent) => agent.end()));
  }
}

async function againstRunning(url: string): Promise<number> {
  const subject = new Subject(url.replace(/\/$/, ''));
  const [tuners, channels] = [await subject.tuners(), await subject.channels()];
  if (tuners.some(({ users }) => users.length > 0)) throw new Error('its tuners are in use');
  try {
    const isLocal = await sourceIsLocal(subject);
    const { long, only } = values;
    using lateness = await MachineLateness.start();
    return await run({
      lateness,
      lanes: [subject],
      launch: undefined,
      isLocal,
      long,
      only,
      report,
      signal: stopping.signal,
    });
  } finally {
    await subject.put('/agent/tuners', tuners.map(definitionOf));
    await subject.put('/agent/channels', channels);
  }
}

try {
  const failed = await (values.start === undefined
    ? againstRunning(values.agent ?? '')
    : againstOwn(splitWords(values.start)));
  console.log(`${counts.ok} ok, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exit(failed > 0 || stopping.signal.aborted ? 1 : 0);
} catch (error) {
  leave(2, `cannot start: ${error instanceof Error ? error.message : String(error)}`);
}
