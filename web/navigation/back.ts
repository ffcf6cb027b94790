/** Handles the "back" key: the innermost open element first (menu, sheet, controls), then the screen. */

type BackHandler = () => boolean;

const handlers: BackHandler[] = [];

/** The handler answers true when it used the key. Returns the function that takes it out again. */
export function onBack(handler: BackHandler): () => void {
  handlers.push(handler);
  return () => {
    const index = handlers.lastIndexOf(handler);
    if (index >= 0) handlers.splice(index, 1);
  };
}

/** True when a handler consumed it. */
export function back(): boolean {
  for (const handler of [...handlers].reverse()) if (handler()) return true;
  return false;
}
