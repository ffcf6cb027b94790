/** Lets everything that is waiting, such as requests, run in between. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
