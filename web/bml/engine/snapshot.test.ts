/** Seeking in a recording: the state of another moment, the recording's clock, and no communication. */
import { describe, expect, test } from 'bun:test';
import type { ModuleMessage, ResponseMessage } from '../../../lib/wire/data-broadcast.ts';
import { EngineRig, moduleMessage, PROGRAMME, page } from '../../../test/web/engine-rig.ts';
import { KEY } from './keys.ts';
import type { Network } from './network.ts';

const AT = Date.UTC(2026, 10, 26, 3, 30);

interface Moment {
  readonly startup: string;
  readonly score?: string;
  /** Its document; default: one that tells the score. */
  readonly scorePage?: string;
  readonly scoreVersion?: number;
  readonly dataEvent?: number;
  readonly at?: number;
}

function component(componentId: number) {
  const pid = 0x100 + componentId;
  return { pid, componentId, streamType: 0x0d, dataComponentId: 0x0c, bxmlInfo: null };
}

/** All that is received by a moment: a start, and a score in a component of its own. */
function messages(moment: Moment) {
  const { startup, score = '0', scorePage = page(`log("score ${score}");`) } = moment;
  const { scoreVersion = 1, dataEvent = 1, at = AT } = moment;
  const modules: ModuleMessage[] = [
    moduleMessage(0x40, 0, { 'startup.bml': startup }, 1, dataEvent),
    moduleMessage(0x50, 0, { 'score.bml': scorePage }, scoreVersion, dataEvent),
  ];
  const lists = modules.map(({ componentId, version }) => ({
    type: 'moduleListUpdated' as const,
    componentId,
    dataEventId: dataEvent,
    returnToEntryFlag: false,
    modules: [{ id: 0, version, size: 1000 }],
  }));
  const all: ResponseMessage[] = [
    { type: 'pmt', components: [0x40, 0x50, 0x10].map(component) },
    PROGRAMME,
    ...lists,
    ...modules,
    { type: 'currentTime', at },
  ];
  return all;
}

class Recorded extends EngineRig {
  async seek(moment: readonly ResponseMessage[], ms = 100): Promise<void> {
    this.engine.beginSnapshot();
    for (const message of moment) this.data(message);
    this.engine.endSnapshot();
    await this.clock.run(ms);
  }

  /** What was traced since the last call. */
  get traced(): string[] {
    const { trace } = this;
    this.posted.length = 0;
    return trace;
  }
}

async function opened(moment: Moment, options: ConstructorParameters<typeof EngineRig>[0] = {}) {
  const rig = new Recorded({ isRecording: true, ...options });
  await rig.seek(messages(moment));
  return rig;
}

const PLAIN = page('log("start"); function load() {}');
const item = (type: string, more = ''): string =>
  `<bevent><beitem id="i" type="${type}" onoccur="fired();" subscribe="subscribe" ${more}/></bevent>`;
const FIRED =
  'log("start"); function load() {} function fired() { log("fired " + document.currentEvent.status); }';

