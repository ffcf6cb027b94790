/** Errors of the database by the codes of SQLite and of the system, with advice for users. */
import { Failure } from '../model/failure.ts';

export type DatabaseTroubleKind = 'full' | 'readonly' | 'damaged' | 'failing' | 'busy';

interface Trouble {
  /** Japanese sentence for the UI. */
  message: string;
  /** For the log and the command line. */
  next: string;
}

export const TROUBLES: Readonly<Record<DatabaseTroubleKind, Trouble>> = {
  full: {
    message:
      'データベースのディスクに空きがないため、保存できません。不要な録画やファイルを消して空きを作ってください。',
    next: 'make room on the disk of DATA_DIR',
  },
  readonly: {
    message:
      'データベースに書き込めません。DATA_DIR のディスクが読み取り専用になっていないか、権限があるかを確認してください。',
    next: 'make DATA_DIR writable for the user of svc; a disk that the system made read-only has failed',
  },
  damaged: {
    message:
      'データベースが壊れています。録画中のものは続きますが、予約などが保存されないことがあります。サービスを止め、控えから戻すか svc recover で読めるものを取り出してください。',
    next:
      'stop svc, then restore a backup, or take out what can be read with `svc recover`; ' +
      'to start with an empty database move svc.db and svc.db-wal away',
  },
  failing: {
    message: 'データベースのディスクの読み書きに失敗しました。ディスクが故障していないか確認してください。',
    next: 'look at the disk of DATA_DIR (dmesg): reading or writing failed',
  },
  busy: {
    message: 'データベースが使用中のため、保存できませんでした。もう一度お試しください。',
    next: 'end the other program that writes svc.db',
  },
};

const CODES: readonly [code: RegExp, kind: DatabaseTroubleKind][] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'full'],
  [/^(SQLITE_READONLY|SQLITE_PERM|SQLITE_CANTOPEN|EACCES|EPERM|EROFS)/, 'readonly'],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, 'damaged'],
  [/^(SQLITE_IOERR|EIO)/, 'failing'],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/, 'busy'],
];

/** Of SQLite or of the system; empty: none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** undefined: not an error of the database or its disk. */
export function troubleOf(error: unknown): DatabaseTroubleKind | undefined {
  const code = codeOf(error);
  return CODES.find(([pattern]) => pattern.test(code))?.[1];
}

/** The failure for a client if the database refused its request; undefined for other errors. */
export function databaseFailure(error: unknown): Failure | undefined {
  const kind = error instanceof Error && error.name === 'SQLiteError' ? troubleOf(error) : undefined;
  return kind === undefined ? undefined : new Failure('busy', TROUBLES[kind].message, { cause: error });
}
