/**
 * MULTI2 of libtomcrypt (Debian `libtomcrypt1`), an independent implementation: if the library is installed,
 * the benchmark compares with it and measures against it. CBC mode with 32 elementary functions, as
 * STD-B25 specifies.
 */
import { dlopen, FFIType, type Pointer, ptr } from 'bun:ffi';

const LIBRARY = 'libtomcrypt.so.1';
const FUNCTIONS = 32;
/** Larger than `symmetric_CBC` of any build. */
const STATE_BYTES = 32 * 1024;
const { i32, u64, pointer } = { i32: FFIType.i32, u64: FFIType.u64, pointer: FFIType.ptr };

interface TomcryptMulti2 {
  /** Decrypts whole blocks into `plain`; the chain starts with the initial value. */
  decrypt(cipher: Uint8Array, plain: Uint8Array): void;
  /** The same without restarting the chain, to measure without the cost of copying the state. */
  continue(cipher: Uint8Array, plain: Uint8Array): void;
}

/** Undefined if the library is not installed. @param key 32 bytes system key and 8 bytes data key */
export function tomcryptMulti2(key: Uint8Array, initial: Uint8Array): TomcryptMulti2 | undefined {
  let symbols: ReturnType<typeof openLibrary>;
  try {
    symbols = openLibrary();
  } catch {
    return undefined;
  }
  const descriptor = (symbols.multi2_desc as unknown as { ptr: Pointer }).ptr;
  const index = symbols.register_cipher(descriptor) as number;
  if (index < 0) throw new Error('libtomcrypt does not register MULTI2');
  const fresh = new Uint8Array(STATE_BYTES);
  const started = symbols.cbc_start(index, ptr(initial), ptr(key), key.length, FUNCTIONS, ptr(fresh));
  if (started !== 0) throw new Error(`cbc_start: ${started}`);
  const state = fresh.slice();
  const proceed = (cipher: Uint8Array, plain: Uint8Array): void => {
    const result = symbols.cbc_decrypt(ptr(cipher), ptr(plain), cipher.length, ptr(state));
    if (result !== 0) throw new Error(`cbc_decrypt: ${result}`);
  };
  return {
    decrypt: (cipher, plain) => {
      state.set(fresh);
      proceed(cipher, plain);
    },
    continue: proceed,
  };
}

function openLibrary() {
  return dlopen(LIBRARY, {
    multi2_desc: { args: [], returns: i32 },
    register_cipher: { args: [pointer], returns: i32 },
    cbc_start: { args: [i32, pointer, pointer, i32, i32, pointer], returns: i32 },
    cbc_decrypt: { args: [pointer, pointer, u64, pointer], returns: i32 },
  }).symbols;
}
