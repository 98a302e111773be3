/** Work that uses the thread of this process now and then, and is called back when it does. */
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

/** Starts work, which uses the thread from now on. */
export function holdingThread<T>(next: ThreadHolder, work: () => T): T {
  return context.run(next, () => {
    switchThreadTo(next);
    return work();
  });
}

/** Does work that awaits nothing; then the work before it has the thread again. */
export function holdingThreadFor<T>(next: ThreadHolder, work: () => T): T {
  const outer = holder;
  try {
    return holdingThread(next, work);
  } finally {
    switchThreadTo(outer);
  }
}

/** Returns the same function, which runs as part of the work that runs now, whatever calls it. */
export function bound<A extends readonly unknown[], T>(work: (...input: A) => T): (...input: A) => T {
  const current = context.getStore();
  return (...input) =>
    context.run(current, () => {
      switchThreadTo(current);
      return work(...input);
    });
}

/** Says that the work that runs has the thread again: called where work goes on that has waited. */
export function resumeThread(): void {
  switchThreadTo(context.getStore());
}

/**
 * Says whose work the thread does from now on, until other work is named or the thread has nothing left to do and
 * returns to the event loop.
 */
export function switchThreadTo(next: ThreadHolder | undefined): void {
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
  switchThreadTo(undefined);
}
