/**
 * A virtual machine with Debian's own kernel, which has modules that the kernel of a test machine may lack:
 * dvb-core and CUSE. The host's files are mounted read-only, so the programs under test and Bun run in it
 * unchanged. Prepared once per kernel version in the folder of temporary files.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const GUEST = join(import.meta.dir, 'guest');
const PACKAGES = ['qemu-system-x86', 'busybox-static', 'cpio', 'kmod', 'make', 'gcc', 'xz-utils'];
const HEADERS = /^linux-headers-6\.1\.0-\d+-amd64$/;
/** In the order of their dependencies; `isdbsim` is part of the rig. */
const MODULES = [
  ...['virtio_ring', 'virtio', 'virtio_pci_modern_dev', 'virtio_pci_legacy_dev', 'virtio_pci'],
  ...['9pnet', '9pnet_virtio', 'netfs', 'fscache', '9p', 'mc', 'dvb-core', 'isdbsim', 'fuse', 'cuse'],
  ...['overlay', 'autofs4'],
];
const BOOT_LIMIT_SECONDS = 660;

/** The reason why the rig cannot run here, if any; packages may still have to be installed. */
export function rigMissing(): string | undefined {
  if (process.env.SVC_RIGS !== '1') return 'only with --rigs';
  if (process.arch !== 'x64') return 'needs an x86-64 machine';
  if (process.getuid?.() !== 0) return 'needs root';
  return Bun.which('apt-get') === null ? 'needs Debian' : undefined;
}

