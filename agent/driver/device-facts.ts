/** Facts about a device file: which process has it open, and which group may use it. */
import { accessSync, constants, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface DeviceUser {
  readonly pid: number;
  /** The program's name, up to 15 characters like in the kernel. */
  readonly name: string;
}

export interface DeviceFacts {
  exists(path: string): boolean;
  mayOpen(path: string, access: 'read' | 'write'): boolean;
  /**
   * A process that has the device open. Only root can see other users' processes: undefined does not mean that there
   * is none.
   */
  userOf(path: string): DeviceUser | undefined;
  /** Name of the group that owns the device file; undefined for root's, which a service must not be added to. */
  group(path: string): string | undefined;
}

interface MachineFolders {
  readonly proc: string;
  readonly groupFile: string;
}

const ROOT_GROUP = 0;

export class MachineFacts implements DeviceFacts {
  constructor(private readonly folders: MachineFolders = { proc: '/proc', groupFile: '/etc/group' }) {}

  exists(path: string): boolean {
    return this.#accessible(path, constants.F_OK);
  }

  mayOpen(path: string, access: 'read' | 'write'): boolean {
    return this.#accessible(path, access === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK);
  }

  userOf(path: string): DeviceUser | undefined {
    for (const entry of namesIn(this.folders.proc)) {
      if (!/^\d+$/.test(entry)) continue;
      const folder = join(this.folders.proc, entry);
      if (namesIn(join(folder, 'fd')).some((fd) => targetOf(join(folder, 'fd', fd)) === path)) {
        return { pid: Number(entry), name: textOf(join(folder, 'comm')).trim() };
      }
    }
    return undefined;
  }

  group(path: string): string | undefined {
    let id: number;
    try {
      id = statSync(path).gid;
    } catch {
      return undefined;
    }
    if (id === ROOT_GROUP) return undefined;
    const line = textOf(this.folders.groupFile)
      .split('\n')
      .find((text) => text.split(':')[2] === String(id));
    return line?.split(':')[0] ?? String(id);
  }

  #accessible(path: string, mode: number): boolean {
    try {
      accessSync(path, mode);
      return true;
    } catch {
      return false;
    }
  }
}

/** Empty if the folder does not exist or is not readable, such as that of another user's process. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
