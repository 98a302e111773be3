/** Work that holds the thread of this process now and then, and is called back when it does. */
export interface ThreadHolder {
  taken(): void;
  released(): void;
}

/** PORT: carries the work that runs along everything that it awaits, as `AsyncLocalStorage` of Node does. */
export interface HolderContext {
  getStore(): ThreadHolder | undefined;
  run<T>(holder: ThreadHolder | undefined, work: () => T): T;
}

let holder: ThreadHolder | undefined;
let isEnding = false;
/** Without one, work is known until it waits. */
let context: HolderContext = { getStore: () => holder, run: (_holder, work) => work() };

/** Has the work that runs carried along by a context, in the whole process. */
export function carryHolders(by: HolderContext): void {
  context = by;
}

/** Starts work, which holds the thread from now on. */
export function holdingThread<T>(next: ThreadHolder, work: () => T): T {
  return context.run(next, () => {
    holdThread(next);
    return work();
  });
}

/** Does work that nothing is awaited in; then the thread is held as before. */
export function holdingThreadFor<T>(next: ThreadHolder, work: () => T): T {
  const outer = holder;
  try {
    return holdingThread(next, work);
  } finally {
    holdThread(outer);
  }
}

/** Returns the same function, which runs as part of the work that runs now, whoever calls it. */
export function bound<A extends readonly unknown[], T>(work: (...given: A) => T): (...given: A) => T {
  const current = context.getStore();
  return (...given) =>
    context.run(current, () => {
      holdThread(current);
      return work(...given);
    });
}

/** Says that the work that runs holds the thread again: called where work goes on that has waited. */
export function resumeThread(): void {
  holdThread(context.getStore());
}

/**
 * Says whose work the thread does from now on, until somebody else's is named or the thread has nothing left to do and
 * returns to the event loop.
 */
export function holdThread(next: ThreadHolder | undefined): void {
  if (next === holder) return;
  holder?.released();
  holder = next;
  next?.taken();
  if (!next || isEnding) return;
  isEnding = true;
  // A tick that a microtask asks for comes when all microtasks have run.
  queueMicrotask(() => process.nextTick(release));
}

function release(): void {
  isEnding = false;
  holdThread(undefined);
}