/** @returns its output @throws Error with its output if it failed */
export async function runToEnd(command: readonly string[], folder = '/'): Promise<string> {
  const child = Bun.spawn([...command], { cwd: folder, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${problems || out}`);
  return out;
}

const installedHeaders = (): string | undefined =>
  readdirSync('/usr/src')
    .filter((name) => HEADERS.test(name))
    .sort(new Intl.Collator('en', { numeric: true }).compare)
    .at(-1);

/** @returns the version, such as `6.1.0-56-amd64` */
async function installPackages(): Promise<string> {
  const programs = ['qemu-system-x86_64', 'busybox', 'cpio', 'depmod', 'make', 'gcc', 'xz'];
  if (programs.some((name) => Bun.which(name) === null) || installedHeaders() === undefined) {
    await runToEnd(['apt-get', 'update']);
    await runToEnd([
      'apt-get',
      'install',
      '-y',
      '--no-install-recommends',
      ...PACKAGES,
      'linux-headers-amd64',
    ]);
  }
  const headers = installedHeaders();
  if (headers === undefined) throw new Error('no headers of a 6.1 kernel in /usr/src');
  return headers.replace('linux-headers-', '');
}

/** Kernel and initial RAM disk for a guest that runs the given command; modules are built once. */
export class GuestMachine {
  private constructor(
    private readonly folder: string,
    private readonly modules: string,
  ) {}

  static async prepare(): Promise<GuestMachine> {
    const version = await installPackages();
    const folder = join(tmpdir(), `svc-rig-${version}`);
    const source = readFileSync(join(GUEST, 'isdbsim.c'), 'utf8');
    const built = join(folder, `modules-${Bun.hash(source + MODULES.join()).toString(36)}`);
    mkdirSync(folder, { recursive: true });
    await GuestMachine.#unpackKernel(folder, version);
    if (!existsSync(built)) await GuestMachine.#collectModules(folder, version, built);
    return new GuestMachine(folder, built);
  }

  /**
   * Runs the command to its end. @param debian folder of a Debian, in which the command runs under systemd
   * with the host's files in `/host` @returns everything that the guest printed
   */
  async run(command: readonly string[], debian?: string): Promise<string> {
    const initrd = await this.#initialRamDisk(command, debian);
    const child = Bun.spawn(
      [
        'timeout',
        String(BOOT_LIMIT_SECONDS),
        'qemu-system-x86_64',
        ...['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', '2', '-m', '1536', '-machine', 'pc'],
        ...['-nodefaults', '-no-user-config', '-display', 'none', '-serial', 'stdio', '-no-reboot'],
        ...['-kernel', join(this.folder, 'vmlinux'), '-initrd', initrd],
        ...['-append', 'console=ttyS0 quiet panic=-1'],
        '-virtfs',
        'local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap',
      ],
      { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
    );
    const output = await new Response(child.stdout).text();
    await child.exited;
    rmSync(initrd, { force: true });
    return output;
  }

  static async #unpackKernel(folder: string, version: string): Promise<void> {
    if (existsSync(join(folder, 'vmlinux'))) return;
    await runToEnd(['apt-get', 'download', `linux-image-${version}`], folder);
    const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
    if (archive === undefined) throw new Error('no kernel package was downloaded');
    await runToEnd(['dpkg', '-x', archive, 'image'], folder);
    const kernel = readFileSync(join(folder, `image/boot/vmlinuz-${version}`));
    // The uncompressed kernel boots at once (PVH); unpacking it inside the emulator takes longer than the
    // test.
    const compressed = kernel.subarray(kernel.indexOf(Buffer.from('FD377A585A00', 'hex')));
    writeFileSync(join(folder, 'vmlinux.xz'), compressed);
    await runToEnd(['sh', '-c', 'xz -dc --single-stream vmlinux.xz > vmlinux.part'], folder);
    renameSync(join(folder, 'vmlinux.part'), join(folder, 'vmlinux'));
  }

  static async #collectModules(folder: string, version: string, target: string): Promise<void> {
    const work = join(folder, 'build');
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    cpSync(join(GUEST, 'isdbsim.c'), join(work, 'isdbsim.c'));
    writeFileSync(join(work, 'Makefile'), 'obj-m := isdbsim.o\n');
    await runToEnd(['make', '-s', '-C', `/usr/src/linux-headers-${version}`, `M=${work}`, 'modules']);
    const found = new Map([['isdbsim', join(work, 'isdbsim.ko')]]);
    const all = new Bun.Glob('**/*.ko').scanSync({ cwd: join(folder, 'image/lib/modules'), absolute: true });
    for (const path of all) found.set(basename(path, '.ko'), path);
    const part = `${target}.part`;
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part);
    // Drivers built into the kernel are not modules.
    const present = MODULES.filter((name) => found.has(name));
    for (const name of present) cpSync(found.get(name) ?? '', join(part, `${name}.ko`));
    writeFileSync(join(part, 'order'), `${present.join('\n')}\n`);
    renameSync(part, target);
  }

  async #initialRamDisk(command: readonly string[], debian: string | undefined): Promise<string> {
    const root = join(this.folder, `root-${process.pid}`);
    rmSync(root, { recursive: true, force: true });
    for (const name of ['bin', 'dev', 'proc', 'sys', 'host'])
      mkdirSync(join(root, name), { recursive: true });
    cpSync(Bun.which('busybox') ?? '', join(root, 'bin/busybox'));
    cpSync(this.modules, join(root, 'modules'), { recursive: true });
    cpSync(join(GUEST, debian === undefined ? 'init.sh' : 'init-debian.sh'), join(root, 'init'));
    writeFileSync(join(root, 'command'), command.join(' '));
    if (debian !== undefined) writeFileSync(join(root, 'debian'), debian);
    await runToEnd(['chmod', '755', join(root, 'init'), join(root, 'bin/busybox')]);
    const initrd = join(this.folder, `initrd-${process.pid}.cpio`);
    await runToEnd(['sh', '-c', `find . | cpio -o -H newc --quiet > ${initrd}`], root);
    rmSync(root, { recursive: true, force: true });
    return initrd;
  }
}

/** Compiles both programs for this machine. @throws Error */
export async function buildPrograms(folder: string): Promise<void> {
  const root = join(import.meta.dir, '..', '..');
  const build = [process.execPath, join(root, 'build.ts'), '--host-only', '--out', folder];
  const child = Bun.spawn(build, { cwd: root, stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error('the programs were not built');
}

interface Finding {
  step: string;
  [name: string]: unknown;
}

interface Findings {
  /** Steps that failed. */
  readonly failed: readonly Finding[];
  /** @throws Error if the guest did not reach the step */
  of(step: string): Finding;
}

/** The lines `RIG {…}` of a scenario. */
export function parseFindings(output: string): Findings {
  const lines = output.split('\n').filter((line) => line.startsWith('RIG {'));
  const findings = lines.map((line) => JSON.parse(line.slice(4)) as Finding);
  return {
    failed: findings.filter(({ error }) => error !== undefined),
    of: (step) => {
      const found = findings.find((one) => one.step === step);
      if (found === undefined) throw new Error(`the guest did not reach: ${step}`);
      return found;
    },
  };
}
