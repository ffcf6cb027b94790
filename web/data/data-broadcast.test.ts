import { describe, expect, test } from 'bun:test';
import { signal } from '@preact/signals';
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { KEY } from '../bml/engine/keys.ts';
import type { BmlSessionOptions } from '../bml/session.ts';
import { DataBroadcast, type DataTaker } from './data-broadcast.ts';

/** With a clock and a session of the test. */
function rig(isRecording = false) {
  let now = 0;
  let timers: { at: number; run: () => void }[] = [];
  const calls: string[] = [];
  const sessions: BmlSessionOptions[] = [];
  const media = {
    captionLanguages: [],
    captionShown: undefined,
    audioComponent: 16,
    audioChannel: undefined,
  };
  const volume = signal(0.5);
  const rate = signal(1);
  let taker: DataTaker | undefined;
  const data = new DataBroadcast({
    take: (taken) => {
      taker = taken;
      calls.push('take');
      return () => calls.push('stop');
    },
    createSession: (options) => {
      sessions.push(options);
      return {
        data: ({ type }) => void calls.push(type),
        beginSnapshot: () => void calls.push('begin'),
        endSnapshot: () => void calls.push('end'),
        setRate: (now) => void calls.push(`rate ${now}`),
        key: (code, isDown) => void calls.push(`${isDown ? 'down' : 'up'} ${code}`),
        press: (code) => void calls.push(`press ${code}`),
        setMedia: () => {},
        setAbilities: () => {},
        setVolume: (level) => void calls.push(`volume ${level}`),
        enterText: () => {},
        close: () => void calls.push('close'),
      };
    },
    isRecording,
    rate,
    receiver: () => ({ postalCode: '1500001', prefecture: 14 }),
    media: signal(media),
    abilities: signal({ network: true, applications: true }),
    volume,
    request: async () => undefined,
    savePostalCode: () => {},
    application: {
      load: () => Promise.reject(new Error('offline')),
      base: () => 'http://svc.test/',
      storage: () => localStorage,
      region: () => ({ postalCode: '', prefecture: 255 }),
      station: () => '',
      focusPage: () => {},
    },
    onApplicationFailed: (fault) => calls.push(`application ${fault}`),
    onLaunchFailed: (fault) => calls.push(`launch ${fault}`),
    onWaiting: () => calls.push('waiting'),
    now: () => now as MonotonicMs,
    later: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  });
  return {
    data,
    calls,
    volume,
    sessions,
    /** Opens it, as the screen does once its canvas is there. */
    open() {
      data.pressData();
      data.attach({} as HTMLCanvasElement);
      const handlers = sessions.at(-1)?.handlers;
      if (handlers === undefined) throw new Error('no session');
      return handlers;
    },
    hear: (message: { type: string }) => taker?.message(message),
    get taker(): DataTaker {
      if (taker === undefined) throw new Error('nothing is taken');
      return taker;
    },
    rate,
    pass(ms: number) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
    drain: () => calls.splice(0),
  };
}

