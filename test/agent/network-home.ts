/** Network namespaces connected by cables: several machines of a home on one. Needs root and iproute2. */
import { join } from 'node:path';

/** The reason why it cannot run here, if any. */
export function networkMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root';
  for (const program of ['ip', 'unshare', 'nsenter'])
    if (Bun.which(program) === null) return `${program} is missing`;
  const cable = 'ip link add name one type veth peer name two && ip tuntap add dev three mode tun';
  const probe = Bun.spawnSync(['unshare', '--net', 'sh', '-c', cable]);
  return probe.exitCode === 0 ? undefined : 'namespaces, veth or TUN devices are not allowed';
}

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${problems}`);
  return out;
}

/** A machine: a network namespace, kept alive by a process. */
export class Host {
  readonly #holder: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;

  private constructor(holder: Bun.Subprocess<'pipe', 'pipe', 'inherit'>) {
    this.#holder = holder;
  }

  static async start(): Promise<Host> {
    const holder = Bun.spawn(['unshare', '--net', 'sh', '-c', 'ip link set lo up && echo up && exec cat'], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const { value } = await holder.stdout.getReader().read();
    if (value === undefined) throw new Error('no network namespace');
    return new Host(holder);
  }

  get pid(): number {
    return this.#holder.pid;
  }

  /** Wraps a command so that it runs on this machine. */
  on(...command: string[]): string[] {
    return ['nsenter', `--net=/proc/${this.pid}/ns/net`, ...command];
  }

  run(...command: string[]): Promise<string> {
    return run(this.on(...command));
  }

  async ip(...lines: string[]): Promise<void> {
    for (const line of lines) await this.run('ip', ...line.split(' '));
  }

  async close(): Promise<void> {
    this.#holder.stdin.end();
    this.#holder.kill('SIGKILL');
    await this.#holder.exited;
  }
}

/** @param addresses with prefix lengths, such as `10.77.1.1/24` */
export async function cable(
  a: Host,
  nameOfA: string,
  addressesOfA: readonly string[],
  b: Host,
  addressesOfB: readonly string[],
): Promise<void> {
  const nameOfB = `${nameOfA}x`;
  await a.ip(
    `link add name ${nameOfA} type veth peer name ${nameOfB}`,
    `link set ${nameOfB} netns ${b.pid}`,
    ...addressing(nameOfA, addressesOfA),
  );
  await b.ip(...addressing(nameOfB, addressesOfB));
}

/** A cable that delays every packet. @returns a function that removes it */
export async function slowCable(
  a: Host,
  nameOfA: string,
  addressesOfA: readonly string[],
  b: Host,
  addressesOfB: readonly string[],
  delayMs: number,
): Promise<() => Promise<void>> {
  const nameOfB = `${nameOfA}x`;
  const line = Bun.spawn(
    a.on(process.execPath, join(import.meta.dir, 'delay-line.ts'), nameOfA, nameOfB, String(delayMs)),
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  );
  const { value } = await line.stdout.getReader().read();
  if (value === undefined) throw new Error('no delay line');
  await a.ip(`link set ${nameOfB} netns ${b.pid}`, ...addressing(nameOfA, addressesOfA));
  await b.ip(...addressing(nameOfB, addressesOfB));
  return async () => {
    line.stdin.end();
    line.kill('SIGKILL');
    await line.exited;
  };
}

function addressing(name: string, addresses: readonly string[]): string[] {
  return [
    ...addresses.map((address) => `addr add ${address} dev ${name}${address.includes(':') ? ' nodad' : ''}`),
    `link set ${name} up`,
  ];
}
