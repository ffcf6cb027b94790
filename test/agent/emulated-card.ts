/**
 * The card daemon and a conditional access card with test keys, as a client of the virtual reader `vpcd`
 * (vsmartcard). It is controlled by lines on standard input: `pcscd start|stop`, `insert`, `remove`, `delay
 * MS`, `kind good|foreign|garbage|refusing`, `second insert|remove` for another reader, whose card is always
 * good. `emulated-card.ts FOLDER`; the socket of the daemon is FOLDER/sock. Messages of vpcd: u16 length,
 * then control (1 byte) or APDU.
 */
import { openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { keysOf, TEST_SYSTEM } from '../scrambled-stream.ts';

const ATR = Uint8Array.fromHex('3BF01200FF9181B17C451F0399');
const GET_ATR = 4;
/**
 * First byte of an ECM to which the card responds with an error status, like a real one to an invalid ECM.
 */
const UNREADABLE = 0xee;
const OK = [0x90, 0x00];
const PORT = 35963;
const [folder = ''] = process.argv.slice(2);

let kind = 'good';
let delayMs = 0;
let socket: Bun.Socket<undefined> | undefined;
let second: Bun.Socket<undefined> | undefined;
let daemon: Bun.Subprocess | undefined;

function intAnswer(): Uint8Array {
  const answer = new Uint8Array(59);
  answer.set([
    0x00,
    0x37,
    0x00,
    0x00,
    0x21,
    0x00,
    TEST_SYSTEM.caSystemId >> 8,
    TEST_SYSTEM.caSystemId & 0xff,
  ]);
  answer.set(TEST_SYSTEM.systemKey, 16);
  answer.set(TEST_SYSTEM.initialValue, 48);
  answer.set(OK, 57);
  return answer;
}

function ecmAnswer(message: Uint8Array): Uint8Array {
  if (message[0] === UNREADABLE) return Uint8Array.of(0x67, 0x00);
  const answer = new Uint8Array(25);
  const code = kind === 'refusing' ? [0xa1, 0x03] : [0x08, 0x00];
  const { odd, even } = keysOf(message);
  answer.set([0x00, 0x15, 0x00, 0x00, ...code, ...odd, ...even], 0);
  answer.set(OK, 23);
  return answer;
}

function answerOf(command: Uint8Array, port: number): Uint8Array {
  const isFirst = port === PORT;
  if (isFirst && kind === 'foreign') return Uint8Array.of(0x6d, 0x00);
  if (isFirst && kind === 'garbage') return crypto.getRandomValues(new Uint8Array(40));
  if (command[0] === 0x90 && command[1] === 0x30) return intAnswer();
  if (command[0] === 0x90 && command[1] === 0x34)
    return ecmAnswer(command.subarray(5, 5 + (command[4] ?? 0)));
  return Uint8Array.of(0x6d, 0x00);
}

function send(target: Bun.Socket<undefined>, body: Uint8Array): void {
  target.write(Uint8Array.of(body.length >> 8, body.length & 0xff, ...body));
}

async function insert(port: number): Promise<Bun.Socket<undefined>> {
  let held = Buffer.alloc(0);
  return Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: async (source, data) => {
        held = Buffer.concat([held, data]);
        while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
          const body = held.subarray(2, 2 + held.readUInt16BE(0));
          held = held.subarray(2 + body.length);
          if (body.length === 1) {
            if (body[0] === GET_ATR) send(source, ATR);
            continue;
          }
          if (delayMs > 0) await Bun.sleep(delayMs);
          send(source, answerOf(new Uint8Array(body), port));
        }
      },
    },
  });
}

/** Retries, because a daemon that was just started does not listen for its reader yet. */
async function insertOnceReady(port: number): Promise<Bun.Socket<undefined> | undefined> {
  for (let attempt = 0; attempt < 80; attempt += 1) {
    try {
      return await insert(port);
    } catch {
      await Bun.sleep(100);
    }
  }
  return undefined;
}

function startDaemon(): void {
  const log = openSync(join(folder, 'pcscd.log'), 'a');
  daemon = Bun.spawn(['pcscd', '-f'], { stdin: 'ignore', stdout: log, stderr: log });
}

async function stopDaemon(): Promise<void> {
  daemon?.kill('SIGKILL');
  await daemon?.exited;
  for (const name of ['pcscd.comm', 'pcscd.pid']) rmSync(join(folder, 'sock', name), { force: true });
}

startDaemon();
for await (const line of console) {
  const [word, value] = line.trim().split(' ');
  if (word === 'insert') socket = await insertOnceReady(PORT);
  else if (word === 'second' && value === 'insert') second = await insertOnceReady(PORT + 1);
  else if (word === 'second') second?.end();
  else if (word === 'pcscd' && value === 'start') startDaemon();
  else if (word === 'pcscd') await stopDaemon();
  else if (word === 'remove') socket?.end();
  else if (word === 'delay') delayMs = Number(value);
  else if (word === 'kind') kind = value ?? 'good';
  console.log(`done ${line.trim()}`);
}
