/** Whether the service, which runs as its own user in the group `video`, may open a device file. */
import { readFileSync, statSync } from 'node:fs';
import type { UnitAccess } from './check.ts';

const GROUP = 'video';
const GROUP_RW = 0o060;
const OTHERS_RW = 0o006;

/** Undefined if the files do not show it: then the permissions of this process are used. */
export function unitAccess(groups = '/etc/group'): UnitAccess | undefined {
  const names = groupNames(groups);
  if (names.size === 0) return undefined;
  return (path) => {
    const { mode, gid } = statSync(path);
    const group = names.get(gid) ?? String(gid);
    const may = (mode & OTHERS_RW) === OTHERS_RW || (group === GROUP && (mode & GROUP_RW) === GROUP_RW);
    return { may, group };
  };
}

function groupNames(path: string): Map<number, string> {
  try {
    return new Map(
      readFileSync(path, 'utf8')
        .split('\n')
        .map((line) => line.split(':'))
        .flatMap(([name = '', , gid = '']) => (/^\d+$/.test(gid) ? [[Number(gid), name] as const] : [])),
    );
  } catch {
    return new Map();
  }
}