describe('another moment', () => {
  test('with the same contents leaves the document as it is, and has its own time', async () => {
    const script =
      'log("start"); function load() {} function press() { var d = new Date(); log(d.getHours() + ":" + d.getMinutes()); }';
    const startup = page(script, '<p style="nav-index:0" onkeydown="press();"></p>');
    const rig = await opened({ startup });
    await rig.press(KEY.enter);
    expect(rig.traced).toEqual(['start', '12:30']);
    await rig.seek(messages({ startup, score: '3', scoreVersion: 2, at: AT + 600_000 }));
    await rig.press(KEY.enter);
    expect(rig.traced).toEqual(['12:40']);
    await rig.seek(messages({ startup, at: AT - 3_600_000 }));
    await rig.press(KEY.enter);
    expect(rig.traced).toEqual(['11:30']);
  });

  test.each([
    ['another document', { startup: page('log("other"); function load() {}') }, ['other']],
    ['another data event', { startup: PLAIN, dataEvent: 2 }, ['start']],
  ])('with %s starts again', async (_, moment, expected) => {
    const rig = await opened({ startup: PLAIN });
    expect(rig.traced).toEqual(['start']);
    await rig.seek(messages(moment));
    expect(rig.traced).toEqual([...expected]);
  });

  test('starts again where a module that the document was made of has other contents, also of the same version', async () => {
    const startup = page('browser.launchDocument("/50/0000/score.bml");');
    const rig = await opened({ startup });
    expect(rig.traced).toEqual(['score 0']);
    await rig.seek(messages({ startup, score: '7' }));
    expect(rig.traced).toEqual(['score 7']);
    await rig.seek(messages({ startup, score: '7' }));
    expect(rig.traced).toEqual([]);
  });

  test('tells a document of a module that it listens to', async () => {
    const startup = page(
      'browser.lockModuleOnMemory("/50/0000"); function load() {} function fired() { log("fired " + document.currentEvent.status); }',
      item('ModuleUpdated', 'module_ref="/50/0000"'),
    );
    const rig = await opened({ startup });
    expect(rig.traced).toEqual(['fired 2']);
    await rig.seek(messages({ startup, score: '1', scoreVersion: 2 }));
    expect(rig.traced).toEqual(['fired 0']);
    // Versions repeat: without an event the document would keep what it locked.
    await rig.seek(messages({ startup, score: '2', scoreVersion: 2 }));
    expect(rig.documents).toHaveLength(1);
  });

  test('reloads a document after an event message: what it did is not of that moment', async () => {
    const startup = page('browser.launchDocument("/50/0000/score.bml");');
    const scorePage = page(FIRED, item('EventMessageFired', 'es_ref="/40"'));
    const rig = await opened({ startup, scorePage });
    expect(rig.documents.at(-1)).toBe('/50/0000/score.bml');
    rig.posted.length = 0;
    const event = { eventMessageGroupId: 0, eventMessageType: 0, eventMessageId: 1, eventMessageVersion: 1 };
    rig.event(0x40, { type: 'immediateEvent', ...event, privateDataBase64: '' });
    await rig.clock.run(100);
    expect(rig.traced).toHaveLength(1);
    await rig.seek(messages({ startup, scorePage }));
    expect(rig.documents).toEqual(['/50/0000/score.bml']);
    expect(rig.traced).toEqual(['start']);
    await rig.seek(messages({ startup, scorePage }));
    expect(rig.traced).toEqual([]);
    // It hears of what is sent there.
    rig.event(0x40, { type: 'immediateEvent', ...event, privateDataBase64: '' });
    await rig.clock.run(100);
    expect(rig.traced).toHaveLength(1);
  });

  test('five of them in a second open five documents', async () => {
    const rig = await opened({ startup: PLAIN });
    for (let n = 1; n <= 5; n++) {
      await rig.seek(messages({ startup: page(`log("at ${n}"); function load() {}`) }));
      expect(rig.trace.at(-1)).toBe(`at ${n}`);
    }
  });

  test('what a document that waits for d had opened stays open', async () => {
    const standBy = (n: number): string =>
      page(
        `function load() {} function fired() { log("d${n}"); document.getElementById("body").invisible = false; }`,
        item('DataButtonPressed'),
        'id="body" invisible="invisible" onload="load();"',
      );
    const rig = await opened({ startup: standBy(1) }, { isDataKeyPressed: true });
    expect(rig.phase).toBe('shown');
    expect(rig.traced).toEqual(['d1']);
    await rig.seek(messages({ startup: standBy(2) }), 1000);
    expect(rig.last('phase')).toBeUndefined();
    expect(rig.traced).toEqual(['d2']);
  });

  test('without anything shows nothing of before, and begins with what follows', async () => {
    const rig = await opened({ startup: PLAIN });
    await rig.seek([]);
    expect(rig.phase).toBe('loading');
    rig.posted.length = 0;
    for (const message of messages({ startup: page('log("later"); function load() {}') })) rig.data(message);
    await rig.clock.run(3000);
    expect(rig.trace).toEqual(['later']);
    expect(rig.phase).toBe('shown');
  });

  test('only the last one counts', async () => {
    const rig = await opened({ startup: PLAIN });
    rig.posted.length = 0;
    rig.engine.beginSnapshot();
    for (const message of messages({ startup: page('log("left");') })) rig.data(message);
    await rig.seek(messages({ startup: page('log("last");') }));
    expect(rig.trace).toEqual(['last']);
    // An end without a beginning.
    rig.engine.endSnapshot();
  });

  test('without a data broadcast ends it', async () => {
    const rig = await opened({ startup: PLAIN });
    await rig.seek([{ type: 'pmt', components: [component(0x10)] }, PROGRAMME]);
    expect(rig.phase).toBe('ended: noBroadcast');
    await rig.seek(messages({ startup: PLAIN }));
    expect(rig.phase).toBe('shown');
  });

  test('survives a hundred thousand messages', async () => {
    const rig = await opened({ startup: PLAIN });
    rig.engine.beginSnapshot();
    for (const message of messages({ startup: page('log("many");') })) rig.data(message);
    for (let n = 0; n < 100_000; n++) rig.data(moduleMessage(n & 0xff, n & 0xffff, {}));
    rig.engine.endSnapshot();
    await rig.clock.run(100);
    expect(rig.trace.at(-1)).toBe('many');
  });
});

