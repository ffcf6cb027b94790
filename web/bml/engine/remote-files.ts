/**
 * Files that documents of a server refer to. Pictures, style sheets and scripts are kept while the data broadcast runs,
 * so that the pages of a server do not ask for them again.
 */
import type { LaunchFault, NetworkFault } from '../bml-messages.ts';
import { type DocumentAddress, directoryOf, isRemote, type RemoteAddress } from './address.ts';
import type { StoredFile } from './module-store.ts';
import type { Network } from './network.ts';

const MAX_FILES = 64;
const MAX_OCTETS = 8 << 20;
const KEPT_TYPES = /^\s*(?:image\/|text\/css\b|(?:text|application)\/(?:x-arib-)?(?:ecma|java)script\b)/i;

/** The files that were used least recently are given up first. */
export class RemoteFiles {
  /** By address, in the order of their use. */
  readonly #files = new Map<string, StoredFile>();
  #octets = 0;

  get(url: string): StoredFile | undefined {
    const file = this.#files.get(url);
    if (file !== undefined) {
      this.#files.delete(url);
      this.#files.set(url, file);
    }
    return file;
  }

  keep(url: string, file: StoredFile): void {
    this.#drop(url);
    if (!KEPT_TYPES.test(file.type ?? '') || file.bytes.length > MAX_OCTETS) return;
    this.#files.set(url, file);
    this.#octets += file.bytes.length;
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MAX_FILES && this.#octets <= MAX_OCTETS) break;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    this.#octets -= this.#files.get(url)?.bytes.length ?? 0;
    this.#files.delete(url);
  }
}

/** Files of one document, which end with it. */
export class RemoteReader {
  readonly #network: Network;
  readonly #files: RemoteFiles;
  readonly #signal: AbortSignal;
  readonly #failed: (url: string, fault: NetworkFault | number) => void;
  /** What several elements refer to is asked for once. */
  readonly #running = new Map<string, Promise<StoredFile | undefined>>();

  /** @param failed told of a fault, or of the status that is no success */
  constructor(
    network: Network,
    files: RemoteFiles,
    signal: AbortSignal,
    failed: (url: string, fault: NetworkFault | number) => void,
  ) {
    this.#network = network;
    this.#files = files;
    this.#signal = signal;
    this.#failed = failed;
  }

  /** Undefined: there is none, or it cannot be received. */
  read(url: string): Promise<StoredFile | undefined> {
    const kept = this.#files.get(url);
    if (kept !== undefined) return Promise.resolve(kept);
    let running = this.#running.get(url);
    if (running === undefined) {
      running = this.#read(url).finally(() => this.#running.delete(url));
      this.#running.set(url, running);
    }
    return running;
  }

  async #read(url: string): Promise<StoredFile | undefined> {
    const answer = await this.#network.get(url, this.#signal);
    if (typeof answer === 'string' || !isSuccess(answer.status)) {
      this.#failed(url, typeof answer === 'string' ? answer : answer.status);
      return undefined;
    }
    const file = { name: undefined, type: answer.type, bytes: answer.bytes };
    if (answer.isStorable) this.#files.keep(url, file);
    return file;
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

interface RemoteDocument {
  readonly address: RemoteAddress;
  readonly file: StoredFile;
}

/** Documents of servers: which may be opened, and their text (ARIB TR-B14 Vol. 3, 5.14.7). */
export class RemoteDocuments {
  readonly #network: Network;
  /** Of the first document since the broadcast's. */
  #directory = '';

  constructor(network: Network) {
    this.#network = network;
  }

  /** @param from the document that opens it: a broadcast document may name any server */
  async open(
    address: RemoteAddress,
    from: DocumentAddress,
    signal: AbortSignal,
  ): Promise<RemoteDocument | LaunchFault> {
    const isFirst = !isRemote(from);
    if (!this.#network.abilities.network) return 'off';
    if (!isFirst && !this.#contains(address)) return 'outside';
    const answer = await this.#network.get(address.url, signal);
    if (typeof answer === 'string') return answer;
    if (!isSuccess(answer.status)) return 'missing';
    const received = { url: answer.url, fragment: address.fragment };
    if (isFirst) this.#directory = directoryOf(received);
    // A redirect leads out of the directory just as a link does.
    else if (!this.#contains(received)) return 'outside';
    return { address: received, file: { name: undefined, type: answer.type, bytes: answer.bytes } };
  }

  #contains(address: RemoteAddress): boolean {
    return directoryOf(address).startsWith(this.#directory);
  }
}
