/** Texts that viewers do not see: addresses, media types, names of modules. */

/** One byte per character. @throws RangeError for a character outside of ISO 646 */
export function encodeLatin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0x7e) throw new RangeError(`${character} is not ASCII`);
    return code;
  });
}
