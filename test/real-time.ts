/**
 * For tests whose point is real time: broadcasts of seconds that an agent receives, recorded by processes. On a machine
 * that sends or reads too late for that, packets are lost as behind a real tuner, and agents end streams that stand still:
 * what fails there is printed as skipped. What passes there has passed, and on any other machine a failure is one.
 */
import { afterAll, beforeAll, test } from 'bun:test';
import { MachineLateness } from './machine-lateness.ts';

type Body = () => Promise<void> | void;

export interface RealTime {
  /** As `beforeAll`; an error is thrown by the tests, which may be skipped for it. */
  prepare(act: Body): void;
  /** Registers such a test. */
  test(name: string, body: Body): void;
  /** Runs what decides in a test that is registered otherwise. */
  inTime(body: Body): Promise<void>;
  /** Of the machine since the first hook of the file. */
  lateness(): MachineLateness;
}

/** Measures the machine beside the tests of a file, which calls this before its own hooks. */
export function realTime(): RealTime {
  let running: MachineLateness | undefined;
  let prepared: Promise<void> | undefined;
  beforeAll(async () => {
    running = await MachineLateness.start();
  });
  afterAll(() => running?.[Symbol.dispose]());
  const lateness = (): MachineLateness => {
    if (running === undefined) throw new Error('the machine is not measured yet');
    return running;
  };
  const inTime = async (body: Body): Promise<void> => {
    try {
      await prepared;
      await body();
    } catch (error) {
      if (!lateness().isTooSlow()) throw error;
    }
  };
  const prepare = (act: Body): void =>
    beforeAll(async () => {
      prepared = (async () => act())();
      await prepared.catch(() => {});
    });
  return { prepare, test: (name, body) => test(name, () => inTime(body)), inTime, lateness };
}
