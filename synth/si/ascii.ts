/** Texts that no Japanese reader sees: addresses, media types, names of modules. */

/** An octet a character. @throws RangeError for a character beyond ISO 646. */
export function encodeLatin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0x7e) throw new RangeError(`${character} is not ASCII`);
    return code;
  });
}
