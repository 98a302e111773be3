/** Resolves in a later turn of the event loop, so that what waits meanwhile is served between two slices of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
