/**
 * PC/SC by `libpcsclite` (pcsc-lite 1.9 API, WinSCard). Every call blocks, so this runs in the card worker only. The
 * library is loaded on first use: without it there is no card, but everything else works.
 */
import { dlopen, ptr } from 'bun:ffi';
import { KeyFailure } from '../descramble/key-source.ts';

const SYMBOLS = {
  SCardEstablishContext: { args: ['u64', 'ptr', 'ptr', 'ptr'], returns: 'i64' },
  SCardReleaseContext: { args: ['i64'], returns: 'i64' },
  SCardListReaders: { args: ['i64', 'ptr', 'ptr', 'ptr'], returns: 'i64' },
  SCardConnect: { args: ['i64', 'ptr', 'u64', 'u64', 'ptr', 'ptr'], returns: 'i64' },
  SCardDisconnect: { args: ['i64', 'u64'], returns: 'i64' },
  SCardTransmit: { args: ['i64', 'ptr', 'ptr', 'u64', 'ptr', 'ptr', 'ptr'], returns: 'i64' },
  SCardGetStatusChange: { args: ['i64', 'u64', 'ptr', 'u64'], returns: 'i64' },
} as const;

/** `libpcsclite.so.1` of Debian; the plain name if only development files provide it. */
const LIBRARIES = ['libpcsclite.so.1', 'libpcsclite.so'];

const SCOPE_SYSTEM = 2;
const SHARE_SHARED = 2;
const PROTOCOL_T1 = 2;
const LEAVE_CARD = 0;
const STATE_PRESENT = 0x0020;
const SUCCESS = 0;
const NO_SERVICE = 0x8010001d;
const SERVICE_STOPPED = 0x8010001e;
const INVALID_HANDLE = 0x80100003;
const NO_READERS = 0x8010002e;
const TIMEOUT = 0x8010000a;
/** No card, unpowered, unresponsive, removed, reader gone. */
const NO_CARD: readonly number[] = [0x8010000c, 0x80100067, 0x80100066, 0x80100069, 0x80100017, 0x80100009];
/** No card, unpowered, unresponsive, removed, reader removed. */
const STALE: readonly number[] = [INVALID_HANDLE, 0x80100068];

const MAX_READER_NAMES = 4096;
/** Short APDU: 256 octets and the status word. */
const MAX_ANSWER = 258;
const READER_STATE_BYTES = 80;

type Library = ReturnType<typeof dlopen<typeof SYMBOLS>>['symbols'];

function openLibrary(): Library {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, SYMBOLS).symbols;
    } catch {
      // Tries the next name, or fails below.
    }
  }
  throw new KeyFailure('no_library', 'libpcsclite.so.1 is not installed');
}

/** @throws KeyFailure */
function check(result: number | bigint, call: string): void {
  const code = Number(BigInt.asUintN(32, BigInt(result)));
  if (code === SUCCESS) return;
  const text = `${call}: 0x${code.toString(16)}`;
  if (code === NO_SERVICE || code === SERVICE_STOPPED) throw new KeyFailure('no_daemon', text);
  if (code === NO_READERS) throw new KeyFailure('no_reader', text);
  if (NO_CARD.includes(code) || STALE.includes(code)) throw new KeyFailure('no_card', text);
  throw new KeyFailure('card_error', text);
}

const cString = (text: string): Uint8Array => new TextEncoder().encode(`${text}\0`);

/** A context with the daemon. Must be closed after a failure with `no_daemon`, which invalidates it. */
export class PcscContext {
  readonly #library: Library;
  readonly #context: bigint;

  /** @throws KeyFailure no_library, no_daemon */
  constructor() {
    this.#library = openLibrary();
    const context = new BigInt64Array(1);
    check(
      this.#library.SCardEstablishContext(SCOPE_SYSTEM, null, null, ptr(context)),
      'SCardEstablishContext',
    );
    this.#context = context[0] as bigint;
  }

  /** Names of all readers; may be empty. @throws KeyFailure */
  readers(): string[] {
    const names = new Uint8Array(MAX_READER_NAMES);
    const length = new BigUint64Array([BigInt(names.length)]);
    try {
      check(this.#library.SCardListReaders(this.#context, null, ptr(names), ptr(length)), 'SCardListReaders');
    } catch (error) {
      if (error instanceof KeyFailure && error.code === 'no_reader') return [];
      throw error;
    }
    const text = new TextDecoder().decode(names.subarray(0, Number(length[0])));
    return text.split('\0').filter((name) => name !== '');
  }

  /** Whether a card is in the reader, and the number of insertions and removals so far. @throws KeyFailure */
  status(reader: string): { isPresent: boolean; changes: number } {
    const name = cString(reader);
    const state = new Uint8Array(READER_STATE_BYTES);
    const view = new DataView(state.buffer);
    view.setBigUint64(0, BigInt(ptr(name)), true);
    const result = this.#library.SCardGetStatusChange(this.#context, 0, ptr(state), 1);
    if (Number(BigInt.asUintN(32, BigInt(result))) !== TIMEOUT) check(result, 'SCardGetStatusChange');
    const event = Number(view.getBigUint64(24, true));
    // The upper half counts the events of the reader.
    return { isPresent: (event & STATE_PRESENT) !== 0, changes: event >>> 16 };
  }

  /** @throws KeyFailure no_card, card_error … */
  connect(reader: string): PcscCard {
    const name = cString(reader);
    const card = new BigInt64Array(1);
    const protocol = new BigUint64Array(1);
    check(
      this.#library.SCardConnect(
        this.#context,
        ptr(name),
        SHARE_SHARED,
        PROTOCOL_T1,
        ptr(card),
        ptr(protocol),
      ),
      'SCardConnect',
    );
    return new PcscCard(this.#library, card[0] as bigint, protocol[0] as bigint);
  }

  /** Idempotent: an invalid context is already closed. */
  close(): void {
    this.#library.SCardReleaseContext(this.#context);
  }
}

export class PcscCard {
  constructor(
    private readonly library: Library,
    private readonly handle: bigint,
    private readonly protocol: bigint,
  ) {}

  /** @param command one APDU @returns the response with its status word @throws KeyFailure */
  transmit(command: Uint8Array): Uint8Array {
    const request = new BigUint64Array([this.protocol, 16n]);
    const answer = new Uint8Array(MAX_ANSWER);
    const length = new BigUint64Array([BigInt(answer.length)]);
    check(
      this.library.SCardTransmit(
        this.handle,
        ptr(request),
        ptr(command),
        command.length,
        null,
        ptr(answer),
        ptr(length),
      ),
      'SCardTransmit',
    );
    return answer.slice(0, Number(length[0]));
  }

  close(): void {
    this.library.SCardDisconnect(this.handle, LEAVE_CARD);
  }
}
