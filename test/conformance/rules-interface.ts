/** Requests, responses, events and errors of every path. */
import { connect } from 'node:net';
import { parseAs } from '../../agent/config/validate.ts';
import { type Channel, type TunerDefinition, TunersSchema } from '../../lib/wire/agent.ts';
import { until } from '../until.ts';
import type { Rule } from './rule.ts';
import { holds, messageOf, type Subject, same, tuner } from './subject.ts';

const [A, B] = ['GR/T21', 'GR/T22'];
const STORED: Channel = {
  type: 'BS',
  channel: 'BS01_0',
  tsid: 0x4017,
  networkId: 4,
  stations: [{ serviceId: 151, name: '架空テレビ', serviceType: 1, remoteControlKey: 5 }],
};

/** Name, path, request, status, text that the message has to contain. */
type Bad = [name: string, path: string, init: RequestInit, status: number, names: string];

const put = (value: unknown): RequestInit => ({ method: 'PUT', body: JSON.stringify(value) });

const BAD: Bad[] = [
  ['no type', '/agent/stream?channel=T21', {}, 400, 'type'],
  ['an unknown type', '/agent/stream?type=SKY&channel=T21', {}, 400, 'type'],
  ['no channel', '/agent/stream?type=GR', {}, 400, 'channel'],
  ['a priority that is no integer', '/agent/stream?type=GR&channel=T21&priority=1.5', {}, 400, 'priority'],
  ['tuners that are no list', '/agent/tuners', put({}), 400, ''],
  ['a tuner without types', '/agent/tuners', put([{ driver: 'fake', device: '' }]), 400, 'types'],
  ['an unknown driver', '/agent/tuners', put([{ ...tuner('a', 'GR'), driver: 'x' }]), 400, 'driver'],
  ['an id twice', '/agent/tuners', put([tuner('a', 'GR'), tuner('a', 'BS')]), 400, '[1].id'],
  ['text that is no JSON', '/agent/tuners', { method: 'PUT', body: '[{' }, 400, ''],
  ['a channel of no form', '/agent/channels', put([{ ...STORED, channel: 'BS02_0' }]), 400, 'channel'],
  ['a tsid out of range', '/agent/channels', put([{ ...STORED, tsid: 70_000 }]), 400, 'tsid'],
  ['an unknown path', '/agent/nothing', {}, 404, ''],
  ['a card key on the normal port', '/agent/card/ecm', { method: 'POST', body: 'x' }, 404, ''],
  ['another card key', '/agent/card/init', {}, 404, ''],
  ['a method that the path has not', '/agent/stream', { method: 'POST' }, 405, ''],
];

const GOOD_FORMS = ['GR/T13', 'GR/T62', 'BS/BS01_0', 'BS/BS23_3', 'CS/CS02', 'CS/CS24'];
const BAD_FORMS = [
  'GR/T12',
  'GR/T63',
  'GR/27',
  'BS/BS02_0',
  'BS/BS25_0',
  'BS/BS01_4',
  'CS/CS01',
  'CS/CS26',
  'BS/T21',
];

/** The data received from the event stream so far. */
async function events(subject: Subject): Promise<{ answer: Response; text: () => string; stop: () => void }> {
  const abort = new AbortController();
  const answer = await subject.fetch('/agent/events', { signal: abort.signal });
  let text = '';
  void (async () => {
    for await (const part of answer.body ?? []) text += new TextDecoder().decode(part);
  })().catch(() => {});
  return { answer, text: () => text, stop: () => abort.abort() };
}

