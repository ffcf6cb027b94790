/** Names of the fonts that receivers have, which documents refer to (ARIB TR-B14 Vol. 3, Hybridcast applications alike). */
const FAMILIES = ['丸ゴシック', '角ゴシック', '太丸ゴシック'];

/** The bytes come with the document: the content security policy lets the frame fetch no font. */
export function installFont(font: ArrayBuffer): void {
  for (const family of FAMILIES) document.fonts.add(new FontFace(family, font));
  const style = document.createElement('style');
  style.textContent = `html { font-family: '${FAMILIES[0]}', sans-serif; }`;
  // The application's own rules come after it.
  document.head.prepend(style);
}
