/** How an agent handles its environment and its files: each rule starts an agent of its own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Channel } from '../../lib/wire/agent.ts';
import { until } from '../until.ts';
import { CHANNEL, REASON } from './channels.ts';
import type { LaunchedAgent, LaunchOptions, Rule, Surroundings } from './rule.ts';
import { isRunning } from './rules-ending.ts';
import { holds, messageOf, Subject, same, tuner } from './subject.ts';

async function launch(
  { launch: start }: Surroundings,
  options: LaunchOptions = {},
): Promise<{ agent: LaunchedAgent; subject: Subject }> {
  if (start === undefined) throw new Error('nothing to launch');
  const agent = await start(options);
  return { agent, subject: new Subject(agent.url) };
}

const read = (agent: LaunchedAgent, name: string): string => readFileSync(join(agent.folder, name), 'utf8');

const warnings = (agent: LaunchedAgent): string[] =>
  agent
    .log()
    .split('\n')
    .filter((line) => /^(WARN|ERROR)/.test(line));

export const PROCESS: Rule[] = [
  {
    sentence: 'Without channels.json the standard BS/CS table is there, without stations; nothing of GR',
    needs: 'launch',
    async check(_subject, surroundings) {
      const { subject } = await launch(surroundings);
      const channels = await subject.channels();
      const find = (name: string): Channel | undefined => channels.find(({ channel }) => channel === name);
      same(
        find('BS01_0'),
        { type: 'BS', channel: 'BS01_0', tsid: 0x4010, networkId: 4, stations: [] },
        'BS01_0',
      );
      same([find('CS02')?.networkId, find('CS04')?.networkId], [6, 7], 'networks of CS02 and CS04');
      same(
        channels.filter(({ type }) => type === 'GR'),
        [],
        'terrestrial channels',
      );
    },
  },
  {
    sentence: 'Without tuners.json FAKE_TUNERS defines the equipment (GR:4,BS+CS:4 by default); a file wins',
    needs: 'launch',
    async check(_subject, surroundings) {
      const byDefault = await launch(surroundings);
      const types = async (subject: Subject): Promise<string[]> =>
        (await subject.tuners()).map((one) => one.types.join('+'));
      same(
        await types(byDefault.subject),
        ['GR', 'GR', 'GR', 'GR', 'BS+CS', 'BS+CS', 'BS+CS', 'BS+CS'],
        'by default',
      );
      const named = await launch(surroundings, { environment: { FAKE_TUNERS: 'GR+BS+CS:1' } });
      same(await types(named.subject), ['GR+BS+CS'], 'by FAKE_TUNERS');
      const files = { 'tuners.json': JSON.stringify([{ ...tuner('mine', 'CS'), command: 'x' }]) };
      const stored = await launch(surroundings, { files });
      same(
        (await stored.subject.tuners()).map(({ id }) => id),
        ['mine'],
        'by the file',
      );
    },
  },
  {
    sentence: 'Definitions and scan results are stored, survive a restart, and hold no command',
    needs: 'launch',
    async check(_subject, surroundings) {
      const first = await launch(surroundings, {
        files: { 'tuners.json': JSON.stringify([{ ...tuner('old', 'GR'), command: 'rm' }]) },
      });
      const channels: Channel[] = [{ type: 'GR', channel: 'T27', tsid: 1, networkId: 1, stations: [] }];
      await first.subject.put('/agent/tuners', [{ ...tuner('kept', 'BS'), command: 'rm' }]);
      await first.subject.put('/agent/channels', channels);
      const files = {
        'tuners.json': read(first.agent, 'tuners.json'),
        'channels.json': read(first.agent, 'channels.json'),
      };
      holds(!files['tuners.json'].includes('command'), 'the command was stored');
      const second = await launch(surroundings, { files });
      same(
        (await second.subject.tuners()).map(({ id, types }) => [id, types]),
        [['kept', ['BS']]],
        'the tuners',
      );
      same(await second.subject.channels(), channels, 'the channels');
    },
  },
  {
    sentence: 'A broken file is reported with path and position, left untouched, and the agent keeps running',
    needs: 'launch',
    async check(_subject, surroundings) {
      const files = { 'tuners.json': '[\n  {"driver": fake}\n]', 'channels.json': '[{"type":"GR"}]' };
      const { agent, subject } = await launch(surroundings, { files });
      for (const [path, name, place] of [
        ['/agent/tuners', 'tuners.json', '2 行 14 文字目'],
        ['/agent/channels', 'channels.json', '[0].channel'],
      ] as const) {
        const answer = await subject.fetch(path);
        same(answer.status, 500, `the answer of ${path}`);
        const message = await messageOf(answer);
        holds(message.includes(join(agent.folder, name)) && message.includes(place), message);
        holds(agent.log().includes(message.slice(0, 40)) || agent.log().includes(name), 'it is not logged');
        same(read(agent, name), files[name], name);
      }
      same((await subject.put('/agent/tuners', [tuner('a', 'GR')])).status, 200, 'the answer to a new list');
      await (await subject.open('GR/T21')).undisturbed();
      subject.leaveAll();
    },
  },
  {
    sentence: 'Only peers in AGENT_NETWORKS are answered, by the socket address; X-Forwarded-For is ignored',
    needs: 'launch',
    async check(_subject, surroundings) {
      const closed = await launch(surroundings, { environment: { AGENT_NETWORKS: '10.0.0.0/8' } });
      for (const path of [
        '/agent/tuners',
        '/agent/channels',
        '/agent/events',
        '/agent/stream?type=GR&channel=T21',
      ]) {
        const answer = await closed.subject.fetch(path, { headers: { 'x-forwarded-for': '10.0.0.1' } });
        same(answer.status, 403, path);
        await messageOf(answer);
      }
      const open = await launch(surroundings);
      const answer = await open.subject.fetch('/agent/tuners', {
        headers: { 'x-forwarded-for': '203.0.113.9' },
      });
      same(answer.status, 200, 'the answer to a peer in the default networks');
    },
  },
  {
    sentence: 'Without FAKE_TUNE there is no fake driver: 400 naming it, and nothing is stored',
    needs: 'launch',
    async check(_subject, surroundings) {
      const { agent, subject } = await launch(surroundings, { environment: { FAKE_TUNE: '' } });
      const answer = await subject.put('/agent/tuners', [tuner('a', 'GR')]);
      same(answer.status, 400, 'the answer');
      holds((await messageOf(answer)).includes('driver'), 'the message does not name the driver');
      same(existsSync(join(agent.folder, 'tuners.json')), false, 'a file was written');
    },
  },
  {
    sentence: 'A failure is logged once, with tuner, channel and reason',
    needs: 'launch',
    async check(_subject, surroundings) {
      const { agent, subject } = await launch(surroundings, { environment: { FAKE_TUNERS: 'GR:1' } });
      const reason = await subject.refused(CHANNEL.dead, {}, 500);
      const lines = (): string[] =>
        agent
          .log()
          .split('\n')
          .filter((line) => line.includes(REASON));
      await until('the line', () => lines().length > 0);
      // Starts another tuning, so that a second line would have been written by now.
      await subject.open('GR/T21');
      same(lines().length, 1, `lines about "${reason}"`);
      holds(lines()[0]?.includes(CHANNEL.dead.slice(3)) === true, `no channel in "${lines()[0]}"`);
      subject.leaveAll();
    },
  },
  {
    sentence: 'On SIGTERM streams are aborted, no process is left, and the exit code is 0 within 10 s',
    needs: 'launch',
    seconds: 3,
    async check(_subject, surroundings) {
      const { agent, subject } = await launch(surroundings);
      const streams = [await subject.open('GR/T21'), await subject.open('GR/T55')];
      const asked = performance.now();
      process.kill(agent.pid, 'SIGTERM');
      for (const stream of streams) await stream.ends('aborted');
      await until('the agent has ended', () => !isRunning(agent.pid));
      const took = performance.now() - asked;
      holds(took < surroundings.atMost(10_000), `it took ${Math.round(took)} ms`);
      for (const stream of streams) same(isRunning(stream.process), false, 'a process is left');
    },
  },
  {
    sentence: 'Every failure is logged once and leaves no process and no descriptor behind',
    needs: 'launch',
    seconds: 8,
    async check(_subject, surroundings) {
      const { agent, subject } = await launch(surroundings, { environment: { FAKE_TUNERS: 'GR:8' } });
      const descriptors = (): number => readdirSync(`/proc/${agent.pid}/fd`).length;
      const children = (): string[] =>
        readFileSync(`/proc/${agent.pid}/task/${agent.pid}/children`, 'utf8').split(' ').filter(Boolean);
      await subject.refused(CHANNEL.dead, { use: 'first' }, 500);
      await until('no process', () => children().length === 0);
      const [before, noted] = [descriptors(), warnings(agent).length];
      const killed = await subject.open('GR/T21');
      process.kill(killed.process, 'SIGKILL');
      await killed.ends('aborted');
      const stopped = await subject.open('GR/T22');
      process.kill(stopped.process, 'SIGSTOP');
      const refused = [CHANNEL.dead, CHANNEL.silent, CHANNEL.garbage].map((channel) =>
        subject.refused(channel, {}, 500),
      );
      const streams = await Promise.all(
        [CHANNEL.stops, CHANNEL.ends].map((channel) => subject.open(channel)),
      );
      await Promise.all(refused);
      for (const stream of [stopped, ...streams]) await stream.ends('aborted');
      await until('no process', () => children().length === 0);
      // Connections of this suite that may be reused stay open for a while; the seven left two each.
      await until('descriptors as before', () => descriptors() <= before + 6);
      // Killed, stopped, dead, silent, garbage, no more TS, ended.
      same(warnings(agent).length - noted, 7, `warnings (${warnings(agent).slice(noted).join(' | ')})`);
      for (const { users, tuned } of await subject.tuners()) same([users, tuned], [[], null], 'what is left');
    },
  },
  {
    sentence: 'Tunings one after another leave no process and no descriptor behind',
    needs: 'launch',
    seconds: 4,
    async check(_subject, surroundings) {
      const { agent, subject } = await launch(surroundings, { environment: { FAKE_TUNERS: 'GR:1' } });
      const descriptors = (): number => readdirSync(`/proc/${agent.pid}/fd`).length;
      const processes = new Set<number>();
      const cycle = async (index: number): Promise<void> => {
        const stream = await subject.open(`GR/T${21 + (index % 2)}`);
        processes.add(stream.process);
        stream.leave();
        await subject.lingers(stream.tuner);
      };
      for (let index = 0; index < 4; index += 1) await cycle(index);
      const before = descriptors();
      for (let index = 0; index < 20; index += 1) await cycle(index);
      await until('descriptors as before', () => descriptors() <= before + 3);
      await until('one process', () => [...processes].filter(isRunning).length <= 1);
    },
  },
];
