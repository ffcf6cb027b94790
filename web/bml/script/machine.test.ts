import { describe, expect, test } from 'bun:test';
import { runScript, shown, testMachine } from '../../../test/script-machine.ts';
import { ABANDON, SUSPEND } from './functions.ts';
import type { HostClass } from './host.ts';
import { type Machine, ScriptFault } from './machine.ts';

interface Box {
  left: string;
  writes: number;
}

const BOX: HostClass<Box> = {
  name: 'Box',
  properties: {
    left: {
      type: 'string',
      get: (box) => box.left,
      set: (box, value) => {
        box.left = String(value);
        box.writes += 1;
      },
    },
    kind: { get: () => 'box' },
  },
  methods: {
    move: { params: ['number'], call: (box, [by]) => `${box.left}+${by}` },
  },
};

function boxMachine(log: string[] = []): { machine: Machine; box: Box } {
  const machine = testMachine({ log: (message) => log.push(message) });
  const box = { left: '0px', writes: 0 };
  machine.defineValue('box', machine.wrap(BOX, box));
  return { machine, box };
}

function resultOf(machine: Machine, source: string): string {
  const outcome = runScript(machine, source);
  return outcome.state === 'done' ? shown(machine.globalValue('result')) : outcome.state;
}

describe('objects of the host', () => {
  test('have the properties and methods of their class', () => {
    const { machine, box } = boxMachine();
    expect(resultOf(machine, 'box.left = 5; result = box.left + box.kind + box.move("2")')).toBe('"5box5+2"');
    expect(box.left).toBe('5');
  });

  test('convert what is written, also by methods of the script', () => {
    const { machine, box } = boxMachine();
    const source =
      'function text() { return 7 } var o = new Object(); o.toString = text; box.left = o; result = box.left';
    expect(resultOf(machine, source)).toBe('"7"');
    expect(box.writes).toBe(1);
  });

  test('ignore writes to unknown and read-only properties; unknown ones are logged once', () => {
    const log: string[] = [];
    const { machine } = boxMachine(log);
    const source = 'box.kind = 1; box.zIndex = 3; box.zIndex = 4; result = box.kind + box.zIndex';
    expect(resultOf(machine, source)).toBe('"boxundefined"');
    expect(log).toEqual(['Box has no property zIndex']);
  });

  test('are the same object whenever the host hands them out', () => {
    const { machine, box } = boxMachine();
    machine.defineFunction('find', { call: () => machine.wrap(BOX, box) });
    expect(resultOf(machine, 'result = find() == box')).toBe('true');
    const other = runScript(machine, 'var found = find()');
    expect(other.state).toBe('done');
    expect(machine.targetOf(BOX, machine.globalValue('found'))).toBe(box);
  });
});

describe('tasks', () => {
  test('a suspended call continues with the value of the host', () => {
    const machine = testMachine();
    machine.defineFunction('wait', { call: () => SUSPEND });
    expect(runScript(machine, 'result = 1; result = wait() + 1').state).toBe('suspended');
    expect(machine.globalValue('result')).toBe(1);
    machine.resume(41);
    expect(machine.run().state).toBe('done');
    expect(machine.globalValue('result')).toBe(42);
  });

  test('an abandoned task never continues; the next one runs', () => {
    const machine = testMachine();
    machine.defineFunction('launch', { call: () => ABANDON });
    expect(runScript(machine, 'result = 1; launch(); result = 2').state).toBe('abandoned');
    expect(machine.run().state).toBe('done');
    expect(machine.globalValue('result')).toBe(1);
    expect(resultOf(machine, 'result = 3')).toBe('3');
  });

  test('an error ends its task and names the line', () => {
    const machine = testMachine();
    const outcome = runScript(machine, 'var result = 1;\n\nlaunchDcoument("x");\nresult = 2;');
    expect(outcome).toEqual({
      state: 'error',
      fault: new ScriptFault('launchDcoument is not a function', 'test.bml', 3),
    });
    expect(resultOf(machine, 'result += 4')).toBe('5');
  });

  test('an event handler is called by its name; one that does not exist is no error', () => {
    const log: string[] = [];
    const machine = testMachine({ log: (message) => log.push(message) });
    runScript(machine, 'var result = 0; function onload() { result = 8 }');
    expect(machine.startCall('onload')).toBe(true);
    expect(machine.run().state).toBe('done');
    expect(machine.globalValue('result')).toBe(8);
    expect([machine.startCall('start'), machine.startCall('start')]).toEqual([false, false]);
    expect(log).toEqual(['there is no function start']);
  });

  test('a script belongs to the machine that compiled it', () => {
    const script = testMachine().compile('result = 1', 'test.bml');
    expect(script instanceof ScriptFault).toBe(false);
    if (script instanceof ScriptFault) return;
    expect(() => testMachine().start(script)).toThrow('compiled by another machine');
  });

  test('a script may be started again, such as the text of a timer', () => {
    const machine = testMachine();
    const script = machine.compile('var result; result = (result == undefined) ? 1 : result + 1', 'timer');
    if (script instanceof ScriptFault) throw new Error(script.message);
    for (let turn = 1; turn <= 3; turn += 1) {
      machine.start(script);
      expect(machine.run().state).toBe('done');
      expect(machine.globalValue('result')).toBe(turn);
    }
  });

  test('a call that a conversion or a comparison makes may be suspended', () => {
    const machine = testMachine();
    machine.defineFunction('wait', { call: () => SUSPEND });
    const source = `
      function text() { return "<" + wait() + ">" } var o = new Object(); o.toString = text; // called last
      function order(a, b) { return wait() } result = o + new Array("a", "b").sort(order).join("")`;
    expect(runScript(machine, source).state).toBe('suspended');
    const answers = [7, 1];
    for (const answer of answers) {
      machine.resume(answer);
      const outcome = machine.run();
      expect(outcome.state).toBe(answer === answers.at(-1) ? 'done' : 'suspended');
    }
    expect(machine.globalValue('result')).toBe('<1>ba');
  });

  test('an exception of the host is an error of the task', () => {
    const machine = testMachine();
    machine.defineFunction('broken', {
      call: () => {
        throw new Error('no such thing');
      },
    });
    const outcome = runScript(machine, 'broken()');
    expect(outcome.state === 'error' && outcome.fault.message).toBe('host: no such thing');
    expect(resultOf(machine, 'result = 1')).toBe('1');
  });
});