export const INTERFACE: Rule[] = [
  {
    sentence: 'GET /agent/tuners gives every field of a tuner, and PUT answers 200 with the same list',
    async check(subject) {
      const definition: TunerDefinition[] = [
        { ...tuner('a', 'GR'), name: '居間', lnb: true },
        tuner('b', 'BS', 'CS'),
      ];
      const answer = await subject.put('/agent/tuners', definition);
      const given: unknown = await answer.json();
      const list = await subject.tuners();
      same([answer.status, given], [200, list], 'the answer to PUT');
      same(parseAs(TunersSchema, list), list, 'the list by its schema');
      const idle = { tuned: null, users: [], signal: null, stats: null, descrambled: false, error: null };
      // Added to the contract later: an agent without it conforms too.
      const { descrambling = null, ...first } = list[0] ?? {};
      same(descrambling, null, 'descrambling of an idle tuner');
      same(first, { ...definition[0], disabled: false, rank: 0, state: 'idle', ...idle }, 'an idle tuner');
    },
  },
  {
    sentence: 'A command in a definition is dropped, and no screen can start one',
    async check(subject) {
      const definition = { ...tuner('a', 'GR'), command: '/bin/false' };
      same((await subject.put('/agent/tuners', [definition])).status, 200, 'the answer');
      holds(!JSON.stringify(await subject.tuners()).includes('/bin/false'), 'the command is in the list');
      await (await subject.open(A)).undisturbed();
    },
  },
  {
    sentence: 'PUT /agent/tuners: tunings in use on an unchanged definition continue, others are aborted',
    async check(subject) {
      await subject.define(tuner('a', 'GR'), tuner('b', 'GR'));
      const kept = await subject.open(A, { use: 'kept' });
      const lost = await subject.open(B, { use: 'lost' });
      const changed: TunerDefinition[] = [
        tuner('new', 'GR'),
        { ...tuner('b', 'GR'), lnb: true },
        tuner('a', 'GR'),
      ];
      same((await subject.put('/agent/tuners', changed)).status, 200, 'the answer');
      await lost.ends('aborted');
      await kept.undisturbed();
      same(await subject.uses('a'), ['kept'], 'the users of the kept tuner');
    },
  },
  {
    sentence:
      'Malformed requests are answered {message} with 400, 404 or 405, naming the field; nothing changes',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const before = [await subject.tuners(), await subject.channels()];
      for (const [name, path, init, status, names] of BAD) {
        const answer = await subject.fetch(path, init);
        same(answer.status, status, `the answer to ${name}`);
        const message = await messageOf(answer);
        holds(message.includes(names), `"${message}" does not name ${names}`);
      }
      same([await subject.tuners(), await subject.channels()], before, 'tuners and channels');
    },
  },
  {
    sentence: 'Physical channels are T13 to T62, BS01_0 to BS23_3 (odd), CS02 to CS24 (even); else 400',
    async check(subject) {
      // A type that no tuner supports is refused after its syntax was checked.
      await subject.define({ ...tuner('a', 'GR'), disabled: true });
      for (const channel of GOOD_FORMS) same((await subject.ask(channel)).status, 409, channel);
      for (const channel of BAD_FORMS) await subject.refused(channel, {}, 400);
    },
  },
  {
    sentence: 'GET /agent/stream: GR/T21 is T21; use is anonymous and priority 0 when they are not given',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const abort = new AbortController();
      const answer = await subject.fetch('/agent/stream?type=GR&channel=GR/T21', { signal: abort.signal });
      same([answer.status, answer.headers.get('x-svc-tuner')], [200, 'a'], 'status and X-Svc-Tuner');
      const { users, tuned, state } = await subject.tuner('a');
      same(
        users.map(({ use, priority }) => [use, priority]),
        [['anonymous', 0]],
        'the user',
      );
      same([tuned, state], [{ type: 'GR', channel: 'T21' }, 'tuned'], 'what is tuned');
      holds(
        users.every(({ lagBytes }) => Number.isInteger(lagBytes)),
        'lagBytes is missing',
      );
      abort.abort();
    },
  },
  {
    sentence: 'A use label is shown as it was given, several joined by blanks too',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const labels = ['rec 123 live GR/T21', 'epg GR/T21', 'logo GR/T21', 'scan T21'];
      for (const use of labels) await subject.open(A, { use });
      same(await subject.uses('a'), labels, 'the labels');
    },
  },
  {
    sentence: 'GET and PUT /agent/channels hold the same; the event channels is announced, streams continue',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const stream = await subject.open(A);
      const seen = await events(subject);
      const answer = await subject.put('/agent/channels', [STORED]);
      same([answer.status, await answer.json()], [200, [STORED]], 'the answer to PUT');
      same(await subject.channels(), [STORED], 'the channels');
      await until('event: channels', () => seen.text().includes('event: channels\ndata: 1\n\n'));
      seen.stop();
      await stream.undisturbed();
    },
  },
  {
    sentence:
      '{type}, {channel} and {tsid} reach the command; the stored table wins over the standard one, else 0',
    async check(subject) {
      await subject.define(tuner('a', 'GR', 'BS', 'CS'));
      await subject.put('/agent/channels', [STORED]);
      const asked: [string, string][] = [
        ['BS/BS01_0', 'BS BS01_0 16407'],
        ['BS/BS03_0', 'BS BS03_0 16432'],
        ['CS/CS02', 'CS CS02 24608'],
        ['CS/CS04', 'CS CS04 28736'],
        ['BS/BS07_0', 'BS BS07_0 0'],
        ['GR/T21', 'GR T21 0'],
      ];
      for (const [priority, [channel, label]] of asked.entries()) {
        same(
          [...(await subject.open(channel, { priority })).stamps.labels],
          [label],
          'what the command was asked',
        );
      }
    },
  },
  {
    sentence:
      'GET /agent/events sends its headers and a comment on connect, then tuners with data 1 on changes',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      const seen = await events(subject);
      same(seen.answer.headers.get('content-type'), 'text/event-stream', 'content-type');
      await until('the comment', () => seen.text().startsWith(': keep-alive\n'));
      const count = (): number => seen.text().split('event: tuners\ndata: 1\n\n').length;
      const before = count();
      const stream = await subject.open(A);
      await until('an event for the tuning', () => count() > before);
      const tuned = count();
      stream.leave();
      await until('an event for the leaving', () => count() > tuned);
      holds(!seen.text().includes('channels'), 'channels is announced without a reason');
      seen.stop();
    },
  },
  {
    sentence: 'An event stream that was dropped can be opened again at once, beside others',
    async check(subject) {
      await subject.define(tuner('a', 'GR'));
      for (let round = 0; round < 20; round += 1) (await events(subject)).stop();
      const both = [await events(subject), await events(subject)];
      await subject.open(A);
      for (const seen of both) {
        await until('the event', () => seen.text().includes('event: tuners'));
        seen.stop();
      }
    },
  },
  {
    sentence: 'The event stream carries : keep-alive every 30 s',
    long: true,
    seconds: 65,
    async check(subject, { atMost }) {
      const seen = await events(subject);
      const times: number[] = [];
      const begun = performance.now();
      await until('two comments after the first', () => {
        const count = seen.text().split(': keep-alive').length - 2;
        if (count > times.length) times.push(performance.now() - begun);
        return count >= 2;
      });
      seen.stop();
      for (const [index, at] of times.entries()) {
        holds(
          Math.abs(at - (index + 1) * 30_000) < atMost(3_000),
          `comment ${index + 2} came at ${Math.round(at)} ms`,
        );
      }
    },
  },
  {
    sentence: '1,000 idle connections and requests written octet by octet do not disturb a stream',
    needs: 'local',
    seconds: 3,
    async check(subject, { atMost }) {
      await subject.define(tuner('a', 'GR'));
      const stream = await subject.open(A);
      const { port, hostname } = new URL(subject.url);
      const sockets = Array.from({ length: 1_020 }, () =>
        connect(Number(port), hostname.replace(/[[\]]/g, '')),
      );
      let open = 0;
      for (const socket of sockets) socket.on('error', () => {}).once('connect', () => (open += 1));
      try {
        await until('the connections', () => open === sockets.length);
        const request = 'GET /agent/tuners HTTP/1.1\r\nHost: localhost\r\n';
        for (const letter of request.slice(0, 30)) {
          for (const socket of sockets.slice(1_000)) socket.write(letter);
          await Bun.sleep(10);
        }
        await stream.undisturbed();
        const asked = performance.now();
        await subject.open(A);
        const waited = performance.now() - asked;
        holds(waited < atMost(1_000), `another user waited ${Math.round(waited)} ms`);
      } finally {
        for (const socket of sockets) socket.destroy();
      }
      await stream.undisturbed();
    },
  },
];
