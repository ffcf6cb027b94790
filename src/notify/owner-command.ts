/**
 * The command of the machine's owner (`NOTIFY_COMMAND`): run for each notice of a recording, booking or conversion,
 * with the environment names that scripts for EPGStation read. Its first argument is the event.
 */
import { childEnvironment } from '../../lib/host/environment.ts';
import type { Log } from '../../lib/host/log.ts';
import type { NoticeEvent } from '../../lib/wire/vocabulary.ts';
import type { StoredNotice } from '../model/notice.ts';
import type { CommandFacts } from '../store/notice-subjects.ts';

/** Names of EPGStation's hooks; other events are not its. */
const HOOKS: Partial<Readonly<Record<NoticeEvent, string>>> = {
  reserved: 'reserveNewAddtion',
  rebooked: 'reserveNewAddtion',
  conflict: 'reserveUpdate',
  will_fail: 'reserveUpdate',
  started: 'recordingStart',
  finished: 'recordingFinish',
  failed: 'recordingFailed',
  encoded: 'encodingFinish',
};

/** A script may upload a file. */
const LIMIT_MS = 10 * 60_000;
/** Commands wait for each other: of a flood the oldest are left out. */
const MAX_WAITING = 200;

interface CommandOptions {
  path: string;
  facts: (notice: StoredNotice) => CommandFacts | undefined;
  log: Log;
}

/** Full-width letters, digits and signs in their half-width form. */
function halfWidth(text: string): string {
  return text
    .replace(/[\uff01-\uff5e]/gu, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0xfee0))
    .replaceAll('\u3000', ' ');
}

/** No value contains NUL, which no environment can carry. */
function commandEnvironment(facts: CommandFacts): Record<string, string> {
  const { name, description, extended, channelName } = facts;
  const values = {
    RECORDEDID: facts.recordingId,
    RESERVEID: facts.reservationId,
    PROGRAMID: facts.programId,
    CHANNELTYPE: facts.channelType,
    CHANNELID: facts.channelId,
    CHANNELNAME: channelName,
    HALF_WIDTH_CHANNELNAME: halfWidth(channelName),
    STARTAT: facts.startAt,
    ENDAT: facts.endAt,
    DURATION: facts.endAt - facts.startAt,
    NAME: name,
    HALF_WIDTH_NAME: halfWidth(name),
    DESCRIPTION: description,
    HALF_WIDTH_DESCRIPTION: halfWidth(description),
    EXTENDED: extended,
    HALF_WIDTH_EXTENDED: halfWidth(extended),
    RECPATH: facts.path,
    LOGPATH: '',
    ERROR_CNT: facts.errors,
    DROP_CNT: facts.drops,
    SCRAMBLING_CNT: facts.scrambled,
  };
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, String(value ?? '').replaceAll('\0', '')]),
  );
}

export class OwnerCommand {
  readonly #waiting: StoredNotice[] = [];
  #running: Promise<void> | undefined;
  #process: Bun.Subprocess | undefined;
  #isClosed = false;

  constructor(private readonly options: CommandOptions) {}

  take(notices: readonly StoredNotice[]): void {
    this.#waiting.push(...notices.filter(({ event }) => HOOKS[event] !== undefined));
    this.#waiting.splice(0, this.#waiting.length - MAX_WAITING);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      const notice = this.#waiting.shift();
      if (notice === undefined || this.#isClosed) return;
      const hook = HOOKS[notice.event];
      if (hook === undefined) continue;
      const { path, log } = this.options;
      try {
        const facts = this.options.facts(notice);
        if (facts === undefined) continue;
        this.#process = Bun.spawn([path, hook], {
          env: { ...childEnvironment(process.env), ...commandEnvironment(facts) },
          stdin: 'ignore',
          stdout: 'ignore',
          stderr: 'ignore',
          timeout: LIMIT_MS,
          killSignal: 'SIGKILL',
        });
        const code = await this.#process.exited;
        if (code !== 0) log.warn('NOTIFY_COMMAND failed', { event: hook, code });
      } catch (error) {
        log.warn('NOTIFY_COMMAND not started', { event: hook, error: String(error) });
      }
    }
  }

  /** A running command is ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#process?.kill();
    await this.#running;
  }
}