describe("the recording's clock", () => {
  const timer = page(
    'function load() {} function fired() { log("fired"); }',
    item('TimerFired', 'time_mode="absolute" time_value="20261126123010"'),
  );
  test('half as fast lets timers fire half as fast, and not at all in a pause', async () => {
    const rig = await opened({ startup: timer });
    rig.engine.setRate(0);
    await rig.clock.run(60_000);
    expect(rig.trace).toEqual([]);
    rig.engine.setRate(0.5);
    await rig.clock.run(19_000);
    expect(rig.trace).toEqual([]);
    await rig.clock.run(1500);
    expect(rig.trace).toEqual(['fired']);
  });
  test('events that are announced for an NPT follow it', async () => {
    const rig = await opened({ startup: page(FIRED, item('EventMessageFired')) });
    rig.posted.length = 0;
    const event = { eventMessageGroupId: 0, eventMessageType: 0, eventMessageId: 1, eventMessageVersion: 1 };
    rig.event(0x40, { type: 'nptEvent', ...event, privateDataBase64: '', npt: 0, at: AT + 10_000 });
    rig.engine.setRate(2);
    await rig.clock.run(4500);
    expect(rig.trace).toEqual([]);
    await rig.clock.run(600);
    expect(rig.trace).toHaveLength(1);
  });
  test('a time that has passed at another moment fires again there', async () => {
    const rig = await opened({ startup: timer });
    await rig.clock.run(12_000);
    expect(rig.traced).toEqual(['fired']);
    await rig.seek(messages({ startup: timer }), 8000);
    expect(rig.traced).toEqual([]);
    await rig.clock.run(3000);
    expect(rig.traced).toEqual(['fired']);
  });
});

test('a recording does not communicate, whatever the page offers', async () => {
  const asked: string[] = [];
  const network: Network = {
    abilities: { network: true, applications: true },
    get: async (url) => (asked.push(url) > 0 ? 'refused' : 'off'),
    post: async (url) => (asked.push(url) > 0 ? 'refused' : 'off'),
    confirm: async (host) => void asked.push(host) as undefined,
  };
  const script = `log(browser.isIPConnected()); log(browser.getConnectionType());
    log(browser.getBrowserSupport("ARIB", "APIGroup", "Com.IP"));
    log(browser.transmitTextDataOverIP("http://example.com/", "a", "EUC-JP"));
    log(browser.confirmIPNetwork("example.com", 1, 1000));
    log(browser.startAITControlledApp("http://example.com/ait.xml")); function load() {}`;
  const live = await opened({ startup: page(script) }, { network, isRecording: false });
  expect(asked.length).toBeGreaterThan(0);
  expect(live.trace[0]).toBe('1');
  asked.length = 0;
  const rig = await opened({ startup: page(script) }, { network });
  expect(rig.trace[0]).toBe('0');
  expect(rig.trace[1]).toBe('NaN');
  expect(rig.trace[2]).toBe('0');
  expect(rig.trace).toHaveLength(6);
  expect(asked).toEqual([]);
});
