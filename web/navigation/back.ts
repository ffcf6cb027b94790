/** Handles the "back" key: the innermost open element first (menu, sheet, controls), then the screen. */

type BackHandler = () => boolean;

const handlers: BackHandler[] = [];
const browserHandlers = new Set<BackHandler>();

/** The handler answers true when it used the key. Returns the function that takes it out again. */
export function onBack(handler: BackHandler): () => void {
  handlers.push(handler);
  return () => {
    const index = handlers.lastIndexOf(handler);
    if (index >= 0) handlers.splice(index, 1);
  };
}

/** As `onBack`, and the handler is also asked before the browser's own Back leaves the screen. */
export function onEveryBack(handler: BackHandler): () => void {
  const forget = onBack(handler);
  browserHandlers.add(handler);
  return () => {
    forget();
    browserHandlers.delete(handler);
  };
}

function isConsumed(asked: readonly BackHandler[]): boolean {
  return [...asked].reverse().some((handler) => handler());
}

/** True when a handler consumed it. */
export const back = (): boolean => isConsumed(handlers);
/** For the browser's own Back: true when a handler consumed it, and the screen is to stay. */
export const browserBack = (): boolean => isConsumed([...browserHandlers]);