describe('the data broadcast of the station that is watched', () => {
  test('gets messages, volume and keys while it is there', () => {
    const { data, open, hear, drain, volume } = rig();
    const handlers = open();
    expect(drain()).toEqual(['take', 'rate 1', 'volume 0.5']);
    hear({ type: 'pmt' });
    handlers.onPhase('shown', undefined);
    handlers.onUsedKeys(['basic']);
    volume.value = 0;
    expect([data.down(KEY.enter), data.down(KEY.enter, true), data.up(KEY.enter)]).toEqual([
      true,
      true,
      true,
    ]);
    // Digits and the release of keys that it never got are the receiver's.
    expect([data.down(KEY.digit0), data.up(KEY.left)]).toEqual([false, false]);
    data.down(KEY.up);
    data.releaseAll();
    expect(drain()).toEqual(['pmt', 'volume 0', 'down 18', 'up 18', 'down 1', 'up 1']);
    data.leave();
    expect(drain().sort()).toEqual(['close', 'stop']);
    expect([data.down(KEY.enter), data.state.value.kind]).toEqual([false, 'off']);
  });

  test('keeps a document that was put away for a minute, then asks the service for nothing', () => {
    const { data, open, hear, drain, pass } = rig();
    const handlers = open();
    hear({ type: 'pmt' });
    handlers.onPhase('shown', undefined);
    handlers.onPhase('hidden', undefined);
    expect([data.isOpen, data.down(KEY.up)]).toEqual([false, false]);
    pass(30_000);
    data.down(KEY.data);
    handlers.onPhase('shown', undefined);
    pass(60_000);
    expect(data.state.value.kind).toBe('shown');
    pass(5_000);
    handlers.onPhase('hidden', undefined);
    drain();
    pass(60_000);
    expect(drain().sort()).toEqual(['close', 'stop']);
    expect(data.state.value.kind).toBe('off');
  });

  test('waits for a document that waits for d, then says so', () => {
    const { data, open, drain, pass, hear } = rig();
    const handlers = open();
    hear({ type: 'pmt' });
    handlers.onPhase('hidden', undefined);
    expect(data.state.value.kind).toBe('loading');
    pass(10_000);
    expect(drain()).toContain('waiting');
    expect(data.state.value.kind).toBe('hidden');
  });

  test('says that nothing comes, and starts again with d', () => {
    const { data, open, pass, sessions } = rig();
    open();
    pass(20_000);
    expect(data.state.value).toEqual({ kind: 'ended', reason: 'silent' });
    // Enter is that of the buttons then.
    expect(data.down(KEY.enter)).toBe(false);
    open();
    expect([data.state.value.kind, sessions.length, data.run.value]).toEqual(['loading', 2, 2]);
  });

  test('is left by Back where the document does not take it, and when it is held', () => {
    const { data, open, drain, pass } = rig();
    const shown = (groups: readonly string[]): void => {
      const handlers = open();
      handlers.onPhase('shown', undefined);
      handlers.onUsedKeys(groups);
      drain();
    };
    shown(['data-button']);
    data.down(KEY.back);
    expect(data.state.value.kind).toBe('off');
    shown(['basic']);
    pass(5_000);
    data.down(KEY.back);
    expect(drain()).toEqual(['down 19']);
    pass(900);
    data.down(KEY.back, true);
    expect(data.state.value.kind).toBe('off');
  });

  test('knows that a station has none until another one is watched', () => {
    const { data, open } = rig();
    open().onPhase('ended', 'noBroadcast');
    expect([data.state.value.kind, data.isMissing.value]).toEqual(['ended', true]);
    data.forget();
    expect(data.isMissing.value).toBe(false);
  });

  test('shows that documents communicate, for a moment longer than they do', () => {
    const { data, open, pass, drain } = rig();
    const handlers = open();
    handlers.onCommunication(true);
    handlers.onCommunication(false);
    expect(data.isCommunicating.value).toBe(true);
    pass(700);
    handlers.onCommunication(true);
    handlers.onCommunication(false);
    pass(700);
    expect(data.isCommunicating.value).toBe(true);
    pass(100);
    expect(data.isCommunicating.value).toBe(false);
    handlers.onCommunication(true);
    drain();
    data.leave();
    expect(data.isCommunicating.value).toBe(false);
    pass(60_000);
    expect(drain()).toEqual(['stop', 'close']);
  });

  test('names the server of a document, and says when there is none to show', () => {
    const { data, open, drain } = rig();
    const handlers = open();
    expect(data.server).toBeUndefined();
    handlers.onDocument('http://www.example.jp:8080/news/top.bml?id=1');
    expect(data.server).toBe('www.example.jp');
    handlers.onDocument('/40/0000/startup.bml');
    expect(data.server).toBeUndefined();
    drain();
    handlers.onLaunchFailed('off');
    expect(drain()).toEqual(['launch off']);
  });

  test('of a recording has its moments and its rate', () => {
    const run = rig(true);
    const handlers = run.open();
    run.drain();
    run.taker.beginSnapshot();
    run.hear({ type: 'pmt' });
    run.taker.endSnapshot();
    run.rate.value = 0;
    expect(run.drain()).toEqual(['begin', 'pmt', 'end', 'rate 0']);
    expect(run.sessions.at(-1)?.isRecording).toBe(true);
    handlers.onPhase('shown', undefined);
    // What the documents of another moment do before they get d is not seen.
    run.pass(60_000);
    run.taker.beginSnapshot();
    handlers.onPhase('hidden', undefined);
    expect(run.data.state.value.kind).toBe('shown');
    handlers.onPhase('shown', undefined);
    run.pass(60_000);
    expect(run.data.state.value.kind).toBe('shown');
    // But what the viewer puts away is.
    run.taker.beginSnapshot();
    run.data.down(KEY.data);
    handlers.onPhase('hidden', undefined);
    expect(run.data.state.value.kind).toBe('hidden');
    run.drain();
    run.taker.beginSnapshot();
    expect(run.data.state.value.kind).toBe('off');
    expect(run.drain()).toContain('close');
  });

  test('of a recording without any says so at once', () => {
    const run = rig(true);
    run.open();
    run.pass(60_000);
    expect(run.data.state.value.kind).toBe('loading');
    run.taker.failed('noBroadcast');
    expect(run.data.state.value).toEqual({ kind: 'ended', reason: 'noBroadcast' });
  });
});
