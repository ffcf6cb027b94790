import { describe, expect, test } from 'bun:test';
import { browserSupport } from './browser-receiver.ts';
import { RateLimit } from './network.ts';
import { Timers } from './timers.ts';

class FakeClock {
  time = 0;
  #calls: { at: number; call: () => void }[] = [];
  now = (): number => this.time;
  after = (ms: number, call: () => void): (() => void) => {
    const entry = { at: this.time + ms, call };
    this.#calls.push(entry);
    return () => {
      this.#calls = this.#calls.filter((one) => one !== entry);
    };
  };
  get waiting(): number {
    return this.#calls.length;
  }
  run(until: number): void {
    for (;;) {
      const next = this.#calls.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#calls = this.#calls.filter((one) => one !== next);
      this.time = Math.max(this.time, next.at);
      next.call();
    }
    this.time = until;
  }
}

describe('timers', () => {
  function timers(isStuck = false) {
    const clock = new FakeClock();
    const fired: string[] = [];
    const started = new Timers(clock, (code, done) => {
      fired.push(`${clock.time} ${code}`);
      if (!isStuck) done();
    });
    return { clock, fired, started };
  }

  test('fire in time, as often as wanted', () => {
    const { clock, fired, started } = timers();
    started.start('a', 100, 2);
    started.start('b', 150, 0);
    clock.run(460);
    expect(fired).toEqual(['100 a', '150 b', '200 a', '300 b', '450 b']);
  });
  test('are cleared, paused and resumed', () => {
    const { clock, fired, started } = timers();
    const id = started.start('a', 100, 0);
    expect(started.pause(id)).toBe(true);
    clock.run(500);
    expect(started.resume(id)).toBe(true);
    expect(started.resume(id)).toBe(true);
    clock.run(650);
    expect(fired).toEqual(['600 a']);
    expect([started.clear(id), started.clear(id), started.pause(id), started.resume(id)]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    clock.run(2000);
    expect(fired).toHaveLength(1);
  });
  test('a thousand are 64, with an interval of 0 not more than a hundred a second', () => {
    const { clock, fired, started } = timers();
    const ids = Array.from({ length: 1000 }, () => started.start('f', 0, 0));
    expect(ids.filter((id) => !Number.isNaN(id))).toHaveLength(64);
    clock.run(1000);
    expect(fired).toHaveLength(64 * 100);
    started.clearAll();
    expect(clock.waiting).toBe(0);
  });
  test('do not queue while their code waits to be run', () => {
    const { clock, fired, started } = timers(true);
    started.start('a', 100, 0);
    clock.run(1000);
    expect(fired).toEqual(['100 a']);
  });
  test('an interval that is no number is refused', () => {
    expect(timers().started.start('a', Number.NaN, 0)).toBeNaN();
  });
});

test('a rate limit tells how long to wait', () => {
  const limit = new RateLimit(2, 1000);
  expect([limit.take(0), limit.take(100), limit.take(200), limit.take(1000), limit.take(1001)]).toEqual([
    0, 0, 800, 0, 99,
  ]);
});

describe('getBrowserSupport', () => {
  const none = { network: false, applications: false };
  const all = { network: true, applications: true };
  test.each([
    [['ARIB', 'BMLversion'], 1, 1],
    [['ARIB', 'BMLversion', '3.0'], 1, 1],
    [['ARIB', 'BMLversion', '3.1'], 0, 0],
    [['ARIB', 'BMLversion', 'x'], 0, 0],
    [['ARIB', 'APIGroup', 'EPG.Basic'], 1, 1],
    [['ARIB', 'APIGroup', 'Bookmark.Basic'], 0, 0],
    [['ARIB', 'APIGroup', 'Com.IP'], 0, 1],
    [['ARIB', 'APIGroup', 'AITControlledApp.Start'], 0, 1],
    [['ARIB', 'APIGroup', 'constructor'], 0, 0],
    [['ARIB', 'APIGroup'], 0, 0],
    [['ARIB', 'TransmissionProtocol', 'application', 'HTTP', '1.1'], 0, 1],
    [['ARIB', 'TransmissionProtocol', 'application', 'TLS'], 0, 1],
    [['ARIB', 'TransmissionProtocol', 'application', 'FTP'], 0, 0],
    [['ARIB', 'TransmissionProtocol', 'datalink', 'PPP.modem'], 0, 0],
    [['ARIB', 'AITControlledAppEngineFunction', 'IPTV-F', 'HTML5_ph1'], 0, 1],
    [['ARIB', 'AITTransferMethod', 'XML', 'HTTP'], 0, 1],
    [['ARIB', 'AITTransportMethod', 'Section', 'DataCarousel'], 0, 1],
    [['ARIB', 'MediaDecoder', 'image/X-arib-mng'], 1, 1],
    [['ARIB', 'MediaDecoder', 'image/svg+xml'], 0, 0],
    [['ARIB', 'Storage', 'cachesize', '1000000'], 1, 1],
    [['ARIB', 'Storage', 'cachesize', '100000000'], 0, 0],
    [['ARIB', 'CharacterEncoding', 'EUC-JP'], 1, 1],
    [['ARIB', 'CharacterEncoding', 'UTF-8'], 0, 0],
    [['ARIB', 'OSDResolution', '960x540'], 1, 1],
    [['ARIB', 'CASystem', '0x0005'], 1, 1],
    [['ARIB', 'nvram', 'BSspecifiedExtension', '48'], 1, 1],
    [['nvram', 'BSspecifiedExtension', '48'], 1, 1],
    [['nvram', 'NumberOfBSBroadcasters', '23'], 1, 1],
    [['nvram', 'NumberOfCSBroadcasters', '24'], 0, 0],
    [['nvram', 'BMLversion'], 0, 0],
    [['ARIB', 'nvram', 'NumberOfBSBroadcasters', '24'], 0, 0],
    [['ARIB', '__proto__'], 0, 0],
    [['BPA', 'APIGroup', 'EPG.Basic'], 0, 0],
  ])('%p is %d, with a connection %d', ([provider = '', name = '', ...details], without, connected) => {
    expect(browserSupport(provider, name, details, none)).toBe(without);
    expect(browserSupport(provider, name, details, all)).toBe(connected);
  });
});
